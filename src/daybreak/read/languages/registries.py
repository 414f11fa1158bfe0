"""Registries: models, quantization methods, attention backends, parsers and connectors that come or go by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from daybreak.model import Alias
from daybreak.read.compare import FilePair
from daybreak.read.languages.base import Fact, ReadFile, Whole, literal
from daybreak.read.languages.text_surface import (
    Source,
    changed_lines,
    met_by_users,
    names,
    pairing,
    quiet_file,
)
from daybreak.read.surface import Row, Surface

__all__ = ["compare", "surface", "touched"]

_TABLES = (
    (re.compile(r"_[A-Z_]{2,40}_MODELS|_VLLM_MODELS"), "model"),
    (
        re.compile(r"(?:BASE_|_?)QUANTIZATION_METHODS|QuantizationMethods|_?METHOD_TO_CONFIG|method_to_config"),
        "quantization",
    ),
    (re.compile(r"ToolCallParserEnum|_TOOL_PARSERS_TO_REGISTER|_?TOOL_PARSERS"), "tool_parser"),
    (re.compile(r"DetectorMap|_REASONING_PARSERS_TO_REGISTER|_?REASONING_PARSERS"), "reasoning_parser"),
    (re.compile(r"ATTENTION_BACKENDS"), "attention_backend"),
)
"""Names of tables whose keys users write."""
_NOT_OFFERED = re.compile(r"TRANSFORMERS_BACKEND|PREVIOUSLY|OOT|NOT_|UNSUPPORTED|DEPRECATED|PARTIALLY|FLOAT16")
_ANCHORS = ("_MODELS", "QUANTIZATION_METHODS", "QuantizationMethods", "METHOD_TO_CONFIG", "method_to_config",
            "ToolCallParserEnum", "TOOL_PARSERS", "DetectorMap", "REASONING_PARSERS", "ATTENTION_BACKENDS")  # fmt: skip
_TABLE = re.compile(
    r"[ \t]{0,8}(\w+)\b[^=\n]{0,120}=\s{0,4}(?:(?:dict|frozenset|set)\()?(?:(?:typing\.)?Literal)?[\[({]"
)
_CALLS = {
    "ModelRegistry.register_model(": "model",
    "ToolParserManager.register_module(": "tool_parser",
    "ToolParserManager.register_lazy_module(": "tool_parser",
    "ReasoningParserManager.register_module(": "reasoning_parser",
    "ReasoningParserManager.register_lazy_module(": "reasoning_parser",
    "\n@register_quantization_config(": "quantization",
    "\n@register_attention_backend(": "attention_backend",
    "\nKVConnectorFactory.register_connector(": "connector",
    "\nECConnectorFactory.register_connector(": "connector",
    "\nStorageBackendFactory.register_backend(": "storage_backend",
}
"""Calls whose first argument is a name users write."""
_PARTS = re.compile(r"/(?:encoders?|vaes?|schedulers?|adapters?|bridges?|upsamplers?|vocoders?|utils)/")
"""Folders of parts that models are made of; nobody asks for a part by name."""
_MEMBER = re.compile(r"\n    ([A-Z][A-Z0-9_]{1,60})\s?=[ \t]*([^\n]{0,200})")
_NOTHING = re.compile(r"(?:(?:enum\.)?auto\(\)|None|\d{1,6}|\"\"|'')[ \t]*(?:#|$)")
"""Values of a member with no backend behind: whoever chose it got the default."""
_WORDS = (*_ANCHORS, *_CALLS, "EntryClass", "_Backend", "AttentionBackendEnum")
_PLACES = re.compile(r"regist|factory|parser|backend|selector|/models/|(?:^|/)__init__\.py$")
_KEY = re.compile(r"\s{0,60}[\"']([\w.-]{1,100})[\"']\s?:\s?([A-Za-z_][\w.]{0,120}),?\s{0,9}$")
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
    if not any(word in text for word in _WORDS):
        return Surface()
    source = Source(text)
    rows = [*_tabled(source), *_called(source), *_entry_classes(source, path), *_backends(source)]
    return Surface(rows, broken=source.lost > 0 and not partial)


def _tabled(source: Source) -> Iterator[Row]:
    places = {source.line_start(at) for word in _ANCHORS for at in source.find(word)}
    for match in (m for m in (_TABLE.match(source.text, at) for at in sorted(places)) if m):
        what = next((kind for pattern, kind in _TABLES if pattern.fullmatch(match[1])), None)
        if what is None or _NOT_OFFERED.search(match[1]) or source.quiet(match.start()):
            continue
        if match[0].endswith("{"):
            found = [(key, at, value) for key, at, value in source.table(match.end())]
        else:
            call = source.arguments(match.end())
            line_at = match.start()
            found = [(k, line_at, "") for k in (literal(p) for p in (call.parts if call else ())) if k]
        for key, at, value in found:
            yield Row(what, key, source.line(at), key, {"class": value[:200]})


def _called(source: Source) -> Iterator[Row]:
    for at, word, call in source.calls(*_CALLS):
        first = call.parts[0] if call.parts else ""
        first = first.partition("=")[2].strip() if first.startswith("name") else first
        for name in re.findall(r"[\"']([\w.-]{1,100})[\"']", first):
            yield Row(_CALLS[word], name, source.line(at + 1), name)


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
        if name in ("AttentionBackendEnum", "_Backend"):
            for match in _MEMBER.finditer(source.text, start, end):
                if not source.quiet(match.start(1)):
                    yield Row("attention_backend", match[1], source.line(match.start(1)), match[1], {"class": match[2]})


_KINDS = (
    "model",
    "quantization",
    "tool_parser",
    "reasoning_parser",
    "attention_backend",
    "connector",
    "storage_backend",
)


def compare(pairs: Sequence[FilePair], whole: Whole) -> Iterator[Fact]:
    """Names that came or went; one that moved to another file or table is neither.

    Some tables are filled where no table is read (`METHODS.update({…})` under an `if`), so a key that the same commit
    writes elsewhere has only moved.
    """
    written, erased = _keys(whole.added_lines), _keys(whole.removed_lines)
    for what in _KINDS:
        before, after = names((p.old for p in pairs), what), names((p.new for p in pairs), what)
        for pair in pairs:
            path, breaks = pair.file.path, met_by_users(pair.file)
            gone = [row for row in pair.old.of(what) if row.name not in after and _key(row) not in written]
            come = [row for row in pair.new.of(what) if row.name not in before and _key(row) not in erased]
            successors = _successors(gone, come)
            for row in gone:
                kind, symbol = _told(what, row.name, "removed")
                alias = Alias("none", successors.get(row.name))
                real = not _NOTHING.match(row.details.get("class", ""))
                yield Fact(kind, path, row.line, symbol, row.name, None, breaks and real, alias)
            for row in come:
                kind, symbol = _told(what, row.name, "added")
                yield Fact(kind, path, row.line, symbol, None, row.name)


def _keys(lines: Iterable[str]) -> set[tuple[str, str]]:
    """What stands as the key of a table, with its class."""
    return {(match[1], match[2]) for line in lines if (match := _KEY.match(line))}


def _key(row: Row) -> tuple[str, str]:
    return row.name, row.details.get("class", "").strip()


def _successors(gone: Sequence[Row], come: Sequence[Row]) -> dict[str, str]:
    """The new name of what a lost one stood for: the same class, or else a name that holds the other."""
    sure = pairing(gone, come, _same_class)
    rest = [r for r in gone if r.name not in sure], [n for n in come if n.name not in sure.values()]
    return sure | pairing(*rest, lambda old, new: old.name in new.name or new.name in old.name)


def _same_class(old: Row, new: Row) -> bool:
    was, now = old.details.get("class", ""), new.details.get("class", "")
    return was == now and bool(was) and not _NOTHING.match(was)


def _told(what: str, name: str, verb: str) -> tuple[str, str]:
    return (f"model_{verb}", name) if what == "model" else (f"registry_{verb}", f"{what}:{name}")
