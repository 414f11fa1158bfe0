"""A world for the worker: clocks that a test sets, reports in memory, and runs that end as the test says."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from daybreak.serve.web.plan import Hands, Moment, Plan, Reported, Status, Task, Timetable, Worker


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@dataclass(frozen=True)
class Tried:
    """A run that was started."""

    label: str
    at: datetime
    force: bool


@dataclass
class World:
    """Both clocks go on by themselves; `events` change something else when the steady one comes past them."""

    now: datetime
    zone: str = "Europe/Berlin"
    at: str = "08:00"
    catch_up: int = 3
    steady: float = 1000.0
    reports: dict[str, Reported] = field(default_factory=dict)
    endings: dict[str, list[tuple[int, int | None]]] = field(default_factory=dict)
    """Day -> (exit code, what the report skipped, or None for no report) of its next runs; then it is whole."""
    blocked: str | None = None
    events: list[tuple[float, Callable[[], None]]] = field(default_factory=list)
    tried: list[Tried] = field(default_factory=list)
    said: list[tuple[str, str, Mapping[str, Any]]] = field(default_factory=list)
    going_on: int = 0
    run_takes: float = 0.0
    stride: float = 600.0
    """Seconds that go by at each pause: the worker asks for less, and must be right with any."""
    seen: list[Status] = field(default_factory=list)
    """What the worker showed while runs were going on."""

    def __post_init__(self) -> None:
        self.table = Timetable.of(ZoneInfo(self.zone), self.at, self.catch_up)
        self.worker = self.new_worker({})

    def new_worker(self, tried: dict[str, date]) -> Worker:
        """A service that was started again."""
        hands = Hands(lambda: Moment(self.now, self.steady), self._run, self._pause, lambda: self.blocked, self._log)
        return Worker(Plan(self.table, tried), self._report, hands)

    # --- what the worker asks --------------------------------------------------------------------------------------

    def _report(self, label: str) -> Reported | None:
        return self.reports.get(label)

    async def _run(self, task: Task) -> int:
        assert self.going_on == 0, "two at once"
        self.going_on += 1
        self.tried.append(Tried(task.label, self.now, task.force))
        self.seen.append(self.worker.status)
        self.elapse(self.run_takes)
        await asyncio.sleep(0)
        queue = self.endings.get(task.label)
        code, skipped = queue.pop(0) if queue else (0, 0)
        if skipped is not None:
            self.report(task.label, skipped)
        self.going_on -= 1
        return code

    async def _pause(self, seconds: float) -> None:
        assert 0 < seconds <= 30
        self.elapse(self.stride)
        if self.steady >= self._end:
            raise Over

    def _log(self, level: str, message: str, facts: Mapping[str, Any]) -> None:
        self.said.append((level, message, facts))

    # --- what the test does ----------------------------------------------------------------------------------------

    def report(self, label: str, skipped: int = 0, *, open_: bool = False) -> None:
        after = date.fromisoformat(label) + timedelta(days=1)
        until = datetime(after.year, after.month, after.day, tzinfo=self.table.zone)
        self.reports[label] = Reported(label, until, open_ or self.now < until, skipped)

    def elapse(self, seconds: float) -> None:
        self.steady += seconds
        self.now += timedelta(seconds=seconds)
        while self.events and self.events[0][0] <= self.steady:
            self.events.pop(0)[1]()

    def after(self, hours: float, do: Callable[[], None]) -> None:
        self.events.append((self.steady + hours * 3600, do))
        self.events.sort(key=lambda event: event[0])

    def set_clock(self, to: datetime) -> None:
        self.now = to

    def move_clock(self, by: timedelta) -> None:
        self.now += by

    def go_on(self, hours: float) -> list[str]:
        """Let the worker work for so long; the days that it has tried meanwhile."""
        before = len(self.tried)
        self._end = self.steady + hours * 3600
        with suppress(Over):
            asyncio.run(self.worker.work())
        return [one.label for one in self.tried[before:]]

    def messages(self, level: str) -> list[str]:
        return [message for found, message, _ in self.said if found == level]


class Over(Exception):
    """The time that the test gave is over."""
