"""The store on a PostgreSQL server; its lock belongs to the connection, so the server frees it when we are gone."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

from daybreak.core.errors import ConfigError, DaybreakError
from daybreak.core.origin import install
from daybreak.store import Holder, schema
from daybreak.store.connection import Clock, Connection, Dialect, utc_now
from daybreak.store.database import Database, StoreError, busy, damaged, full, lost, read_only, unknown
from daybreak.store.lock import locked
from daybreak.store.reports import from_iso, iso
from daybreak.store.sql import SqlStore, this_process

RUN_KEY = 0x64617962  # "dayb"
WRITE_KEY = 0x64617977
WAIT = 15
"""Seconds to wait for another program that writes, and for a connection."""
SILENCE = 120.0
"""Seconds for one statement: a server that says nothing for longer is lost, though its connection may stand."""
_ALIVE = {
    "keepalives": 1,
    "keepalives_idle": 20,
    "keepalives_interval": 5,
    "keepalives_count": 4,
    "tcp_user_timeout": 60_000,
}
_SET_UP = (
    f"lock_timeout = '{WAIT}s'",
    "tcp_keepalives_idle = 30",
    "tcp_keepalives_interval = 10",
    "tcp_keepalives_count = 3",
    "TIME ZONE 'UTC'",
)
_LOCKED = (
    " FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND classid = 0"
    " AND objid = ? AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


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
            if database.bound or not (_takes(connection) or self._frees_the_dead(connection)):
                raise locked(database.shown, self._named())
        # From here on, a new connection would write without the lock.
        database.bound = True
        try:
            self._name(this_process(database.clock))
            yield
        finally:
            with suppress(DaybreakError), database.write() as connection:
                connection.change("DELETE FROM holders")
                connection.change(f"SELECT pg_advisory_unlock({RUN_KEY})")
            database.bound = False

    def _frees_the_dead(self, connection: Connection) -> bool:
        """Whether the lock was that of a process of this machine which is gone: its server may not know for hours."""
        holder = self._named()
        if holder is None or holder.host != this_process(self._database.clock).host or is_alive(holder.pid):
            return False
        connection.change(f"SELECT pg_terminate_backend(pid, 5000){_LOCKED}", (RUN_KEY,))
        return _takes(connection)

    def _name(self, holder: Holder) -> None:
        with self._database.write() as connection:
            connection.change("DELETE FROM holders")
            connection.change(schema.holders.insert, (1, holder.host, holder.pid, iso(holder.since)))

    def _named(self) -> Holder | None:
        with self._database.read() as connection:
            row = connection.first(schema.holders.rows)
        return None if row is None else Holder(row[1], row[2], from_iso(row[3]))

    def holder(self) -> Holder | None:
        """A name without its lock was left behind by a run that is gone."""
        with self._database.read() as connection:
            held = connection.value(f"SELECT count(*){_LOCKED}", (RUN_KEY,))
            return self._named() if held else None


def _takes(connection: Connection) -> bool:
    return bool(connection.value(f"SELECT pg_try_advisory_lock({RUN_KEY})"))


def is_alive(pid: int) -> bool:
    """Whether a process of this machine runs."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


Address = dict[str, Any]
"""What libpq is told: host, port, dbname, user and so on."""


def address_of(url: str) -> Address:
    """As libpq reads it."""
    try:
        from psycopg import Error
        from psycopg.conninfo import conninfo_to_dict
    except ImportError as error:
        raise ConfigError(
            "The store is on PostgreSQL, and its driver is not installed.",
            f"Install it: {install('postgres')}",
        ) from error
    try:
        address: Address = conninfo_to_dict(f"postgresql://{url.partition('://')[2]}")
    except (Error, UnicodeError):
        address = {"port": "none"}
    if not re.fullmatch(r"[\d,]*", str(address.get("port", ""))):
        # The error would show the whole address, and with it the password.
        raise ConfigError("store is not an address.", "For example postgresql+psycopg://user@host/daybreak.")
    return address


def dialect_of(address: Address) -> Dialect:
    import psycopg

    port = f":{address['port']}" if address.get("port") else ""
    # A password with a bare @ would spill into the host.
    host = str(address.get("host") or "/").rpartition("@")[2]
    shown = f"postgresql://{'local' if host.startswith('/') else host}{port}/{address.get('dbname') or ''}"
    begin = ("BEGIN", f"SELECT pg_advisory_xact_lock({WRITE_KEY})")
    tables = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
    connect = partial(_connection, address)
    return Dialect("postgresql", connect, psycopg.Error, tables, shown, begin, explain, broken=broken)


def _connection(address: Address) -> Any:
    """One that waits for each statement with a limit of our own."""
    import psycopg

    class Limited(psycopg.Connection[Any]):
        def wait(self, gen: Any, *rest: Any, **how: Any) -> Any:
            try:
                return super().wait(gen, *rest, **{**limit, **how})
            except psycopg.OperationalError as error:
                if type(error).__name__ != "_WaitTimeout":
                    raise
                self.pgconn.finish()  # in the middle of an answer that may still come
                raise psycopg.OperationalError("the server does not answer") from None

    # Before 3.3, it is the system alone that notices a connection without a peer.
    limit = {"timeout": SILENCE} if "timeout" in signature(psycopg.Connection.wait).parameters else {}
    named = {"connect_timeout": WAIT, "application_name": "daybreak", **_ALIVE, **address, "client_encoding": "utf8"}
    made = Limited.connect(**named, autocommit=True)
    try:
        for setting in _SET_UP:
            made.execute(f"SET {setting}".encode())
    except BaseException:
        made.close()
        raise
    return made


def _refuse_other_encoding(database: Database) -> None:
    try:
        with database.read() as connection:
            encoding = connection.value("SHOW server_encoding")
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
    words = str(error)
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
    return str(getattr(error, "sqlstate", None) or "")


def broken(error: BaseException) -> bool:
    """No server, a server that goes down, or a connection that was cut."""
    code = _code(error)
    if code:
        return code.startswith(("08", "57P"))
    return any(kind.__name__ in ("OperationalError", "InterfaceError") for kind in type(error).__mro__)
