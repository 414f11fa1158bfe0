"""Interfaces of servers: HTTP routes, fields of requests and responses, messages of proto files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from daybreak.core.model.findings import Alias
from daybreak.findings.compare import FilePair
from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.server_surface import surface
from daybreak.findings.languages.text_surface import (
    changed_text,
    is_value,
    lives,
    met_by_users,
    names,
    pairing,
    quiet_file,
    same_value,
)
from daybreak.findings.surface import Row

__all__ = ["compare", "surface", "touched"]

_PLACES = re.compile(r"\.proto$|(?:^|/)(?:entrypoints|openai|openapi|api|http)/|protocol\w*\.py$|io_struct\.py$")
_HINT = re.compile(r"[\"']/\w|prefix=|\.route\(")
_ASKS = re.compile(r"Request(?!\w*(?:Response|Output|Chunk)$)")
"""A class that clients fill in; one that ends as an answer does, the server fills in: `BatchRequestOutput`."""


def touched(file: ReadFile) -> bool:
    """Whether the hunks may have changed a route, a model of a request or a message."""
    if quiet_file(file):
        return False
    if _PLACES.search(file.path[-200:]):
        return True
    return file.change.patch_cut or _HINT.search(changed_text(file)) is not None


def compare(pairs: Sequence[FilePair], whole: Whole) -> Iterator[Fact]:  # noqa: ARG001
    """Routes, request fields and messages that came, went or changed."""
    yield from _routes(pairs)
    yield from _fields(pairs)
    yield from _messages(pairs)


def _routes(pairs: Sequence[FilePair]) -> Iterator[Fact]:
    before, after = (
        {_served(name) for name in names((surface for surface in side), "route")}
        for side in ((p.old for p in pairs), (p.new for p in pairs))
    )
    for pair in pairs:
        gone = [row for row in pair.old.of("route") if _served(row.name) not in after]
        come = [row for row in pair.new.of("route") if _served(row.name) not in before]
        breaks, successors = met_by_users(pair.file), pairing(gone, come, _handled_alike)
        for row in gone:
            after_name = successors.get(row.name)
            kind = "route_renamed" if after_name else "route_removed"
            yield Fact(kind, pair.file.path, row.line, row.name, row.name, after_name, breaks, Alias("none"))
        for row in come:
            if row.name not in successors.values():
                yield Fact("route_added", pair.file.path, row.line, row.name, None, row.name)


def _served(route: str) -> str:
    """What clients call: the name of a path's parameter, and how it is read, is the server's own business."""
    return re.sub(r"\{[^{}]{0,80}\}|<[^<>]{0,80}>", "{}", route)


def _handled_alike(old: Row, new: Row) -> bool:
    handler = old.details.get("handler")
    return bool(handler) and handler == new.details.get("handler") and old.details["method"] == new.details["method"]


def _fields(pairs: Sequence[FilePair]) -> Iterator[Fact]:
    """Fields of models that exist before and after; a field that any model of the commit has new only moved."""
    now = {row.name: (pair, row) for pair in pairs for row in pair.new.of("model")}
    arrived = _arrived(pairs, new=True)
    left = _arrived(pairs, new=False)
    for pair in pairs:
        for model in pair.old.of("model"):
            if model.name in now:
                place, row = now[model.name]
                yield from _model(pair, model, place, row, arrived, left)


def _arrived(pairs: Sequence[FilePair], new: bool) -> set[str]:
    """Names of fields that some model has on one side only: from there or to there a field may have moved."""
    out: set[str] = set()
    old_side = {(r.name, f) for p in pairs for r in p.old.of("model") for f in r.details}
    new_side = {(r.name, f) for p in pairs for r in p.new.of("model") for f in r.details}
    for _, field in new_side - old_side if new else old_side - new_side:
        out.add(field)
    return out


def _model(pair: FilePair, old: Row, place: FilePair, new: Row, arrived: set[str], left: set[str]) -> Iterator[Fact]:
    name, path = new.name, place.file.path
    breaks = met_by_users(place.file) and "internal" not in new.details and lives(pair.file)
    rebased = old.text != new.text  # what it inherits changed: a field may live on there
    for field, was in old.details.items():
        if field not in new.details and field not in arrived and not rebased and field != "internal":
            symbol = f"{name}.{field}"
            yield Fact("request_field_removed", path, old.line, symbol, symbol, None, breaks, Alias("none"))
        elif field in new.details and field != "internal":
            now = new.details[field]
            if is_value(was) and is_value(now) and not same_value(was, now):
                yield Fact("request_field_default_changed", path, new.line, f"{name}.{field}", was, now)
    for field in new.details:
        if field not in old.details and field not in left and not rebased and field != "internal":
            required = new.details[field] == "" and _ASKS.search(name) is not None
            symbol = f"{name}.{field}"
            yield Fact("request_field_added", path, new.line, symbol, None, symbol, breaks and required)


def _messages(pairs: Sequence[FilePair]) -> Iterator[Fact]:
    now = {(row.name, _base(pair)): (pair, row) for pair in pairs for row in pair.new.of("message")}
    for pair in pairs:
        for old in pair.old.of("message"):
            # Several files may define a message of the same name: its own file first, then one of the same name.
            own = (pair, pair.new["message", old.name]) if pair.new.has("message", old.name) else None
            found = own or now.get((old.name, _base(pair)))
            if found is not None:
                yield from _message(found[0].file, old, found[1])


def _base(pair: FilePair) -> str:
    return pair.file.path.rsplit("/", 1)[-1]


def _message(file: ReadFile, old: Row, new: Row) -> Iterator[Fact]:
    breaks = met_by_users(file)
    numbers = {number: field for field, number in new.details.items()}
    earlier = {number: field for field, number in old.details.items()}
    for field, number in old.details.items():
        symbol = f"{new.name}.{field}"
        if field not in new.details:
            after = numbers.get(number)
            after = after if after not in old.details else None
            yield Fact("message_field_removed", file.path, new.line, symbol, field, after, breaks, Alias("none"))
        elif new.details[field] != number:
            now = new.details[field]
            yield Fact("message_field_renumbered", file.path, new.line, symbol, number, now, breaks, Alias("none"))
    for field, number in new.details.items():
        if field not in old.details:
            before = earlier.get(number)
            before = before if before not in new.details else None
            yield Fact("message_field_added", file.path, new.line, f"{new.name}.{field}", before, field)
