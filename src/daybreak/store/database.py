"""One connection to one database, used by several threads in turn, with every error in our own words."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, Engine, Table
from sqlalchemy.exc import SQLAlchemyError

from daybreak.core.errors import DaybreakError
from daybreak.store.faults import lost
from daybreak.store.migrations import NEWEST, migrate, version

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


class Dialect(Struct, frozen=True):
    """What differs between the databases."""

    engine: Engine
    shown: str
    """The store's address without secrets."""
    begin: tuple[str, ...]
    """Statements that start a write: no other writer is let in until it ends."""
    explain: Callable[[BaseException, str], DaybreakError]
    broken: Callable[[BaseException], bool]
    """The connection is of no more use."""


class Database:
    """Reads and writes; a write is one transaction, and a thread waits for the one that another makes."""

    def __init__(self, dialect: Dialect, clock: Clock = utc_now) -> None:
        self.dialect, self.clock = dialect, clock
        self.shown = dialect.shown
        self._turn = threading.RLock()
        self._connection: Connection | None = None
        self._inside = False
        self._inserts: dict[str, str] = {}
        self.mark = "?" if dialect.engine.dialect.paramstyle == "qmark" else "%s"
        """What stands for a value in plain SQL."""
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
            connection, self._connection = self._connection, None
            if connection is not None:
                with suppress(SQLAlchemyError):
                    connection.close()
            self.dialect.engine.dispose()

    def _connected(self) -> Connection:
        if self._connection is None:
            if self.bound:
                raise lost(self.shown)
            self._connection = self.dialect.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        return self._connection

    @contextmanager
    def _in_our_words(self) -> Iterator[None]:
        try:
            yield
        except (SQLAlchemyError, UnicodeError) as error:
            if self.dialect.broken(error):
                self._let_go()
            raise self.dialect.explain(error, self.shown) from error

    def _let_go(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(SQLAlchemyError):
                connection.invalidate()
            with suppress(SQLAlchemyError):
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
                    connection.exec_driver_sql(statement)
                self._inside = True
                try:
                    yield connection
                    connection.exec_driver_sql("COMMIT")
                except BaseException:
                    # After some faults (a full disk) the database has rolled back by itself.
                    with suppress(SQLAlchemyError):
                        connection.exec_driver_sql("ROLLBACK")
                    raise
                finally:
                    self._inside = False

    def insert(self, table: Table, rows: Sequence[tuple[Any, ...]], *, unless_there: bool = False) -> int:
        """Many rows at the speed of the driver: all columns, in the order of the schema. How many were written."""
        if not rows:
            return 0
        sql = self._insert(table) + (" ON CONFLICT DO NOTHING" if unless_there else "")
        with self.write() as connection:
            return connection.exec_driver_sql(sql, list(rows)).rowcount

    def _insert(self, table: Table) -> str:
        if table.name not in self._inserts:
            quote = self.dialect.engine.dialect.identifier_preparer.quote
            names = ", ".join(quote(column.name) for column in table.columns)
            marks = ", ".join([self.mark] * len(table.columns))
            # Names of our own schema: nothing here comes from outside.
            self._inserts[table.name] = f"INSERT INTO {table.name} ({names}) VALUES ({marks})"  # noqa: S608
        return self._inserts[table.name]
