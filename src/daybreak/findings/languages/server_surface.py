"""What a server file offers to clients: routes, models of requests and responses, messages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from daybreak.findings.languages.base import keywords
from daybreak.findings.languages.text_surface import Source
from daybreak.findings.surface import Row, Surface

_ROUTE = re.compile(
    r"@(?:\w*(?:app|router|api|server|bp|blueprint|routes))"
    r"\.(get|post|put|delete|patch|head|options|api_route|route|websocket)\(\s{0,40}f?[\"'](/[^\"'\s]{0,200})[\"']"
)
_ADDED = re.compile(
    r"\b\w*(?:app|router)\.(?:add_api_route|add_route|add_api_websocket_route|router\.add_(?:get|post|put|delete|route))"
    r"\(\s{0,40}(?:[\"'](?:GET|POST|PUT|DELETE|\*)[\"'],\s{0,20})?[\"'](/[^\"'\s]{0,200})[\"']"
)
_RUST = re.compile(r"\.route\(\s{0,40}\"(/[^\"\s]{0,200})\"\s{0,10},\s{0,40}(get|post|put|delete|patch|any)?")
_PREFIX = re.compile(r"\bAPIRouter\([^)]{0,300}?prefix\s?=\s?[\"'](/[^\"'\s]{1,100})[\"']")
_HANDLER = re.compile(r"\bdef[ \t]+(\w+)")
_MODEL = re.compile(r"(?:Request|Response|ReqInput|ReqOutput)(?:Base|\w{0,20})?$")
_BASES = re.compile(r"\b(?:\w*BaseModel|\w*Request\w*|\w*Response\w*|\w*Struct|\w*ReqInput)\b")
_PLACES = re.compile(r"(?:^|/)(?:entrypoints|openai|serving|http|api|openapi)/|protocol\w*\.py$|io_struct\.py$")
_SERVED = re.compile(r"(?:^|/)(?:entrypoints|openai|openapi)/|(?:^|/)protocol\.py$")
_MESSAGE = re.compile(r"\b(message|oneof|enum|service|extend)\s{1,4}(\w{1,120})\s{0,4}\{|[{}]|//[^\n]*")
_ENTRY = re.compile(r"\w[\w.>]{0,80}\s{1,8}(\w{1,100})\s?=\s?(\d{1,9})\s{0,8}(?:\[[^\]]{0,200}\])?\s{0,40}$")


MAX_DEPTH = 30


def surface(path: str, text: str, partial: bool = False) -> Surface:
    """Rows `route`, `model` (a class with its fields) and `message` (of a proto file, with its fields)."""
    if path.endswith(".proto"):
        return Surface(_messages(text))
    source = Source(text)
    if path.endswith(".rs"):
        found = _RUST.finditer(text) if re.search(r"server|route|/api", path[-200:]) else iter(())
        return Surface(Row("route", m[1], source.line(m.start()), m[1], {"method": m[2] or "any"}) for m in found)
    rows = [*_routes(source), *(_models(source, path) if _PLACES.search(path[-200:]) else ())]
    return Surface(rows, broken=source.lost > 0 and not partial)


def _routes(source: Source) -> Iterator[Row]:
    text = source.text
    if '"/' not in text and "'/" not in text:
        return
    prefixes = set(_PREFIX.findall(text)) if "APIRouter(" in text else set()
    prefix = prefixes.pop() if len(prefixes) == 1 else ""
    for match in _ROUTE.finditer(text):
        if source.quiet(match.start()):
            continue
        handler = _HANDLER.search(text, match.end(), match.end() + 600)
        name = prefix + match[2] if "router" in match[0] else match[2]
        details = {"method": match[1], "handler": handler[1] if handler else ""}
        yield Row("route", name, source.line(match.start()), name, details)
    added = ("add_api_route", "add_route", "websocket_route", "router.add_")
    for match in _ADDED.finditer(text) if any(word in text for word in added) else ():
        if not source.quiet(match.start()):
            yield Row("route", match[1], source.line(match.start()), match[1], {"method": "any"})


def _models(source: Source, path: str) -> Iterator[Row]:
    """Classes that clients fill in or read: details are field → default, empty when required."""
    for name, bases, start, end in source.classes():
        if (
            not _MODEL.search(name)
            or "Bytes" in name
            or not (any(_BASES.search(b) for b in bases) or path.endswith("io_struct.py"))
        ):
            continue
        fields = {
            field: _default(stated.value)
            for field, _, stated in source.fields(start, end)
            if not stated.head.startswith("ClassVar") and field != "model_config"
        }
        if name.startswith("_") or not _SERVED.search(path[-200:]):
            fields["internal"] = "1"
        line = source.line(start)
        yield Row("model", name, line, ", ".join(sorted(bases)), fields)


def _default(value: str | None) -> str:
    """A field's default through `Field(default=…)`; `<made>` when something makes it, empty when it is required."""
    if value is None:
        return ""
    call = re.match(r"(?:pydantic\.)?[Ff]ield\(|PrivateAttr\(", value)
    inside = Source(value).arguments(call.end()) if call else None
    if inside is None:
        return value
    given = keywords(inside.parts)
    if "default_factory" in given:
        return "<made>"
    first = inside.parts[0] if inside.parts and "=" not in inside.parts[0] else ""
    default = given.get("default", first)
    return "" if default in ("...", "") else default


def _messages(text: str) -> Iterator[Row]:
    """Messages with their fields and numbers; the fields of a `oneof` belong to the message around it."""
    source, stack = Source(text), list[tuple[str, str, int, dict[str, str]]]()
    at = 0
    for mark in _MESSAGE.finditer(text):
        word = mark[0]
        if stack and stack[-1][0] in ("message", "oneof"):
            owner = next((s for s in reversed(stack) if s[0] == "message"), None)
            if owner:
                pieces = (_ENTRY.search(piece[-400:]) for piece in text[at : mark.start()].split(";")[:-1])
                owner[3].update((m[1], m[2]) for m in pieces if m)
        at = mark.end()
        if word == "}":
            if stack:
                kind, name, line, fields = stack.pop()
                if kind == "message":
                    yield Row("message", name, line, name, fields)
        elif word == "{" or mark[1]:
            if len(stack) > MAX_DEPTH:
                raise ValueError("a file of open brackets")
            inner = [s[1] for s in stack if s[0] == "message"]
            stack.append((mark[1] or "{", ".".join([*inner[-1:], mark[2] or ""]), source.line(mark.start()), {}))
