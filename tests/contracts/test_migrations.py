"""A store of the first schema opens with the newest program and keeps every report; one of a newer program does not."""

from __future__ import annotations

import hashlib
import threading
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from contracts import stored
from contracts.conftest import opened
from daybreak.core.errors import DaybreakError
from daybreak.store import schema
from daybreak.store.database import NEWEST, Database, StoreError, StoreTooNew, migrate
from daybreak.store.migrations import MIGRATIONS

if TYPE_CHECKING:
    from pathlib import Path

    from contracts.conftest import SetClock
    from daybreak.store.sql import SqlStore

FIRST_ROWS: dict[str, list[tuple[Any, ...]]] = {
    "changes": [
        (
            *("CHANGE", "acme/engine", "5" * 40, "Ada L.", 1768800000, 1768800001, "Fix it (#7)", "Why.", 7, None),
            *("4" * 40, '[["Signed-off-by","A <a@b>"]]', "", 1, 2, 3, 0, 0),
        ),
    ],
    "files": [
        (*("CHANGE", 0, "engine/core.py", "R", "core.py", "100644", "100755", "1" * 40, "2" * 40, None, 0, 0, 2, 3),),
    ],
    "repositories": [("REPOSITORY", "acme/engine", "https://example.org/engine", "https://example.org/engine.git")],
    "reports": [
        (
            *("REPORT", "2026-01-19", "2026-01-18T16:00:00+00:00", "2026-01-19T16:00:00+00:00", "Asia/Shanghai", 0),
            *("0.1", '["zh","en"]', "2026-01-20T00:00:00+00:00", "{}", b"PACKED"),
        )
    ],
    "verdicts": [("REPORT", 0, "", "kept", 4), ("REPORT", 1, "acme/engine", "kept", 3)],
    "statements": [
        ("REPORT", 0, "acme/engine", "5" * 40, "entry", "what", None, "rules", '{"en":"It is fixed."}', "[]"),
    ],
    "runs": [("RUN", 1, "host", 2, "run", "0.1", "2026-01-20T00:00:00+00:00", None, None, None, None)],
}
"""What the first release would have written; hashes are put in by the test, from numbers written down below."""

FIRST_HASHES = {
    "CHANGE": "6c46d91f0598611f5f1719239ad4258d42d0f2e3ed3b9904351078da31e3b7e2",
    "REPOSITORY": "00",
    "RUN": "73e832cc238b2c8f6ed9fd7e682445c8e09d2d80e6bb09efeaa4de617932571d",
}


def first_store(database: Database) -> bytes:
    """A store as the first release left it, with data in it; the report's JSON."""
    import zlib

    data = stored.day_report()[1]
    packed = zlib.compress(data, 6)
    hashes = {name: bytes.fromhex(digits) for name, digits in FIRST_HASHES.items()}

    def real(value: Any) -> Any:
        if value == b"PACKED":
            return packed
        return hashes.get(value, value) if isinstance(value, str) else value

    hashes["REPORT"] = _report_hash(packed)
    with database.write() as connection:
        migrate(connection, 0, database.clock(), until=1)
        for name, rows in FIRST_ROWS.items():
            marks = ", ".join("?" * len(rows[0]))
            connection.change_many(f"INSERT INTO {name} VALUES ({marks})", [tuple(map(real, row)) for row in rows])
    return data


def _report_hash(packed: bytes) -> bytes:
    """Compressed bytes may differ between versions of zlib, so this hash cannot be written down."""
    values = [packed if value == b"PACKED" else value for value in FIRST_ROWS["reports"][0][1:]]
    below: list[list[Any]] = [[], [list(row[2:]) for row in FIRST_ROWS["statements"]]]
    below.append([list(row[2:]) for row in FIRST_ROWS["verdicts"]])
    return hashlib.sha256(msgspec.msgpack.encode(["reports", values, below])).digest()


def raw(address: str, base: Path) -> Database:
    """A connection without any schema."""
    if address.startswith("sqlite"):
        from daybreak.store import sqlite

        path = sqlite.path_of(address, base)
        path.parent.mkdir(parents=True, exist_ok=True)
        return Database(sqlite.dialect_of(path))
    from daybreak.store import postgres

    return Database(postgres.dialect_of(postgres.address_of(address)))


