"""Registries: models, quantization methods, attention backends, parsers and connectors that come or go by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from daybreak.core.model.findings import Alias
from daybreak.findings.blobs import Row, Surface
from daybreak.findings.compare import FilePair
from daybreak.findings.languages.base import Fact, ReadFile, Whole, literal
from daybreak.findings.languages.text_surface import (
    MAX_TABLE,
    Call,
    Source,
    changed_lines,
    met_by_users,
    names,
    pairing,
    quiet_file,
)

__all__ = ["compare", "offered", "surface", "touched"]

_TABLES = (
    (re.compile(r"_[A-Z_]{2,40}_MODELS"), "model"),
    (
        re.compile(r"(?:BASE_|_?)QUANTIZATION_METHODS|QuantizationMethods|_?METHOD_TO_CONFIG|method_to_config"),
        "quantization",
    ),
    (re.compile(r"ToolCallParserEnum|_TOOL_PARSERS_TO_REGISTER|_?TOOL_PARSERS"), "tool_parser"),
    (re.compile(r"DetectorMap|_REASONING_PARSERS_TO_REGISTER|_?REASONING_PARSERS"), "reasoning_parser"),
    (re.compile(r"ATTENTION_BACKENDS"), "attention_backend"),
)
"""Names of tables whose keys users write."""
_HALF_OFFERED = "PREVIOUSLY|OOT|NOT_|UNSUPPORTED|DEPRECATED|PARTIALLY|FLOAT16"
_NOT_OFFERED = re.compile(rf"TRANSFORMERS_BACKEND|{_HALF_OFFERED}")
_REFUSED = re.compile(rf"(?<![a-z])(?:{_HALF_OFFERED}|REMOVED|OBSOLETE|FORMER|DISABLED)", re.IGNORECASE)
"""Tables that name what is not, no longer or only half offered: to stand there is not to be offered."""
_ANCHORS = ("_MODELS", "QUANTIZATION_METHODS", "QuantizationMethods", "METHOD_TO_CONFIG", "method_to_config",
            "ToolCallParserEnum", "TOOL_PARSERS", "DetectorMap", "REASONING_PARSERS", "ATTENTION_BACKENDS")  # fmt: skip
_TABLE = re.compile(
    r"[ \t]{0,8}(\w+)\b[^=\n]{0,120}=\s{0,4}(?:(?:dict|frozenset|set)\()?(?:(?:typing\.)?Literal)?[\[({]"
)
_ANY_TABLE = re.compile(
    r"[ \t]{0,12}(?:return\b|(\w+)\b[^=\n]{0,120}(?:=|\.update\())\s{0,4}"
    r"(?:[A-Za-z_][\w.]{0,60}\(\s{0,12})?(?:(?:typing\.)?Literal)?([\[{])"
)
"""A table of any name, made by a statement, handed out or filled in later."""
_OPENINGS = ("= {", "= [", "={", "=[", "return {", "return [", "({", "([", "Literal[")
_OPENED_BELOW = re.compile(r"\(\n[ \t]{1,12}[\[{]")
_CALLED = re.compile(r"register\w{0,40}\(")
_DEFINED = re.compile(r"\s{0,80}(?:@[^\n]{0,200}\n\s{0,80}){0,4}(?:class|def)\s{1,4}(\w{1,120})")
_OWNER = re.compile(r"(?<![\w.])[\w.]{1,80}$")
_CALLS = {
    "ModelRegistry.register_model(": "model",
    "ToolParserManager.register_module(": "tool_parser",
    "ToolParserManager.register_lazy_module(": "tool_parser",
    "ReasoningParserManager.register_module(": "reasoning_parser",
    "ReasoningParserManager.register_lazy_module(": "reasoning_parser",
    "\n@register_quantization_config(": "quantization",
    "\n@register_attention_backend(": "attention_backend",
    "\nKVConnectorFactory.register_connector(": "kv_connector",
    "\nECConnectorFactory.register_connector(": "ec_connector",
    "\nStorageBackendFactory.register_backend(": "storage_backend",
}
"""Calls whose first argument is a name users write, each with the setting that they write it into."""
_KNOWN = frozenset(word.strip("\n@(") for word in _CALLS)
_PARTS = re.compile(r"/(?:encoders?|vaes?|schedulers?|adapters?|bridges?|upsamplers?|vocoders?|utils)/")
"""Folders of parts that models are made of; nobody asks for a part by name."""
_MEMBER = re.compile(r"\n    ([A-Z][A-Z0-9_]{1,60})\s?=[ \t]*([^\n]{0,200})")
_ENUMS = ("AttentionBackendEnum", "_Backend")
_PAIR = re.compile(r"([\"'])([\w.-]{1,100})\1\s?:\s?(.{1,4000})", re.DOTALL)
_NOTHING = re.compile(r"(?:(?:enum\.)?auto\(\)|None|\d{1,6}|\"\"|'')[ \t]*(?:#|$)")
"""Values of a member with no backend behind: whoever chose it got the default."""
_WORDS = (*_ANCHORS, *_CALLS, "EntryClass", "_Backend", "AttentionBackendEnum")
_PLACES = re.compile(r"regist|factory|parser|backend|selector|/models/|(?:^|/)__init__\.py$")
_KEY = re.compile(
    r"^[ \t]{0,60}[\"']([\w.-]{1,100})[\"']\s?:\s?"
    r"([A-Za-z_][\w.]{0,120}|\([^()]{1,400}\)|\"[^\"\n]{1,200}\"|'[^'\n]{1,200}')[ \t]{0,9}(?:,|$)",
    re.MULTILINE,
)
_FLAG = re.compile(r"(?:True|False|None|-?[\d.]{1,20})$")
"""What a table says of a name without standing for it."""
_HINT = re.compile(r"EntryClass|regist|_MODELS|METHODS|Methods|DetectorMap|ParserEnum|_PARSERS|BACKENDS")
_ENTRY = re.compile(r"[\"'][\w.-]{1,80}[\"']\s?[:,\])]|^\s{4}[A-Z][A-Z0-9_]+\s?=|^\s+\w+,$|EntryClass")


def touched(file: ReadFile) -> bool:
    """Whether the hunks may have changed a registry."""
    if quiet_file(file):
        return False
    hint = _ENTRY if _PLACES.search(file.path[-200:]) else _HINT
    return file.change.patch_cut or any(hint.search(line[:400]) for line in changed_lines(file))


def surface(path: str, text: str, partial: bool = False) -> Surface:
    """One row for each name: kind is the registry, text the class it stands for."""
    rows = list(_others(text))
    if not any(word in text for word in _WORDS):
        return Surface(rows)
    source = Source(text)
    rows += [*_tabled(source), *_called(source), *_entry_classes(source, path), *_backends(source)]
    return Surface(rows, broken=source.lost > 0 and not partial)


def _tabled(source: Source) -> Iterator[Row]:
    places = {source.line_start(at) for word in _ANCHORS for at in source.find(word)}
    for match in (m for m in (_TABLE.match(source.text, at) for at in sorted(places)) if m):
        what = offered(match[1])
        if what is None or source.quiet(match.start()):
            continue
        if match[0].endswith("{"):
            found = [(key, at, value) for key, at, value in source.table(match.end())]
            yield from (Row(f"{what} table", key, 1) for key, _, _ in found)
        else:
            call = source.arguments(match.end())
            line_at = match.start()
            found = [(k, line_at, "") for k in (literal(p) for p in (call.parts if call else ())) if k]
            yield from (Row(f"{what} gate", key, 1) for key, _, _ in found)
        for key, at, value in found:
            yield Row(what, key, source.line(at), key, {"class": value[:200]})


def offered(table: str) -> str | None:
    """The registry that a table of this name belongs to."""
    if _NOT_OFFERED.search(table):
        return None
    return next((kind for pattern, kind in _TABLES if pattern.fullmatch(table)), None)


def _others(text: str) -> Iterator[Row]:
    """What stands in tables, calls and enumerations of other names: a registry under another name keeps its entries.

    Told of nobody, only asked before something is called gone or new: `key` (of a table, a call, an enumeration) and
    `item` (of a list).
    """
    source = Source(text)
    try:
        yield from _other_tables(source)
        yield from _other_calls(source)
        yield from _other_members(source)
    except ValueError:  # a file of open brackets; the registries are read by themselves
        return


def _other_tables(source: Source) -> Iterator[Row]:
    end = 0
    for at in _openings(source):
        match = _ANY_TABLE.match(source.text, at) if at >= end and source.lost < 4 else None
        name = match[1] or "" if match else ""
        if match is None or offered(name) or _REFUSED.search(name) or name.startswith("__") or source.quiet(at):
            continue
        call = source.arguments(match.end(), MAX_TABLE)
        end = call.end if call else end
        line = source.line(match.start(2))
        for part in call.parts if call else ():
            if match[2] == "[":
                if key := literal(part):
                    yield Row("item", key, line)
            elif (pair := _PAIR.match(part)) and not _FLAG.match(pair[3]):
                yield Row("key", pair[2], line, "", {"class": pair[3][:200]})


def _openings(source: Source) -> list[int]:
    """Where lines begin that may open a table: few, and found much faster than by the pattern of a table."""
    found = {source.line_start(at) for word in _OPENINGS for at in source.find(word)}
    found.update(source.line_start(match.start()) for match in _OPENED_BELOW.finditer(source.text))
    return sorted(found)


def _other_calls(source: Source) -> Iterator[Row]:
    end = 0
    for at in source.find("register"):
        match = _CALLED.match(source.text, at)
        if match is None or at < end or source.quiet(at):
            continue
        owner = _OWNER.search(source.text[max(0, at - 80) : at])
        call = source.arguments(match.end())
        if call is None or f"{owner[0] if owner else ''}{match[0][:-1]}" in _KNOWN:
            continue
        end = call.end
        for name in _registered(call.parts):
            yield Row("key", name, source.line(at))
        yield from _by_call(source, at, f"{owner[0] if owner else ''}{match[0][:-1]}", call)


def _by_call(source: Source, at: int, callee: str, call: Call) -> Iterator[Row]:
    """What a call of the module itself registers under a name, with all that it stands for."""
    name, start = literal(call.parts[0]) if call.parts else None, source.line_start(at)
    if not name or source.text[start : start + 1].isspace():
        return
    defined = _DEFINED.match(source.text, call.end)
    rest = "".join((*call.parts[1:], defined[1] if defined and source.text[start] == "@" else ""))
    if rest:
        what = callee.rpartition("register")[2].strip("_") or callee.partition(".")[0]
        yield Row("by_call", name, source.line(at), what, {"class": f"{callee} {rest}"[:400]})


def _other_members(source: Source) -> Iterator[Row]:
    if "Enum" not in source.text:
        return
    for name, bases, start, end in source.classes():
        if name not in _ENUMS and not _REFUSED.search(name) and any("Enum" in base for base in bases):
            for match in _MEMBER.finditer(source.text, start, end):
                if not source.quiet(match.start(1)):
                    yield Row("key", match[1], source.line(match.start(1)), "", {"class": match[2]})


def _called(source: Source) -> Iterator[Row]:
    for at, word, call in source.calls(*_CALLS):
        for name in _registered(call.parts):
            yield Row(_CALLS[word], name, source.line(at + 1), name)


def _registered(parts: Sequence[str]) -> list[str]:
    """The names in the first argument of a call."""
    first = parts[0] if parts else ""
    first = first.partition("=")[2].strip() if first.startswith("name") else first
    return re.findall(r"[\"']([\w.-]{1,100})[\"']", first)


def _entry_classes(source: Source, path: str) -> Iterator[Row]:
    if "/models/" not in path or _PARTS.search(path):
        return
    for at in source.find("\nEntryClass"):
        stated = source.statement(at + 1)
        for name in re.findall(r"\b[A-Z]\w{2,100}", stated.value or "") if stated else ():
            yield Row("model", name, source.line(at + 1), name)


def _backends(source: Source) -> Iterator[Row]:
    if "class AttentionBackendEnum" not in source.text and "class _Backend" not in source.text:
        return
    for name, _, start, end in source.classes():
        if name in _ENUMS:
            for match in _MEMBER.finditer(source.text, start, end):
                if not source.quiet(match.start(1)):
                    yield Row("attention_backend", match[1], source.line(match.start(1)), match[1], {"class": match[2]})


_KINDS = (
    "model",
    "quantization",
    "tool_parser",
    "reasoning_parser",
    "attention_backend",
    "kv_connector",
    "ec_connector",
    "storage_backend",
)


def compare(pairs: Sequence[FilePair], whole: Whole) -> Iterator[Fact]:
    """Names that came or went; one that moved to another file or table is neither.

    Some tables are filled where no table is read (`METHODS.update({…})` under an `if`), so a key that the same commit
    writes elsewhere has only moved.
    """
    written, erased = _keys(whole.added_lines), _keys(whole.removed_lines)
    written |= _moved((pair.old, pair.new) for pair in pairs)
    erased |= _moved((pair.new, pair.old) for pair in pairs)
    yield from _renamed(pairs)
    for what in _KINDS:
        before, after = names((p.old for p in pairs), what), names((p.new for p in pairs), what)
        for pair in pairs:
            path, breaks = pair.file.path, met_by_users(pair.file)
            gone = _only(what, (pair.old, pair.new), after, written)
            come = _only(what, (pair.new, pair.old), before, erased)
            successors = _successors(gone, come)
            for row in gone:
                kind, symbol = _told(what, row.name, "removed")
                alias = Alias("none", successors.get(row.name))
                real = not _NOTHING.match(row.details.get("class", ""))
                yield Fact(kind, path, row.line, symbol, row.name, None, breaks and real, alias)
            for row in come:
                kind, symbol = _told(what, row.name, "added")
                yield Fact(kind, path, row.line, symbol, None, row.name)


def _renamed(pairs: Sequence[FilePair]) -> Iterator[Fact]:
    """Calls that register the same under another name; a name that any call still registers is not lost."""
    before, after = names((p.old for p in pairs), "by_call"), names((p.new for p in pairs), "by_call")
    for pair in pairs:
        gone = [row for row in pair.old.of("by_call") if row.name not in after and not pair.new.has("key", row.name)]
        come = [row for row in pair.new.of("by_call") if row.name not in before]
        for was, now in pairing(gone, come, _same_class).items():
            row = pair.old["by_call", was]
            line, symbol = pair.new["by_call", now].line, f"{row.text}:{was}"
            breaks = met_by_users(pair.file)
            yield Fact("registry_renamed", pair.file.path, line, symbol, was, now, breaks, Alias("none"))


def _only(what: str, sides: tuple[Surface, Surface], known: set[str], moved: set[tuple[str, str]]) -> list[Row]:
    """The rows of one side that the other one lacks: in its registries, in any table of its file, in other files."""
    return [
        r
        for r in sides[0].of(what)
        if r.name not in known and not _listed(r, *sides) and _key(r) not in moved and _passes(r, sides[0])
    ]


def _passes(row: Row, side: Surface) -> bool:
    """Nobody could choose what stands in a table, but not in the list of names that are let through to it."""
    kept = side.of(f"{row.kind} gate")
    return not kept or side.has(f"{row.kind} gate", row.name) or not side.has(f"{row.kind} table", row.name)


def _listed(row: Row, here: Surface, there: Surface) -> bool:
    """On the other side the entry stands in a table of another name.

    Lists are made of names for many reasons, so a list says something only of what stood in one list here and stands in
    another one there.
    """
    if there.has("key", row.name):
        return True
    return row.details.get("class") == "" and there.has("item", row.name) and not here.has("item", row.name)


def _moved(sides: Iterable[tuple[Surface, Surface]]) -> set[tuple[str, str]]:
    """What came to a table or call of another name, in whatever file; there it must stand for the same class."""
    return {_key(row) for old, new in sides for row in new.of("key") if _key(row) != _key(old.get(("key", row.name)))}


def _keys(lines: Iterable[str]) -> set[tuple[str, str]]:
    """What stands as the key of a table, with its class."""
    text = "\n".join(_before_comment(line) for line in lines)
    return {(match[1], _plain(match[2])) for match in _KEY.finditer(text)}


def _before_comment(line: str) -> str:
    return line.partition(" #")[0] if "#" in line else line


def _key(row: Row | None) -> tuple[str, str]:
    return (row.name, _plain(row.details.get("class", ""))) if row else ("", "")


def _plain(value: str) -> str:
    """A class as it is compared, however its lines are broken."""
    return re.sub(r",(?=[)\]}]|$)", "", "".join(value.split()))


def _successors(gone: Sequence[Row], come: Sequence[Row]) -> dict[str, str]:
    """The new name of what a lost one stood for: the same class, or else a name that holds the other."""
    sure = pairing(gone, come, _same_class)
    rest = [r for r in gone if r.name not in sure], [n for n in come if n.name not in sure.values()]
    return sure | pairing(*rest, _holds)


def _holds(old: Row, new: Row) -> bool:
    """One name is in the other, whatever letters are capitals: `XyzASRModel` is `XyzAsrModel`."""
    was, now = old.name.lower(), new.name.lower()
    return was in now or now in was


def _same_class(old: Row, new: Row) -> bool:
    was, now = old.details.get("class", ""), new.details.get("class", "")
    return was == now and bool(was) and not _NOTHING.match(was)


def _told(what: str, name: str, verb: str) -> tuple[str, str]:
    return (f"model_{verb}", name) if what == "model" else (f"registry_{verb}", f"{what}:{name}")
