"""Lists of the API: which rows are asked for, and one page of them with where the next one begins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from threading import Lock
from typing import Any, NamedTuple

from daybreak.core.errors import DaybreakError
from daybreak.report.archive.interface import Archive
from daybreak.serve.web.rows import Rows, rows_of

# --- Rows of every reported day, held by digest: a list over a year decodes each day once, and again when it changed ---


def unreadable(days: Sequence[tuple[str, Rows]]) -> tuple[str, ...]:
    """Those of them whose report cannot be read, oldest first."""
    return tuple(sorted(label for label, rows in days if not rows.days))


class Index:
    """Threads may ask; a day whose report cannot be read has no rows, not even its own."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self._held: dict[str, tuple[str, Rows]] = {}
        self._lock = Lock()

    def days(self, since: str = "", until: str = "9999-99-99") -> list[tuple[str, Rows]]:
        """Newest first, of labels from `since` to `until`."""
        # Asked first: a day that has no digest afterwards is one that cannot be read, and not one that came meanwhile.
        labels = self.archive.labels()
        digests = dict.fromkeys(labels, "") | self.archive.digests()
        with self._lock:
            for gone in self._held.keys() - digests.keys():
                del self._held[gone]
            wanted = [label for label in sorted(digests, reverse=True) if since <= label <= until]
            return [(label, self._rows(label, digests[label])) for label in wanted]

    def _rows(self, label: str, digest: str) -> Rows:
        held = self._held.get(label)
        if held is not None and held[0] == digest:
            return held[1]
        if not digest:
            return Rows()
        try:
            day = self.archive.day(label)
        except DaybreakError:
            day = None
        rows = rows_of(day) if day is not None else Rows()
        if day is not None:
            self._held[label] = (digest, rows)
        return rows


DEFAULT, MOST = 50, 200
"""Rows of a page."""


class Found(NamedTuple):
    """One page; `cursor`: of the last row, where there are more."""

    rows: tuple[Any, ...]
    cursor: str | None
    total: int
    unreadable: tuple[str, ...]
    """Days that were asked for and whose rows are not among them."""


def found(index: Index, pick: Callable[[Rows], Sequence[Any]], asked: Mapping[str, Any]) -> Found:
    """Newest day first; a cursor names a row by its day and its place there, so that a new day moves nothing."""
    limit, after = asked.get("limit", DEFAULT), _place(asked.get("cursor"))
    page: list[tuple[str, Any]] = []
    total, more = 0, False
    days = index.days(asked.get("since", ""), asked.get("until", "9999-99-99"))
    for label, at, row in _matching(days, pick, asked):
        total += 1
        if after is not None and not (label < after[0] or (label == after[0] and at > after[1])):
            continue
        if len(page) < limit:
            page.append((f"{label}.{at}", row))
        else:
            more = True
    return Found(tuple(row for _, row in page), page[-1][0] if more else None, total, unreadable(days))


def _place(cursor: str | None) -> tuple[str, int] | None:
    if cursor is None:
        return None
    label, _, at = cursor.partition(".")
    return label, int(at)


def _matching(
    days: Sequence[tuple[str, Rows]], pick: Callable[[Rows], Sequence[Any]], asked: Mapping[str, Any]
) -> Iterator[tuple[str, int, Any]]:
    tests = [(TESTS[name], value) for name, value in asked.items() if name in TESTS]
    for label, rows in days:
        for at, row in enumerate(pick(rows)):
            if all(test(row, value) for test, value in tests):
                yield label, at, row


def _has_component(row: Any, wanted: str) -> bool:
    """The component or one below it."""
    return any(one == wanted or one.startswith(f"{wanted}/") for one in row.components)


TESTS: Mapping[str, Callable[[Any, Any], bool]] = {
    "repo": lambda row, value: row.repo.lower() == value.lower(),
    "level": lambda row, value: row.level == value,
    "kind": lambda row, value: row.kind == value,
    "breaking": lambda row, value: row.breaking == value,
    "state": lambda row, value: row.state == value,
    "component": _has_component,
}
"""Filter -> whether a row passes it."""
