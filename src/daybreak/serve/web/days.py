"""What is reported: the written reports, asked anew each time, since other programs write them too."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from daybreak.store.report_files import ReportFiles, decode_report

_LOOKED_AT = 100
"""Newest reports among which a whole one is looked for."""


class Reported(Struct, frozen=True):
    """One written report."""

    label: str
    until: datetime
    open: bool
    """Made before the day was over."""
    skipped: int

    @property
    def whole(self) -> bool:
        return not self.open and not self.skipped


class Days:
    """The reports of an `out` folder: what `daybreak run` itself goes by."""

    def __init__(self, out: Path) -> None:
        self._files = ReportFiles(out)
        self._known: dict[str, tuple[tuple[int, int, int], Reported | None]] = {}

    def labels(self) -> list[str]:
        """Days with a report, oldest first; none, when the folder cannot be read: the run will say why."""
        try:
            return self._files.labels()
        except OSError:
            return []

    def of(self, label: str) -> Reported | None:
        """That day's report; one that cannot be read is none, and the run that is then started says so."""
        path = self._files.path(label)
        try:
            state = path.stat()
            print_ = (state.st_mtime_ns, state.st_size, state.st_ino)
            known = self._known.get(label)
            if known is None or known[0] != print_:
                known = self._known[label] = (print_, _read(path))
        except OSError:
            return None
        return known[1]

    def newest(self, now: datetime) -> Reported | None:
        """The newest report of a day that is over; a clock that ran ahead may have left some that are not."""
        return next((day for day in self._newest_first(now) if not day.open), None)

    def whole_until(self, now: datetime) -> datetime | None:
        """The end of the newest whole report; when the last hundred all lack something, the end of the oldest of them."""
        seen = None
        for day in self._newest_first(now):
            seen = day.until
            if day.whole:
                break
        return seen

    def _newest_first(self, now: datetime) -> Iterator[Reported]:
        for label in reversed(self.labels()[-_LOOKED_AT:]):
            day = self.of(label)
            if day is not None and day.until <= now:
                yield day


def _read(path: Path) -> Reported | None:
    try:
        report = decode_report(path.read_bytes())
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return Reported(report.window.label, report.window.until, report.window.open, len(report.coverage.skipped))
