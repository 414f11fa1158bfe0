"""The worker: one run at a time, as the plan says; nothing of it sleeps longer than the clock can be trusted."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any, Protocol

from msgspec import Struct, field

from daybreak.core.errors import DaybreakError
from daybreak.serve.web.plan import Ask, Failure, Moment, Plan, Task

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
    failures: Mapping[str, Failure] = field(default_factory=dict)
    waiting: Mapping[str, float] = field(default_factory=dict)


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
