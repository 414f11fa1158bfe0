"""Interfaces of servers: HTTP routes, fields of requests and responses, messages of proto files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Alias
from daybreak.findings.blobs import Row, Surface
from daybreak.findings.compare import FilePair
from daybreak.findings.kinds import Verb, kind_of
from daybreak.findings.languages.base import MAX_LINE, MAX_SPAN, Fact, ReadFile, Whole, keywords
from daybreak.findings.languages.blocks import unwrapped
from daybreak.findings.languages.proto_services import services
from daybreak.findings.languages.python_normal import same_value
from daybreak.findings.languages.python_types import Step, members, plain, step
from daybreak.findings.languages.renames import moves
from daybreak.findings.languages.text_surface import (
    Source,
    changed_text,
    is_value,
    lives,
    met_by_users,
    names,
    one_slot,
    pairing,
    quiet_file,
    words,
)
from daybreak.findings.languages.validated_types import new_checks, written_type
from daybreak.findings.trees import Trees, Where

# --- What a server file offers to clients: routes, models of requests and responses, messages ---


_ROUTE = re.compile(
    r"@(?:\w*(?:app|router|api|server|bp|blueprint|routes))"
    r"\.(get|post|put|delete|patch|head|options|api_route|route|websocket)\(\s{0,40}f?[\"'](/[^\"'\s]{0,200})[\"']"
)
_ADDED = re.compile(
    r"\b\w*(?:app|router)\.(?:add_api_route|add_route|add_api_websocket_route|router\.add_(?:get|post|put|delete|route))"
    r"\(\s{0,40}(?:[\"'](?:GET|POST|PUT|DELETE|\*)[\"'],\s{0,20})?[\"'](/[^\"'\s]{0,200})[\"']"
)
_PREFIX = re.compile(r"\bAPIRouter\([^)]{0,300}?prefix\s?=\s?[\"'](/[^\"'\s]{1,100})[\"']")
_HANDLER = re.compile(r"\bdef[ \t]+(\w+)")
_NEXT = re.compile(r"^(?:@|class )", re.MULTILINE)
_LONGEST = 8000
_MEDIA = re.compile(r"\bmedia_type\s?=\s?[\"']([\w.+/-]{3,60})[\"']")
_ANSWERS = {
    "JSONResponse": "application/json",
    "ORJSONResponse": "application/json",
    "PlainTextResponse": "text/plain",
    "HTMLResponse": "text/html",
}
_ANSWER = re.compile(rf"\breturn\s({'|'.join(_ANSWERS)})\(")
_NO_BODY = re.compile(r"\breturn\sResponse\((?:status_code\s?=\s?2\d\d)?\)")
_MODEL = re.compile(r"(?:Request|Response|ReqInput|ReqOutput)(?:Base|\w{0,20})?$")
_BASES = re.compile(r"\b(?:\w*BaseModel|\w*Request\w*|\w*Response\w*|\w*Struct|\w*ReqInput)\b")
_PART = re.compile(r"\w*BaseModel")
_NAMED = re.compile(r"[A-Z]\w*")
_FIELD_PLACES = re.compile(r"(?:^|/)(?:entrypoints|openai|serving|http|api|openapi)/|protocol\w*\.py$|io_struct\.py$")
_SERVED = re.compile(r"(?:^|/)(?:entrypoints|openai|openapi)/|(?:^|/)protocol\.py$")
_MESSAGE = re.compile(r"\b(message|oneof|enum|service|extend)\s{1,4}(\w{1,120})\s{0,4}\{|[{}]|//[^\n]*")
_PROTO_PACKAGE = re.compile(r"^package[ \t]{1,9}([\w.]{1,120})[ \t]{0,9};", re.MULTILINE)
_RPC = re.compile(r"\brpc\s{1,9}(\w{1,120})")
_ENTRY = re.compile(r"\w[\w.>]{0,80}\s{1,8}(\w{1,100})\s?=\s?(\d{1,9})\s{0,8}(?:\[[^\]]{0,200}\])?\s{0,40}$")


MAX_DEPTH = 30


def surface(path: str, text: str, partial: bool = False) -> Surface:
    """Rows `route`, `model` (a class with its fields), and of a proto file `message` (with its fields) and `service`
    (with its methods).
    """
    if path.endswith(".proto"):
        return Surface(_message_rows(text))
    source = Source(text)
    rows = [*_route_rows(source), *(_models(source, path) if _FIELD_PLACES.search(path[-200:]) else ())]
    return Surface(rows, broken=source.lost > 0 and not partial)


def _route_rows(source: Source) -> Iterator[Row]:
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
        details = {"method": match[1], "handler": handler[1] if handler else "", "media": _media(text, match.end())}
        yield Row("route", name, source.line(match.start()), name, details)
    added = ("add_api_route", "add_route", "websocket_route", "router.add_")
    for match in _ADDED.finditer(text) if any(word in text for word in added) else ():
        if not source.quiet(match.start()):
            yield Row("route", match[1], source.line(match.start()), match[1], {"method": "any"})


def _media(text: str, at: int) -> str:
    """The media types that a handler of a module's own level answers with, as far as it writes them out."""
    handler = _HANDLER.search(text, at, at + 600)
    if handler is None:
        return ""
    end = _NEXT.search(text, handler.end(), at + _LONGEST)
    body = text[handler.end() : end.start() if end else at + _LONGEST]
    made = {_ANSWERS[name] for name in _ANSWER.findall(body)} | ({"empty"} if _NO_BODY.search(body) else set())
    return " ".join(sorted({*_MEDIA.findall(body), *made}))


