"""What ran, what is incomplete and what it cost, as values: `status` prints them, and others may ask for them too."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.config import Settings
from daybreak.core.day_json import view
from daybreak.core.errors import DaybreakError
from daybreak.core.model.day import Day
from daybreak.store import COMPLETION, HITS, MODEL, PROMPT, REQUESTS, STAGE, Cost, Holder, Run, Step, Store, kind_of
from daybreak.store.database import StoreDamaged
from daybreak.store.read_only import SCHEMA, LookedAt, looked_at, place_of
from daybreak.store.report_files import refuse_other

RUNS = 10
"""The newest runs that are told."""
RunState = Literal["done", "skipped", "failed", "killed", "running"]
DayState = Literal["whole", "skipped", "open", "missing", "damaged", "before"]
Problem = Literal["last-run-failed", "days-missing", "days-incomplete", "store-damaged", "messages-not-sent"]
Value = TypeVar("Value")
_ODD = (StoreDamaged, msgspec.MsgspecError, ValueError, TypeError)
"""What is met when a row is not as it was written."""


class StoreTold(Struct, frozen=True):
    """The store itself."""

    kind: str
    address: str
    """Without user, password or options."""
    schema: int | None = None
    bytes: int = 0
    damage: str | None = None
    """The first damage that was met; `doctor --store` looks for all."""


class ModelTold(Struct, frozen=True):
    """What one run used a model for."""

    model: str
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cache_hits: int = 0
    money: float | None = None
    currency: str | None = None


class StageTold(Struct, frozen=True):
    """What one run asked models for in one stage: triage, write, repair, critic, day or batch."""

    stage: str
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


class RunTold(Struct, frozen=True):
    """One run, newest first."""

    id: int
    command: str
    state: RunState
    reason: str | None
    started_at: datetime
    ended_at: datetime | None
    seconds: float | None
    version: str
    host: str
    pid: int
    models: tuple[ModelTold, ...] = ()
    stages: tuple[StageTold, ...] = ()


class SkippedTold(Struct, frozen=True):
    """What a day's report lacks."""

    what: str
    reason: str


class DayTold(Struct, frozen=True):
    """One calendar day of the config's zone."""

    day: str
    state: DayState
    skipped: tuple[SkippedTold, ...] = ()
    unknown: bool = False
    """Not one of its repositories could be had: it is reported, and nothing is known of it."""


class StepTold(Struct, frozen=True):
    """A step of the last run that failed or was skipped."""

    run: int
    repo: str
    day: str
    stage: str
    outcome: str
    reason: str | None
    started_at: datetime
    seconds: float


class CostTold(Struct, frozen=True):
    """What all runs used of something, and the last one alone."""

    what: str
    unit: str
    amount: float
    last_run: float


class MessageTold(Struct, frozen=True):
    """A notification that did not get through: given up, to be tried again, or nobody knows."""

    day: str
    target: str
    event: str
    state: str
    tries: int
    reason: str | None


@dataclass(slots=True)
class Overview:
    """All of it; the fields of `status --json` have these names."""

    schema: str
    at: datetime
    timezone: str
    store: StoreTold
    there: bool
    """There is a store: something has run."""
    reports_outside: int
    """Reports in `reports/` that a store which is not there yet will take in."""
    mirrors: int
    retention_days: int
    holder: Holder | None = None
    first_report: str | None = None
    newest_report: str | None = None
    lag_days: int | None = None
    """Days from the newest report of a day that is over to yesterday."""
    runs: list[RunTold] = field(default_factory=list)
    days: list[DayTold] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    """All days without a report between the first report and yesterday."""
    incomplete: list[str] = field(default_factory=list)
    """All days between the first report and yesterday whose report lacks something."""
    damaged: list[str] = field(default_factory=list)
    """All days of that time whose report cannot be read."""
    older: list[str] = field(default_factory=list)
    """Reported days before those of `days`."""
    steps: list[StepTold] = field(default_factory=list)
    costs: list[CostTold] = field(default_factory=list)
    messages: list[MessageTold] = field(default_factory=list)
    """Notifications of the days that are told which did not get through."""
    problems: list[Problem] = field(default_factory=list)
    """Why the exit code is 3."""


