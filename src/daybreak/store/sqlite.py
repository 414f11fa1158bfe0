"""The store in one SQLite file beside the config; its lock is a file beside that, which the system frees on a kill."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote, urlencode

from daybreak.core.errors import ConfigError, DaybreakError
from daybreak.store import Damage, Holder, database
from daybreak.store.connection import Clock, Dialect, utc_now
from daybreak.store.database import Database
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
            said = connection.column("PRAGMA integrity_check(20)")
            yield from (Damage("", "the file", str(one)) for one in said if one != "ok")


def _as_writable_as(path: Path) -> None:
    """SQLite gives the files beside its own the permissions that one had then: those of a store that was read-only."""
    for beside in (path.with_name(path.name + ending) for ending in ("-wal", "-shm")):
        with suppress(OSError):
            if os.access(path, os.W_OK) and not os.access(beside, os.W_OK):
                beside.chmod(path.stat().st_mode)


def path_of(url: str, base: Path) -> Path:
    named = _ADDRESS.fullmatch(url)
    place = named[1] if named else ""
    if not place or place == ":memory:" or any(ord(c) < 32 for c in place):
        raise ConfigError("store names no file.", "For example sqlite:///.daybreak/daybreak.db.")
    return base / Path(place).expanduser()


_ADDRESS = re.compile(r"sqlite(?:\+\w+)?:///([^?]*)(?:\?.*)?", re.DOTALL)
_SAFE = "trusted_schema = OFF"
_SET_UP = (
    "journal_mode = WAL",
    "synchronous = NORMAL",
    f"cache_size = -{CACHE_KIB}",
    _SAFE,
    # With less, a long history would have the same pages copied over and over.
    "wal_autocheckpoint = 4000",
)
"""Readers beside one writer, and a cache for a long back-fill."""


def dialect_of(path: Path, how: Mapping[str, str] | None = None) -> Dialect:
    """For runs; with `how` (SQLite's options of an address) the file is neither made nor set up."""

    def connect() -> sqlite3.Connection:
        if how is None:
            return _connection(str(path), _SET_UP)
        return _connection(f"file:{quote(str(path))}?{urlencode(how)}", (_SAFE,), uri=True)

    tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND substr(name, 1, 7) <> 'sqlite_'"
    return Dialect("sqlite", connect, sqlite3.Error, tables, str(path), ("BEGIN IMMEDIATE",), explain, broken=_broken)


def _connection(place: str, pragmas: Sequence[str], *, uri: bool = False) -> sqlite3.Connection:
    made = sqlite3.connect(place, timeout=WAIT, isolation_level=None, check_same_thread=False, uri=uri)
    try:
        for pragma in pragmas:
            made.execute(f"PRAGMA {pragma}")
    except BaseException:
        made.close()
        raise
    return made


def explain(error: BaseException, shown: str) -> DaybreakError:
    """SQLite's codes in our words."""
    code = _code(error)
    for beginnings, told in _WORDS:
        if code.startswith(beginnings):
            return told(shown)
    # The driver decodes what the file holds, its own complaint about it included: what is not UTF-8 was never written by us.
    undecoded = isinstance(error, UnicodeError) or "Could not decode" in str(error)
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
    return str(getattr(error, "sqlite_errorname", "")) if isinstance(error, sqlite3.Error) else ""


def _broken(error: BaseException) -> bool:
    """After damage or a full disk, a fresh connection sees what is really there."""
    return _code(error) != ""
