"""One connection to one database: `?` stands for a value, rows are tuples, and what differs between databases is a value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Sized
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct

from daybreak.core.errors import DaybreakError

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


class Dialect(Struct, frozen=True):
    """What differs between the databases."""

    kind: str
    """`sqlite` or `postgresql`."""
    connect: Callable[[], Any]
    """A connection of the driver that begins no transaction by itself."""
    errors: type[Exception]
    """What the driver raises."""
    tables: str
    """The question for the names of all tables."""
    shown: str
    """The store's address without secrets."""
    begin: tuple[str, ...]
    """Statements that start a write: no other writer is let in until it ends."""
    explain: Callable[[BaseException, str], DaybreakError]
    broken: Callable[[BaseException], bool]
    """The connection is of no more use."""


class Connection:
    """A driver's connection: `?` stands for a value in the SQL of any database, and a row is a tuple."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self._raw = dialect.connect()

    def _asked(self, sql: str, values: Sequence[object]) -> Any:
        return self._raw.execute(self._sql(sql), tuple(values))

    def _sql(self, sql: str) -> str:
        return sql if self.dialect.kind == "sqlite" else sql.replace("?", "%s")

    def each(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """Row by row, where all of them may be more than memory holds."""
        return iter(self._asked(sql, ()))

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        return list(self._asked(sql, values).fetchall())

    def column(self, sql: str, values: Sequence[object] = ()) -> list[Any]:
        return [row[0] for row in self.rows(sql, values)]

    def first(self, sql: str, values: Sequence[object] = ()) -> tuple[Any, ...] | None:
        return next(iter(self.rows(sql, values)), None)

    def value(self, sql: str, values: Sequence[object] = ()) -> Any:
        """The first column of the first row; None where there is none."""
        return next(iter(self.column(sql, values)), None)

    def change(self, sql: str, values: Sequence[object] = ()) -> int:
        """How many rows it touched."""
        return int(self._asked(sql, values).rowcount)

    def change_many(self, sql: str, rows: Sequence[Sequence[object]]) -> int:
        """The same with each of the rows, at the speed of the driver."""
        cursor = self._raw.cursor()
        if rows:
            cursor.executemany(self._sql(sql), rows)
        return int(cursor.rowcount) if rows else 0

    def tables(self) -> set[str]:
        return set(self.column(self.dialect.tables))

    def close(self) -> None:
        self._raw.close()


def marks(values: Sized) -> str:
    """Places for as many values, behind `IN`; with none of them, nothing is in it."""
    return ", ".join("?" * len(values)) or "NULL"
