"""The newest schema as SQLAlchemy tables, and the hash that tells whether a row is as it was written."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import BigInteger, Column, Double, Index, LargeBinary, MetaData, Table, Text

metadata = MetaData()


def _hash() -> Column[bytes]:
    return Column("hash", LargeBinary, primary_key=True)


def _text(*names: str, empty: bool = False) -> list[Column[str]]:
    return [Column(name, Text, nullable=empty) for name in names]


def _whole(*names: str, empty: bool = False) -> list[Column[int]]:
    return [Column(name, BigInteger, nullable=empty) for name in names]


schema_versions = Table(
    "schema_versions",
    metadata,
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    *_text("sentence", "at"),
)

reports = Table(
    "reports",
    metadata,
    _hash(),
    *_text("label", "made_at", "digest"),
    Column("data", LargeBinary, nullable=False),
)
Index("reports_label", reports.c.label, unique=True)

runs = Table(
    "runs",
    metadata,
    _hash(),
    *_whole("id"),
    *_text("host"),
    *_whole("pid"),
    *_text("command", "version", "started_at"),
    *_text("ended_at", "outcome", "reason", empty=True),
    Column("seconds", Double),
)
Index("runs_id", runs.c.id, unique=True)

steps = Table(
    "steps",
    metadata,
    _hash(),
    *_whole("id", "run"),
    *_text("repo", "label", "stage", "inputs", "outcome"),
    *_text("reason", empty=True),
    *_text("started_at"),
    Column("seconds", Double, nullable=False),
    Column("output", LargeBinary),
)
Index("steps_id", steps.c.id, unique=True)
Index("steps_run", steps.c.run)

holders = Table(
    "holders",
    metadata,
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    *_text("host"),
    *_whole("pid"),
    *_text("since"),
)

costs = Table(
    "costs",
    metadata,
    _hash(),
    *_whole("id", "run"),
    *_text("what", "unit"),
    Column("amount", Double, nullable=False),
    *_text("at"),
)
Index("costs_id", costs.c.id, unique=True)

answers = Table(
    "answers",
    metadata,
    _hash(),
    *_text("repo", "label", "category", "id", "origin", "fetched_at", "version"),
    *_text("etag", empty=True),
    Column("body", LargeBinary, nullable=False),
)
Index("answers_place", answers.c.repo, answers.c.label, answers.c.category, answers.c.id, unique=True)

model_answers = Table(
    "model_answers",
    metadata,
    _hash(),
    *_whole("id"),
    *_text("question", "answered_at"),
    Column("body", LargeBinary, nullable=False),
)
Index("model_answers_id", model_answers.c.id, unique=True)
Index("model_answers_question", model_answers.c.question, model_answers.c.id)

receipts = Table(
    "receipts",
    metadata,
    _hash(),
    *_whole("id"),
    *_text("target", "shown", "event", "label", "digest", "state"),
    *_whole("tries"),
    *_text("planned_at"),
    *_text("due", "ended_at", "reason", "said", empty=True),
)
Index("receipts_id", receipts.c.id, unique=True)
Index("receipts_place", receipts.c.label, receipts.c.target, receipts.c.event, receipts.c.digest, unique=True)
Index("receipts_state", receipts.c.state)

search_days = Table(
    "search_days",
    metadata,
    Column("label", Text, primary_key=True),
    *_text("report", "digest"),
    *_whole("version"),
)

search_documents = Table(
    "search_documents",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    *_text("label", "kind", "repo", "key", "title", "level"),
    *_whole("breaking"),
    *_text("at", "author", "topic", "url"),
    Column("text", LargeBinary, nullable=False),
    Column("tokens", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)
Index("search_documents_label", search_documents.c.label)
Index("search_documents_repo", search_documents.c.repo)

HASHED = ("reports", "runs", "steps", "costs", "answers", "model_answers", "receipts")
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


def digest(*parts: bytes | str) -> str:
    """One name for several inputs of a step."""
    return _sha256(_encode(parts)).hexdigest()
