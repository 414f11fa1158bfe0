"""Migrations of the store: numbered sentences with their SQL, never changed once released, which only ever follow the others."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from daybreak.store.schema import content_hash, trimmed
from daybreak.store.seals import NOTHING, sealed

if TYPE_CHECKING:
    from daybreak.store.connection import Connection

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


def _first_seals(connection: Connection) -> None:
    """What is there counts as what was written."""
    for name in ("reports", "runs", "steps", "costs", "answers", "model_answers", "receipts"):
        keys = connection.column(f"SELECT hash FROM {name}")  # noqa: S608  our own names
        connection.change("INSERT INTO seals VALUES (?, ?)", (name, sealed(NOTHING, keys)))


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
    Migration(
        "Seals: how many rows of each table there are, and their hashes as one number.",
        ("CREATE TABLE seals (name TEXT PRIMARY KEY NOT NULL, digest {bytes} NOT NULL)",),
        _first_seals,
    ),
)


WORDS: Mapping[str, Mapping[str, str]] = {
    "sqlite": {"bytes": "BLOB", "whole": "BIGINT", "real": "DOUBLE", "clustered": " WITHOUT ROWID"},
    "postgresql": {"bytes": "BYTEA", "whole": "BIGINT", "real": "DOUBLE PRECISION", "clustered": ""},
}
