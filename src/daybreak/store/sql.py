"""The store on any database: one implementation, whose parts stand in files of their own."""

from __future__ import annotations

import os
import socket
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date, datetime
from typing import Any

from daybreak.core.checkpoint import Recorded
from daybreak.core.errors import DaybreakError
from daybreak.core.model.items import Envelope
from daybreak.store import ROWS, Cost, Damage, Holder, Run, Step, reports, runs, schema
from daybreak.store.connection import Clock, Connection, marks
from daybreak.store.database import Database
from daybreak.store.reports import Values, from_iso, iso, storable, unpacked
from daybreak.store.runs import StoredReceipts, next_number
from daybreak.store.schema import Table, content_hash, stored_hash
from daybreak.store.seals import broken_seal, seal_anew
from daybreak.store.search import StoredSearch

# --- Raw answers of a forge in the store, each in its place: a day is made again from them without asking anybody ---
# They stand as first fetched, and retention does not take them: without them a closed day could not be made again.


Place = tuple[str, str, str, str]
"""Repository, label, category, id."""
_AT = "(repo = ? AND label = ? AND category = ? AND id = ?)"


class StoredAnswers:
    """What a source keeps its envelopes in."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, repo: str, label: str, category: str, name: str, /) -> Envelope | None:
        """The one in that place; a damaged one is as good as none, and `verify` tells of it."""
        place: Place = storable((repo, label, category, name))
        with self._database.read() as connection:
            row = connection.first(f"{schema.answers.rows} WHERE {_AT}", place)
        if row is None:
            return None
        try:
            body = unpacked(row[9], self._database.shown)
        except DaybreakError:
            return None
        _, repo, label, category, name, origin, fetched, version, etag = row[:9]
        return Envelope(repo, label, category, name, origin, from_iso(fetched), version, etag, body)

    def put(self, envelopes: Sequence[Envelope], /) -> None:
        """All of them or none; what stood in their places is replaced."""
        rows = {row[1:5]: row for row in map(_row, envelopes)}
        with self._database.write():
            # The key alone is another row only when that one is damaged.
            for place, row in rows.items():
                self._database.delete(schema.answers, f"{_AT} OR hash = ?", (*place, row[0]))
            self._database.insert(schema.answers, list(rows.values()))


def _row(one: Envelope) -> Values:
    told = (one.repo, one.label, one.category, one.id, one.origin, iso(one.fetched_at), one.version, one.etag)
    values = (*storable(told), zlib.compress(one.body, 6))
    return content_hash("answers", values), *values


# --- Answers of models in the store, by the content of their questions: a second run asks nothing, a crash costs one answer ---
# Rows are only ever added. A question that was asked again (`--force`) has several, and the newest one counts.


class StoredModelAnswers:
    """What an analyst keeps the answers of its models in; may be used by several threads."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, key: str, /) -> bytes | None:
        """The newest one that can be read; a damaged one is as good as none, and `verify` tells of it."""
        wanted = f"{schema.model_answers.rows} WHERE question = ? ORDER BY id DESC"
        with self._database.read() as connection:
            rows = connection.rows(wanted, (storable(key),))
        for row in rows:
            if content_hash("model_answers", row[1:]) != row[0]:
                continue
            try:
                return unpacked(row[4], self._database.shown)
            except DaybreakError:
                continue
        return None

    def put(self, key: str, answer: bytes, /) -> None:
        """One transaction: it is written when this returns."""
        database = self._database
        with database.write():
            number = next_number(database, schema.model_answers)
            values = (number, storable(key), iso(database.clock()), zlib.compress(answer, 6))
            database.insert(schema.model_answers, [(content_hash("model_answers", values), *values)])


def this_process(clock: Clock) -> Holder:
    return Holder(socket.gethostname(), os.getpid(), clock())


