"""The newest schema as SQLAlchemy tables; `migrations.py` is what makes it, and a test holds the two together.

Order matters: `hash` (or the parent's hash and a number) comes first, then the columns that the hash covers. A new
column goes to the end, may be NULL, and needs a migration. Flags are 0 or 1, times of commits are seconds, other
times are ISO 8601 text, lists and mappings are JSON text: the same bytes in every database.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Double, ForeignKey, Index, LargeBinary, MetaData, Table, Text

metadata = MetaData()


def _hash() -> Column[bytes]:
    return Column("hash", LargeBinary, primary_key=True)


def _child_of(parent: str, name: str) -> list[Column[bytes] | Column[int]]:
    key = ForeignKey(f"{parent}.hash", ondelete="CASCADE")
    return [
        Column(name, LargeBinary, key, primary_key=True),
        Column("number", BigInteger, primary_key=True, autoincrement=False),
    ]


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

repositories = Table("repositories", metadata, _hash(), *_text("name", "url", "git"))
Index("repositories_name", repositories.c.name, unique=True)

envelopes = Table(
    "envelopes",
    metadata,
    _hash(),
    *_text("repo", "label", "category", "origin", "since", "until", "timezone", "version", "fetched_at", "payload"),
)
Index("envelopes_place", envelopes.c.repo, envelopes.c.label, envelopes.c.category, unique=True)

changes = Table(
    "changes",
    metadata,
    _hash(),
    *_text("repo", "sha", "author"),
    *_whole("authored_at", "committed_at"),
    *_text("subject", "body"),
    *_whole("pr", empty=True),
    *_text("skipped", empty=True),
    *_text("parents", "trailers", "merged"),
    *_whole("files_total", "added", "deleted", "empty", "filtered"),
)
Index("changes_commit", changes.c.sha, changes.c.repo, unique=True)
Index("changes_time", changes.c.repo, changes.c.committed_at)

files = Table(
    "files",
    metadata,
    *_child_of("changes", "change"),
    *_text("path", "status"),
    *_text("old_path", empty=True),
    *_text("old_mode", "new_mode", "old_blob", "new_blob"),
    *_text("skipped", empty=True),
    *_whole("is_binary", "patch_cut", "added", "deleted"),
    sqlite_with_rowid=False,
)

readings = Table(
    "readings",
    metadata,
    _hash(),
    *_text("repo", "sha", "areas", "components", "unparsed"),
    *_text("skipped", empty=True),
    *_whole("omitted", "partly"),
)
Index("readings_commit", readings.c.sha, readings.c.repo, unique=True)

findings = Table(
    "findings",
    metadata,
    *_child_of("readings", "reading"),
    *_text("id", "kind", "path"),
    *_whole("line"),
    *_text("symbol"),
    *_text("before", "after", "effective", "alias", "alias_where", empty=True),
    *_whole("breaking", "is_inner"),
    sqlite_with_rowid=False,
)
Index("findings_kind", findings.c.kind)

reports = Table(
    "reports",
    metadata,
    _hash(),
    *_text("label", "since", "until", "timezone"),
    *_whole("open"),
    *_text("version", "languages", "made_at", "pages"),
    Column("data", LargeBinary, nullable=False),
)
Index("reports_label", reports.c.label, unique=True)

stories = Table(
    "stories",
    metadata,
    *_child_of("reports", "report"),
    *_text("repo", "id", "kind"),
    *_text("broken_from", "broken_to", empty=True),
    *_text("commits", "earlier", "net"),
    sqlite_with_rowid=False,
)

statements = Table(
    "statements",
    metadata,
    *_child_of("reports", "report"),
    *_text("repo", "sha", "place", "role"),
    *_text("dimension", empty=True),
    *_text("author", "text", "evidence"),
    sqlite_with_rowid=False,
)

verdicts = Table(
    "verdicts",
    metadata,
    *_child_of("reports", "report"),
    *_text("repo", "reason"),
    *_whole("statements"),
    sqlite_with_rowid=False,
)

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
Index("steps_inputs", steps.c.inputs, steps.c.id)
Index("steps_run", steps.c.run)

holders = Table(
    "holders",
    metadata,
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    *_text("host"),
    *_whole("pid"),
    *_text("since"),
)

items = Table(
    "items",
    metadata,
    _hash(),
    *_text("repo", "kind"),
    *_whole("number"),
    *_text("title", "state", "author", "created_at", "updated_at", "payload"),
)
Index("items_place", items.c.repo, items.c.kind, items.c.number, unique=True)

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

CHILDREN: dict[str, tuple[str, ...]] = {
    "changes": ("files",),
    "readings": ("findings",),
    "reports": ("stories", "statements", "verdicts"),
}
"""Table -> tables whose rows its hashes cover."""

HASHED = (
    *("repositories", "envelopes", "changes", "readings", "reports", "runs", "steps", "items", "costs", "answers"),
    "model_answers",
    "receipts",
)
