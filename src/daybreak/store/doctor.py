"""Re-derives the hash of every row, and says which rows are not as they were written.

Damage is what is looked for here, so meeting it ends nothing: a table that cannot be read to its end is told as such,
and the next one is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from sqlalchemy import Table, select

from daybreak.core.errors import DaybreakError
from daybreak.store import schema
from daybreak.store.database import Database
from daybreak.store.facts import Gathered
from daybreak.store.hashes import stored_hash
from daybreak.store.interface import Damage

AT_ONCE = 500
UNREADABLE = "it cannot be read"
ALTERED = "its content is not what was written"


def damages(database: Database) -> Iterator[Damage]:
    """Every row that has a hash, table by table."""
    for name in schema.HASHED:
        yield from _table(database, schema.metadata.tables[name])
    yield from missing_rows(database)


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
        children = [
            _children(connection, schema.metadata.tables[name], keys) for name in schema.CHILDREN.get(table.name, ())
        ]
    found = []
    for row in rows:
        parts = [of.get(row[0], ()) for of in children]
        if _hash(str(table.name), row[1:], parts) != row[0]:
            found.append(Damage(table.name, _name(table, row), ALTERED))
    read = {row[0] for row in rows}
    found += [Damage(table.name, _name(table, (key,)), UNREADABLE) for key in keys if key not in read]
    return found


def _hash(name: str, row: Sequence[Any], parts: Sequence[Sequence[tuple[int, Sequence[Any]]]]) -> bytes:
    """No hash at all for children whose numbers have a gap: one of them is gone, or came from elsewhere."""
    for part in parts:
        if [number for number, _ in part] != list(range(len(part))):
            return b""
    return stored_hash(name, row, *([child for _, child in part] for part in parts))


def _children(connection: Any, table: Table, keys: Sequence[bytes]) -> dict[bytes, list[tuple[int, Sequence[Any]]]]:
    key, number = table.columns[0], table.columns[1]
    found: dict[bytes, list[tuple[int, Sequence[Any]]]] = {}
    for row in connection.execute(select(table).where(key.in_(keys)).order_by(key, number)):
        found.setdefault(row[0], []).append((row[1], tuple(row[2:])))
    return found


def _name(table: Table, row: Sequence[Any]) -> str:
    """Words that tell which row is meant: its first columns, or its key when it cannot be read."""
    if len(row) == 1:
        return f"{table.name} {row[0].hex()[:12]}"
    return " ".join(str(value)[:60] for value in row[1:3])


def missing_rows(database: Database) -> Iterator[Damage]:
    """Commits that an envelope lists and that are not there."""
    envelopes, changes = schema.envelopes, schema.changes
    try:
        with database.read() as connection:
            listed = connection.execute(select(envelopes.c.repo, envelopes.c.label)).fetchall()
    except DaybreakError:
        return
    for repo, label in listed:
        try:
            with database.read() as connection:
                where = (envelopes.c.repo == repo, envelopes.c.label == label)
                payload = connection.execute(select(envelopes.c.payload).where(*where)).scalar()
                wanted = msgspec.json.decode(str(payload), type=Gathered)
                shas = {*wanted.changes, *wanted.late}
                of_repo = (changes.c.repo == repo, changes.c.sha.in_(shas))
                known = set(connection.execute(select(changes.c.sha).where(*of_repo)).scalars())
        except (DaybreakError, msgspec.MsgspecError):
            continue  # told already, as a row whose content is not what was written
        yield from (
            Damage("changes", f"{repo} {sha}", f"{label} lists it, and it is gone") for sha in sorted(shas - known)
        )
