"""The newest schema: the columns of each table in their order, and the hash that tells whether a row is as it was written."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct


class Table(Struct, frozen=True):
    """A table by its name and its columns; `database.MIGRATIONS` make it."""

    name: str
    columns: tuple[str, ...]

    @property
    def rows(self) -> str:
        """The question for all its rows."""
        return f"SELECT {', '.join(self.columns)} FROM {self.name}"  # noqa: S608  names of our own

    @property
    def insert(self) -> str:
        marks = ", ".join("?" * len(self.columns))
        return f"INSERT INTO {self.name} ({', '.join(self.columns)}) VALUES ({marks})"  # noqa: S608


def _table(name: str, columns: str) -> Table:
    return Table(name, tuple(columns.split()))


schema_versions = _table("schema_versions", "number sentence at")
reports = _table("reports", "hash label made_at digest data")
runs = _table("runs", "hash id host pid command version started_at ended_at outcome reason seconds")
steps = _table("steps", "hash id run repo label stage inputs outcome reason started_at seconds output")
holders = _table("holders", "number host pid since")
costs = _table("costs", "hash id run what unit amount at")
answers = _table("answers", "hash repo label category id origin fetched_at version etag body")
model_answers = _table("model_answers", "hash id question answered_at body")
receipts = _table("receipts", "hash id target shown event label digest state tries planned_at due ended_at reason said")
seals = _table("seals", "name digest")
search_days = _table("search_days", "label report digest version")
search_documents = _table(
    "search_documents", "id label kind repo key title level breaking at author topic url text tokens"
)

TABLES = {
    table.name: table
    for table in (
        *(schema_versions, reports, runs, steps, holders, costs, answers, model_answers, receipts, seals),
        *(search_days, search_documents),
    )
}

HASHED = (reports, runs, steps, costs, answers, model_answers, receipts)
"""Tables whose rows are known by the hash of their content."""


# --- Content hashes: what identifies a row, and what tells later whether it is still as it was written ---
# A hash covers all columns of a row after its key, in the order of the schema. NULLs at the end do not count: so a column
# that a migration adds at the end, empty, leaves the hashes of older rows as they are.

Row = Sequence[Any]
_encode = msgspec.msgpack.Encoder().encode
_sha256 = hashlib.sha256


def content_hash(table: str, row: Row) -> bytes:
    """The hash of a row."""
    # The empty list stood for rows that lived and died with this one: the hashes in users' stores have it.
    return _sha256(_encode((table, row, ()))).digest()


def stored_hash(table: str, row: Row) -> bytes:
    """The same, from a row as the database gives it back: later columns may stand at its end."""
    return content_hash(table, trimmed(row))


def trimmed(row: Row) -> Row:
    """The row without NULLs at its end."""
    end = len(row)
    while end and row[end - 1] is None:
        end -= 1
    return row if end == len(row) else row[:end]
