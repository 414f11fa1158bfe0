"""One connection to one database: its numbered migrations, turns of several threads, and every error in our own words."""

from __future__ import annotations

import hashlib
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from daybreak.core.errors import DaybreakError, LockedError, WriteError
from daybreak.store.schema import Table, content_hash, schema_versions, trimmed

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


# --- Numbered migrations: each is a sentence, is never changed once released, and only ever follows the others ---
# The statements are written out here and not taken from `schema.py`, which moves on: a store of the first release must
# still meet the steps that were meant for it. `{bytes}`, `{whole}`, `{real}` and `{clustered}` are what the database
# calls them. A column that is added goes to the end and may be NULL, so that the hashes of older rows still hold.


class Migration(NamedTuple):
    """One step of the schema."""

    sentence: str
    statements: tuple[str, ...]
    then: Callable[[Connection], None] | None = None
    """What SQL alone cannot do, after the statements."""


def _lean_reports(connection: Connection) -> None:
    """Each report by its data, under a hash of its own; one that was not as it was written stays known as such."""
    for key in connection.column("SELECT hash FROM reports"):
        try:
            row, *children = _old_report(connection, key)
        except (connection.dialect.errors, UnicodeError):
            if connection.dialect.kind != "sqlite":
                raise
            continue  # it cannot be read any more: the next run takes the day in from its file
        label, made_at, data = row[1], row[8], bytes(row[10])
        sound = _hash_with_children(row, children) == bytes(key)
        digest = hashlib.sha256(zlib.decompress(data)).hexdigest() if sound else ""
        values = (label, made_at, digest, data)
        given = (content_hash("reports", values) if sound else key, *values)
        connection.change("INSERT INTO lean_reports VALUES (?, ?, ?, ?, ?)", given)


def _old_report(connection: Connection, key: bytes) -> Iterator[Any]:
    """The row of a report, and those of its stories, statements and verdicts."""
    yield connection.first("SELECT * FROM reports WHERE hash = ?", (key,))
    for name in ("stories", "statements", "verdicts"):
        yield connection.rows(f"SELECT * FROM {name} WHERE report = ? ORDER BY number", (key,))  # noqa: S608  our own names


def _hash_with_children(row: Sequence[Any], children: Sequence[Sequence[Sequence[Any]]]) -> bytes:
    """As a report's hash was made up to here; none for children whose numbers have a gap: one of them is gone."""
    if any([child[1] for child in some] != list(range(len(some))) for some in children):
        return b""
    below = [[trimmed(child[2:]) for child in some] for some in children]
    return hashlib.sha256(msgspec.msgpack.encode(("reports", trimmed(row[1:]), below))).digest()