def _models(source: Source, path: str) -> Iterator[Row]:
    """Classes that clients fill in or read, and parts of those: details are field → default, empty when required."""
    classes = [(one, _is_model(one[0], one[1], path)) for one in source.classes() if "Bytes" not in one[0]]
    held = {
        name
        for (_, _, start, end), whole in classes
        if whole
        for _, _, one in source.fields(start, end)
        for name in _NAMED.findall(one.head[:1000])
    }
    for (name, bases, start, end), whole in classes:
        part = name in held and _SERVED.search(path[-200:]) and any(_PART.fullmatch(b) for b in bases)
        if not (part or whole):
            continue
        stated = [
            (field, one)
            for field, _, one in source.fields(start, end)
            if not one.head.startswith("ClassVar") and field != "model_config"
        ]
        # Whether clients send or read a part is not known: only that it has a field.
        fields = {field: _default(one.value) if whole else "<made>" for field, one in stated}
        if name.startswith("_") or not _SERVED.search(path[-200:]):
            fields["internal"] = "1"
        line = source.line(start)
        yield Row("model", name, line, ", ".join(sorted(bases)), fields)
        yield Row("types", name, line, "", {field: one.head[:1000] for field, one in stated if whole})


def _is_model(name: str, bases: Iterable[str], path: str) -> bool:
    return _MODEL.search(name) is not None and (any(_BASES.search(b) for b in bases) or path.endswith("io_struct.py"))


def _default(value: str | None) -> str:
    """A field's default through `Field(default=…)`; `<made>` when something makes it, empty when it is required."""
    if value is None:
        return ""
    bare = unwrapped(value)
    call = re.match(r"(?:pydantic\.)?[Ff]ield\(|PrivateAttr\(", bare)
    inside = Source(bare).arguments(call.end()) if call else None
    if inside is None:
        return value
    given = keywords(inside.parts)
    if "default_factory" in given:
        return "<made>"
    first = inside.parts[0] if inside.parts and "=" not in inside.parts[0] else ""
    default = given.get("default", first)
    return "" if default in ("...", "") else default


