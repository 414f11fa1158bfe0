"""One connection to one database: its schema, the seals of its tables, turns of several threads, and every error in our own words."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any

from daybreak.core.errors import DaybreakError, LockedError, WriteError
from daybreak.store.connection import Clock, Connection, Dialect, utc_now
from daybreak.store.migrations import MIGRATIONS, WORDS
from daybreak.store.schema import HASHED, Table, schema_versions
from daybreak.store.seals import NOTHING, bring_on, sealed

KEPT = "What was stored before is kept; the next run goes on from there."


class StoreError(DaybreakError):
    """The store cannot be used; nothing is half-written, since each write is one transaction."""


class StoreDamaged(StoreError):
    """What is on disk is not what was written."""


class StoreTooNew(StoreError):
    """A newer program has changed the schema."""


class StoreLost(StoreError):
    """The connection broke, or there is no server."""


def unknown(shown: str, error: BaseException) -> StoreError:
    """A fault nobody foresaw: its kind is told, its words (which may hold anything) are not."""
    return StoreError(f"The store {shown} failed ({type(error).__name__}).", f"{KEPT} --verbose shows more.")


def full(shown: str) -> WriteError:
    return WriteError(f"There is no space left for the store {shown}.", f"Free some space, then run again. {KEPT}")


def read_only(shown: str) -> WriteError:
    return WriteError(f"The store {shown} may not be written.", "Check the permissions of the file and its folder.")


def damaged(shown: str) -> StoreDamaged:
    return StoreDamaged(
        f"The store {shown} is damaged.",
        "Look with `daybreak doctor --store`; restore it, or move it away: the written reports stay, and days can be run again.",
    )


def lost(shown: str) -> StoreLost:
    return StoreLost(
        f"The store {shown} cannot be reached.",
        f"See that the server runs and `store` names it, then run again. {KEPT}",
    )


def busy(shown: str, seconds: float) -> LockedError:
    return LockedError(
        f"Another program has been writing to the store {shown} for {seconds:.0f} seconds.",
        "Wait until it is done, then run again.",
    )


def disk(shown: str) -> StoreError:
    return StoreError(
        f"The disk failed while the store {shown} was used.", f"Check the disk and its free space. {KEPT}"
    )


# --- The schema as it is in a database, and the way to the newest one ---

NEWEST = len(MIGRATIONS)


def version(connection: Connection, shown: str) -> int:
    """The schema's number: 0 for an empty database; raises for what this program must not touch."""
    tables = connection.tables()
    if "schema_versions" not in tables:
        if tables and connection.dialect.kind == "sqlite":
            raise StoreError(f"{shown} is a database of something else.", "Name another file in `store`.")
        return 0
    found = connection.value("SELECT max(number) FROM schema_versions") or 0
    if found > NEWEST:
        raise StoreTooNew(
            f"The store {shown} was made by a newer Daybreak (schema {found}, and this one knows {NEWEST}).",
            "Install that version again, or name another store.",
        )
    if found != connection.value("SELECT count(*) FROM schema_versions") or (not found and len(tables) > 1):
        raise damaged(shown)
    return int(found)


def migrate(connection: Connection, since: int, at: datetime, until: int = NEWEST) -> None:
    """Take the schema from one number to another; the caller holds the one transaction around it."""
    words = WORDS[connection.dialect.kind]
    for number, migration in enumerate(MIGRATIONS[since:until], since + 1):
        for statement in migration.statements:
            connection.change(statement.format_map(words))
        if migration.then is not None:
            migration.then(connection)
        connection.change(schema_versions.insert, (number, migration.sentence, at.isoformat()))


class Database:
    """Reads and writes; a write is one transaction, and a thread waits for the one that another makes."""

    def __init__(self, dialect: Dialect, clock: Clock = utc_now) -> None:
        self.dialect, self.clock = dialect, clock
        self.shown = dialect.shown
        self._turn = threading.RLock()
        self._connection: Connection | None = None
        self._inside = False
        self._changes: dict[str, bytes] = {}
        """Of each table, the rows that the open transaction adds and drops, as a seal."""
        self.bound = False
        """Somebody relies on this very connection (it holds the lock): it must not be replaced by a new one."""

    # --- connection ------------------------------------------------------------------------------------------------

    def prepare(self) -> None:
        """Bring the schema to what this program knows; a store made by a newer one is refused."""
        with self.read() as connection:
            if version(connection, self.shown) == NEWEST:
                return
        with self.write() as connection:
            migrate(connection, version(connection, self.shown), self.clock())

    def close(self) -> None:
        with self._turn:
            self._let_go()

    def _connected(self) -> Connection:
        if self._connection is None:
            if self.bound:
                raise lost(self.shown)
            self._connection = Connection(self.dialect)
        return self._connection

    @contextmanager
    def _in_our_words(self) -> Iterator[None]:
        try:
            yield
        except (self.dialect.errors, UnicodeError) as error:
            if self.dialect.broken(error):
                self._let_go()
            raise self.dialect.explain(error, self.shown) from error

    def _let_go(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(self.dialect.errors):
                connection.close()

    # --- reading and writing ---------------------------------------------------------------------------------------

    @contextmanager
    def read(self) -> Iterator[Connection]:
        with self._turn, self._in_our_words():
            yield self._connected()

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One transaction; inside another one, a part of it."""
        with self._turn:
            if self._inside:
                yield self._connected()
                return
            with self._in_our_words():
                connection = self._connected()
                for statement in self.dialect.begin:
                    connection.change(statement)
                self._inside = True
                try:
                    yield connection
                    for name, change in self._changes.items():
                        bring_on(connection, name, change)
                    connection.change("COMMIT")
                except BaseException:
                    # After some faults (a full disk) the database has rolled back by itself.
                    with suppress(self.dialect.errors):
                        connection.change("ROLLBACK")
                    raise
                finally:
                    self._inside = False
                    self._changes.clear()

    def insert(self, table: Table, rows: Sequence[tuple[Any, ...]]) -> int:
        """Many rows at the speed of the driver: all columns, in the order of the schema. How many were written."""
        with self.write() as connection:
            self._count(table, (row[0] for row in rows), 1)
            return connection.change_many(table.insert, rows)

    def delete(self, table: Table, where: str, values: Sequence[object] = ()) -> int:
        """The rows of a table that has a seal; how many went."""
        with self.write() as connection:
            self._count(table, connection.column(f"SELECT hash FROM {table.name} WHERE {where}", values), -1)  # noqa: S608
            return connection.change(f"DELETE FROM {table.name} WHERE {where}", values)  # noqa: S608  our own words

    def _count(self, table: Table, keys: Iterable[object], by: int) -> None:
        if table in HASHED:
            self._changes[table.name] = sealed(self._changes.get(table.name, NOTHING), keys, by)
