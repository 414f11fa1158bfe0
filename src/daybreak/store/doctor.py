"""Re-derives the hash of every row, and says which rows are not as they were written.

Damage is what is looked for here, so meeting it ends nothing: a table that cannot be read to its end is told as such,
and the next one is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Table, select

from daybreak.core.errors import DaybreakError
from daybreak.store import schema
from daybreak.store.database import Database
from daybreak.store.hashes import stored_hash
from daybreak.store.interface import Damage

AT_ONCE = 500
UNREADABLE = "it cannot be read"
ALTERED = "its content is not what was written"


def damages(database: Database) -> Iterator[Damage]:
    """Every row that has a hash, table by table."""
    for name in schema.HASHED:
        yield from _table(database, schema.metadata.tables[name])


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
    wanted = select(table.c.hash).where(table.c.hash > after).order_by(table.c.hash).limit(AT_ONCE)
    with database.read() as connection:
        return [key for key in connection.execute(wanted).scalars() if isinstance(key, bytes)]


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
        rows = [tuple(row) for row in connection.execute(select(table).where(table.c.hash.in_(keys)))]
    altered = [row for row in rows if stored_hash(str(table.name), row[1:]) != row[0]]
    found = [Damage(table.name, _name(table, row), ALTERED) for row in altered]
    read = {row[0] for row in rows}
    found += [Damage(table.name, _name(table, (key,)), UNREADABLE) for key in keys if key not in read]
    return found


def _name(table: Table, row: Sequence[Any]) -> str:
    """Words that tell which row is meant: its first columns, or its key when it cannot be read."""
    if len(row) == 1:
        return f"{table.name} {row[0].hex()[:12]}"
    return " ".join(str(value)[:60] for value in row[1:3])
