"""The store on a PostgreSQL server; its lock belongs to the connection, so the server frees it when we are gone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, delete, event, select
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.pool import NullPool

from daybreak.core.errors import ConfigError, DaybreakError
from daybreak.store import Holder, schema
from daybreak.store.database import (
    Clock,
    Database,
    Dialect,
    StoreError,
    busy,
    damaged,
    full,
    lost,
    read_only,
    unknown,
    utc_now,
)
from daybreak.store.lock import locked
from daybreak.store.reports import from_iso, iso
from daybreak.store.sql import SqlStore, this_process

RUN_KEY = 0x64617962  # "dayb"
WRITE_KEY = 0x64617977
WAIT = 15
"""Seconds to wait for another program that writes, and for a server to answer."""


class PostgresStore(SqlStore):
    """`postgresql+psycopg://USER:PASSWORD@HOST/NAME`; the password may stand in ~/.pgpass or PGPASSWORD as well."""

    def __init__(self, url: str, base: Path, clock: Clock = utc_now) -> None:  # noqa: ARG002  all stores are made alike
        database = Database(dialect_of(address_of(url)), clock)
        _refuse_other_encoding(database)
        super().__init__(database)

    @contextmanager
    def hold(self) -> Iterator[None]:
        database = self._database
        with database.read() as connection:
            # The server would give the lock to the same connection twice.
            if database.bound or not connection.exec_driver_sql(f"SELECT pg_try_advisory_lock({RUN_KEY})").scalar():
                raise locked(database.shown, self._named())
        # From here on, a new connection would write without the lock.
        database.bound = True
        try:
            self._name(this_process(database.clock))
            yield
        finally:
            with suppress(DaybreakError), database.write() as connection:
                connection.execute(delete(schema.holders))
                connection.exec_driver_sql(f"SELECT pg_advisory_unlock({RUN_KEY})")
            database.bound = False

    def _name(self, holder: Holder) -> None:
        with self._database.write() as connection:
            connection.execute(delete(schema.holders))
            values = {"number": 1, "host": holder.host, "pid": holder.pid, "since": iso(holder.since)}
            connection.execute(schema.holders.insert().values(values))

    def _named(self) -> Holder | None:
        with self._database.read() as connection:
            row = connection.execute(select(schema.holders)).first()
        return None if row is None else Holder(row.host, row.pid, from_iso(row.since))

    def holder(self) -> Holder | None:
        """A name without its lock was left behind by a run that is gone."""
        held = (
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND classid = 0"
            " AND objid = %s AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
        with self._database.read() as connection:
            return self._named() if connection.exec_driver_sql(held, (RUN_KEY,)).scalar() else None


def address_of(url: str) -> URL:
    try:
        address = make_url(url)
    except (ArgumentError, ValueError):
        # The error would show the whole address, and with it the password.
        raise ConfigError("store is not an address.", "For example postgresql+psycopg://user@host/daybreak.") from None
    return address.set(drivername="postgresql+psycopg")


def dialect_of(address: URL) -> Dialect:
    try:
        engine = create_engine(
            address,
            poolclass=NullPool,
            hide_parameters=True,
            connect_args={"connect_timeout": WAIT, "application_name": "daybreak", "client_encoding": "utf8"},
        )
    except ImportError as error:
        raise ConfigError(
            "The store is on PostgreSQL, and its driver is not installed.",
            'Install it: pip install "daybreak[postgres]".',
        ) from error
    event.listen(engine, "connect", _set_up)
    port = f":{address.port}" if address.port else ""
    # A password with a bare @ would spill into the host.
    host = (address.host or "local").rpartition("@")[2]
    shown = f"postgresql://{host}{port}/{address.database or ''}"
    begin = ("BEGIN", f"SELECT pg_advisory_xact_lock({WRITE_KEY})")
    return Dialect(engine, shown, begin, explain, broken)


def _set_up(connection: Any, _: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = '{WAIT}s'")
        cursor.execute("SET TIME ZONE 'UTC'")
    connection.commit()


def _refuse_other_encoding(database: Database) -> None:
    try:
        with database.read() as connection:
            encoding = connection.exec_driver_sql("SHOW server_encoding").scalar()
    except BaseException:
        database.close()
        raise
    if encoding != "UTF8":
        database.close()
        raise StoreError(
            f"The database {database.shown} is not in UTF-8.",
            "Make one with: createdb --encoding=UTF8 --template=template0.",
        )


def explain(error: BaseException, shown: str) -> DaybreakError:
    """PostgreSQL's codes in our words."""
    code = _code(error)
    for beginnings, told in _WORDS:
        if code.startswith(beginnings):
            return told(shown)
    # A connection that was never made has no code, only the server's words.
    words = str(getattr(error, "orig", ""))
    for sign, told in _ANSWERS:
        if not code and sign.search(words):
            return told(shown)
    return lost(shown) if broken(error) else unknown(shown, error)


def _refused(shown: str) -> DaybreakError:
    return StoreError(f"The store {shown} refuses the user or the password.", "Check `store`, PGPASSWORD or ~/.pgpass.")


def _no_database(shown: str) -> DaybreakError:
    return StoreError(f"There is no database for the store {shown}.", "Make it with createdb, or check `store`.")


_WORDS: tuple[tuple[tuple[str, ...], Callable[[str], DaybreakError]], ...] = (
    (("53100",), full),
    (("25006", "42501"), read_only),
    (("XX001", "XX002"), damaged),
    (("28",), _refused),
    (("3D000",), _no_database),
    (("55P03", "40P01"), lambda shown: busy(shown, WAIT)),
)
"""Beginnings of SQLSTATE codes -> what they mean for us."""
_ANSWERS = (
    (re.compile(r'database ".*" does not exist'), _no_database),
    (
        re.compile(r'authentication failed|role ".*" does not exist|no password supplied|no pg_hba\.conf entry'),
        _refused,
    ),
)


def _code(error: BaseException) -> str:
    return str(getattr(getattr(error, "orig", None), "sqlstate", None) or "")


def broken(error: BaseException) -> bool:
    """No server, a server that goes down, or a connection that was cut."""
    code = _code(error)
    if code:
        return code.startswith(("08", "57P"))
    return isinstance(error, DBAPIError) and (
        error.connection_invalidated or type(error.orig).__name__ == "OperationalError"
    )
