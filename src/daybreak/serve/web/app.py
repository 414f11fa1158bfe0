"""The application: the pages of the site, the API, health and metrics."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import re
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, urlencode

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Scope

from daybreak import __version__
from daybreak.core.errors import DaybreakError, UsageError
from daybreak.core.text import escaped_bytes
from daybreak.serve.web import metrics
from daybreak.serve.web.endpoints import ENDPOINTS, ROOT, Endpoint, Missing, Sources
from daybreak.serve.web.guard import KNOWN, Guard, Token, problem
from daybreak.serve.web.metrics import Facts, Reading, Shelf
from daybreak.serve.web.parameters import Mistake, read_query
from daybreak.serve.web.plan import Status, ending
from daybreak.site.feed_formats import ATOM_MEDIA_TYPE, JSON_MEDIA_TYPE
from daybreak.site.pages import Asset
from daybreak.site.pages.plain import nothing_page, small_page

# --- The JSON API: routes from the table of endpoints, with ETags, links to the next page, and errors as problems ---


def api_routes(sources: Sources) -> list[Route]:
    """One for each row of the table; handlers run in threads, since the store is asked there."""
    return [Route(ROOT + one.path, _handler(one, sources), methods=["GET"], name=one.name) for one in ENDPOINTS]


def _handler(endpoint: Endpoint, sources: Sources) -> Any:
    def handle(request: Request) -> Response:
        try:
            return _answered(endpoint, sources, request)
        except Mistake as error:
            return problem(400, "Bad Request", str(error))
        except Missing as error:
            return problem(404, "Not Found", str(error))
        except UsageError as error:
            return problem(400, "Bad Request", f"{error.message} {error.tip}".strip())
        except DaybreakError as error:
            return problem(503, "Service Unavailable", error.message)

    return handle


def _answered(endpoint: Endpoint, sources: Sources, request: Request) -> Response:
    pairs = _pairs(request)
    asked = read_query(endpoint.parameters, pairs)
    for one in endpoint.parameters:
        if one.in_path:
            asked[one.name] = one.read(request.path_params[one.name])
    answer = endpoint.answer(sources, asked)
    headers, value = {}, answer.value
    if answer.next is not None:
        rest = [(name, text) for name, text in pairs if name != "cursor"]
        address = f"{ROOT}{endpoint.path}?{urlencode([*rest, ('cursor', answer.next)])}"
        value = msgspec.structs.replace(value, next=address)
        headers["Link"] = f'<{address}>; rel="next"'
    body = answer.data if answer.data is not None else escaped_bytes(msgspec.json.encode(value)) + b"\n"
    return tagged(request, body, answer.media_type, headers)


def _pairs(request: Request) -> list[tuple[str, str]]:
    query = request.scope.get("query_string", b"")
    try:
        text = query.decode("ascii")
        return parse_qsl(text, keep_blank_values=True, max_num_fields=32, errors="strict")
    except ValueError:
        raise Mistake("The query cannot be read.") from None


SMALLEST = 1400
"""Bytes of one packet: what fits into it is sent as it is."""


def tagged(request: Request, body: bytes, media_type: str, headers: dict[str, str] | None = None) -> Response:
    """An answer that is sent again only when it changed, and packed where the client can unpack it."""
    packed = len(body) > SMALLEST and _unpacks(request.headers.get("accept-encoding", ""))
    etag = f'"{_digest(body)}{"-gzip" if packed else ""}"'
    head = {"Cache-Control": "private, no-cache", "Vary": "Accept-Encoding", **(headers or {}), "ETag": etag}
    if _has(request.headers.get("if-none-match", ""), etag):
        return Response(status_code=304, headers=head)
    if packed:
        body, head["Content-Encoding"] = _packed(body), "gzip"
    return Response(body, headers={**head, "Content-Type": media_type})


@lru_cache(16)
def _digest(body: bytes) -> str:
    """Of a page that many read; bytes know their own hash, so that to look it up again costs nothing."""
    return hashlib.sha256(body).hexdigest()[:32]


@lru_cache(16)
def _packed(body: bytes) -> bytes:
    return gzip.compress(body, 6, mtime=0)


def _unpacks(accepted: str) -> bool:
    """Whether the client takes gzip; a weight of nothing refuses it."""
    found = (one.partition(";")[::2] for one in accepted.lower().split(","))
    return any(name.strip() == "gzip" and not re.fullmatch(r"\s*q=0(\.0*)?\s*", rest) for name, rest in found)


def _has(asked: str, etag: str) -> bool:
    """Whether the client names this state, or any."""
    return any(one.strip().removeprefix("W/") in (etag, "*") for one in asked.split(","))


FEEDS = (ATOM_MEDIA_TYPE, JSON_MEDIA_TYPE)
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
    page = _pages(look, status, reading)
    routes = _watched(look, status, steady)
    routes += api_routes(reading.sources) if reading else []
    routes = [_PageRoute("/{path:path}", page), *routes, Route("/{path:path}", page)]
    app = Starlette(routes=routes, exception_handlers={HTTPException: _refused, Exception: _failed})
    app.router.redirect_slashes = False  # it would make an address from what the client calls us
    return Guard(app, token, hosts)


class _PageRoute(Route):
    """What most ask for, before twenty other addresses are tried; theirs are left to them."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        return (Match.NONE, {}) if scope["path"].startswith(_NO_PAGES) else super().matches(scope)


