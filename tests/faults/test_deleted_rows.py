"""Rows deleted from any table of the store: told by the next run and by who looks, and the pages are those of before."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import program
from daybreak.store import Cost, schema
from faults.test_flips import DAY, STORE, pages, searched

EARLIER = "2026-03-05"
SEALED = [table.name for table in schema.HASHED]
DERIVED = ["search_days", "search_documents"]


@pytest.fixture(scope="module")
def reported(demo_week: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two reported days, with their answers and messages as far as a demo has them."""
    folder = tmp_path_factory.mktemp("reported")
    names = ("lantern", "tilekit")
    rows = "".join(f'[[repo]]\nname = "demo/{n}"\ngit = "file://{demo_week / "upstreams" / n}.git"\n' for n in names)
    (folder / "daybreak.toml").write_text(f'timezone = "Asia/Shanghai"\n{rows}', encoding="utf-8")
    assert program.run("run", "--since", EARLIER, "--until", "2026-03-07", cwd=folder).returncode == 0
    from contracts import stored
    from contracts.conftest import opened

    with closing(opened("sqlite:///.daybreak/daybreak.db", folder)) as store:
        store.answers.put([stored.answer()])
        with store.run("run", "1.0") as run:
            store.add_cost(Cost(run.id, "tokens", "count", 12.5))
        store.model_answers.put("key-1", b"{}")
        store.receipts.plan("0123456789abcdef", "feishu", "report", DAY, "", None)
    searched(folder)
    return folder


@pytest.fixture
def folder(reported: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(reported, tmp_path / "copy"))


def delete(folder: Path, sql: str) -> int:
    with closing(sqlite3.connect(folder / STORE)) as connection:
        gone = connection.execute(sql).rowcount
        connection.commit()
    return gone


def test_every_table_of_the_store_has_its_case() -> None:
    assert set(schema.TABLES) == {*SEALED, *DERIVED, "seals", "schema_versions", "holders"}


@pytest.mark.parametrize("table", [*SEALED, "seals"])
def test_rows_that_are_gone_are_told_by_the_next_run_and_its_pages_are_the_same(folder: Path, table: str) -> None:
    before = pages(folder)
    assert delete(folder, f"DELETE FROM {table}")
    run = program.run("run", "--date", DAY, "--force", cwd=folder)
    assert run.returncode == 3
    assert "The store has lost something: " + (table if table != "seals" else "reports") in run.stderr
    assert pages(folder) == before
    assert program.run("doctor", "--store", cwd=folder).returncode == 0
    again = program.run("run", "--date", DAY, "--force", cwd=folder)
    assert (again.returncode, "has lost" in again.stderr, pages(folder) == before) == (0, False, True)


def test_a_report_that_is_gone_is_missed_by_whoever_shows_reports_and_is_there_again_after_a_run(folder: Path) -> None:
    found = searched(folder)
    assert delete(folder, f"DELETE FROM reports WHERE label = '{EARLIER}'") == 1
    for command in (("site",), ("search", "in:change"), ("status",)):
        told = program.run(*command, cwd=folder)
        assert told.returncode in (1, 3), command
        assert "1 of 2 rows that were written is gone" in " ".join((told.stdout + told.stderr).split()), command
    assert not (folder / "site").exists()
    assert program.run("run", "--date", DAY, "--force", cwd=folder).returncode == 3
    assert searched(folder) == found


def test_what_is_left_counts_once_the_doctor_mended(folder: Path) -> None:
    assert delete(folder, "DELETE FROM answers") == 1
    told = program.run("doctor", "--store", cwd=folder)
    assert told.returncode == 3
    assert (
        "FAIL answers as a whole: 1 of 1 rows that were written is gone — `daybreak doctor --store --mend`"
        in told.stdout
    )
    mended = program.run("doctor", "--store", "--mend", cwd=folder)
    assert (mended.returncode, "is gone, what is left counts; " in mended.stdout) == (0, True)
    assert program.run("doctor", "--store", cwd=folder).returncode == 0


@pytest.mark.parametrize("table", DERIVED)
def test_rows_of_the_search_index_that_are_gone_are_made_again(folder: Path, table: str) -> None:
    found = searched(folder)
    assert delete(folder, f"DELETE FROM {table} WHERE label <> ''")
    assert searched(folder) in (found, "told 1")
    program.run("doctor", "--store", "--mend", cwd=folder)
    assert searched(folder) == found


def test_a_store_without_its_numbers_is_told_as_damaged(folder: Path) -> None:
    delete(folder, "DELETE FROM schema_versions")
    for command in (("run", "--date", DAY, "--force"), ("search", "in:change"), ("site",)):
        told = program.run(*command, cwd=folder)
        assert (told.returncode, "is damaged" in told.stderr) == (1, True), command
