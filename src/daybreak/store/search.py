"""The search index in the store: documents of reported days with their tokens, made from the reports and never more.

Both databases give the same results in the same order, since nothing of the work is left to their own language rules:
tokens come ready-made, are kept byte for byte, and the order of results is the order of the documents' numbers. SQLite
keeps the tokens in an FTS5 table without content (its `ascii` tokenizer takes every character beyond ASCII for a
letter and so changes nothing), PostgreSQL in a `tsvector` that is written out with its positions. Those two tables are
made with the first document: a SQLite without FTS5 can keep everything but a search.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection, delete, select

from daybreak.store import Document, IndexedDay, Phrase, Wanted, reports, schema
from daybreak.store.database import Database, StoreError, damaged

DAY_SHIFT, DAY_BITS = 24, 20
"""Where the day stands in a document's number; above it is its grade, below it its place in the day."""
GAP = "."
"""Stands in the row of tokens where neighbours must not meet."""

_MADE = {
    "sqlite": (
        (
            "CREATE VIRTUAL TABLE IF NOT EXISTS search_index USING fts5(tokens, content='', columnsize=0,"
            " tokenize=\"ascii tokenchars '_./:#=~@!-+'\")"
        ),
    ),
    "postgresql": (
        "CREATE TABLE IF NOT EXISTS search_index (document BIGINT PRIMARY KEY, tokens TSVECTOR NOT NULL)",
        "CREATE INDEX IF NOT EXISTS search_index_tokens ON search_index USING gin (tokens)",
    ),
}


class _Form(Struct, frozen=True):
    """What differs between the databases."""

    there: str
    key: str
    matches: str


_FORMS = {
    "sqlite": _Form(
        "SELECT count(*) FROM sqlite_master WHERE name = 'search_index'", "rowid", "search_index MATCH {mark}"
    ),
    "postgresql": _Form(
        "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'search_index'",
        "document",
        "tokens @@ CAST({mark} AS tsquery)",
    ),
}


