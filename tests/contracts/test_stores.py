"""What every store promises, on SQLite and on a real PostgreSQL."""

from __future__ import annotations

import threading
from datetime import date, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts import stored
from contracts.conftest import SetClock, opened
from daybreak.store import Cost
from daybreak.store.report_files import ReportFiles

if TYPE_CHECKING:
    from pathlib import Path

    from daybreak.store.sql import SqlStore

SAME_STORE = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


# --- any text ------------------------------------------------------------------------------------------------------------


@SAME_STORE
@given(st.text(), st.text(), st.text())
def test_any_text_can_be_stored_and_verified(store: SqlStore, repo: str, inputs: str, reason: str) -> None:
    """Half characters and NULs, which no database takes, are replaced; all else comes back as it was."""
    with store.run(inputs, repo) as run:
        stored.record(store, run, repo, inputs=inputs, reason=reason)
    (found,) = store.steps(run.id)
    if not any(c == "\0" or "\ud800" <= c <= "\udfff" for c in repo + inputs + reason):
        assert (found.repo, found.inputs, found.reason) == (repo, inputs, reason)
    assert list(store.verify()) == []


# --- reports and memory ----------------------------------------------------------------------------------------------


def test_memory_in_the_store_says_what_the_written_files_say(store: SqlStore, tmp_path: Path) -> None:
    labels = ["2026-01-17", "2026-01-19", "2026-01-20"]
    (tmp_path / "reports").mkdir()
    for label in labels:
        data = stored.day_data(label)
        store.put_report(data)
        (tmp_path / "reports" / f"{label}.json").write_bytes(data)
    files = ReportFiles(tmp_path)
    said = stored.answers(files, labels)
    assert sum(record is not None for record in said) > 20
    assert stored.answers(store, labels) == said
    for memory in (files, store):
        assert memory.labels() == labels
        assert memory.repositories("2026-01-19") == ["acme/engine", "acme/quiet", "acme/lost"]
        assert memory.repositories("2026-01-18") == []


def test_a_report_is_kept_to_the_byte_and_replaced_by_a_newer_one(store: SqlStore) -> None:
    data = stored.day_data()
    store.put_report(data)
    assert store.report_data("2026-01-19") == data
    assert store.report_digests() == {"2026-01-19": sha256(data).hexdigest()}
    assert store.day("2026-01-19", "acme/quiet") is not None
    newer = data.replace(b"acme/quiet", b"acme/other")
    store.put_report(newer)
    assert store.day("2026-01-19", "acme/quiet") is None
    assert store.report_digest("2026-01-19") == sha256(newer).hexdigest()
    assert store.labels() == ["2026-01-19"]
    assert list(store.verify()) == []
    assert (store.report_data("2026-01-18"), store.report_digest("2026-01-18")) == (None, None)


def test_the_same_report_again_writes_nothing(store: SqlStore) -> None:
    stored.fill(store)
    before = everything(store)
    store.put_report(stored.day_data())
    assert everything(store) == before


# --- runs ------------------------------------------------------------------------------------------------------------


def test_steps_are_told_as_they_ended_and_so_is_a_run_that_failed(store: SqlStore) -> None:
    def failing() -> None:
        with store.run("run", "1.0") as run:
            stored.record(store, run, "a/b", outcome="skipped", reason="it does not answer")
            stored.record(store, run, "a/c", outcome="failed", reason="ValueError")
            raise ValueError("secret words")

    with pytest.raises(ValueError):
        failing()
    assert [(s.repo, s.outcome, s.reason) for s in store.steps(1)] == [
        ("a/b", "skipped", "it does not answer"),
        ("a/c", "failed", "ValueError"),
    ]
    ended = store.runs()[0]
    assert (ended.outcome, ended.reason) == ("failed", "ValueError")


def test_a_run_is_seen_while_it_runs(store: SqlStore) -> None:
    with store.run("run", "1.0") as run:
        assert [(r.id, r.ended_at) for r in store.runs()] == [(run.id, None)]
    assert store.runs()[0].outcome == "done"


def test_costs_add_up_by_run(store: SqlStore) -> None:
    for number in (1, 2, 2):
        store.add_cost(Cost(number, "tokens", "count", 10.0))
    assert len(store.costs()) == 3
    assert sum(cost.amount for cost in store.costs(2)) == 20.0


def test_a_clock_that_jumps_back_changes_no_order(store: SqlStore, clock: SetClock) -> None:
    with store.run("first", "1.0") as first:
        stored.record(store, first, "a/b", output=b"1")
        clock.now -= timedelta(days=400)
    with store.run("second", "1.0") as second:
        stored.record(store, second, "a/b", output=b"2")
    runs = store.runs()
    assert [run.command for run in runs] == ["second", "first"]
    assert all(run.ended_at and run.ended_at >= run.started_at for run in runs)
    assert all(run.seconds is not None and run.seconds >= 0 for run in runs)
    assert store.outputs("2026-01-19", "collect") == {"a/b": ("inputs-1", b"2")}


def test_several_threads_write_in_turn(store: SqlStore) -> None:
    with store.run("run", "1.0") as run:

        def work(number: int) -> None:
            for piece in range(5):
                store.answers.put(stored.many(number * 10 + piece, number * 10 + piece + 1))
                stored.record(store, run, f"a/{number}", inputs=f"{number}-{piece}")

        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(step.id for step in store.steps(run.id)) == list(range(1, 31))
    assert stored.known(store) == 30
    assert list(store.verify()) == []


def test_two_stores_on_one_database_see_each_other(store: SqlStore, address: str, tmp_path: Path) -> None:
    other = opened(address, tmp_path)
    stored.fill(store)
    assert other.labels() == ["2026-01-19"]
    assert other.day("2026-01-19", "acme/engine") == store.day("2026-01-19", "acme/engine")
    with other.run("beside", "1.0") as beside, store.run("run", "1.0") as run:
        assert run.id == beside.id + 1
    other.close()


# --- care ------------------------------------------------------------------------------------------------------------


def test_forgetting_drops_runs_and_keeps_every_report(store: SqlStore, clock: SetClock) -> None:
    stored.fill(store)
    clock.now += timedelta(days=100)
    with store.run("later", "1.0") as run:
        stored.record(store, run, "a/b", label="2025-06-01", inputs="a back-fill")
    assert store.forget(date(2026, 2, 1)) == 3
    assert (store.steps(1), [step.inputs for step in store.steps(run.id)]) == ([], ["a back-fill"])
    assert [r.command for r in store.runs()] == ["later"]
    assert store.report_data("2026-01-19") == stored.day_data()
    assert store.forget(date(2026, 2, 1)) == 0
    assert list(store.verify()) == []
    store.forget(date(2027, 1, 1))
    with store.run("newest", "1.0") as newest:
        assert newest.id == run.id + 1


def everything(store: SqlStore) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table."""
    from daybreak.store.schema import TABLES

    with store._database.read() as connection:
        return {
            name: sorted(connection.rows(table.rows), key=repr)
            for name, table in TABLES.items()
            if name not in ("holders", "runs", "steps", "costs")
        }
