"""The plan: which day is to be reported next, decided by what is reported and not by the time that went by."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import msgspec
from msgspec import Struct

from daybreak.core.errors import EXIT_DONE, EXIT_LOOK
from daybreak.serve.web.timetable import Timetable
from daybreak.store.report_files import ReportFiles, decode_report

# --- What is reported: the written reports, asked anew each time, since other programs write them too ---


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


FIRST_PAUSE = 60.0
LONGEST_PAUSE = 3600.0
"""Seconds before a day that failed is tried again: doubled each time, up to an hour."""

Ask = Callable[[str], Reported | None]
"""The report of a day as it is now."""


class Moment(Struct, frozen=True):
    """Two clocks: one that people set, and one that only goes on."""

    now: datetime
    steady: float


class Task(Struct, frozen=True):
    """A day to report on."""

    day: date
    force: bool = False
    """It was reported before it was over, by a clock that ran ahead."""

    @property
    def label(self) -> str:
        return self.day.isoformat()

    @property
    def after(self) -> str:
        """The day after it, where its window ends."""
        return (self.day + timedelta(days=1)).isoformat()


class Failure(Struct, frozen=True):
    """How often a day has failed, and how it ended last."""

    times: int
    code: int
    again: float
    """By the steady clock."""


@dataclass(slots=True)
class Plan:
    """What was tried and how it went; everything else is asked anew."""

    table: Timetable
    tried: dict[str, date] = field(default_factory=dict)
    """Day -> the turn in which it was tried last: what is skipped is tried once a turn."""
    failures: dict[str, Failure] = field(default_factory=dict)
    waiting: dict[str, float] = field(default_factory=dict)
    """Day without a report -> when that was first seen, by the steady clock."""
    in_doubt: bool = False
    """The clock has jumped ahead: it may be set back, and what was reported meanwhile was not over."""
    doubtful: set[str] = field(default_factory=set)
    """Reported while the clock was in doubt."""
    early: set[str] = field(default_factory=set)
    """Of these, the ones that were not over: they are to be made again, since their reports stand for nothing."""
    given_up: list[str] = field(default_factory=list)
    """Failed until they were too old to be tried again; whoever tells of them takes them out."""

    def next(self, at: Moment, ask: Ask) -> Task | None:
        """The oldest day that may be tried now."""
        days = self.table.due(at.now)
        self._note_early(at.now, ask)
        states = {day.isoformat(): ask(day.isoformat()) for day in days}
        self._forget(states, at.steady)
        turn = self.table.turn(at.now)
        for day, (label, report) in zip(days, states.items(), strict=True):
            if self._may(label, report, turn, at.steady):
                return Task(day, force=label in self.early)
        return None

    def ended(self, task: Task, code: int, report: Reported | None, at: Moment) -> bool:
        """Take note of a try; whether it went well."""
        label = task.label
        self.tried[label] = self.table.turn(at.now)
        if code in (EXIT_DONE, EXIT_LOOK) and report is not None and not report.open:
            self.failures.pop(label, None)
            self.waiting.pop(label, None)
            self.early.discard(label)
            (self.doubtful.add if self.in_doubt else self.doubtful.discard)(label)
            return True
        times = self.failures[label].times + 1 if label in self.failures else 1
        pause = min(FIRST_PAUSE * 2 ** min(times - 1, 10), LONGEST_PAUSE)
        self.failures[label] = Failure(times, code, at.steady + pause)
        return False

    def _may(self, label: str, report: Reported | None, turn: date, steady: float) -> bool:
        failure = self.failures.get(label)
        if failure is not None and steady < failure.again:
            return False
        return self._missing(label, report) or (not _whole(report) and self.tried.get(label) != turn)

    def _missing(self, label: str, report: Reported | None) -> bool:
        return report is None or report.open or label in self.early

    def _note_early(self, now: datetime, ask: Ask) -> None:
        """A clock that was merely set back makes no day early: only what it reported while it ran ahead is."""
        for label in self.doubtful:
            report = ask(label)
            if report is not None and not report.open and report.until.astimezone(UTC) > now:
                self.early.add(label)

    def _forget(self, states: Mapping[str, Reported | None], steady: float) -> None:
        """Days that somebody else has reported, and days that nobody waits for any more."""
        oldest = min(states)
        missing = {label for label, report in states.items() if self._missing(label, report)}
        whole = {label for label, report in states.items() if _whole(report)} - self.early
        self.waiting = {label: self.waiting.get(label, steady) for label in missing}
        self.given_up += sorted(label for label in self.failures if label < oldest)
        self.failures = {day: how for day, how in self.failures.items() if day >= oldest and day not in whole}
        self.tried = {label: turn for label, turn in self.tried.items() if label >= oldest}
        self.early = {label for label in self.early if label >= oldest}
        self.doubtful = {label for label in self.doubtful if label >= oldest}


def _whole(report: Reported | None) -> bool:
    return report is not None and report.whole