def test_the_first_schema_with_data_opens_and_keeps_every_report_and_run(address: str, tmp_path: Path) -> None:
    database = raw(address, tmp_path)
    data = first_store(database)
    database.close()
    store = opened(address, tmp_path)
    assert store.report_data("2026-01-19") == data
    assert store.day("2026-01-19", "acme/engine") is not None
    assert store.report_digests() == {"2026-01-19": hashlib.sha256(data).hexdigest()}
    assert [(run.id, run.ended_at) for run in store.runs()] == [(1, None)]
    assert list(store.verify()) == []
    stored.fill(store)
    assert list(store.verify()) == []
    store.close()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE reports SET timezone = 'x'",
        "UPDATE statements SET text = 'x'",
        "DELETE FROM verdicts WHERE number = 0",
        "DELETE FROM verdicts WHERE number = 1",
    ],
)
def test_a_report_that_was_damaged_before_is_still_told_as_damaged(address: str, tmp_path: Path, damage: str) -> None:
    database = raw(address, tmp_path)
    data = first_store(database)
    with database.write() as connection:
        connection.change(damage)
    database.close()
    store = opened(address, tmp_path)
    assert [one.table for one in store.verify()] == ["reports"]
    store.put_report(data)  # as the next run takes it in from its file
    assert list(store.verify()) == []
    store.close()


def test_a_report_that_cannot_be_read_any_more_is_left_to_its_file(tmp_path: Path) -> None:
    database = raw("sqlite:///state/daybreak.db", tmp_path)
    first_store(database)
    with database.write() as connection:
        connection.change("UPDATE reports SET version = CAST(x'fffe' AS TEXT)")
    database.close()
    store = opened("sqlite:///state/daybreak.db", tmp_path)
    assert (store.labels(), list(store.verify())) == ([], [])
    assert [run.id for run in store.runs()] == [1]
    store.close()


COLUMNS = {
    "sqlite": "SELECT name FROM pragma_table_info(?) ORDER BY cid",
    "postgresql": "SELECT column_name FROM information_schema.columns WHERE table_schema = current_schema()"
    " AND table_name = ? ORDER BY ordinal_position",
}


def test_migrations_lead_to_the_schema_that_the_program_uses(store: SqlStore) -> None:
    with store._database.read() as connection:
        assert connection.tables() == set(schema.TABLES)
        for name, table in schema.TABLES.items():
            assert tuple(connection.column(COLUMNS[connection.dialect.kind], (name,))) == table.columns


def test_a_store_of_a_newer_program_is_refused_in_one_sentence(store: SqlStore, address: str, tmp_path: Path) -> None:
    with store._database.write() as connection:
        connection.change(schema.schema_versions.insert, (NEWEST + 3, "Something new.", "2030-01-01"))
    with pytest.raises(StoreTooNew, match=f"schema {NEWEST + 3}, and this one knows {NEWEST}") as caught:
        opened(address, tmp_path)
    assert caught.value.tip


def test_a_database_of_something_else_is_left_alone(tmp_path: Path) -> None:
    database = raw("sqlite:///other.db", tmp_path)
    with database.write() as connection:
        connection.change("CREATE TABLE bookmarks (url TEXT)")
    database.close()
    with pytest.raises(StoreError, match="something else"):
        opened("sqlite:///other.db", tmp_path)


def test_a_migration_that_is_cut_short_leaves_the_old_schema(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: SetClock
) -> None:
    database = raw(address, tmp_path)
    first_store(database)
    broken = MIGRATIONS[1]._replace(statements=(*MIGRATIONS[1].statements, "CREATE NONSENSE"))
    with monkeypatch.context() as patched:
        patched.setattr("daybreak.store.database.MIGRATIONS", (MIGRATIONS[0], broken))
        with pytest.raises(DaybreakError):
            opened(address, tmp_path)
    with database.read() as connection:
        assert "items" not in connection.tables()
    database.close()
    store = opened(address, tmp_path)
    assert list(store.verify()) == []
    store.close()


def test_two_programs_that_open_a_new_store_at_once_make_it_once(address: str, tmp_path: Path) -> None:
    failures: list[BaseException] = []

    def open_it() -> None:
        try:
            opened(address, tmp_path).close()
        except BaseException as error:  # noqa: BLE001  told by the test
            failures.append(error)

    threads = [threading.Thread(target=open_it) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_released_migrations_are_sentences_and_never_change() -> None:
    assert all(migration.sentence.endswith(".") for migration in MIGRATIONS)
    digests = [hashlib.sha256("\n".join(m.statements).encode()).hexdigest()[:12] for m in MIGRATIONS]
    assert digests[: len(RELEASED)] == RELEASED


RELEASED = [
    "f60a6b56b00a",
    "fbc1545dae5a",
    "f12c6e658fca",
    "a45a045e7b07",
    "38d7b3fa3268",
    "8466a7c9dad1",
    "50601b45a24a",
]
"""Beginnings of the hashes of migrations that users' stores have met: add to these, never change them."""