MIGRATIONS: tuple[Migration, ...] = (
    Migration(
        "The first schema: what was collected, read and reported.",
        (
            "CREATE TABLE schema_versions (number {whole} PRIMARY KEY, sentence TEXT NOT NULL, at TEXT NOT NULL)",
            "CREATE TABLE repositories (hash {bytes} PRIMARY KEY NOT NULL, name TEXT NOT NULL, url TEXT NOT NULL, git TEXT NOT NULL)",
            "CREATE UNIQUE INDEX repositories_name ON repositories (name)",
            (
                "CREATE TABLE envelopes (hash {bytes} PRIMARY KEY NOT NULL, repo TEXT NOT NULL, label TEXT NOT NULL,"
                " category TEXT NOT NULL, origin TEXT NOT NULL, since TEXT NOT NULL, until TEXT NOT NULL,"
                " timezone TEXT NOT NULL, version TEXT NOT NULL, fetched_at TEXT NOT NULL, payload TEXT NOT NULL)"
            ),
            "CREATE UNIQUE INDEX envelopes_place ON envelopes (repo, label, category)",
            (
                "CREATE TABLE changes (hash {bytes} PRIMARY KEY NOT NULL, repo TEXT NOT NULL, sha TEXT NOT NULL, author TEXT NOT NULL,"
                " authored_at {whole} NOT NULL, committed_at {whole} NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL,"
                " pr {whole}, skipped TEXT, parents TEXT NOT NULL, trailers TEXT NOT NULL, merged TEXT NOT NULL,"
                " files_total {whole} NOT NULL, added {whole} NOT NULL, deleted {whole} NOT NULL, empty {whole} NOT NULL,"
                " filtered {whole} NOT NULL)"
            ),
            "CREATE UNIQUE INDEX changes_commit ON changes (sha, repo)",
            (
                "CREATE TABLE files (change {bytes} NOT NULL REFERENCES changes (hash) ON DELETE CASCADE, number {whole} NOT NULL,"
                " path TEXT NOT NULL, status TEXT NOT NULL, old_path TEXT, old_mode TEXT NOT NULL, new_mode TEXT NOT NULL,"
                " old_blob TEXT NOT NULL, new_blob TEXT NOT NULL, skipped TEXT, is_binary {whole} NOT NULL,"
                " patch_cut {whole} NOT NULL, added {whole} NOT NULL, deleted {whole} NOT NULL,"
                " PRIMARY KEY (change, number)){clustered}"
            ),
            (
                "CREATE TABLE readings (hash {bytes} PRIMARY KEY NOT NULL, repo TEXT NOT NULL, sha TEXT NOT NULL, areas TEXT NOT NULL,"
                " components TEXT NOT NULL, unparsed TEXT NOT NULL, skipped TEXT, omitted {whole} NOT NULL, partly {whole} NOT NULL)"
            ),
            "CREATE UNIQUE INDEX readings_commit ON readings (sha, repo)",
            (
                "CREATE TABLE findings (reading {bytes} NOT NULL REFERENCES readings (hash) ON DELETE CASCADE,"
                " number {whole} NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL, path TEXT NOT NULL, line {whole} NOT NULL,"
                " symbol TEXT NOT NULL, before TEXT, after TEXT, effective TEXT, alias TEXT, alias_where TEXT,"
                " breaking {whole} NOT NULL, is_inner {whole} NOT NULL, PRIMARY KEY (reading, number)){clustered}"
            ),
            "CREATE INDEX findings_kind ON findings (kind)",
            (
                "CREATE TABLE reports (hash {bytes} PRIMARY KEY NOT NULL, label TEXT NOT NULL, since TEXT NOT NULL, until TEXT NOT NULL,"
                " timezone TEXT NOT NULL, open {whole} NOT NULL, version TEXT NOT NULL, languages TEXT NOT NULL,"
                " made_at TEXT NOT NULL, pages TEXT NOT NULL, data {bytes} NOT NULL)"
            ),
            "CREATE UNIQUE INDEX reports_label ON reports (label)",
            (
                "CREATE TABLE stories (report {bytes} NOT NULL REFERENCES reports (hash) ON DELETE CASCADE, number {whole} NOT NULL,"
                " repo TEXT NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL, broken_from TEXT, broken_to TEXT,"
                " commits TEXT NOT NULL, earlier TEXT NOT NULL, net TEXT NOT NULL, PRIMARY KEY (report, number)){clustered}"
            ),
            (
                "CREATE TABLE statements (report {bytes} NOT NULL REFERENCES reports (hash) ON DELETE CASCADE,"
                " number {whole} NOT NULL, repo TEXT NOT NULL, sha TEXT NOT NULL, place TEXT NOT NULL, role TEXT NOT NULL,"
                " dimension TEXT, author TEXT NOT NULL, text TEXT NOT NULL, evidence TEXT NOT NULL,"
                " PRIMARY KEY (report, number)){clustered}"
            ),
            (
                "CREATE TABLE verdicts (report {bytes} NOT NULL REFERENCES reports (hash) ON DELETE CASCADE, number {whole} NOT NULL,"
                " repo TEXT NOT NULL, reason TEXT NOT NULL, statements {whole} NOT NULL, PRIMARY KEY (report, number)){clustered}"
            ),
            (
                "CREATE TABLE runs (hash {bytes} PRIMARY KEY NOT NULL, id {whole} NOT NULL, host TEXT NOT NULL, pid {whole} NOT NULL,"
                " command TEXT NOT NULL, version TEXT NOT NULL, started_at TEXT NOT NULL, ended_at TEXT, outcome TEXT,"
                " reason TEXT, seconds {real})"
            ),
            "CREATE UNIQUE INDEX runs_id ON runs (id)",
            (
                "CREATE TABLE steps (hash {bytes} PRIMARY KEY NOT NULL, id {whole} NOT NULL, run {whole} NOT NULL, repo TEXT NOT NULL,"
                " label TEXT NOT NULL, stage TEXT NOT NULL, inputs TEXT NOT NULL, outcome TEXT NOT NULL, reason TEXT,"
                " started_at TEXT NOT NULL, seconds {real} NOT NULL, output {bytes})"
            ),
            "CREATE UNIQUE INDEX steps_id ON steps (id)",
            "CREATE INDEX steps_inputs ON steps (inputs, id)",
            "CREATE TABLE holders (number {whole} PRIMARY KEY, host TEXT NOT NULL, pid {whole} NOT NULL, since TEXT NOT NULL)",
        ),
    ),
    Migration(
        "Room for the items of GitHub, and for what a run cost.",
        (
            (
                "CREATE TABLE items (hash {bytes} PRIMARY KEY NOT NULL, repo TEXT NOT NULL, kind TEXT NOT NULL, number {whole} NOT NULL,"
                " title TEXT NOT NULL, state TEXT NOT NULL, author TEXT NOT NULL, created_at TEXT NOT NULL,"
                " updated_at TEXT NOT NULL, payload TEXT NOT NULL)"
            ),
            "CREATE UNIQUE INDEX items_place ON items (repo, kind, number)",
            (
                "CREATE TABLE costs (hash {bytes} PRIMARY KEY NOT NULL, id {whole} NOT NULL, run {whole} NOT NULL, what TEXT NOT NULL,"
                " unit TEXT NOT NULL, amount {real} NOT NULL, at TEXT NOT NULL)"
            ),
            "CREATE UNIQUE INDEX costs_id ON costs (id)",
        ),
    ),
    Migration(
        "Changes are found by their time, and steps by their run.",
        (
            "CREATE INDEX changes_time ON changes (repo, committed_at)",
            "CREATE INDEX steps_run ON steps (run)",
        ),
    ),
    Migration(
        "Raw answers of GitHub, each in its place.",
        (
            (
                "CREATE TABLE answers (hash {bytes} PRIMARY KEY NOT NULL, repo TEXT NOT NULL, label TEXT NOT NULL,"
                " category TEXT NOT NULL, id TEXT NOT NULL, origin TEXT NOT NULL, fetched_at TEXT NOT NULL,"
                " version TEXT NOT NULL, etag TEXT, body {bytes} NOT NULL)"
            ),
            "CREATE UNIQUE INDEX answers_place ON answers (repo, label, category, id)",
        ),
    ),
    Migration(
        "Answers of models, by the content of their questions.",
        (
            (
                "CREATE TABLE model_answers (hash {bytes} PRIMARY KEY NOT NULL, id {whole} NOT NULL, question TEXT NOT NULL,"
                " answered_at TEXT NOT NULL, body {bytes} NOT NULL)"
            ),
            "CREATE UNIQUE INDEX model_answers_id ON model_answers (id)",
            "CREATE INDEX model_answers_question ON model_answers (question, id)",
        ),
    ),
    Migration(
        "Receipts of notifications: what was sent to whom, once.",
        (
            (
                "CREATE TABLE receipts (hash {bytes} PRIMARY KEY NOT NULL, id {whole} NOT NULL, target TEXT NOT NULL,"
                " shown TEXT NOT NULL, event TEXT NOT NULL, label TEXT NOT NULL, digest TEXT NOT NULL, state TEXT NOT NULL,"
                " tries {whole} NOT NULL, planned_at TEXT NOT NULL, due TEXT, ended_at TEXT, reason TEXT, said TEXT)"
            ),
            "CREATE UNIQUE INDEX receipts_id ON receipts (id)",
            "CREATE UNIQUE INDEX receipts_place ON receipts (label, target, event, digest)",
            "CREATE INDEX receipts_state ON receipts (state)",
        ),
    ),
    Migration(
        "Documents of reported days, to be searched; the tables of their tokens are made with the first one.",
        (
            (
                "CREATE TABLE search_days (label TEXT PRIMARY KEY NOT NULL, report TEXT NOT NULL, digest TEXT NOT NULL,"
                " version {whole} NOT NULL)"
            ),
            (
                "CREATE TABLE search_documents (id {whole} PRIMARY KEY NOT NULL, label TEXT NOT NULL, kind TEXT NOT NULL,"
                " repo TEXT NOT NULL, key TEXT NOT NULL, title TEXT NOT NULL, level TEXT NOT NULL,"
                " breaking {whole} NOT NULL, at TEXT NOT NULL, author TEXT NOT NULL, topic TEXT NOT NULL,"
                " url TEXT NOT NULL, text {bytes} NOT NULL, tokens {bytes} NOT NULL){clustered}"
            ),
            "CREATE INDEX search_documents_label ON search_documents (label)",
            "CREATE INDEX search_documents_repo ON search_documents (repo)",
        ),
    ),
    Migration(
        "A report is its data, which holds all that was told of the day.",
        (
            (
                "CREATE TABLE lean_reports (hash {bytes} PRIMARY KEY NOT NULL, label TEXT NOT NULL, made_at TEXT NOT NULL,"
                " digest TEXT NOT NULL, data {bytes} NOT NULL)"
            ),
        ),
        _lean_reports,
    ),
    Migration(
        "What nobody read goes: commits, readings, what a source gave, and a report's rows beside its data.",
        (
            *(
                f"DROP TABLE {name}"
                for name in ("files", "changes", "findings", "readings", "envelopes", "repositories", "items")
            ),
            *(f"DROP TABLE {name}" for name in ("stories", "statements", "verdicts", "reports")),
            "ALTER TABLE lean_reports RENAME TO reports",
            "CREATE UNIQUE INDEX reports_label ON reports (label)",
            "DROP INDEX steps_inputs",
        ),
    ),
)

