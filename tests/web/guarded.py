"""Applications to ask without a server: requests go straight to the application, as raw as a test wants them."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp

from daybreak.core.config import Settings, load
from daybreak.serve.web.app import make_app
from daybreak.serve.web.guard import Token
from daybreak.serve.web.metrics import Facts, Reading

Pairs = Iterable[tuple[str, str]]


@dataclass(frozen=True)
class Got:
    """An answer."""

    status: int
    headers: Headers
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    def json(self) -> Any:
        import json

        return json.loads(self.body)


def ask(
    app: ASGIApp, target: str, *, method: str = "GET", headers: Pairs = (), body: bytes = b"", host: str = "localhost"
) -> Got:
    """`target` as it stands on the wire."""
    from urllib.parse import unquote

    path, _, query = target.partition("?")
    sent = [("host", host)] if host else []
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode("latin-1"),
        "query_string": query.encode("latin-1"),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in (*sent, *headers)],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    parts: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        parts.append(message)

    asyncio.run(_call(app, scope, receive, send))
    return Got(
        parts[0]["status"], Headers(raw=parts[0]["headers"]), b"".join(part.get("body", b"") for part in parts[1:])
    )


async def _call(app: ASGIApp, scope: Any, receive: Any, send: Any) -> None:
    await app(scope, receive, send)


def settings_of(folder: Path) -> Settings:
    return load(folder / "daybreak.toml", {}, dict(os.environ))


def app_of(folder: Path, token: Token | None = None) -> ASGIApp:
    """As the service makes it, over a folder with reports."""
    reading = Reading(settings_of(folder))
    return make_app(lambda: Facts(datetime(2026, 3, 9, tzinfo=UTC)), lambda: None, time.monotonic, reading, token)