_NO_PAGES = (f"{ROOT}/", "/healthz", "/livez", "/metrics")


def _watched(
    look: Callable[[], Facts], status: Callable[[], Status | None], steady: Callable[[], float]
) -> list[Route]:
    """What those ask who keep the service alive."""
    health = Apart(look)

    async def healthz(request: Request) -> Response:
        well, data = as_data(await health(), status(), steady())
        told = data if request.scope.get(KNOWN, True) else {"status": data["status"]}
        return JSONResponse(told, status_code=200 if well else 503)

    async def livez(_: Request) -> Response:
        """The process answers; nothing is asked for it, so that a slow store restarts nobody."""
        return JSONResponse({"status": "alive"})

    def measured(_: Request) -> Response:
        return Response(metrics.exposition(look(), status()), media_type=metrics.CONTENT_TYPE)

    return [Route("/healthz", healthz), Route("/livez", livez), Route("/metrics", measured)]


def _pages(
    look: Callable[[], Facts], status: Callable[[], Status | None], reading: Reading | None
) -> Callable[[Request], Awaitable[Response]]:
    """What readers ask for."""

    async def page(request: Request) -> Response:
        """One that is held needs no thread: with many readers, most of the time went into waiting for one."""
        asset = reading.shelf.held(request.path_params.get("path", "")) if reading else None
        if asset is None or asset.media_type in FEEDS:
            return await run_in_threadpool(made, request)
        return _sent(request, asset)

    def made(request: Request) -> Response:
        path = request.path_params.get("path", "")
        answer = _page(reading.shelf, request, path) if reading else None
        if answer is None and not path:
            return HTMLResponse(_beginning(look(), status()))
        return answer or _nothing(request)

    return page


class Apart:
    """What is known, looked at in a thread of its own: whatever the others are at, somebody answers in time."""

    def __init__(self, look: Callable[[], Facts], patience: float = 5.0) -> None:
        self._look, self._patience = look, patience
        self._asked: asyncio.Future[Facts] | None = None

    async def __call__(self) -> Facts:
        if self._asked is None or self._asked.done():
            self._asked = asyncio.get_running_loop().create_future()
            threading.Thread(target=self._answer, args=(self._asked, asyncio.get_running_loop()), daemon=True).start()
        try:
            return await asyncio.wait_for(asyncio.shield(self._asked), self._patience)
        except TimeoutError:
            return Facts(datetime.now(UTC), "What was reported cannot be looked at in time.")

    def _answer(self, asked: asyncio.Future[Facts], loop: asyncio.AbstractEventLoop) -> None:
        try:
            found, error = self._look(), None
        except Exception as fault:  # noqa: BLE001  raised where it is asked for
            found, error = None, fault
        with suppress(RuntimeError):  # the service has ended meanwhile
            loop.call_soon_threadsafe(_settled, asked, found, error)


