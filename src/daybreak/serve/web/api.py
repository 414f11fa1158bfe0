"""The JSON API: routes from the table of endpoints, with ETags, links to the next page, and errors as problems."""

from __future__ import annotations

import hashlib
from typing import Any
from urllib.parse import parse_qsl, urlencode

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from daybreak.core.errors import DaybreakError, UsageError
from daybreak.core.invisible_chars import escaped_bytes
from daybreak.serve.web.endpoints import ENDPOINTS, Endpoint, Missing, Sources
from daybreak.serve.web.guard import problem
from daybreak.serve.web.openapi import ROOT
from daybreak.serve.web.parameters import Mistake, read_query


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


def tagged(request: Request, body: bytes, media_type: str, headers: dict[str, str] | None = None) -> Response:
    """An answer that is sent again only when it changed."""
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    head = {"Cache-Control": "private, no-cache", **(headers or {}), "ETag": etag}
    if _has(request.headers.get("if-none-match", ""), etag):
        return Response(status_code=304, headers=head)
    return Response(body, headers={**head, "Content-Type": media_type})


def _has(asked: str, etag: str) -> bool:
    """Whether the client names this state, or any."""
    return any(one.strip().removeprefix("W/") in (etag, "*") for one in asked.split(","))
