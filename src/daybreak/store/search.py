"""The search index in the store: documents of reported days with their tokens, made from the reports and never more.

Both databases give the same results in the same order, since nothing of the work is left to their own language rules:
tokens come ready-made, are kept byte for byte, and the order of results is the order of the documents' numbers. SQLite
keeps the tokens in an FTS5 table without content (its `ascii` tokenizer takes every character beyond ASCII for a
letter and so changes nothing), PostgreSQL in a `tsvector` that is written out with its positions. Those two tables are
made with the first document: a SQLite without FTS5 can keep everything but a search. A seal, the hash of all their
rows, stands among the days under no name: what was altered since is known, and made again.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct, msgpack
from msgspec.structs import replace

from daybreak.store import Document, IndexedDay, Phrase, Traits, Wanted, reports, schema
from daybreak.store.connection import Connection, marks
from daybreak.store.database import Database, StoreError, damaged

DAY_SHIFT, DAY_BITS = 24, 20
"""Where the day stands in a document's number; above it is its grade, below it its place in the day."""
GAP = "."
"""Stands in the row of tokens where neighbours must not meet."""

_SEAL = ""
_DAYS = "SELECT label, report, digest, version FROM search_days WHERE label <> '' ORDER BY label"
_KEPT = ("search_documents", "search_days")
_encode = msgpack.Encoder().encode


class _Form(Struct, frozen=True):
    """What differs between the databases."""

    make: tuple[str, ...]
    there: str
    key: str
    matches: str
    documents: str
    """Everything of them, in an order."""
    tokens: tuple[str, ...]


_FORMS = {
    "sqlite": _Form(
        (
            (
                "CREATE VIRTUAL TABLE IF NOT EXISTS search_index USING fts5(tokens, content='', columnsize=0,"
                " tokenize=\"ascii tokenchars '_./:#=~@!^-+'\")"
            ),
        ),
        "SELECT count(*) FROM sqlite_master WHERE name = 'search_index'",
        "rowid",
        "search_index MATCH ?",
        "SELECT * FROM search_documents ORDER BY id",
        (
            # The first row is of averages, which nothing here asks for.
            "SELECT id, block FROM search_index_data WHERE id > 1 ORDER BY id",
            "SELECT * FROM search_index_idx ORDER BY 1, 2",
            "SELECT * FROM search_index_config ORDER BY 1",
        ),
    ),
    "postgresql": _Form(
        (
            "CREATE TABLE IF NOT EXISTS search_index (document BIGINT PRIMARY KEY, tokens TSVECTOR NOT NULL)",
            "CREATE INDEX IF NOT EXISTS search_index_tokens ON search_index USING gin (tokens)",
        ),
        "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'search_index'",
        "document",
        "tokens @@ CAST(? AS tsquery)",
        # The server sums up: they may be more than memory holds.
        "SELECT md5(string_agg(md5(d::text), '' ORDER BY id)) FROM search_documents d",
        ("SELECT md5(string_agg(md5(i::text), '' ORDER BY document)) FROM search_index i",),
    ),
}


