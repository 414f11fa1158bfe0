"""The store in one SQLite file beside the config; its lock is a file beside that, which the system frees on a kill."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import NullPool

from daybreak.core.errors import ConfigError, DaybreakError
from daybreak.store import Damage, Holder, database
from daybreak.store.database import Clock, Database, Dialect, utc_now
from daybreak.store.lock import hold_file, holder_of_file
from daybreak.store.sql import SqlStore, this_process

WAIT = 15.0
"""Seconds to wait for another program that writes."""
CACHE_KIB = 16 << 10


class SqliteStore(SqlStore):
    """`sqlite:///PATH`, relative to the folder of the config."""

    def __init__(self, url: str, base: Path, clock: Clock = utc_now) -> None:
        self._path = path_of(url, base)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise database.read_only(str(self._path)) from error
        _as_writable_as(self._path)
        super().__init__(Database(dialect_of(self._path), clock))

    @contextmanager
    def hold(self) -> Iterator[None]:
        with hold_file(self._lock_path, str(self._path), this_process(self._database.clock)):
            yield

    def holder(self) -> Holder | None:
        return holder_of_file(self._lock_path)

    @property
    def _lock_path(self) -> Path:
        return self._path.with_name(self._path.name + ".lock")

    def _inspect(self) -> Iterator[Damage]:
        """SQLite's own look at its pages."""
        with self._database.read() as connection:
            rows = connection.exec_driver_sql("PRAGMA integrity_check(20)").fetchall()
            yield from (Damage("", "the file", str(row[0])) for row in rows if row[0] != "ok")


def _as_writable_as(path: Path) -> None:
    """SQLite gives the files beside its own the permissions that one had then: those of a store that was read-only."""
    for beside in (path.with_name(path.name + ending) for ending in ("-wal", "-shm")):
        with suppress(OSError):
            if os.access(path, os.W_OK) and not os.access(beside, os.W_OK):
                beside.chmod(path.stat().st_mode)


def path_of(url: str, base: Path) -> Path:
    try:
        place = make_url(url).database
    except (ArgumentError, ValueError):
        place = None
    if not place or place == ":memory:" or any(ord(c) < 32 for c in place):
        raise ConfigError("store names no file.", "For example sqlite:///.daybreak/daybreak.db.")
    return base / Path(place).expanduser()


def dialect_of(path: Path) -> Dialect:
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        poolclass=NullPool,
        hide_parameters=True,
        connect_args={"timeout": WAIT, "check_same_thread": False},
    )
    event.listen(engine, "connect", _set_up)
    return Dialect(engine, str(path), ("BEGIN IMMEDIATE",), explain, _broken)


def _set_up(connection: Any, _: object) -> None:
    """Readers beside one writer, and a cache for a long back-fill."""
    for pragma in (
        "journal_mode = WAL",
        "synchronous = NORMAL",
        f"cache_size = -{CACHE_KIB}",
        "trusted_schema = OFF",
        # With less, a long history would have the same pages copied over and over.
        "wal_autocheckpoint = 4000",
    ):
        connection.execute(f"PRAGMA {pragma}")


def explain(error: BaseException, shown: str) -> DaybreakError:
    """SQLite's codes in our words."""
    code = _code(error)
    for beginnings, told in _WORDS:
        if code.startswith(beginnings):
            return told(shown)
    # The driver decodes what the file holds, its own complaint about it included: what is not UTF-8 was never written by us.
    undecoded = isinstance(getattr(error, "orig", None) or error, UnicodeError) or "Could not decode" in str(error)
    return database.damaged(shown) if undecoded else database.unknown(shown, error)


_WORDS: tuple[tuple[tuple[str, ...], Callable[[str], DaybreakError]], ...] = (
    (("SQLITE_FULL",), database.full),
    (("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH"), database.read_only),
    (("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_FORMAT"), database.damaged),
    (("SQLITE_BUSY", "SQLITE_LOCKED"), lambda shown: database.busy(shown, WAIT)),
    (("SQLITE_IOERR",), database.disk),
)
"""Beginnings of SQLite's error names -> what they mean for us."""


def _code(error: BaseException) -> str:
    cause = getattr(error, "orig", None) or error
    return str(getattr(cause, "sqlite_errorname", "")) if isinstance(cause, sqlite3.Error) else ""


def _broken(error: BaseException) -> bool:
    """After damage or a full disk, a fresh connection sees what is really there."""
    return _code(error) != ""
