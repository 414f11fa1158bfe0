"""What the store and the reports say at one moment, for `/healthz` and `/metrics`; asked anew each time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime

from msgspec import Struct, field

from daybreak.core.config import Settings
from daybreak.core.errors import DaybreakError, LockedError
from daybreak.serve.web.plan import Days, Reported
from daybreak.serve.web.timetable import Timetable
from daybreak.store.interface import Holder, Run, Store
from daybreak.store.lock import run_lock
from daybreak.store.opening import open_store

_RUNS = 200
"""Newest runs among which the last good one is looked for."""
_GOOD = ("done", "skipped")


class Facts(Struct, frozen=True):
    """One look."""

    at: datetime
    fault: str | None = None
    """Why the store does not answer."""
    reports: int = 0
    newest: Reported | None = None
    whole_until: datetime | None = None
    run: Run | None = None
    """The newest one."""
    success: datetime | None = None
    """When the newest good run ended."""
    steps: Mapping[str, int] = field(default_factory=dict)
    """Outcome -> how many steps of the newest run."""
    costs: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """What and unit -> how much of it, over all runs."""
    holder: Holder | None = None


@contextmanager
def store_of(settings: Settings) -> Iterator[Store]:
    """The store for one question: a service that is at rest holds nothing that others may want to replace."""
    store = open_store(settings.config.store, settings.base)
    try:
        yield store
    finally:
        store.close()


def look(settings: Settings, days: Days, clock: Callable[[], datetime]) -> Facts:
    """Everything at once; a store that does not answer is a fact as well."""
    at = clock()
    newest, whole_until = days.newest(at), days.whole_until(at)
    try:
        with store_of(settings) as store:
            return _asked(store, at, newest, whole_until)
    except DaybreakError as error:
        return Facts(at, fault=error.message, newest=newest, whole_until=whole_until)


def _asked(store: Store, at: datetime, newest: Reported | None, whole_until: datetime | None) -> Facts:
    runs = store.runs(_RUNS)
    amounts: dict[tuple[str, str], float] = {}
    for cost in store.costs():
        amounts[cost.what, cost.unit] = amounts.get((cost.what, cost.unit), 0.0) + cost.amount
    return Facts(
        at=at,
        reports=len(store.labels()),
        newest=newest,
        whole_until=whole_until,
        run=runs[0] if runs else None,
        success=next((run.ended_at for run in runs if run.outcome in _GOOD), None),
        steps=Counter(step.outcome for step in store.steps(runs[0].id)) if runs else {},
        costs=amounts,
        holder=store.holder(),
    )


def busy(settings: Settings) -> str | None:
    """Who else works with the store or the folder now, in words; raises when the store does not answer."""
    with store_of(settings) as store:
        holder = store.holder()
    if holder is not None:
        return f"process {holder.pid} on {holder.host} works with the store since {holder.since:%Y-%m-%d %H:%M:%S} UTC"
    try:
        with run_lock(settings.state):
            return None
    except LockedError as error:
        return error.message


def tried_before(settings: Settings, table: Timetable, now: datetime) -> dict[str, date]:
    """Days that were tried since the newest turn, by whomever: what they skipped need not be tried at once again.

    A run that failed or was killed is no such try: it may have skipped things for that reason alone.
    """
    turn = table.turn(now)
    with store_of(settings) as store:
        recent = [run for run in store.runs(_RUNS) if run.outcome in _GOOD and table.turn(run.started_at) == turn]
        return {step.label: turn for run in recent for step in store.steps(run.id)}