class StoredSearch:
    """See `interface.SearchIndex` for what each method promises."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._kind = database.dialect.kind
        self._form = _FORMS[self._kind]
        self._open = 0
        """Changes that are under way, one inside the other."""

    def close(self) -> None:
        """Of an index in memory; one of a store is closed with it."""
        self._database.close()

    # --- writing -----------------------------------------------------------------------------------------------------

    def days(self) -> dict[str, IndexedDay]:
        with self._database.read() as connection:
            rows = connection.rows(_DAYS)
        return {row[0]: IndexedDay(*row) for row in rows}

    @contextmanager
    def change(self) -> Iterator[Connection]:
        """One transaction with the seal of what it leaves; inside another one, a part of it."""
        with self._database.write() as connection:
            self._open += 1
            try:
                yield connection
            finally:
                self._open -= 1
            if not self._open:
                # At a savepoint FTS5 writes what it holds back until the end.
                connection.change("SAVEPOINT sealed")
                connection.change("RELEASE SAVEPOINT sealed")
                connection.change("DELETE FROM search_days WHERE label = ?", (_SEAL,))
                self._database.insert(schema.search_days, [(_SEAL, "", self._sum(connection), 0)])

    def seal(self) -> tuple[str | None, str]:
        """The one that was left, and the one that would be left now: another one tells that something was altered."""
        with self._database.read() as connection:
            left = connection.value("SELECT digest FROM search_days WHERE label = ?", (_SEAL,))
            return left, self._sum(connection)

    def _sum(self, connection: Connection) -> str:
        found = hashlib.sha256()
        for sql in (_DAYS, self._form.documents, *(self._form.tokens if self._made(connection) else ())):
            for row in connection.each(sql):
                found.update(_encode(row))
        return found.hexdigest()

    def put(self, day: IndexedDay, documents: Sequence[Document]) -> None:
        with self.change() as connection:
            self._make(connection)
            self._drop(connection, day.label)
            self._database.insert(schema.search_documents, [_row(one) for one in documents])
            self._add(connection, documents)
            self._database.insert(schema.search_days, [(day.label, day.report, day.digest, day.version)])

    def confirm(self, day: IndexedDay) -> None:
        with self.change() as connection:
            connection.change("UPDATE search_days SET report = ? WHERE label = ?", (day.report, day.label))

    def drop(self, label: str) -> None:
        with self.change() as connection:
            self._drop(connection, label)

    def clear(self) -> None:
        with self.change() as connection:
            for statement in ("DROP TABLE IF EXISTS search_index", *map("DELETE FROM {}".format, _KEPT)):
                connection.change(statement)

    def _make(self, connection: Connection) -> None:
        if self._made(connection):
            return
        if self._kind == "sqlite" and not connection.value(
            "SELECT count(*) FROM pragma_module_list WHERE name = 'fts5'"
        ):
            raise StoreError(
                "This Python's SQLite has no FTS5, so there is no search.", "Use a Python whose SQLite has it."
            )
        for statement in self._form.make:
            connection.change(statement)

    def _made(self, connection: Connection) -> bool:
        return bool(connection.value(self._form.there))

    def _drop(self, connection: Connection, label: str) -> None:
        """FTS5 without content must be told what it forgets."""
        if self._kind == "sqlite":
            old = connection.rows("SELECT id, tokens FROM search_documents WHERE label = ?", (label,))
            sql = "INSERT INTO search_index (search_index, rowid, tokens) VALUES ('delete', ?, ?)"
            connection.change_many(sql, [(number, self._unpacked(tokens)) for number, tokens in old])
        elif self._made(connection):
            sql = "DELETE FROM search_index WHERE document IN (SELECT id FROM search_documents WHERE label = ?)"
            connection.change(sql, (label,))
        for table in _KEPT:
            connection.change(f"DELETE FROM {table} WHERE label = ?", (label,))  # noqa: S608  our own names

    def _add(self, connection: Connection, documents: Sequence[Document]) -> None:
        if self._kind == "sqlite":
            rows = [(one.id, one.tokens) for one in documents]
            connection.change_many("INSERT INTO search_index (rowid, tokens) VALUES (?, ?)", rows)
            return
        rows = [(one.id, _vector(one.tokens)) for one in documents]
        sql = "INSERT INTO search_index (document, tokens) VALUES (?, CAST(? AS tsvector))"
        connection.change_many(sql, rows)

    # --- asking ------------------------------------------------------------------------------------------------------

    def count(self, wanted: Wanted) -> int:
        return sum(int(row[0]) for row in self._asked(wanted, "count(*)", ""))

    def numbers(self, wanted: Wanted, limit: int | None, offset: int) -> list[int]:
        key = self._form.key
        rest = "" if limit is None else f" ORDER BY {key} DESC LIMIT {limit:d} OFFSET {offset:d}"
        return [int(row[0]) for row in self._asked(wanted, key, rest)]

    def traits(self) -> dict[int, Traits]:
        with self._database.read() as connection:
            rows = connection.rows(
                "SELECT id, substr(label, 1, 7), repo, topic, level, kind, breaking FROM search_documents"
            )
        return {row[0]: Traits(*row[1:]) for row in rows}

    def titles(self) -> list[str]:
        with self._database.read() as connection:
            return connection.column("SELECT title FROM search_documents")

    def _asked(self, wanted: Wanted, what: str, rest: str) -> Sequence[Sequence[int]]:
        text = _sqlite_query(wanted) if self._kind == "sqlite" else _postgres_query(wanted)
        key, where, values = self._form.key, self._form.matches, [text]
        first, last = wanted.days
        if (first, last) != (0, (1 << DAY_BITS) - 1):
            # Whole numbers of ours: nothing here comes from outside but the values that are bound.
            where += f" AND (({key} >> {DAY_SHIFT}) & {(1 << DAY_BITS) - 1}) BETWEEN {first:d} AND {last:d}"
        with self._database.read() as connection:
            if not self._made(connection):
                return []
            sql = f"SELECT {what} FROM search_index WHERE {where}{rest}"  # noqa: S608
            return connection.rows(sql, values)

    def documents(self, numbers: Sequence[int]) -> list[Document]:
        asked = f"{schema.search_documents.rows} WHERE id IN ({marks(numbers)})"
        with self._database.read() as connection:
            found = {row[0]: row for row in connection.rows(asked, numbers)}
        return [self._document(found[number]) for number in numbers if number in found]

    def of_day(self, label: str) -> list[Document]:
        with self._database.read() as connection:
            rows = connection.rows(f"{schema.search_documents.rows} WHERE label = ? ORDER BY id", (label,))
        return [replace(self._document(row), tokens=self._unpacked(row[13])) for row in rows]

    def _document(self, row: Sequence[Any]) -> Document:
        values = list(row)
        values[7], values[12], values[13] = bool(values[7]), self._unpacked(values[12]), ""
        return Document(*values)

    def _unpacked(self, packed: bytes) -> str:
        try:
            return reports.unpacked(packed, self._database.shown).decode()
        except UnicodeDecodeError as error:
            raise damaged(self._database.shown) from error

    def repos(self) -> list[str]:
        with self._database.read() as connection:
            return sorted(connection.column("SELECT DISTINCT repo FROM search_documents"))


def in_memory() -> StoredSearch:
    """An index for whoever has no store to keep one in; it is gone with the program."""
    from daybreak.store.sqlite import dialect_of

    database = Database(dialect_of(Path(":memory:")))
    database.prepare()
    return StoredSearch(database)


def _row(one: Document) -> tuple[object, ...]:
    return (
        *(one.id, one.label, one.kind, one.repo, one.key, one.title, one.level, +one.breaking, one.at, one.author),
        *(one.topic, one.url, zlib.compress(one.text.encode(), 1), zlib.compress(one.tokens.encode(), 1)),
    )


# --- the languages of the databases ----------------------------------------------------------------------------------


def _sqlite_query(wanted: Wanted) -> str:
    def phrase(one: Phrase) -> str:
        return '"' + " ".join(one.tokens) + '"' + (" *" if one.start else "")

    def any_of(some: Iterable[Phrase]) -> str:
        return "(" + " OR ".join(map(phrase, some)) + ")"

    def every(groups: Iterable[Iterable[Phrase]]) -> str:
        return "(" + " AND ".join(map(any_of, groups)) + ")"

    without = [*map(any_of, wanted.without), *map(every, wanted.but)]
    return every(wanted.each) + "".join(f" NOT {some}" for some in without)


def _postgres_query(wanted: Wanted) -> str:
    def phrase(one: Phrase) -> str:
        return " <-> ".join(f"'{token}'" for token in one.tokens) + (":*" if one.start else "")

    def any_of(some: Iterable[Phrase]) -> str:
        return "(" + " | ".join(f"({phrase(one)})" for one in some) + ")"

    def every(groups: Iterable[Iterable[Phrase]]) -> str:
        return "(" + " & ".join(map(any_of, groups)) + ")"

    without = [*map(any_of, wanted.without), *map(every, wanted.but)]
    return every(wanted.each) + "".join(f" & !{some}" for some in without)


def _vector(tokens: str) -> str:
    """A tsvector written out: every token with the places where it stands; tokens hold no quote and no backslash."""
    places: dict[str, list[int]] = {}
    for place, token in enumerate(tokens.split(" "), 1):
        if token != GAP:
            places.setdefault(token, []).append(place)
    return " ".join(f"'{token}':{','.join(map(str, some))}" for token, some in places.items())
