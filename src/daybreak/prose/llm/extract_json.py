"""Finds the JSON object in what a model wrote: behind its thoughts, between fences, beside prose.

Nothing here trusts the text: it is bounded in size, depth and tries, and whatever is not one object of the schema is a
sentence about what is wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from daybreak.prose.llm.schemas import fault_of

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
