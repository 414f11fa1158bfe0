"""The plan: which day is to be reported next and from when, and the worker that runs one at a time as it says."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any, Protocol
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct

from daybreak.core.errors import EXIT_DONE, EXIT_LOOK, DaybreakError
from daybreak.store.report_files import ReportFiles, decode_report

_DAY = timedelta(days=1)
_MINUTE = timedelta(minutes=1)
_LONGEST_GAP = 48 * 60
"""Minutes that a zone may leave out at once; some have left out a whole day."""


class Timetable(Struct, frozen=True):
    """Every day at `at`, the day before is due; all moments are in UTC, where none is missing and none comes twice."""

    zone: ZoneInfo
    at: time
    catch_up: int
    """Days before yesterday that are due as well."""

    @classmethod
    def of(cls, zone: ZoneInfo, at: str, catch_up: int) -> Timetable:
        """From the words of the config."""
        return cls(zone, time.fromisoformat(at), catch_up)

    def moment(self, day: date) -> datetime:
        """When the clock of the zone shows `at` on that day for the first time, or the first moment after it exists."""
        wanted = datetime.combine(day, self.at)
        for minutes in range(_LONGEST_GAP):
            shown = wanted + minutes * _MINUTE
            found = shown.replace(tzinfo=self.zone).astimezone(UTC)
            if found.astimezone(self.zone).replace(tzinfo=None) == shown:
                return found
        return wanted.replace(tzinfo=self.zone).astimezone(UTC)

    def turn(self, now: datetime) -> date:
        """The date whose `at` has passed last."""
        today = now.astimezone(self.zone).date()
        return today if self.moment(today) <= now else today - _DAY

    def next(self, now: datetime) -> datetime:
        """The first `at` that is still to come."""
        return self.moment(self.turn(now) + _DAY)

    def due(self, now: datetime) -> list[date]:
        """Days that ought to be reported by now, oldest first."""
        yesterday = self.turn(now) - _DAY
        return [yesterday - n * _DAY for n in range(self.catch_up, -1, -1)]


# --- The plan: which day is to be reported next, decided by what is reported and not by the time that went by ---

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


# --- The worker: one run at a time, as the plan says; nothing of it sleeps longer than the clock can be trusted ---

LOCKED = 75
"""What a run comes back with that found another one at work; not one of the program's own exit codes."""
TICK = 30.0
"""Seconds after which the clock and the reports are asked again, whatever was expected of them."""
JUMP = 3600.0
"""Seconds by which the clock may run ahead of the steady one between two looks before we call it a jump."""
SETTLE = 300.0
"""Seconds for which a clock that has jumped ahead must stand before it is believed."""

Log = Callable[[str, str, Mapping[str, Any]], None]
"""Level (debug, info, warning, error), message, facts."""


class Runner(Protocol):
    """Runs the daily job for a day in a process of its own."""

    async def __call__(self, task: Task) -> int:
        """Its exit code; when cancelled, the process is gone before this returns."""
        ...


class Hands(Struct, frozen=True):
    """What the worker is given: the world, or a test's idea of it."""

    clock: Callable[[], Moment]
    run: Runner
    pause: Callable[[float], Awaitable[None]]
    blocked: Callable[[], str | None]
    """Why no run can be started now: who holds the store, or what is wrong with it."""
    log: Log


class Status(Struct, frozen=True):
    """What the worker is doing, for those who look at it from outside."""

    task: Task | None = None
    since: float = 0.0
    """When the task began, by the steady clock."""
    next_at: datetime | None = None
    blocked: str | None = None
    failures: Mapping[str, Failure] = msgspec.field(default_factory=dict)
    waiting: Mapping[str, float] = msgspec.field(default_factory=dict)


