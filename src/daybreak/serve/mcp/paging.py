"""Answers of bounded size: so many rows, so many characters; what is left off is counted, with a cursor to go on."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from daybreak.core.errors import UsageError

ROOM = 24_000
"""Bytes of one answer's rows: some six thousand tokens, which a model can take between two thoughts."""
_CURSOR = re.compile(r"([a-z_]{1,20}):(\d{1,7})")
T = TypeVar("T")


def start_of(cursor: str | None) -> tuple[str | None, int]:
    """Which list to go on with, and from which row."""
    if cursor is None:
        return None, 0
    found = _CURSOR.fullmatch(cursor)
    if found is None:
        raise UsageError("The cursor is none of ours.", "Pass on `next` of an earlier answer as it is.")
    return found[1], int(found[2])


@dataclass(slots=True)
class Room:
    """What is left of an answer's size; several lists may share it."""

    left: int = ROOM
    omitted: dict[str, Any] = field(default_factory=dict)
    """Name of a list -> how many rows were left off, and the cursor to go on."""

    def fill(self, name: str, items: Sequence[T], row: Callable[[T], Any], most: int, start: int = 0) -> list[Any]:
        """Rows from `start` on, as many as fit; the first one always does, so that a cursor gets on.

        Several lists of one name have one cursor: it goes on where the shortest of them ended, so none skips a row.
        """
        rows: list[Any] = []
        for item in items[start : start + most]:
            made = row(item)
            size = len(msgspec.json.encode(made))
            if rows and size > self.left:
                break
            rows.append(made)
            self.left -= size
        after = len(items) - start - len(rows)
        if after > 0:
            place, known = start + len(rows), self.omitted.get(name)
            if known is not None:
                after, place = after + known["count"], min(place, start_of(known["next"])[1])
            self.omitted[name] = {"count": after, "next": f"{name}:{place}"}
        return rows