class SqlStore(ABC):
    """What both databases share; see `interface.Store` for what each method promises."""

    def __init__(self, database: Database) -> None:
        self._database = database
        try:
            database.prepare()
        except BaseException:
            database.close()
            raise
        self._reports = reports.StoredReports(database)
        self._answers = StoredAnswers(database)
        self._model_answers = StoredModelAnswers(database)
        self._search = StoredSearch(database)
        self._receipts = StoredReceipts(database)

    @property
    def answers(self) -> StoredAnswers:
        return self._answers

    @property
    def model_answers(self) -> StoredModelAnswers:
        return self._model_answers

    @property
    def receipts(self) -> StoredReceipts:
        return self._receipts

    @property
    def search(self) -> StoredSearch:
        return self._search

    # --- reports ---------------------------------------------------------------------------------------------------

    def put_report(self, data: bytes) -> None:
        reports.put_report(self._database, data)

    def labels(self) -> list[str]:
        return self._reports.labels()

    def report_data(self, label: str) -> bytes | None:
        return self._reports.data(label)

    def report_digests(self) -> Mapping[str, str]:
        return self._reports.digests()

    def report_digest(self, label: str) -> str | None:
        return self._reports.digest(label)

    def repositories(self, label: str) -> list[str]:
        return self._reports.repositories(label)

    def day(self, label: str, repo: str) -> Recorded | None:
        return self._reports.day(label, repo)

    def earlier(self, label: str, repo: str) -> Iterator[Recorded]:
        return self._reports.earlier(label, repo)

    def later(self, label: str, repo: str) -> Iterator[Recorded]:
        return self._reports.later(label, repo)

    # --- runs ------------------------------------------------------------------------------------------------------

    @abstractmethod
    def hold(self) -> AbstractContextManager[None]:
        """Be the one who works with the store; LockedError names who else is."""

    @abstractmethod
    def holder(self) -> Holder | None:
        """Who works with it now, if anyone."""

    def run(self, command: str, version: str) -> AbstractContextManager[Run]:
        return runs.recorded_run(self._database, command, version, this_process(self._database.clock))

    def add_step(self, run: Run, step: Step, output: bytes | None = None) -> None:
        runs.add_step(self._database, run, step, output)

    def outputs(self, label: str, stage: str) -> Mapping[str, tuple[str, bytes]]:
        return runs.outputs(self._database, label, stage)

    def attempts(self, label: str, since: datetime) -> int:
        return runs.attempts(self._database, label, since)

    def settle(self, label: str) -> None:
        runs.settle(self._database, label)

    def unsettled(self) -> list[str]:
        return runs.unsettled(self._database)

    def runs(self, most: int = 20) -> list[Run]:
        return runs.get_runs(self._database, most)

    def steps(self, run: int) -> list[Step]:
        return runs.get_steps(self._database, run)

    def add_cost(self, cost: Cost) -> None:
        runs.add_cost(self._database, cost)

    def put_cost(self, cost: Cost) -> None:
        runs.put_cost(self._database, cost)

    def costs(self, run: int | None = None) -> list[Cost]:
        return runs.get_costs(self._database, run)

    # --- care ------------------------------------------------------------------------------------------------------

    def forget(self, before: date) -> int:
        """By the day on which it was written, and not by the day it is about: a back-fill is not forgotten at once."""
        day, gone = before.isoformat(), 0
        # The last number of a run must not be given out twice.
        rest = ((schema.steps, ""), (schema.runs, " AND id < (SELECT max(id) FROM runs)"))
        with self._database.write():
            for table, more in rest:
                gone += self._database.delete(table, f"substr(started_at, 1, 10) < ?{more}", (day,))
        return gone

    def verify(self) -> Iterator[Damage]:
        try:
            yield from self._inspect()
        except DaybreakError as error:
            yield Damage("", "the store", error.message)
        yield from damages(self._database)
        yield from (Damage(name, ROWS, said) for name, said in self.lost().items())
        if self.search_altered():
            yield Damage("search_days", "the search index", ALTERED)

    def lost(self, *only: str) -> dict[str, str]:
        with self._database.read() as connection:
            asked = [table for table in schema.HASHED if not only or table.name in only]
            said = {table.name: _seal_of(connection, table) for table in asked}
        return {name: words for name, words in said.items() if words is not None}

    def seal(self) -> None:
        with self._database.write() as connection:
            for name in self.lost():
                seal_anew(connection, name)

    def search_altered(self) -> bool:
        """Whether the index is not as it was sealed; one without a seal is made again by the next search."""
        try:
            left, found = self._search.seal()
        except DaybreakError:
            return True
        return left not in (None, found)

    def _inspect(self) -> Iterator[Damage]:
        """What the database itself says of its files; nothing, where it keeps that to itself."""
        return iter(())

    def close(self) -> None:
        self._database.close()


# --- Re-derives the hash of every row, and says which rows are not as they were written ---
# Damage is what is looked for here, so meeting it ends nothing: a table that cannot be read to its end is told as such,
# and the next one is looked at.


def _seal_of(connection: Connection, table: Table) -> str | None:
    """What is wrong with the number of its rows; a table that cannot be read is told by others."""
    try:
        return broken_seal(connection, table.name)
    except (connection.dialect.errors, UnicodeError):
        return None


AT_ONCE = 500
UNREADABLE = "it cannot be read"
ALTERED = "its content is not what was written"


def damages(database: Database) -> Iterator[Damage]:
    """Every row that has a hash, table by table."""
    for table in schema.HASHED:
        yield from _table(database, table)


def _table(database: Database, table: Table) -> Iterator[Damage]:
    last = b""
    while True:
        try:
            keys = keys_after(database, table, last)
        except DaybreakError:
            yield Damage(table.name, f"the table {table.name}", "it cannot be read to its end")
            return
        if not keys:
            return
        last = keys[-1]
        yield from _rows(database, table, keys)


def keys_after(database: Database, table: Table, after: bytes) -> list[bytes]:
    wanted = f"SELECT hash FROM {table.name} WHERE hash > ? ORDER BY hash LIMIT {AT_ONCE}"  # noqa: S608
    with database.read() as connection:
        return [key for key in connection.column(wanted, (after,)) if isinstance(key, bytes)]


def _rows(database: Database, table: Table, keys: Sequence[bytes]) -> Iterator[Damage]:
    """Many at once; one by one only where something cannot be read."""
    try:
        yield from altered_rows(database, table, keys)
    except DaybreakError:
        for key in keys:
            try:
                yield from altered_rows(database, table, [key])
            except DaybreakError:
                yield Damage(table.name, _name(table, (key,)), UNREADABLE)


def altered_rows(database: Database, table: Table, keys: Sequence[bytes]) -> list[Damage]:
    with database.read() as connection:
        rows = connection.rows(f"{table.rows} WHERE hash IN ({marks(keys)})", keys)
    altered = [row for row in rows if stored_hash(table.name, row[1:]) != row[0]]
    found = [Damage(table.name, _name(table, row), ALTERED) for row in altered]
    read = {row[0] for row in rows}
    found += [Damage(table.name, _name(table, (key,)), UNREADABLE) for key in keys if key not in read]
    return found


def _name(table: Table, row: Sequence[Any]) -> str:
    """Words that tell which row is meant: its first columns, or its key when it cannot be read."""
    if len(row) == 1:
        return f"{table.name} {row[0].hex()[:12]}"
    return " ".join(str(value)[:60] for value in row[1:3])
