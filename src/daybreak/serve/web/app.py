"""The application: the pages of the site, the API, health and metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from daybreak import __version__
from daybreak.core.errors import DaybreakError, UsageError
from daybreak.serve.web import health, metrics
from daybreak.serve.web.api import api_routes, tagged
from daybreak.serve.web.facts import Facts
from daybreak.serve.web.guard import KNOWN, Guard, problem
from daybreak.serve.web.reading import Reading
from daybreak.serve.web.site_pages import Shelf
from daybreak.serve.web.token import Token
from daybreak.serve.web.words import nothing_page, small_page
from daybreak.serve.web.worker import Status

_FOR_GOOD = "private, max-age=31536000, immutable"
"""Of files whose name holds a hash of their content."""


def make_app(
    look: Callable[[], Facts],
    status: Callable[[], Status | None],
    steady: Callable[[], float],
    reading: Reading | None = None,
    token: Token | None = None,
    hosts: Iterable[str] = (),
) -> ASGIApp:
    """Its handlers run in threads, since the store is asked there; they only read."""

    def healthz(request: Request) -> Response:
        well, data = health.as_data(look(), status(), steady())
        told = data if request.scope.get(KNOWN, True) else {"status": data["status"]}
        return JSONResponse(told, status_code=200 if well else 503)

    def measured(_: Request) -> Response:
        return Response(metrics.exposition(look(), status()), media_type=metrics.CONTENT_TYPE)

    def page(request: Request) -> Response:
        path = request.path_params.get("path", "")
        answer = _page(reading.shelf, request, path) if reading else None
        if answer is None and not path:
            return HTMLResponse(_beginning(look(), status()))
        return answer or _nothing(request)

    routes = [Route("/healthz", healthz), Route("/metrics", measured)]
    routes += api_routes(reading.sources) if reading else []
    routes += [Route("/", page), Route("/{path:path}", page)]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _refused, Exception: _failed})
    app.router.redirect_slashes = False  # it would make an address from what the client calls us
    return Guard(app, token, hosts)


def _page(shelf: Shelf, request: Request, path: str) -> Response | None:
    try:
        asset = shelf.page(path, request.scope.get("query_string", b""))
    except UsageError as error:
        return HTMLResponse(small_page("Daybreak", error.message, error.tip), 400)
    except DaybreakError as error:
        return HTMLResponse(small_page("Daybreak", error.message), 503) if path else None
    if asset is None:
        return RedirectResponse(f"/{path}/", 308) if _is_folder(shelf, path) else None
    headers = {"Cache-Control": _FOR_GOOD} if asset.path.startswith("assets/") else {}
    return tagged(request, asset.body, asset.media_type, headers)


def _is_folder(shelf: Shelf, path: str) -> bool:
    """Whether a slash is all that lacks; links of a page hold only below its own folder."""
    return bool(path) and not path.endswith("/") and shelf.page(f"{path}/") is not None


def _beginning(facts: Facts, now: Status | None) -> str:
    """Where there is no page yet: what is known, and when there will be more."""
    newest = f"Newest report: {facts.newest.label}." if facts.newest else "No report yet."
    due = f"Next run: {now.next_at:%Y-%m-%d %H:%M} UTC." if now and now.next_at else "No schedule."
    return small_page(f"Daybreak {__version__}", newest, due)


def _nothing(request: Request) -> Response:
    if _wants_page(request):
        return HTMLResponse(nothing_page(), 404)
    return problem(404, "Not Found")


def _wants_page(request: Request) -> bool:
    return "text/html" in request.headers.get("accept", "") and not request.scope["path"].startswith("/api/")


def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return problem(error.status_code, error.detail, headers=error.headers)


def _failed(_: Request, error: Exception) -> Response:
    """The words of an unforeseen error may hold anything."""
    return PlainTextResponse(f"This is a bug in Daybreak: {type(error).__name__}.\n", 500)