def _message_rows(text: str) -> Iterator[Row]:
    """Messages with their fields and numbers; the fields of a `oneof` belong to the message around it."""
    source, stack = Source(text), list[tuple[str, str, int, dict[str, str]]]()
    at, package = 0, f"{found[1]}." if (found := _PROTO_PACKAGE.search(text)) else ""
    for mark in _MESSAGE.finditer(text):
        word = mark[0]
        if service := next((s for s in reversed(stack) if s[0] == "service"), None):
            service[3].update((name, "rpc") for name in _RPC.findall(text[at : mark.start()][:MAX_SPAN]))
        if stack and stack[-1][0] in ("message", "oneof"):
            owner = next((s for s in reversed(stack) if s[0] == "message"), None)
            if owner:
                pieces = (_ENTRY.search(piece[-400:]) for piece in text[at : mark.start()].split(";")[:-1])
                owner[3].update((m[1], m[2]) for m in pieces if m)
        at = mark.end()
        if word == "}":
            if stack:
                kind, name, line, fields = stack.pop()
                if kind in ("message", "service"):
                    yield Row(kind, f"{package}{name}" if kind == "service" else name, line, name, fields)
        elif word == "{" or mark[1]:
            if len(stack) > MAX_DEPTH:
                raise ValueError("a file of open brackets")
            inner = [s[1] for s in stack if s[0] == "message"]
            stack.append((mark[1] or "{", ".".join([*inner[-1:], mark[2] or ""]), source.line(mark.start()), {}))


__all__ = ["compare", "surface", "touched"]

_PLACES = re.compile(r"\.proto$|(?:^|/)(?:entrypoints|openai|openapi|api|http)/|protocol\w*\.py$|io_struct\.py$")
_HINT = re.compile(r"[\"']/\w|prefix=|\.route\(")
_ASKS = re.compile(r"Request(?!\w*(?:Response|Output|Chunk)$)")
"""A class that clients fill in; one that ends as an answer does, the server fills in: `BatchRequestOutput`."""

_ANSWER_INSIDE = re.compile(r"Output$")
"""What a part of the program answers another one with, unless a server's own file has it: no client reads it as it is."""


def touched(file: ReadFile) -> bool:
    """Whether the hunks may have changed a route, a model of a request or a message."""
    if quiet_file(file):
        return False
    if _PLACES.search(file.path[-200:]):
        return True
    return file.change.patch_cut or _HINT.search(changed_text(file)) is not None


def compare(pairs: Sequence[FilePair], whole: Whole) -> Iterator[Fact]:
    """Routes, request fields and messages that came, went or changed."""
    yield from _routes(pairs)
    yield from _fields(pairs, whole)
    yield from _messages(pairs)
    yield from services(pairs)


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
            alias = Alias("none", None if after_name else _served_elsewhere(row, pair.new.of("route")))
            yield Fact(kind, pair.file.path, row.line, row.name, row.name, after_name, breaks, alias)
        yield from _answers(pair, breaks)
        for row in come:
            if row.name not in successors.values():
                yield Fact("route_added", pair.file.path, row.line, row.name, None, row.name)


def _served_elsewhere(gone: Row, left: Iterable[Row]) -> str | None:
    """The one route that still ends as this one did: `/v1/rerank` for `/rerank`."""
    found = {row.name for row in left if row.name != gone.name and row.name.endswith(gone.name)}
    return found.pop() if len(found) == 1 and len(gone.name) > 1 else None


def _answers(pair: FilePair, breaks: bool) -> Iterator[Fact]:
    """Routes whose answers come in another form, none of which they had before."""
    for old in pair.old.of("route"):
        new = pair.new.get(("route", old.name))
        was, now = (row.details.get("media", "") if row else "" for row in (old, new))
        if new is not None and was and now and set(was.split()).isdisjoint(now.split()):
            yield Fact("route_changed", pair.file.path, new.line, old.name, was, now, breaks)


def confirmed(trees: Trees, change: Change, facts: Iterable[Fact], where: Where) -> dict[Fact, Fact | None]:
    """What the trees say of routes and fields: a route that another file offers is not gone (None), and a field that nobody seems to
    send is sent where a server takes its class as the body of a request.
    """
    if not change.parents:
        return {}
    found = [(fact, kind_of(fact.kind)) for fact in facts]
    gone = [fact for fact, kind in found if fact.breaking and kind.means("route", "removed")]
    left: dict[Fact, Fact | None] = dict.fromkeys(_offered(trees, change.sha, gone, where))
    inner = [f for f, kind in found if not f.breaking and kind.means("request_field", *_FAILING)]
    return left | {fact: replace(fact, breaking=True) for fact in _taken(trees, change.parents[0], inner, where)}