class Worker:
    """Reports each day when it is due, and what was missed before."""

    def __init__(self, plan: Plan, report: Ask, hands: Hands) -> None:
        self._plan, self._report, self._hands = plan, report, hands
        self._last: Moment | None = None
        self._settled = 0.0
        self._told: str | None = None
        self.status = Status()
        """A new value each time, so that other threads may read it."""

    async def work(self) -> None:
        """Until cancelled."""
        while True:
            if not await self.turn():
                await self._hands.pause(TICK)

    async def turn(self) -> bool:
        """One look at the clock and the reports; whether a day was tried."""
        at = self._hands.clock()
        self._notice_jump(at)
        task = await asyncio.to_thread(self._chosen, at)
        if task is None:
            return False
        await self._try(task)
        return True

    def _chosen(self, at: Moment) -> Task | None:
        if at.steady < self._settled:
            return None
        task = self._plan.next(at, self._report)
        blocked = self._hands.blocked() if task is not None else None
        self._tell(task, blocked)
        self._show(at, blocked=blocked)
        return task if blocked is None else None

    async def _try(self, task: Task) -> None:
        began = self._hands.clock()
        self._show(began, task=task)
        self._log("info", f"{task.label}: the run begins", task)
        code = await self._hands.run(task)
        at = self._hands.clock()
        if code == LOCKED:
            # It began while we did: the next look finds it at work, or the day reported.
            self._show(at, blocked="another run is at work")
            await self._hands.pause(TICK)
            return
        report = await asyncio.to_thread(self._report, task.label)
        fine = self._plan.ended(task, code, report, at)
        seconds = round(at.steady - began.steady, 3)
        if fine and report is not None:
            words = f"{report.skipped} skipped, tried again tomorrow" if report.skipped else "whole"
            self._log("info", f"{task.label}: reported, {words}", task, seconds=seconds, skipped=report.skipped)
        else:
            failure = self._plan.failures[task.label]
            pause = round(failure.again - at.steady)
            words = f"{task.label}: the run failed ({ending(code)}); tried again in {pause} seconds at the earliest"
            self._log("error", words, task, seconds=seconds, code=code, times=failure.times)
        self._show(at)

    # --- what others see -------------------------------------------------------------------------------------------

    def _show(self, at: Moment, task: Task | None = None, blocked: str | None = None) -> None:
        self.status = Status(
            task=task,
            since=at.steady,
            next_at=self._plan.table.next(at.now),
            blocked=blocked,
            failures=dict(self._plan.failures),
            waiting=dict(self._plan.waiting),
        )

    def _tell(self, task: Task | None, blocked: str | None) -> None:
        """Once, and not every half minute."""
        for label in self._plan.given_up:
            self._hands.log(
                "error", f"{label} was not reported and is given up: it is too old to catch up", {"day": label}
            )
        self._plan.given_up.clear()
        if blocked is not None and task is not None and blocked != self._told:
            self._log("warning", f"{task.label} has to wait: {blocked}", task)
        self._told = blocked

    def _notice_jump(self, at: Moment) -> None:
        """A clock that ran ahead would have days reported that are not over; most such clocks are soon set right."""
        last, self._last = self._last, at
        if last is None:
            return
        ahead = (at.now - last.now).total_seconds() - (at.steady - last.steady)
        if ahead > JUMP:
            self._settled, self._plan.in_doubt = at.steady + SETTLE, True
            words = f"the clock went ahead by {ahead:.0f} seconds; it is believed after {SETTLE:.0f} seconds"
            self._hands.log("warning", words, {"ahead": round(ahead)})
        elif ahead < -JUMP:
            self._settled, self._plan.in_doubt = 0.0, False
            self._hands.log("warning", f"the clock was set back by {-ahead:.0f} seconds", {"ahead": round(ahead)})

    def _log(self, level: str, message: str, task: Task, **facts: Any) -> None:
        self._hands.log(level, message, {"day": task.label, **facts})


def ending(code: int) -> str:
    """How a process ended, in words."""
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def store_blocked(ask: Callable[[], str | None]) -> Callable[[], str | None]:
    """A store that fails to answer blocks like one that is held."""

    def blocked() -> str | None:
        try:
            return ask()
        except DaybreakError as error:
            return error.message

    return blocked
