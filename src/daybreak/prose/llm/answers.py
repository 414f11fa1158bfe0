"""Answers of a model: the JSON object in what it wrote, and how it is kept under a key that its question has."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from daybreak.prose.llm import Answer, ModelFault, Prompt, Refusal, Usage

# --- Checks a value against a JSON Schema: the part of the standard that our prompts use, and nothing silently ---
# A keyword that is not known here raises, so that no schema promises what is not looked at.


DEEPEST = 32
_TYPES: Mapping[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}
_SILENT = {"$schema", "$defs", "$id", "title", "description", "default", "examples"}
Check = Callable[[Any, Any, "_Place"], str | None]


class _Place:
    """Where in the value we are, and the schema's root for references."""

    __slots__ = ("depth", "path", "root", "schema")

    def __init__(self, root: Mapping[str, Any], schema: Mapping[str, Any], path: str, depth: int) -> None:
        self.root, self.schema, self.path, self.depth = root, schema, path, depth

    def at(self, schema: Mapping[str, Any], path: str) -> _Place:
        return _Place(self.root, schema, path, self.depth + 1)


def fault_of(value: Any, schema: Mapping[str, Any]) -> str | None:
    """What is wrong with the value, in one short sentence for the model; None when it is of the schema."""
    return _fault(value, _Place(schema, schema, "", 0))


def _fault(value: Any, place: _Place) -> str | None:
    if place.depth > DEEPEST:
        return f"{place.path or 'the answer'} is nested too deeply"
    for keyword, wanted in place.schema.items():
        if keyword in _SILENT:
            continue
        check = _CHECKS.get(keyword)
        if check is None:
            raise ValueError(f"the schema keyword {keyword!r} is not known here")
        if found := check(value, wanted, place):
            return found
    return None


def _named(place: _Place) -> str:
    return place.path or "the answer"


def _type(value: Any, wanted: Any, place: _Place) -> str | None:
    names = [wanted] if isinstance(wanted, str) else wanted
    return None if any(_TYPES[name](value) for name in names) else f"{_named(place)} must be {' or '.join(names)}"


def _properties(value: Any, wanted: Mapping[str, Any], place: _Place) -> str | None:
    if isinstance(value, dict):
        for name, schema in wanted.items():
            if name in value and (found := _fault(value[name], place.at(schema, f"{place.path}.{name}".lstrip(".")))):
                return found
    return None


def _required(value: Any, wanted: Sequence[str], place: _Place) -> str | None:
    missing = [name for name in wanted if name not in value] if isinstance(value, dict) else []
    return f"{_named(place)} lacks {missing[0]!r}" if missing else None


def _additional(value: Any, wanted: Any, place: _Place) -> str | None:
    if wanted is False and isinstance(value, dict):
        extra = [name for name in value if name not in place.schema.get("properties", {})]
        return f"{_named(place)} has the unknown key {extra[0][:40]!r}" if extra else None
    if isinstance(wanted, dict):
        raise NotImplementedError("additionalProperties must be true or false here")
    return None


def _items(value: Any, wanted: Mapping[str, Any], place: _Place) -> str | None:
    for number, item in enumerate(value if isinstance(value, list) else ()):
        if found := _fault(item, place.at(wanted, f"{place.path}[{number}]")):
            return found
    return None


def _any_of(value: Any, wanted: Sequence[Mapping[str, Any]], place: _Place) -> str | None:
    found = [_fault(value, place.at(schema, place.path)) for schema in wanted]
    return None if None in found else found[0]


def _reference(value: Any, wanted: str, place: _Place) -> str | None:
    name = wanted.removeprefix("#/$defs/")
    return _fault(value, place.at(place.root["$defs"][name], place.path))


def _enum(value: Any, wanted: Sequence[Any], place: _Place) -> str | None:
    same = any(value == one and isinstance(value, bool) == isinstance(one, bool) for one in wanted)
    return None if same else f"{_named(place)} must be one of {', '.join(map(str, wanted))}"


def _const(value: Any, wanted: Any, place: _Place) -> str | None:
    return _enum(value, [wanted], place)


def _pattern(value: Any, wanted: str, place: _Place) -> str | None:
    wrong = isinstance(value, str) and re.search(wanted, value) is None
    return f"{_named(place)} does not have the form {wanted}" if wrong else None


def _limit(kinds: type | tuple[type, ...], wrong: Callable[[Any, Any], bool], words: str) -> Check:
    def check(value: Any, wanted: Any, place: _Place) -> str | None:
        counted = isinstance(value, kinds) and not isinstance(value, bool)
        return f"{_named(place)} {words} {wanted}" if counted and wrong(value, wanted) else None

    return check