def overview(settings: Settings, now: datetime, last: int) -> Overview:
    """Look at the store of a config without waiting for anyone; what is not there is not made."""
    address, base = settings.config.store, settings.base
    told = Overview(
        schema="daybreak.status/1",
        at=now.astimezone(settings.zone),
        timezone=settings.zone.key,
        store=StoreTold(kind_of(address), place_of(address, base)),
        there=True,
        reports_outside=0,
        mirrors=folder_size(settings.state / "mirrors"),
        retention_days=settings.config.retention.days,
    )
    try:
        with looked_at(address, base) as store:
            if store is None:
                told.there, told.reports_outside = False, _reports_in(settings.out)
            else:
                refuse_other(store, settings)
                _Gathering(store, told).gather(now.astimezone(settings.zone).date(), last)
    except StoreDamaged as error:
        told.store = StoreTold(told.store.kind, told.store.address, damage=error.message)
    told.problems = list(_problems(told))
    return told


def folder_size(folder: Path) -> int:
    """Bytes of all files below; links are not followed, and what goes away meanwhile does not count."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(place, name)).st_size  # noqa: PTH118  a mirror may have many thousands
            except OSError:
                continue
    return total


def _reports_in(out: Path) -> int:
    from daybreak.store.report_files import ReportFiles

    return len(ReportFiles(out).labels())


def _problems(told: Overview) -> Iterator[Problem]:
    ended = next((run for run in told.runs if run.state != "running"), None)
    if ended is not None and ended.state in ("failed", "killed"):
        yield "last-run-failed"
    if told.missing:
        yield "days-missing"
    if told.incomplete:
        yield "days-incomplete"
    if told.store.damage is not None:
        yield "store-damaged"
    if any(one.day == told.newest_report and one.state != "planned" for one in told.messages):
        yield "messages-not-sent"


# --- asking the store ------------------------------------------------------------------------------------------------


ALONE = 31
"""Days without a report after which those before are no part of what is reported every morning."""
_VIEW = view("window.open", "coverage.skipped", "coverage.repos_unknown", "repos.name")
"""Only what decides whether a day is whole."""


class _Gathering:
    """Asks one thing after the other; damage in one of them hides none of the others."""

    def __init__(self, store: LookedAt, told: Overview) -> None:
        self._store, self._told = store, told
        self._damage: str | None = None

    def gather(self, today: date, last: int) -> None:
        store, told = self._store, self._told
        told.holder = store.holder()
        runs: list[Run] = self._asked(lambda: store.runs(RUNS), [])
        told.runs = [_run(run, told.holder, number == 0) for number, run in enumerate(runs)]
        ended = next((run.id for run in told.runs if run.state != "running"), runs[0].id if runs else 0)
        told.steps = self._asked(lambda: [_step(step) for step in store.steps(ended) if step.outcome != "done"], [])
        costs: list[Cost] = self._asked(store.costs, [])
        told.costs = _costs(costs, ended)
        told.runs = [replace(run, models=_models(costs, run.id), stages=_stages(costs, run.id)) for run in told.runs]
        self._days(self._asked(lambda: _days_of(store), []), today, last)
        since = (today - timedelta(days=last)).isoformat()
        told.messages = self._asked(lambda: _messages(store, since), [])
        lost: Mapping[str, str] = self._asked(store.lost, {})
        for table, words in lost.items():
            self._damage = self._damage or f"The table {table} is not whole: {words}."
        told.store = StoreTold(told.store.kind, store.shown, SCHEMA, store.size(), self._damage)

    def _asked(self, question: Callable[[], Value], otherwise: Value) -> Value:
        try:
            return question()
        except _ODD as error:
            self._damage = self._damage or _in_words(error, self._store.shown)
            return otherwise

    def _days(self, reported: Sequence[date], today: date, last: int) -> None:
        told, yesterday = self._told, today - timedelta(days=1)
        if reported:
            told.first_report, told.newest_report = reported[0].isoformat(), reported[-1].isoformat()
        over = [day for day in reported if day < today]
        told.lag_days = (yesterday - over[-1]).days if over else None
        begin, shown, known = _since(over, today), today - timedelta(days=last), set(over)
        for day in over:
            if day < min(begin, shown):
                self._tell(day, known=True, shown=False)
        for day in _from_to(shown, min(begin, today)):
            if day in known:
                self._tell(day, known=True, shown=True)
            else:
                told.days.append(DayTold(day.isoformat(), "before"))
        for day in _from_to(begin, today):
            self._tell(day, day in known, day >= shown)

    def _tell(self, day: date, known: bool, shown: bool) -> None:
        told, label = self._told, day.isoformat()
        one = self._day(label) if known else DayTold(label, "missing")
        if shown:
            told.days.append(one)
        elif known:
            told.older.append(label)
        lists = {"missing": told.missing, "skipped": told.incomplete, "open": told.incomplete, "damaged": told.damaged}
        if one.state in lists:
            lists[one.state].append(label)

    def _day(self, label: str) -> DayTold:
        report = self._asked(lambda: _report(self._store, label), None)
        if report is None:
            return DayTold(label, "damaged")
        skipped = tuple(SkippedTold(one.what, one.reason) for one in report.coverage.skipped)
        unknown = bool(report.repos) and report.coverage.repos_unknown >= len(report.repos)
        return DayTold(label, "skipped" if skipped else "open" if report.window.open else "whole", skipped, unknown)


def _since(reported: Sequence[date], today: date) -> date:
    """Where the days begin that are to be there one after the other; one that was looked at long before stands alone, and so
    does the only one that there is.
    """
    begin = reported[-1] if reported else today
    for day in reversed(reported):
        if (begin - day).days > ALONE:
            break
        begin = day
    alone = begin in reported[-1:] and begin < today - timedelta(days=1)
    return today if alone else begin


def _from_to(begin: date, end: date) -> Iterator[date]:
    return (begin + timedelta(days=number) for number in range((end - begin).days))


def _days_of(store: Store) -> list[date]:
    return [date.fromisoformat(label) for label in store.labels()]


def _report(store: Store, label: str) -> Day:
    return _VIEW(store.report_data(label) or b"")


def _messages(store: Store, since: str) -> list[MessageTold]:
    found = store.receipts.in_state("planned", "sending", "failed", "unsure")
    return [MessageTold(r.label, r.shown, r.event, r.state, r.tries, r.reason) for r in found if r.label >= since]


def _run(run: Run, holder: Holder | None, newest: bool) -> RunTold:
    return RunTold(
        id=run.id,
        command=run.command,
        state=run.outcome or ("running" if newest and _began_by(run, holder) else "killed"),
        reason=run.reason,
        started_at=run.started_at,
        ended_at=run.ended_at,
        seconds=run.seconds,
        version=run.version,
        host=run.host,
        pid=run.pid,
    )


def _began_by(run: Run, holder: Holder | None) -> bool:
    """Who holds the store began this run; a number that the system gave out again is not enough."""
    return holder is not None and (run.host, run.pid) == (holder.host, holder.pid) and run.started_at >= holder.since


def _step(step: Step) -> StepTold:
    place = (step.run, step.repo, step.label, step.stage)
    return StepTold(*place, step.outcome, step.reason, step.started_at, step.seconds)


def _costs(costs: Iterable[Cost], run: int) -> list[CostTold]:
    sums: dict[tuple[str, str], list[float]] = {}
    for cost in (one for one in costs if not one.what.startswith(STAGE)):  # told with each run
        both = sums.setdefault((cost.what, cost.unit), [0.0, 0.0])
        both[0] += cost.amount
        both[1] += cost.amount if cost.run == run else 0.0
    return [CostTold(*key, *both) for key, both in sorted(sums.items())]


def _models(costs: Iterable[Cost], run: int) -> tuple[ModelTold, ...]:
    """What the run used each model for, from its costs."""
    found: dict[str, ModelTold] = {}
    for cost in costs:
        if cost.run != run or not cost.what.startswith(MODEL):
            continue
        name = cost.what.removeprefix(MODEL)
        known = found.get(name, ModelTold(name))
        counted = _COUNTS.get(cost.unit)
        if counted is None:
            found[name] = replace(known, money=(known.money or 0.0) + cost.amount, currency=cost.unit)
        else:
            found[name] = replace(known, **{counted: getattr(known, counted) + int(cost.amount)})
    return tuple(found[name] for name in sorted(found))


def _stages(costs: Iterable[Cost], run: int) -> tuple[StageTold, ...]:
    """The same by stage, over all models, in the order of the run."""
    found: dict[str, StageTold] = {}
    for cost in costs:
        if cost.run == run and cost.what.startswith(STAGE) and cost.unit in _COUNTS:
            name, counted = cost.what.removeprefix(STAGE).partition(" ")[0], _COUNTS[cost.unit]
            known = found.get(name, StageTold(name))
            found[name] = replace(known, **{counted: getattr(known, counted) + int(cost.amount)})
    return tuple(
        sorted(found.values(), key=lambda one: (_ORDER.index(one.stage) if one.stage in _ORDER else 9, one.stage))
    )


_ORDER = ("triage", "write", "repair", "critic", "day", "batch")
_COUNTS = {REQUESTS: "requests", PROMPT: "prompt_tokens", COMPLETION: "completion_tokens", HITS: "cache_hits"}


def _in_words(error: BaseException, shown: str) -> str:
    return (
        error.message if isinstance(error, DaybreakError) else f"A row of the store {shown} is not as it was written."
    )


def as_data(told: Overview) -> Mapping[str, object]:
    """The same as plain values, for JSON."""
    data: Mapping[str, object] = msgspec.to_builtins(told)
    return data