NEWEST = len(MIGRATIONS)

WORDS: Mapping[str, Mapping[str, str]] = {
    "sqlite": {"bytes": "BLOB", "whole": "BIGINT", "real": "DOUBLE", "clustered": " WITHOUT ROWID"},
    "postgresql": {"bytes": "BYTEA", "whole": "BIGINT", "real": "DOUBLE PRECISION", "clustered": ""},
}


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


# --- One connection to one database, used by several threads in turn, with every error in our own words ---

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


class Database:
    """Reads and writes; a write is one transaction, and a thread waits for the one that another makes."""

    def __init__(self, dialect: Dialect, clock: Clock = utc_now) -> None:
        self.dialect, self.clock = dialect, clock
        self.shown = dialect.shown
        self._turn = threading.RLock()
        self._connection: Connection | None = None
        self._inside = False
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
                    connection.change("COMMIT")
                except BaseException:
                    # After some faults (a full disk) the database has rolled back by itself.
                    with suppress(self.dialect.errors):
                        connection.change("ROLLBACK")
                    raise
                finally:
                    self._inside = False

    def insert(self, table: Table, rows: Sequence[tuple[Any, ...]]) -> int:
        """Many rows at the speed of the driver: all columns, in the order of the schema. How many were written."""
        with self.write() as connection:
            return connection.change_many(table.insert, rows)
