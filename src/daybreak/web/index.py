"""Rows of every reported day, held by digest: a list over a year decodes each day once, and again when it changed."""

from __future__ import annotations

from threading import Lock

from daybreak.archive.interface import Archive
from daybreak.errors import DaybreakError
from daybreak.web.rows import Rows, rows_of


class Index:
    """Threads may ask; a day whose report cannot be read has no rows, not even its own."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self._held: dict[str, tuple[str, Rows]] = {}
        self._lock = Lock()

    def days(self, since: str = "", until: str = "9999-99-99") -> list[tuple[str, Rows]]:
        """Newest first, of labels from `since` to `until`."""
        digests = self.archive.digests()
        with self._lock:
            for gone in self._held.keys() - digests.keys():
                del self._held[gone]
            wanted = [label for label in sorted(digests, reverse=True) if since <= label <= until]
            return [(label, self._rows(label, digests[label])) for label in wanted]

    def _rows(self, label: str, digest: str) -> Rows:
        held = self._held.get(label)
        if held is not None and held[0] == digest:
            return held[1]
        try:
            day = self.archive.day(label)
        except DaybreakError:
            day = None
        rows = rows_of(day) if day is not None else Rows()
        if day is not None:
            self._held[label] = (digest, rows)
        return rows
