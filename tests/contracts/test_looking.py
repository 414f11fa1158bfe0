"""Who only looks makes nothing, waits for nobody, and can have what is damaged dropped."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from contracts import stored
from contracts.conftest import opened
from contracts.test_store_runs import HOLD
from daybreak.cli import main
from daybreak.cli.doctor import _damages
from daybreak.store import Damage, Holder, schema
from daybreak.store.database import NEWEST, migrate
from daybreak.store.migrations import MIGRATIONS
from daybreak.store.read_only import looked_at, place_of

if TYPE_CHECKING:
    from daybreak.store.sql import SqlStore

WRITTEN = ["2026-01-19"]


def tables(address: str, base: Path) -> list[str]:
    if address.startswith("sqlite"):
        return [str(path) for path in base.rglob("*.db*")]
    import psycopg

    with psycopg.connect(address) as connection:
        return [row[0] for row in connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")]


def test_a_store_that_is_not_there_is_not_made(address: str, tmp_path: Path) -> None:
    for _ in range(2):
        with looked_at(address, tmp_path) as store:
            assert store is None
    assert tables(address, tmp_path) == []
    assert not (tmp_path / "state").exists()


def test_an_empty_file_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "x.db").touch()
    with looked_at("sqlite:///x.db", tmp_path) as store:
        assert store is None
    assert (tmp_path / "x.db").stat().st_size == 0


def test_looking_says_what_the_store_says(store: SqlStore, address: str, tmp_path: Path) -> None:
    stored.fill(store)
    with looked_at(address, tmp_path) as seen:
        assert seen is not None
        assert seen.labels() == store.labels()
        assert seen.shown == place_of(address, tmp_path) == store._database.shown
        assert seen.size() > 10_000
        assert {name: seen.rows()[name] for name in ("reports", "runs", "steps", "costs")} == {
            "reports": 1,
            "runs": 1,
            "steps": 2,
            "costs": 1,
        }
        assert seen.drop_damaged(WRITTEN) == 0
        assert list(seen.verify()) == []


def test_looking_waits_for_nobody_and_nobody_waits_for_it(store: SqlStore, address: str, tmp_path: Path) -> None:
    import subprocess
    import sys

    command = [sys.executable, "-c", HOLD, address, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "held\n"
        with looked_at(address, tmp_path) as seen:
            assert seen is not None
            holder = seen.holder()
            assert holder is not None
            assert holder.pid == first.pid
            assert seen.labels() == []
        first.communicate()
    with looked_at(address, tmp_path) as seen, store.hold():
        assert seen is not None
        stored.fill(store)
        assert seen.labels() == WRITTEN


def test_a_store_of_an_older_program_is_brought_up_to_date(address: str, tmp_path: Path) -> None:
    with closing(opened(address, tmp_path)) as store:
        clock = store._database.clock()
        with store._database.write() as connection:
            for name in schema.TABLES:
                connection.change(f"DROP TABLE {name}")
            migrate(connection, 0, clock, 1)
    with looked_at(address, tmp_path) as seen:
        assert seen is not None
        assert seen.costs() == []
    with closing(opened(address, tmp_path)) as store, store._database.read() as connection:
        assert connection.value("SELECT max(number) FROM schema_versions") == len(MIGRATIONS)
        assert "costs" in connection.tables()


# --- damage ----------------------------------------------------------------------------------------------------------


def damaged(store: SqlStore) -> list[str]:
    return sorted({damage.table for damage in store.verify()})


def test_what_is_damaged_is_dropped_and_can_be_written_again(store: SqlStore, address: str, tmp_path: Path) -> None:
    stored.fill(store)
    with store._database.write() as connection:
        for table, values in (
            (schema.reports, {"digest": "x"}),
            (schema.runs, {"command": "x"}),
            (schema.steps, {"reason": "x"}),
            (schema.costs, {"unit": "x"}),
            (schema.answers, {"version": "x"}),
            (schema.model_answers, {"question": "x"}),
            (schema.receipts, {"reason": "x"}),
        ):
            stored.set_all(connection, table, **values)
    assert damaged(store) == sorted(table.name for table in schema.HASHED)
    with looked_at(address, tmp_path) as seen:
        assert seen is not None
        assert seen.drop_damaged(WRITTEN) > 6
        assert list(seen.verify()) == []
    stored.fill(store)
    assert list(store.verify()) == []
    assert store.report_data("2026-01-19") == stored.day_data()


def test_a_sound_neighbour_is_not_dropped(store: SqlStore, address: str, tmp_path: Path) -> None:
    stored.fill(store)
    store.answers.put(stored.many(100, 700))
    with store._database.write() as connection:
        connection.change("UPDATE answers SET version = 'x' WHERE id = '300'")
    with looked_at(address, tmp_path) as seen:
        assert seen is not None
        assert seen.drop_damaged(WRITTEN) == 1
    assert stored.known(store) == 599
    store.answers.put(stored.many(300, 301))
    assert stored.known(store) == 600
    assert list(store.verify()) == []


@pytest.mark.parametrize(("written", "left"), [(WRITTEN, []), ([], ["reports"]), (["2026-01-18"], ["reports"])])
def test_a_report_is_dropped_only_when_a_file_has_it(
    store: SqlStore, address: str, tmp_path: Path, written: list[str], left: list[str]
) -> None:
    stored.fill(store)
    with store._database.write() as connection:
        stored.set_all(connection, schema.reports, made_at="x")
    with looked_at(address, tmp_path) as seen:
        assert seen is not None
        seen.drop_damaged(written)
    assert damaged(store) == left


# --- the commands ----------------------------------------------------------------------------------------------------


def test_status_and_doctor_on_both_databases(
    store: SqlStore,
    address: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def ask(*arguments: str) -> tuple[int, str]:
        capsys.readouterr()
        code = main([*arguments, "--config", str(tmp_path / "daybreak.toml")])
        return code, "".join(capsys.readouterr())

    (tmp_path / "daybreak.toml").write_text("[[repo]]\nname = 'acme/engine'\n")
    monkeypatch.setenv("DAYBREAK_STORE", address)
    monkeypatch.setenv("DAYBREAK_NOW", "2026-01-20T09:00:00+08:00")
    stored.fill(store)
    kind = "SQLite" if address.startswith("sqlite") else "PostgreSQL"
    shown = "state/daybreak.db" if kind == "SQLite" else place_of(address, tmp_path)
    code, said = ask("status")
    assert (code, said.startswith(f"Store      {kind}, schema {NEWEST}, ")) == (3, True)
    assert f": {shown}\n" in said
    assert "acme/lost: the repository does not answer" in said
    assert ask("doctor", "--store")[0] == 0
    assert f"ok   store: {kind}, schema {NEWEST}, " in ask("doctor", "--offline")[1]
    with store._database.write() as connection:
        stored.set_all(connection, schema.steps, reason="x")
    code, said = ask("doctor", "--store")
    assert (code, said.count("FAIL steps ")) == (3, 2)
    assert ask("doctor", "--store", "--mend")[0] == 0
    assert ask("doctor", "--store")[0] == 0


class Busy:
    """A store in which a run replaces a row while it is looked at: once it is not where it was."""

    def __init__(self, held: bool) -> None:
        self._held, self._looks = held, 0

    def verify(self) -> list[Damage]:
        self._looks += 1
        real = Damage("runs", "a/b 2", "it cannot be read")
        return [Damage("steps", "1 1", "it cannot be read"), real] if self._looks == 1 else [real]

    def holder(self) -> Holder | None:
        return Holder("here", 7, datetime(2026, 1, 1, tzinfo=UTC)) if self._held else None


@pytest.mark.parametrize(("held", "tables"), [(True, ["runs"]), (False, ["steps", "runs"])])
def test_a_row_that_a_run_replaces_meanwhile_is_no_damage(held: bool, tables: list[str]) -> None:
    assert [damage.table for damage in _damages(Busy(held))] == tables  # type: ignore[arg-type]
