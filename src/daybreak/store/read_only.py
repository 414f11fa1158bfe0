"""Looks at a store that is there: what is not there is not made, nobody has to wait, and damage is dropped when asked.

A run opens its store with `opening.open_store`, which makes what is missing. Here are the same stores for those who
only ask (`status`, `doctor`), also in a folder that may not be written.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

from daybreak.core.errors import DaybreakError, WriteError
from daybreak.store import Store, kind_of, postgres, schema, sqlite
from daybreak.store.connection import marks
from daybreak.store.database import NEWEST, Database, StoreError, version
from daybreak.store.schema import Table
from daybreak.store.sql import SqlStore, altered_rows, keys_after


class LookedAt(Store, Protocol):
    """A store, and what only those ask who look at it as a whole."""

    @property
    def shown(self) -> str:
        """Its address without secrets."""
        ...

    def size(self) -> int:
        """Bytes on disk."""
        ...

    def rows(self) -> Mapping[str, int]:
        """How many rows its hashes cover, by table; a table that cannot be counted is left out."""
        ...

    def drop_damaged(self, written: Collection[str]) -> int:
        """Drop what is not as it was written, so that it can be written again; how many rows went.

        Of reports, only those of the days in `written`: there is a file that the next run takes in instead.
        """
        ...


SCHEMA = NEWEST
"""The schema that a store has once it is open."""


@contextmanager
def looked_at(address: str, base: Path) -> Iterator[LookedAt | None]:
    """The store at an address; None when there is none yet."""
    try:
        store = _Sqlite(address, base) if kind_of(address) == "sqlite" else _Postgres(address)
    except _NotThere:
        yield None
        return
    try:
        yield store
    finally:
        store.close()


def place_of(address: str, base: Path) -> str:
    """Where a store is, or would be, without secrets."""
    return (
        str(sqlite.path_of(address, base))
        if kind_of(address) == "sqlite"
        else postgres.dialect_of(postgres.address_of(address)).shown
    )


class _NotThere(StoreError):
    """Nobody has made the store yet."""


class _Existing(Database):
    """A database whose schema may be brought up to date, but is not made."""

    def prepare(self) -> None:
        with self.read() as connection:
            if version(connection, self.shown) == 0:
                raise _NotThere(f"There is no store at {self.shown}.", "`daybreak run` makes it.")
        super().prepare()


# --- looking at all of it --------------------------------------------------------------------------------------------


class _Looking(SqlStore):
    """What both databases share."""

    @property
    def shown(self) -> str:
        return self._database.shown

    def rows(self) -> Mapping[str, int]:
        found = {}
        for table in schema.HASHED:
            with suppress(DaybreakError), self._database.read() as connection:
                found[table.name] = int(connection.value(f"SELECT count(*) FROM {table.name}"))  # noqa: S608  our own name
        return found

    def drop_damaged(self, written: Collection[str]) -> int:
        gone = sum(self._drop_rows(table, written) for table in schema.HASHED)
        if self.search_altered():
            self.search.clear()
            gone += 1
        gone += len(self.lost())
        self.seal()
        return gone

    def _drop_rows(self, table: Table, written: Collection[str]) -> int:
        last, gone = b"", 0
        with suppress(DaybreakError):  # a table that cannot be read to its end: `verify` still tells of it
            while keys := keys_after(self._database, table, last):
                last = keys[-1]
                gone += sum(self._drop(table, key, written) for key in self._damaged(table, keys))
        return gone

    def _damaged(self, table: Table, keys: list[bytes]) -> list[bytes]:
        """Many are looked at together; which of them it is, one by one."""
        try:
            if not altered_rows(self._database, table, keys):
                return []
        except DaybreakError:
            if len(keys) == 1:
                return keys
        return keys if len(keys) == 1 else [key for one in keys for key in self._damaged(table, [one])]

    def _drop(self, table: Table, key: bytes, written: Collection[str]) -> int:
        with suppress(DaybreakError):
            if table is schema.reports:
                return self._database.delete(table, f"hash = ? AND label IN ({marks(written)})", [key, *written])
            return self._database.delete(table, "hash = ?", [key])
        return 0


class _Sqlite(sqlite.SqliteStore, _Looking):
    """A file that is there; nothing is made beside it when the folder may not be written."""

    def __init__(self, url: str, base: Path) -> None:
        self._path = sqlite.path_of(url, base)
        if not self.size():
            raise _NotThere(f"There is no store at {self._path}.", "`daybreak run` makes it.")
        try:
            SqlStore.__init__(self, _Existing(sqlite.dialect_of(self._path, {"mode": "rw"})))
        except WriteError:
            # Without a log beside the file nobody writes to it, and none has to be made.
            alone = not self._path.with_name(self._path.name + "-wal").exists()
            how = {"mode": "ro", "immutable": "1"} if alone else {"mode": "ro"}
            SqlStore.__init__(self, _Existing(sqlite.dialect_of(self._path, how)))

    def size(self) -> int:
        return sum(_size(self._path.with_name(self._path.name + end)) for end in ("", "-wal"))


class _Postgres(postgres.PostgresStore, _Looking):
    """A database in which a store was made."""

    def __init__(self, url: str) -> None:
        SqlStore.__init__(self, _Existing(postgres.dialect_of(postgres.address_of(url))))

    def size(self) -> int:
        with self._database.read() as connection:
            return int(connection.value("SELECT pg_database_size(current_database())"))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
