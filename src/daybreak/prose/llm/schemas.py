"""Checks a value against a JSON Schema: the part of the standard that our prompts use, and nothing silently.

A keyword that is not known here raises, so that no schema promises what is not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

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
