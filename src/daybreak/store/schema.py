"""The newest schema as SQLAlchemy tables; `migrations.py` is what makes it, and a test holds the two together.

Order matters: `hash` comes first, then the columns that the hash covers. A new column goes to the end, may be NULL, and
needs a migration. Flags are 0 or 1, times are ISO 8601 text: the same bytes in every database.
"""

from __future__ import annotations

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
