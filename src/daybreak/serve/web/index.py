"""Rows of every reported day, held by digest: a list over a year decodes each day once, and again when it changed."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from daybreak.core.errors import DaybreakError
from daybreak.report.archive.interface import Archive
from daybreak.serve.web.rows import Rows, rows_of


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