_FAILING: tuple[Verb, ...] = ("removed", "renamed", "required_added")


def _taken(trees: Trees, sha: str, facts: Sequence[Fact], where: Where) -> list[Fact]:
    """Fields of classes that a function of an HTTP server takes."""
    names = {fact.symbol.rpartition(".")[0] for fact in facts} - {""}
    rows = trees.lines([sha], names, where) if names else ()
    served = [line[:MAX_LINE] for _, path, line in rows or () if _SERVES.search(path[-200:])]
    bodies = {name for name in names for line in served if re.search(_BODY.format(re.escape(name)), line)}
    return [fact for fact in facts if fact.symbol.rpartition(".")[0] in bodies]


_SERVES = re.compile(
    r"(?:^|/)(?:http|api)_server\w{0,20}\.py$|(?:^|/)(?:entrypoints|openai)/(?:\w{1,40}/){0,4}\w{0,40}routers?\.py$"
)
_BODY = r"\w:\s(?:Annotated\[)?{}(?:,\sBody\(\)\])?(?:[,)\s]|$)"


def _offered(trees: Trees, sha: str, facts: Sequence[Fact], where: Where) -> list[Fact]:
    """Routes that went from one file and that another one of the tree offers."""
    forms = {f"{sign}{fact.symbol}{sign}" for fact in facts for sign in "\"'"}
    rows = trees.lines([sha], forms, where) if forms else ()
    there = [(path, match[2]) for _, path, line in rows or () for match in _ROUTE.finditer(line[:MAX_LINE])]
    return [fact for fact in facts if any(path != fact.path and name == fact.symbol for path, name in there)]


def _served(route: str) -> str:
    """What clients call: the name of a path's parameter, and how it is read, is the server's own business."""
    return re.sub(r"\{[^{}]{0,80}\}|<[^<>]{0,80}>", "{}", route)


def _handled_alike(old: Row, new: Row) -> bool:
    handler = old.details.get("handler")
    return bool(handler) and handler == new.details.get("handler") and old.details["method"] == new.details["method"]


def successors(pairs: Sequence[FilePair], kind: str) -> Iterator[tuple[FilePair, Row, FilePair, Row]]:
    """Each row that was and what became of it: in its own file, else where a row of that name is new, if only there.

    Versions of an interface lie beside each other under the same names: `v1/types.go` says nothing about `v2/types.go`.
    """
    came: dict[str, list[FilePair]] = {}
    went: dict[str, list[FilePair]] = {}
    for pair in pairs:
        for mine, other, held in ((pair.new, pair.old, came), (pair.old, pair.new, went)):
            for row in mine.of(kind):
                if not other.has(kind, row.name):
                    held.setdefault(row.name, []).append(pair)
    for pair in pairs:
        for old in pair.old.of(kind):
            if pair.new.has(kind, old.name):
                yield pair, old, pair, pair.new[kind, old.name]
            elif len(came.get(old.name, ())) == len(went[old.name]) == 1:
                place = came[old.name][0]
                yield pair, old, place, place.new[kind, old.name]


def lost_line(file: ReadFile, *names: str) -> bool:
    """A line that left this very file holds one of the names, in whatever case, or says how all of them are written."""
    forms = {re.sub(r"[_-]", "", name).lower() for name in names} | {"renameall"}
    gone = (re.sub(r"[_-]", "", x.text[:4000]).lower() for hunk in file.hunks for x in hunk.lines if x.sign == "-")
    return file.change.patch_cut or any(not forms.isdisjoint(re.findall(r"\w+", text)) for text in gone)


def _fields(pairs: Sequence[FilePair], whole: Whole) -> Iterator[Fact]:
    """Fields of models that exist before and after; a field that any model of the commit has new only moved."""
    arrived = _arrived(pairs, new=True)
    left = _arrived(pairs, new=False)
    for pair, old, place, new in successors(pairs, "model"):
        yield from _model(whole, pair, old, place, new, arrived, left)


def _arrived(pairs: Sequence[FilePair], new: bool) -> set[str]:
    """Names of fields that some model has on one side only: from there or to there a field may have moved."""
    out: set[str] = set()
    old_side = {(r.name, f) for p in pairs for r in p.old.of("model") for f in r.details}
    new_side = {(r.name, f) for p in pairs for r in p.new.of("model") for f in r.details}
    for _, field in new_side - old_side if new else old_side - new_side:
        out.add(field)
    return out