def _settled(asked: asyncio.Future[Facts], found: Facts | None, error: Exception | None) -> None:
    if found is not None:
        asked.set_result(found)
    elif error is not None:
        asked.set_exception(error)


def _page(shelf: Shelf, request: Request, path: str) -> Response | None:
    try:
        asset = shelf.page(path, request.scope.get("query_string", b""))
    except UsageError as error:
        return HTMLResponse(small_page("Daybreak", error.message, error.tip), 400)
    except DaybreakError as error:
        return HTMLResponse(small_page("Daybreak", error.message), 503) if path else None
    if asset is None:
        return RedirectResponse(f"/{path}/", 308) if _is_folder(shelf, path) else None
    if asset.media_type in FEEDS:
        asset = shelf.feed(asset.path, _address(request)) or asset
    return _sent(request, asset)


def _sent(request: Request, asset: Asset) -> Response:
    headers = {"Cache-Control": _FOR_GOOD} if asset.path.startswith("assets/") else {}
    return tagged(request, asset.body, asset.media_type, headers)


def _address(request: Request) -> str:
    """Where the client knows us; it alone is told so."""
    proto = "https" if request.headers.get("x-forwarded-proto", "").lower() == "https" else request.url.scheme
    return f"{proto}://{request.headers.get('host', '')}"


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
    known = f"There is no such address; {ROOT}/openapi.json lists all of them."
    return problem(404, "Not Found", known if request.scope["path"].startswith("/api") else "")


def _wants_page(request: Request) -> bool:
    """Whoever asks beside the API is a reader, also one whose program takes anything, unless it asks for data."""
    return "json" not in request.headers.get("accept", "") and not request.scope["path"].startswith("/api")


def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return problem(error.status_code, error.detail, headers=error.headers)


def _failed(_: Request, error: Exception) -> Response:
    """The words of an unforeseen error may hold anything."""
    return PlainTextResponse(f"This is a bug in Daybreak: {type(error).__name__}.\n", 500)


# --- Health: the reasons why somebody should look, in words that hold nothing secret ---


OVERDUE = 3600.0
"""Seconds a day may stay without a report while nothing is done about it."""
STUCK = 6 * 3600.0
"""Seconds after which a run ought to be done."""


def reasons(facts: Facts, status: Status | None, steady: float) -> Iterator[str]:
    """What is not as it should be; `status`: None without a schedule."""
    if facts.fault is not None:
        yield facts.fault
    if status is None:
        return
    for label, failure in sorted(status.failures.items()):
        yield f"The run for {label} failed (tries: {failure.times}, last with {ending(failure.code)}); the log says why."
    if status.task is not None:
        if steady - status.since > STUCK:
            yield f"The run for {status.task.label} has been going on for {_hours(steady - status.since)} hours."
        return
    late = {label: since for label, since in status.waiting.items() if steady - since > OVERDUE}
    for label, since in sorted(late.items()):
        if label not in status.failures:
            yield f"{label} has been due for {_hours(steady - since)} hours. {status.blocked or ''}".rstrip()


def as_data(facts: Facts, status: Status | None, steady: float) -> tuple[bool, dict[str, Any]]:
    """Whether all is well, and the answer of `/healthz`."""
    found = list(reasons(facts, status, steady))
    newest = facts.newest
    data: dict[str, Any] = {
        "status": "failing" if found else "ok",
        "reasons": found,
        "newest_report": {"day": newest.label, "skipped": newest.skipped} if newest else None,
        "schedule": None if status is None else _schedule(status),
    }
    return not found, data


def _schedule(status: Status) -> dict[str, Any]:
    return {
        "running": status.task.label if status.task else None,
        "next_run": status.next_at.isoformat() if status.next_at else None,
        "without_report": sorted(status.waiting),
    }


def _hours(seconds: float) -> str:
    return f"{seconds / 3600:.1f}"
