"""The guard before every answer: limits, who may ask, a token where others can reach us, and headers that keep pages harmless."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import parse_qs

import msgspec
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from daybreak.core.http.client import is_loopback
from daybreak.core.invisible_chars import escaped_bytes
from daybreak.serve.web.token import COOKIE, LIVES, Token
from daybreak.serve.web.words import login_page

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
}
LONGEST_TARGET = 6144
LONGEST_QUERY = 4096
"""Bytes as they are sent: a Chinese character takes nine, and a search may have 400."""
MOST_HEADERS = 16_384
"""Bytes of names and values together."""
LONGEST_FORM = 4096
_LONGEST_WAY = 1500
"""Of an address that is gone on to after the form; with the rest of the form it must fit into it, encoded."""
LOGIN = "/login"
OPEN = ("/healthz", "/assets/")
"""Answered without a token: whether all is well and no more of it, and the style, which comes with the program."""
KNOWN = "daybreak.known"
"""In the scope: whoever asks may see everything."""


def problem(status: int, title: str, detail: str = "", headers: Mapping[str, str] | None = None) -> Response:
    """An error as RFC 9457 has it."""
    data = {"type": "about:blank", "title": title, "status": status, **({"detail": detail} if detail else {})}
    body = escaped_bytes(msgspec.json.encode(data)) + b"\n"
    return Response(body, status, headers, media_type="application/problem+json")


class Guard:
    """Around the whole application.

    Without a token only this machine is served, by a name that is this machine's own: a page of another site could
    else have its name answered with our address and read everything.
    """

    def __init__(self, app: ASGIApp, token: Token | None = None, hosts: Iterable[str] = ()) -> None:
        self._app, self._token = app, token
        self._hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return  # there are no sockets, and nothing to start

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message.setdefault("headers", []))
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        headers = Headers(scope=scope)
        answer = self._refusal(scope, headers)
        if answer is None and self._token is not None:
            answer = await self._asked_for_token(self._token, scope, headers, receive)
        await (answer or self._app)(scope, receive, guarded)

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        allowed = ("GET", "HEAD", "POST") if self._token and scope["path"] == LOGIN else ("GET", "HEAD")
        if scope["method"] not in allowed:
            return problem(405, "Method Not Allowed", headers={"Allow": ", ".join(allowed)})
        query = scope.get("query_string", b"")
        if len(query) > LONGEST_QUERY or len(scope.get("raw_path") or b"") + len(query) > LONGEST_TARGET:
            return problem(414, "URI Too Long", f"A query has at most {LONGEST_QUERY} bytes.")
        if sum(len(name) + len(value) for name, value in scope["headers"]) > MOST_HEADERS:
            return problem(431, "Request Header Fields Too Large")
        hosts = headers.getlist("host")
        if len(hosts) != 1:
            return problem(400, "Bad Request", "One Host header is needed.")
        if self._token is None and not self._ours(hosts[0]):
            return problem(421, "Misdirected Request", "This service answers to localhost and 127.0.0.1 only.")
        return None

    def _ours(self, host: str) -> bool:
        name, colon, port = host.rpartition(":")
        if not colon or not port.isdecimal():
            name = host
        return is_loopback(name) or name.lower() in self._hosts

    # --- the token ---------------------------------------------------------------------------------------------------

    async def _asked_for_token(self, token: Token, scope: Scope, headers: Headers, receive: Receive) -> Response | None:
        known = scope[KNOWN] = _is_known(token, headers)
        path = scope["path"]
        if path == LOGIN and scope["method"] == "POST":
            return await _log_in(token, headers, receive)
        if path == LOGIN:
            return RedirectResponse("/", 303) if known else HTMLResponse(login_page())
        if known or path == OPEN[0] or path.startswith(OPEN[1]):
            return None
        if "text/html" in headers.get("accept", "") and not path.startswith("/api/"):
            return HTMLResponse(login_page(_target(scope)), 401, {"WWW-Authenticate": "Bearer"})
        words = "Send the token of DAYBREAK_TOKEN as Authorization: Bearer."
        return problem(401, "Unauthorized", words, {"WWW-Authenticate": "Bearer"})


def _target(scope: Scope) -> str:
    """What was asked for, as it was sent: a reader goes on there."""
    path, query = scope.get("raw_path") or b"/", scope.get("query_string", b"")
    return _inside((path + (b"?" + query if query else b"")).decode("latin-1"))


def _is_known(token: Token, headers: Headers) -> bool:
    kind, _, given = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return token.is_it(given.strip())
    return any(token.opened(value) for value in _cookies(headers))


def _cookies(headers: Headers) -> list[str]:
    pairs = (pair.strip().partition("=") for line in headers.getlist("cookie") for pair in line.split(";"))
    return [value for name, _, value in pairs if name == COOKIE]


async def _log_in(token: Token, headers: Headers, receive: Receive) -> Response:
    if not _same_origin(headers):
        return problem(403, "Forbidden", "This form is answered only when it is sent from this site.")
    body = await _form(receive)
    if body is None:
        return problem(413, "Content Too Large")
    given = _fields(body)
    target = _inside(given.get("next", ["/"])[0])
    if not token.is_it(given.get("token", [""])[0].strip()):
        return HTMLResponse(login_page(target, wrong=True), 401)
    answer = RedirectResponse(target, 303)
    answer.set_cookie(COOKIE, token.session(), max_age=LIVES, httponly=True, samesite="strict")
    return answer


def _fields(body: bytes) -> dict[str, list[str]]:
    try:
        return parse_qs(body.decode("utf-8", "replace"), max_num_fields=8)
    except ValueError:
        return {}


def _same_origin(headers: Headers) -> bool:
    """As far as a browser tells: it says `null` where pages give no referrer, and nothing at all without TLS."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin", "null")
    return origin == "null" or origin.partition("://")[2] == headers.get("host")


def _inside(path: str) -> str:
    """Only a plain path of this site is gone on to."""
    plain = path.startswith("/") and not path.startswith("//") and path.isascii() and path.isprintable()
    return path if plain and "\\" not in path and len(path) <= _LONGEST_WAY else "/"


async def _form(receive: Receive) -> bytes | None:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if len(body) > LONGEST_FORM:
            return None
        if not message.get("more_body"):
            return bytes(body)