_CHECKS: Mapping[str, Check] = {
    "type": _type,
    "properties": _properties,
    "required": _required,
    "additionalProperties": _additional,
    "items": _items,
    "anyOf": _any_of,
    "$ref": _reference,
    "enum": _enum,
    "const": _const,
    "pattern": _pattern,
    "minItems": _limit(list, lambda v, n: len(v) < n, "has fewer items than"),
    "maxItems": _limit(list, lambda v, n: len(v) > n, "has more items than"),
    "minLength": _limit(str, lambda v, n: len(v) < n, "is shorter than"),
    "maxLength": _limit(str, lambda v, n: len(v) > n, "is longer than"),
    "minimum": _limit((int, float), lambda v, n: v < n, "is less than"),
    "maximum": _limit((int, float), lambda v, n: v > n, "is more than"),
}


LARGEST = 1 << 20
MOST_TRIES = 64
"""Places in a text where an object is looked for."""
_THOUGHT_ENDS = ("</think>", "</thinking>", "</reasoning>", "<|end_of_thought|>", "◁/think▷")
_TRAILING = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z))|,(?=\s{0,200}[}\]])', re.DOTALL)
"""Strings, also one that never ends, and commas before a bracket."""
_HALVES = re.compile("[\ud800-\udfff]")
NO_JSON = "it holds no JSON object"


class Found(NamedTuple):
    """An object, or what is wrong."""

    data: Mapping[str, Any] | None
    wrong: str = ""


def object_in(text: str, schema: Mapping[str, Any]) -> Found:
    """The last object of the schema in the text: what comes before it may be thoughts, or an echo of the question."""
    if len(text) > LARGEST:
        return Found(None, "it is far too long")
    last, wrong = None, ""
    for one in _objects(_told(text)):
        fault = fault_of(one, schema)
        if fault is None:
            last = one
        else:
            wrong = wrong or fault
    if last is None:
        return Found(None, wrong or NO_JSON)
    return Found(last)


def _told(text: str) -> str:
    """What follows the thoughts."""
    for ending in _THOUGHT_ENDS:
        text = text.rpartition(ending)[2]
    return text.strip()


def _objects(text: str) -> Iterator[dict[str, Any]]:
    whole = _decoded(text)
    if whole is not None:
        yield whole[0]
        return
    place = -1
    for _ in range(MOST_TRIES):
        place = text.find("{", place + 1)
        if place < 0:
            return
        found = _decoded(text, place)
        if found is not None:
            yield found[0]
            place = found[1] - 1


def _decoded(text: str, place: int | None = None) -> tuple[dict[str, Any], int] | None:
    """The object that begins at the place, with its end; without a place, the whole text, with small slips mended."""
    try:
        if place is None:
            value, end = _DECODER.decode(_TRAILING.sub(lambda m: m[1] or "", text)), len(text)
        else:
            value, end = _DECODER.raw_decode(text, place)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or not _storable(value):
        return None
    return value, end


def _storable(value: object) -> bool:
    """Halves of surrogate pairs can be written in JSON, and in no file."""
    return _HALVES.search(json.dumps(value, ensure_ascii=False)) is None


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(strict=False, parse_constant=_no_constant)


# --- Kept answers: the key that a question has by its content, and an answer as bytes ---
# Faults of content are kept as well (refused, cut, empty, no JSON …): the same question would bring the same fault, and a
# second run must not pay for it again. What a later try could mend (no connection, too many requests, no budget) is not.

FORMAT = "daybreak.answer/1"
LASTING: frozenset[Refusal] = frozenset({"refused", "malformed", "cut", "empty", "language", "too_long"})


class _Kept(msgspec.Struct, omit_defaults=True):
    """What stands behind a key."""

    model: str
    endpoint: str
    usage: Usage
    data: dict[str, Any] | None = None
    fault: str = ""
    detail: str = ""


def key_of(prompt: Prompt, model: str) -> str:
    """By content: the same evidence, instructions, version, schema and length, asked of the same model."""
    schema = json.dumps(prompt.schema, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    parts = (FORMAT, model, prompt.task, prompt.version, prompt.system, prompt.user, schema, prompt.most)
    return hashlib.sha256(json.dumps(parts, ensure_ascii=True).encode()).hexdigest()


def packed(answer: Answer) -> bytes:
    return msgspec.json.encode(_Kept(answer.model, answer.endpoint, answer.usage, dict(answer.data)))


def packed_fault(fault: ModelFault, model: str, endpoint: str) -> bytes:
    return msgspec.json.encode(_Kept(model, endpoint, fault.usage, fault=fault.refusal, detail=fault.detail))


def unpacked(body: bytes) -> Answer | ModelFault | None:
    """None for what this version cannot read: the question is asked again."""
    try:
        kept = msgspec.json.decode(body, type=_Kept)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    if kept.data is not None:
        return Answer(kept.data, kept.model, kept.endpoint, kept.usage, kept=True)
    if kept.fault in LASTING:
        return ModelFault(kept.fault, kept.detail, kept.usage, kept=True)
    return None
