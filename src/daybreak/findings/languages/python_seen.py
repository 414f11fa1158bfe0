"""Parts of Python files that were read before, known again by their text."""

from __future__ import annotations

from collections.abc import Hashable

from daybreak.findings.surface import Row

MAX_SEEN = 12_000_000
"""Bytes, about, of parts of files and their rows that are held, twice over, to know them again."""
_ROW_BYTES = 1000
"""What a row weighs: much more than the text it was read from, when that is a line."""

Key = tuple[Hashable, str, str]
"""Where a part stands, what leads to it, and its text."""


class Seen:
    """Rows of parts of files by their text: two versions of a file differ in few parts, so most are read once.

    What was not wanted lately is let go. Used by several threads at once it may forget more, never mix things up.
    """

    def __init__(self) -> None:
        self._now: dict[Key, tuple[int, list[Row]]] = {}
        self._before: dict[Key, tuple[int, list[Row]]] = {}
        self._held = 0

    def get(self, key: Key, line: int) -> list[Row] | None:
        """The rows of a part that begins at that line."""
        found = self._now.get(key)
        if found is None:
            found = self._before.get(key)
            if found is None:
                return None
            self._keep(key, found)
        step = line - found[0]
        return [Row(r.kind, r.name, r.line + step, r.text, r.details) for r in found[1]] if step else found[1]

    def put(self, key: Key, line: int, rows: list[Row]) -> None:
        self._keep(key, (line, rows))

    def _keep(self, key: Key, found: tuple[int, list[Row]]) -> None:
        weight = len(key[2]) + _ROW_BYTES * len(found[1])
        self._held += weight
        if self._held > MAX_SEEN:
            self._before, self._now, self._held = self._now, {}, weight
        self._now[key] = found