def _model(
    whole: Whole, pair: FilePair, old: Row, place: FilePair, new: Row, arrived: set[str], left: set[str]
) -> Iterator[Fact]:
    name, path = new.name, place.file.path
    breaks = met_by_users(place.file) and "internal" not in new.details and lives(pair.file)
    asked = _ASKS.search(name) is not None
    rebased = old.text != new.text  # what it inherits changed: a field may live on there
    pairs = _renamed(pair, place, name).items() if not rebased else ()
    renamed = {was: now for was, now in pairs if moves(pair.file, whole, was, now)}
    family = "sent_field" if _ANSWER_INSIDE.search(name) and "internal" in new.details else "request_field"
    for field, after in renamed.items():
        yield Fact(
            f"{family}_renamed", path, new.line, f"{name}.{field}", f"{name}.{field}", after, breaks, Alias("none")
        )
    for field, was in old.details.items():
        if field in renamed or field == "internal":
            continue
        if field not in new.details and field not in arrived and not rebased and lost_line(pair.file, field):
            symbol = f"{name}.{field}"
            yield Fact(f"{family}_removed", path, old.line, symbol, symbol, None, breaks, Alias("none"))
        elif field in new.details:
            now, symbol = new.details[field], f"{name}.{field}"
            if is_value(was) and is_value(now) and not same_value(was, now):
                yield Fact("request_field_default_changed", path, new.line, symbol, was, now)
            elif is_value(was) and now == "" and asked:
                yield Fact("request_field_required_added", path, new.line, symbol, was, symbol, breaks)
    yield from _types(whole, pair, place, name, breaks)
    for field in new.details:
        if field not in old.details and field not in {*left, *renamed.values()} and not rebased and field != "internal":
            required = new.details[field] == "" and asked
            symbol = f"{name}.{field}"
            kind = "request_field_required_added" if required else f"{family}_added"
            given = new.details[field] if is_value(new.details[field]) else None
            yield Fact(kind, path, new.line, symbol, None, symbol, breaks and required, default=given)


def _renamed(pair: FilePair, place: FilePair, name: str) -> dict[str, str]:
    """Fields that stand where others stood, of the same type, with the same default and a word in common."""
    was, now = pair.old.get(("types", name)), place.new.get(("types", name))
    if was is None or now is None:
        return {}
    before, after = pair.old["model", name].details, place.new["model", name].details
    return {
        old: new
        for old, new in one_slot(list(was.details), list(now.details)).items()
        if members(was.details[old]) == members(now.details[new]) != frozenset()
        and same_value(before[old], after[new])
        and words(old.replace("_", " ")) & words(new.replace("_", " "))
    }


def _types(whole: Whole, pair: FilePair, place: FilePair, name: str, breaks: bool) -> Iterator[Fact]:
    """Fields of another type: who sends is hit where less is taken, who reads where something else may come."""
    was, now = pair.old.get(("types", name)), place.new.get(("types", name))
    if was is None or now is None:
        return
    hit: Step = "narrower" if _ASKS.search(name) else "wider"
    for field, stated in was.details.items():
        first, second = written_type(stated, whole, "-"), written_type(now.details.get(field, ""), whole, "+")
        turn = step(first, second)
        if turn == "same" and first != second and hit == "narrower":
            yield from new_checks(place.file.path, now.line, f"{name}.{field}", first, second, whole, breaks)
        if turn != "same" and "Literal" not in first + second:
            hits = breaks and (
                turn == "other" or (turn == hit and plain(first, second) and not _only_none(first, second))
            )
            yield Fact("request_field_changed", place.file.path, now.line, f"{name}.{field}", first, second, hits)


def _only_none(first: str, second: str) -> bool:
    return members(first) ^ members(second) == {"None"}


def _messages(pairs: Sequence[FilePair]) -> Iterator[Fact]:
    for _, old, place, new in successors(pairs, "message"):
        yield from _message(place.file, old, new)


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
