"""Runs, steps, costs and receipts of notifications in the store: what was done, and what need not be done again."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import date, datetime, timedelta
from typing import Any, cast

from msgspec.structs import astuple, replace

from daybreak.core.config import Settings
from daybreak.core.errors import DaybreakError
from daybreak.store import Cost, Holder, Outcome, Receipt, ReceiptState, Run, Step, Store, schema
from daybreak.store.connection import marks
from daybreak.store.database import Database, StoreError
from daybreak.store.reports import Values, from_iso, iso, storable, unpacked
from daybreak.store.schema import Table, content_hash, stored_hash

_ENDED: dict[type[BaseException], str] = {
    KeyboardInterrupt: "it was interrupted",
    BrokenPipeError: "the reader of its output went away",
    MemoryError: "there was not enough memory",
}


# --- runs ------------------------------------------------------------------------------------------------------------


@contextmanager
def recorded_run(database: Database, command: str, version: str, who: Holder) -> Iterator[Run]:
    """The run is known from its start, so that one that was killed is seen as well."""
    began = time.monotonic()
    with database.write():
        number = next_number(database, schema.runs)
        run = Run(number, who.host, who.pid, command, version, database.clock())
        _write_run(database, run)
    try:
        yield run
    except BaseException as error:
        # The error itself matters more than that it could not be noted.
        with suppress(DaybreakError):
            _end(database, run, "failed", _reason(error), time.monotonic() - began)
        raise
    _end(database, run, "done", None, time.monotonic() - began)


def _end(database: Database, run: Run, outcome: Outcome, reason: str | None, seconds: float) -> None:
    # A clock that was set back must not make a run end before it began.
    ended = max(database.clock(), run.started_at)
    _write_run(database, replace(run, ended_at=ended, outcome=outcome, reason=reason, seconds=seconds))


def _write_run(database: Database, run: Run) -> None:
    ended = None if run.ended_at is None else iso(run.ended_at)
    told = (run.id, run.host, run.pid, run.command, run.version, iso(run.started_at))
    values = storable((*told, ended, run.outcome, run.reason, run.seconds))
    with database.write():
        database.delete(schema.runs, "id = ?", (run.id,))
        database.insert(schema.runs, [(stored_hash("runs", values), *values)])


def _reason(error: BaseException) -> str:
    if isinstance(error, DaybreakError):
        return error.message
    return _ENDED.get(type(error), type(error).__name__)


def get_runs(database: Database, most: int) -> list[Run]:
    with database.read() as connection:
        rows = connection.rows(f"{schema.runs.rows} ORDER BY id DESC LIMIT ?", (most,))
    return [_run(row) for row in rows]


def _run(row: Any) -> Run:
    _, number, host, pid, command, version, started, ended, outcome, reason, seconds = row[:11]
    began, end = from_iso(started), from_iso(ended) if ended else None
    return Run(number, host, pid, command, version, began, end, outcome, reason, seconds)


# --- steps -----------------------------------------------------------------------------------------------------------


def add_step(database: Database, run: Run, step: Step, output: bytes | None) -> None:
    """A step that another process or machine did, told when it is over."""
    table = schema.steps
    packed = None if output is None else zlib.compress(output, 1)
    place = (run.id, step.repo, step.label, step.stage, step.inputs)
    ended = (step.outcome, step.reason, iso(step.started_at), step.seconds, packed)
    if packed is not None:
        settle(database, step.label, (step.repo, step.stage))
    with database.write():
        values = storable((next_number(database, table), *place, *ended))
        database.insert(table, [(stored_hash("steps", values), *values)])


def outputs(database: Database, label: str, stage: str) -> dict[str, tuple[str, bytes]]:
    """What is damaged is left out: the step is done again."""
    asked = (
        "SELECT repo, inputs, output FROM steps"
        " WHERE label = ? AND stage = ? AND outcome = 'done' AND output IS NOT NULL ORDER BY id"
    )
    found = {}
    with database.read() as connection:
        for repo, inputs, packed in connection.rows(asked, (label, stage)):
            with suppress(DaybreakError):
                found[repo] = (inputs, unpacked(packed, database.shown))
    return found


def attempts(database: Database, label: str, since: datetime) -> int:
    asked = "SELECT count(DISTINCT run) FROM steps WHERE label = ? AND stage = 'publish' AND started_at >= ?"
    with database.read() as connection:
        return int(connection.value(asked, (label, iso(since))) or 0)


def settle(database: Database, label: str, place: tuple[str, str] | None = None) -> None:
    """Of all steps of a day, or of those at one repository and stage."""
    table = schema.steps
    with database.write() as connection:
        asked = f"{table.rows} WHERE label = ? AND output IS NOT NULL"
        asked += "" if place is None else " AND repo = ? AND stage = ?"
        rows = connection.rows(asked, (label, *(place or ())))
        for row in rows:
            database.delete(table, "hash = ?", row[:1])
        lean = [(*row[1:11], None) for row in rows]
        database.insert(table, [(stored_hash("steps", values), *values) for values in lean])


def unsettled(database: Database) -> list[str]:
    with database.read() as connection:
        return [label for (label,) in connection.rows("SELECT DISTINCT label FROM steps WHERE output IS NOT NULL")]


def get_steps(database: Database, run: int) -> list[Step]:
    with database.read() as connection:
        rows = connection.rows(f"{schema.steps.rows} WHERE run = ? ORDER BY id", (run,))
    return [_step(row) for row in rows]


def _step(row: Any) -> Step:
    _, number, run, repo, label, stage, inputs, outcome, reason, started, seconds = row[:11]
    return Step(number, run, repo, label, stage, inputs, cast("Outcome", outcome), reason, from_iso(started), seconds)


# --- costs -----------------------------------------------------------------------------------------------------------


def add_cost(database: Database, cost: Cost) -> None:
    with database.write():
        number = next_number(database, schema.costs)
        told = (number, cost.run, cost.what, cost.unit, float(cost.amount), iso(database.clock()))
        values = storable(told)
        database.insert(schema.costs, [(content_hash("costs", values), *values)])


def put_cost(database: Database, cost: Cost) -> None:
    """The sum so far of a run: what stood there of the same thing and unit is replaced."""
    same = (cost.run, *storable((cost.what, cost.unit)))
    with database.write():
        database.delete(schema.costs, "run = ? AND what = ? AND unit = ?", same)
        add_cost(database, cost)


def get_costs(database: Database, run: int | None) -> list[Cost]:
    where, values = ("", ()) if run is None else (" WHERE run = ?", (run,))
    with database.read() as connection:
        rows = connection.rows(f"{schema.costs.rows}{where} ORDER BY id", values)
    return [Cost(row[2], row[3], row[4], row[5]) for row in rows]


# --- numbers ---------------------------------------------------------------------------------------------------------


def next_number(database: Database, table: Table) -> int:
    """The next number; writers come one at a time, so nobody else takes it."""
    with database.write() as connection:
        return int(connection.value(f"SELECT max(id) FROM {table.name}") or 0) + 1  # noqa: S608  our own name


# --- Lets go of what only explains how reports came about, when it is old enough; reports and answers stay ---


def tidy(store: Store, settings: Settings, today: date) -> int:
    """Drop runs and steps that are older than `[retention] days`; how many rows went.

    The store counts days in UTC and the caller may not: one day more is kept, so that nothing goes early.
    """
    days = settings.config.retention.days
    if not days:
        return 0
    return store.forget(today - timedelta(days=min(days, today.toordinal() - 2) + 1))


# --- Receipts of notifications in the store: planned before anything is sent, so that a restart sends nothing twice ---
# They stay when other rows are forgotten: they are what keeps a message of long ago from being sent again.

_TABLE = schema.receipts


class StoredReceipts:
    """What `interface.Receipts` promises, in any database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def plan(self, target: str, shown: str, event: str, label: str, digest: str, said: str | None = None) -> Receipt:
        table, database = _TABLE, self._database
        with database.write():
            place = "label = ? AND target = ? AND event = ? AND digest = ?"
            known = self._found(place, label, target, event, digest)
            if known:
                return known[0]
            number = next_number(database, table)
            made = Receipt(number, target, shown, event, label, digest, "planned", 0, database.clock(), said=said)
            self._write(made)
        return made

    def begin(self, number: int) -> Receipt | None:
        with self._database.write():
            (known,) = self._found("id = ?", number) or (None,)
            if known is None or known.state != "planned":
                return None
            begun = replace(known, state="sending", tries=known.tries + 1, due=None, ended_at=None)
            self._write(begun)
        return begun

    def end(self, number: int, state: ReceiptState, reason: str | None = None, due: datetime | None = None) -> Receipt:
        with self._database.write():
            (known,) = self._found("id = ?", number) or (None,)
            if known is None:
                raise StoreError("A receipt is gone from the store.", "Look with `daybreak doctor --store`.")
            ended = None if state in ("planned", "sending") else self._database.clock()
            done = replace(known, state=state, reason=reason, due=due, ended_at=ended)
            self._write(done)
        return done

    def of_day(self, label: str) -> tuple[Receipt, ...]:
        return self._found("label = ?", label)

    def in_state(self, *states: ReceiptState) -> tuple[Receipt, ...]:
        return self._found(f"state IN ({marks(states)})", *states)

    def _found(self, where: str, *values: object) -> tuple[Receipt, ...]:
        with self._database.read() as connection:
            rows = connection.rows(f"{_TABLE.rows} WHERE {where} ORDER BY id", values)
        return tuple(_receipt(row) for row in rows)

    def _write(self, receipt: Receipt) -> None:
        """In place of what the receipt was before."""
        values: Values = storable(tuple(iso(v) if isinstance(v, datetime) else v for v in astuple(receipt)))
        with self._database.write():
            self._database.delete(_TABLE, "id = ?", (receipt.id,))
            self._database.insert(_TABLE, [(stored_hash("receipts", values), *values)])


def _receipt(row: Sequence[Any]) -> Receipt:
    number, target, shown, event, label, digest, state, tries, planned, due, ended, reason, said = row[1:14]
    return Receipt(
        *(number, target, shown, event, label, digest, state, tries, from_iso(planned)),
        due=None if due is None else from_iso(due),
        ended_at=None if ended is None else from_iso(ended),
        reason=reason,
        said=said,
    )