class StoredSearch:
    """See `interface.SearchIndex` for what each method promises."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._kind = database.dialect.engine.dialect.name
        self._form = _FORMS[self._kind]

    def close(self) -> None:
        """Of an index in memory; one of a store is closed with it."""
        self._database.close()

    # --- writing -----------------------------------------------------------------------------------------------------

    def days(self) -> dict[str, IndexedDay]:
        with self._database.read() as connection:
            rows = connection.exec_driver_sql("SELECT label, report, digest, version FROM search_days").fetchall()
        return {row[0]: IndexedDay(*row) for row in rows}

    def put(self, day: IndexedDay, documents: Sequence[Document]) -> None:
        with self._database.write() as connection:
            self._make(connection)
            self._drop(connection, day.label)
            self._database.insert(schema.search_documents, [_row(one) for one in documents])
            self._add(connection, documents)
            self._database.insert(schema.search_days, [(day.label, day.report, day.digest, day.version)])

    def confirm(self, day: IndexedDay) -> None:
        table = schema.search_days
        with self._database.write() as connection:
            connection.execute(table.update().where(table.c.label == day.label).values(report=day.report))

    def drop(self, label: str) -> None:
        with self._database.write() as connection:
            self._drop(connection, label)

    def clear(self) -> None:
        with self._database.write() as connection:
            connection.exec_driver_sql("DROP TABLE IF EXISTS search_index")
            connection.execute(delete(schema.search_documents))
            connection.execute(delete(schema.search_days))

    def _make(self, connection: Connection) -> None:
        if self._made(connection):
            return
        if (
            self._kind == "sqlite"
            and not connection.exec_driver_sql("SELECT count(*) FROM pragma_module_list WHERE name = 'fts5'").scalar()
        ):
            raise StoreError(
                "This Python's SQLite has no FTS5, so there is no search.", "Use a Python whose SQLite has it."
            )
        for statement in _MADE[self._kind]:
            connection.exec_driver_sql(statement)

    def _made(self, connection: Connection) -> bool:
        return bool(connection.exec_driver_sql(self._form.there).scalar())

    def _drop(self, connection: Connection, label: str) -> None:
        """FTS5 without content must be told what it forgets."""
        documents, days = schema.search_documents, schema.search_days
        if self._kind == "sqlite":
            old = connection.execute(
                select(documents.c.id, documents.c.tokens).where(documents.c.label == label)
            ).fetchall()
            rows = [(number, self._unpacked(tokens)) for number, tokens in old]
            if rows:
                sql = "INSERT INTO search_index (search_index, rowid, tokens) VALUES ('delete', ?, ?)"
                connection.exec_driver_sql(sql, rows)
        elif self._made(connection):
            sql = "DELETE FROM search_index WHERE document IN (SELECT id FROM search_documents WHERE label = %s)"
            connection.exec_driver_sql(sql, (label,))
        connection.execute(delete(documents).where(documents.c.label == label))
        connection.execute(delete(days).where(days.c.label == label))

    def _add(self, connection: Connection, documents: Sequence[Document]) -> None:
        if not documents:
            return
        if self._kind == "sqlite":
            rows = [(one.id, one.tokens) for one in documents]
            connection.exec_driver_sql("INSERT INTO search_index (rowid, tokens) VALUES (?, ?)", rows)
            return
        rows = [(one.id, _vector(one.tokens)) for one in documents]
        sql = "INSERT INTO search_index (document, tokens) VALUES (%s, CAST(%s AS tsvector))"
        connection.exec_driver_sql(sql, rows)

    # --- asking ------------------------------------------------------------------------------------------------------

    def count(self, wanted: Wanted) -> int:
        return sum(int(row[0]) for row in self._asked(wanted, "count(*)", ""))

    def numbers(self, wanted: Wanted, limit: int, offset: int) -> list[int]:
        key = self._form.key
        return [
            int(row[0]) for row in self._asked(wanted, key, f" ORDER BY {key} DESC LIMIT {limit:d} OFFSET {offset:d}")
        ]

    def _asked(self, wanted: Wanted, what: str, rest: str) -> Sequence[Sequence[int]]:
        text = _sqlite_query(wanted) if self._kind == "sqlite" else _postgres_query(wanted)
        mark, key = self._database.mark, self._form.key
        where, values = self._form.matches.format(mark=mark), [text]
        first, last = wanted.days
        if (first, last) != (0, (1 << DAY_BITS) - 1):
            # Whole numbers of ours: nothing here comes from outside but the values that are bound.
            where += f" AND (({key} >> {DAY_SHIFT}) & {(1 << DAY_BITS) - 1}) BETWEEN {first:d} AND {last:d}"
        with self._database.read() as connection:
            if not self._made(connection):
                return []
            sql = f"SELECT {what} FROM search_index WHERE {where}{rest}"  # noqa: S608
            return connection.exec_driver_sql(sql, tuple(values)).fetchall()

    def documents(self, numbers: Sequence[int]) -> list[Document]:
        table = schema.search_documents
        with self._database.read() as connection:
            found = {row.id: row for row in connection.execute(select(table).where(table.c.id.in_(list(numbers))))}
        return [self._document(tuple(found[number])) for number in numbers if number in found]

    def of_day(self, label: str) -> list[Document]:
        table = schema.search_documents
        with self._database.read() as connection:
            rows = connection.execute(select(table).where(table.c.label == label).order_by(table.c.id)).fetchall()
        return [replace(self._document(tuple(row)), tokens=self._unpacked(row.tokens)) for row in rows]

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
        table = schema.search_documents
        with self._database.read() as connection:
            return sorted(connection.execute(select(table.c.repo).distinct()).scalars())


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

    without = "".join(f" NOT {any_of(some)}" for some in wanted.without)
    return "(" + " AND ".join(map(any_of, wanted.each)) + ")" + without


def _postgres_query(wanted: Wanted) -> str:
    def phrase(one: Phrase) -> str:
        return " <-> ".join(f"'{token}'" for token in one.tokens) + (":*" if one.start else "")

    def any_of(some: Iterable[Phrase]) -> str:
        return "(" + " | ".join(f"({phrase(one)})" for one in some) + ")"

    return " & ".join([*map(any_of, wanted.each), *(f"!{any_of(some)}" for some in wanted.without)])


def _vector(tokens: str) -> str:
    """A tsvector written out: every token with the places where it stands; tokens hold no quote and no backslash."""
    places: dict[str, list[int]] = {}
    for place, token in enumerate(tokens.split(" "), 1):
        if token != GAP:
            places.setdefault(token, []).append(place)
    return " ".join(f"'{token}':{','.join(map(str, some))}" for token, some in places.items())
