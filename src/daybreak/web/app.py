"""The application: a page, health and metrics; the only file that knows Starlette."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from daybreak import __version__
from daybreak.web import health, metrics
from daybreak.web.facts import Facts
from daybreak.web.worker import Status

_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'",
    "X-Content-Type-Options": "nosniff",
}
_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Daybreak</title>
<h1>Daybreak {version}</h1>
<p>{state}</p>
<ul><li><a href="/healthz">/healthz</a></li><li><a href="/metrics">/metrics</a></li></ul>
</html>
"""


def make_app(look: Callable[[], Facts], status: Callable[[], Status | None], steady: Callable[[], float]) -> Starlette:
    """Its handlers run in threads, since the store is asked there; they only read."""

    def page(_: Request) -> Response:
        facts, now = look(), status()
        newest = f"Newest report: {facts.newest.label}." if facts.newest else "No report yet."
        due = f" Next run: {now.next_at:%Y-%m-%d %H:%M} UTC." if now and now.next_at else " No schedule."
        return HTMLResponse(_PAGE.format(version=escape(__version__), state=escape(newest + due)), headers=_HEADERS)

    def healthz(_: Request) -> Response:
        well, data = health.as_data(look(), status(), steady())
        return JSONResponse(data, status_code=200 if well else 503, headers=_HEADERS)

    def measured(_: Request) -> Response:
        return Response(metrics.exposition(look(), status()), media_type=metrics.CONTENT_TYPE, headers=_HEADERS)

    def failed(_: Request, error: Exception) -> Response:
        """The words of an unforeseen error may hold anything."""
        return PlainTextResponse(f"This is a bug in Daybreak: {type(error).__name__}.\n", 500, headers=_HEADERS)

    routes = [Route("/", page), Route("/healthz", healthz), Route("/metrics", measured)]
    return Starlette(routes=routes, exception_handlers={Exception: failed})
