"""Streamable HTTP: the server as an application behind checks of Host, Origin and token."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from daybreak.core.http import is_loopback
from daybreak.serve.mcp.context import Desk
from daybreak.serve.mcp.server import make_server

PATH = "/mcp"
LARGEST = 256_000
"""Bytes of one question; the longest statement is a tenth of it."""
_EVERYWHERE = ("0.0.0.0", "::", "")  # noqa: S104  # compared with, not listened on


class Guarded:
    """Lets in what is addressed to this machine and carries the token; others hear no more than what is missing.

    Host and Origin are looked at so that a page in a browser, led here by another name, cannot ask.
    """

    def __init__(self, app: ASGIApp, host: str, is_token: Callable[[str], bool] | None) -> None:
        self._app, self._host, self._is_token = app, host, is_token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (refused := self._refused(scope)):
            await refused(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _refused(self, scope: Scope) -> JSONResponse | None:
        hosts, origins, tokens = (_values(scope, name) for name in (b"host", b"origin", b"authorization"))
        if len(hosts) != 1 or not self._addressed(_name(hosts[0])):
            return JSONResponse({"error": "This host is not served here."}, status_code=421)
        if any(_name(origin.rpartition("://")[2]) != _name(hosts[0]) for origin in origins):
            return JSONResponse({"error": "Pages of other origins may not ask."}, status_code=403)
        scheme, _, given = tokens[0].partition(" ") if len(tokens) == 1 else ("", "", "")
        if self._is_token is not None and not (scheme.lower() == "bearer" and self._is_token(given.strip())):
            headers = {"WWW-Authenticate": 'Bearer realm="daybreak"'}
            return JSONResponse({"error": "A token is needed."}, status_code=401, headers=headers)
        return None

    def _addressed(self, name: str) -> bool:
        """On all addresses of the machine any name will do: there the token keeps strangers out."""
        if is_loopback(self._host):
            return is_loopback(name)
        return self._host in _EVERYWHERE or name == self._host.lower()


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


def _name(host: str) -> str:
    """Without its port and brackets, in lower case."""
    found = re.fullmatch(r"(?:\[([0-9A-Fa-f:.]{2,45})\]|([^:\[\]/@]{1,255}))(?::\d{1,5})?", host)
    return (found[1] or found[2]).lower() if found else ""


@asynccontextmanager
async def application(desk: Desk, host: str, is_token: Callable[[str], bool] | None) -> AsyncIterator[ASGIApp]:
    """Answers while it is open. Each question stands alone: nothing is kept of a client, so that none can fill memory."""
    server = make_server(desk)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        max_request_body_size=LARGEST,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # `Guarded` does it
    )
    async with server.session_manager.run():
        yield Guarded(app, host, is_token)
