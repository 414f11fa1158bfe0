"""Answers of a model: the JSON object in what it wrote, and how it is kept under a key that its question has."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from daybreak.prose.llm import Answer, ModelFault, Prompt, Refusal, Usage

# --- Checks a value against a JSON Schema: the few keywords that our forms use, and nothing silently ---
# A keyword that is not known here raises, so that no schema promises what is not looked at.


_TYPES: Mapping[str, type] = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}
_KNOWN = frozenset(
    (
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "enum",
        "minItems",
        "maxItems",
        "minLength",
        "maxLength",
    )
)


def fault_of(value: Any, schema: Mapping[str, Any], path: str = "") -> str | None:
    """What is wrong with the value, in one short sentence for the model; None when it is of the schema."""
    if unknown := schema.keys() - _KNOWN:
        raise ValueError(f"the schema keyword {min(unknown)!r} is not known here")
    named, wanted = path or "the answer", schema.get("type")
    if wanted and (not isinstance(value, _TYPES[wanted]) or (wanted == "integer" and isinstance(value, bool))):
        return f"{named} must be {wanted}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{named} must be one of {', '.join(map(str, schema['enum']))}"
    if isinstance(value, dict):
        return _object_fault(value, schema, path)
    if isinstance(value, list):
        inner = (fault_of(one, schema.get("items", {}), f"{path}[{n}]") for n, one in enumerate(value))
        return _length_fault(value, schema, "Items", named) or next(filter(None, inner), None)
    return _length_fault(value, schema, "Length", named) if isinstance(value, str) else None


def _object_fault(value: Mapping[str, Any], schema: Mapping[str, Any], path: str) -> str | None:
    named, fields = path or "the answer", schema.get("properties", {})
    if missing := [name for name in schema.get("required", ()) if name not in value]:
        return f"{named} lacks {missing[0]!r}"
    extra = [name for name in value if name not in fields]
    if extra and schema.get("additionalProperties", True) is False:
        return f"{named} has the unknown key {extra[0][:40]!r}"
    inner = (fault_of(value[name], one, f"{path}.{name}".lstrip(".")) for name, one in fields.items() if name in value)
    return next(filter(None, inner), None)


def _length_fault(value: Sequence[Any], schema: Mapping[str, Any], of: str, named: str) -> str | None:
    least, most = schema.get(f"min{of}"), schema.get(f"max{of}")
    if least is not None and len(value) < least:
        return f"{named} is shorter than {least}"
    return f"{named} is longer than {most}" if most is not None and len(value) > most else None


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
