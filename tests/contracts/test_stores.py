"""What every store promises, on SQLite and on a real PostgreSQL."""

from __future__ import annotations

import threading
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from contracts import stored
from contracts.conftest import SetClock, opened
from daybreak.core.model.changes import Collected, Window
from daybreak.core.model.report import RepoReport
from daybreak.store.interface import Cost
from daybreak.store.report_files import ReportFiles
from render import factory

if TYPE_CHECKING:
    from pathlib import Path

    from daybreak.store.sql import SqlStore

SAME_STORE = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


# --- facts ---------------------------------------------------------------------------------------------------------


def test_what_was_collected_comes_back_but_for_the_patches(store: SqlStore) -> None:
    window, given = factory.window(), stored.collected()
    assert store.collected(window, given.repo) is None
    store.put_collected(window, given)
    found = store.collected(window, given.repo)
    assert found == given
    assert found is not None
    assert found.skipped[0].tip == "wait"
    assert found.changes[0].committed_at.utcoffset() == timedelta(hours=8)
    assert store.collected(factory.window("2026-01-20"), given.repo) is None


def test_patches_are_left_to_the_mirror(store: SqlStore) -> None:
    whole = replace(stored.collected(), changes=(factory.change(1),))
    store.put_collected(factory.window(), whole)
    found = store.collected(factory.window(), whole.repo)
    assert found is not None
    assert (whole.changes[0].files[0].patch, found.changes[0].files[0].patch) == (factory.PATCH, "")


def test_collecting_the_same_again_writes_nothing(store: SqlStore) -> None:
    for _ in range(2):
        stored.fill(store)
    before = everything(store)
    store.put_collected(factory.window(), stored.collected())
    store.put_readings("acme/engine", stored.readings())
    store.put_report(*stored.day_report())
    assert everything(store) == before


def test_a_commit_that_could_be_read_at_last_takes_the_place_of_the_unread_one(store: SqlStore) -> None:
    unread = replace(stored.bare(factory.change(1)), files=(), skipped="missing")
    store.put_collected(factory.window(), replace(stored.collected(), changes=(unread,), late=()))
    read = stored.bare(factory.change(1))
    store.put_collected(factory.window(), replace(stored.collected(), changes=(read,), late=()))
    found = store.collected(factory.window(), factory.repo())
    assert found is not None
    assert found.changes == (read,)
    assert list(store.verify()) == []


def test_a_history_adds_what_is_new_and_never_takes_anything_away(store: SqlStore) -> None:
    known = stored.bare(factory.change(1, "as collected", filtered=True))
    store.put_collected(factory.window(), replace(stored.collected(), changes=(known,), late=()))
    history = [stored.bare(factory.change(number)) for number in range(1, 30)]
    assert store.put_changes(iter(history)) == 28
    assert store.put_changes(iter(history)) == 0
    assert store.put_changes([history[0], stored.bare(factory.change(40)), stored.bare(factory.change(40))]) == 1
    found = list(store.changes("acme/engine", factory.DAY, factory.DAY + timedelta(days=1)))
    assert found[0] == known
    assert found[1:-1] == history[1:]
    assert list(store.verify()) == []


def test_changes_are_found_by_their_time_newest_first(store: SqlStore) -> None:
    store.put_changes([stored.bare(factory.change(number)) for number in (3, 1, 2)])
    noon = factory.DAY + timedelta(hours=20)
    found = list(store.changes("acme/engine", noon - timedelta(minutes=2), noon))
    assert [change.sha for change in found] == [factory.sha(1), factory.sha(2)]
    assert list(store.changes("acme/other", factory.DAY, noon)) == []


def test_many_changes_go_in_and_out_in_pieces(store: SqlStore) -> None:
    history = [stored.bare(factory.change(number)) for number in range(1, 2502)]
    assert store.put_changes(iter(history)) == 2501
    since = datetime(2020, 1, 1, tzinfo=UTC)
    assert sum(1 for _ in store.changes("acme/engine", since, datetime(2030, 1, 1, tzinfo=UTC))) == 2501


def test_readings_come_back_with_their_findings(store: SqlStore) -> None:
    readings = stored.readings()
    store.put_readings("acme/engine", readings)
    found = store.readings("acme/engine", [reading.sha for reading in readings])
    assert found == {reading.sha: reading for reading in readings}
    better = replace(readings[0], findings=(), omitted=3)
    store.put_readings("acme/engine", [better])
    assert store.readings("acme/engine", [better.sha]) == {better.sha: better}
    assert store.readings("acme/other", [better.sha]) == {}


@SAME_STORE
@given(st.text(), st.text(), st.lists(st.tuples(st.text(), st.text()), max_size=3), st.text(min_size=1))
def test_any_text_can_be_stored_and_verified(
    store: SqlStore, subject: str, body: str, trailers: list[tuple[str, str]], path: str
) -> None:
    """Half characters and NULs, which no database takes, are replaced; all else comes back as it was."""
    path = path.replace("\0", "")
    files = (replace(factory.file(path, patch=""), old_path=subject.replace("\0", "")),)
    change = factory.change(5, subject, body=body, trailers=tuple(trailers), files=files)
    store.put_collected(factory.window(), replace(stored.collected(), changes=(change,), late=()))
    found = store.collected(factory.window(), factory.repo())
    assert found is not None
    plain = not any(c == "\0" or "\ud800" <= c <= "\udfff" for c in subject + body + path + str(trailers))
    nul_in_trailers = any("\0" in part for pair in trailers for part in pair)
    if plain and not nul_in_trailers:
        assert found.changes == (change,)
    assert list(store.verify()) == []


def test_addresses_are_stored_without_their_secrets(store: SqlStore) -> None:
    secret = replace(factory.repo(), git="https://me:hunter2@example.org/x.git", url="https://me:hunter2@example.org/x")
    store.put_collected(factory.window(), Collected(secret))
    assert "hunter2" not in repr(everything(store))


# --- reports and memory ----------------------------------------------------------------------------------------------


def test_memory_in_the_store_says_what_the_written_files_say(store: SqlStore, tmp_path: Path) -> None:
    labels = ["2026-01-17", "2026-01-19", "2026-01-20"]
    (tmp_path / "reports").mkdir()
    for label in labels:
        report, data, pages = stored.day_report(label)
        store.put_report(report, data, pages)
        (tmp_path / "reports" / f"{label}.json").write_bytes(data)
    files = ReportFiles(tmp_path)
    said = stored.answers(files, labels)
    assert sum(record is not None for record in said) > 20
    assert stored.answers(store, labels) == said
    for memory in (files, store):
        assert memory.labels() == labels
        assert [memory.whole(label) for label in labels] == [False] * 3
        assert memory.repositories("2026-01-19") == ["acme/engine", "acme/quiet", "acme/lost"]
        assert memory.repositories("2026-01-18") == []
        assert memory.main_language() == "zh"


def test_a_day_with_nothing_skipped_is_whole(store: SqlStore) -> None:
    quiet = replace(factory.report(factory.quiet()), summary=(), actions=())
    store.put_report(quiet, stored.data_of(quiet), ())
    assert store.whole("2026-01-19")
    assert store.main_language() == "zh"


def test_a_report_is_kept_to_the_byte_and_replaced_by_a_newer_one(store: SqlStore) -> None:
    report, data, pages = stored.day_report()
    store.put_report(report, data, pages)
    assert store.report_data("2026-01-19") == data
    assert set(store.report_pages("2026-01-19")) == {page.path for page in pages}
    assert store.day("2026-01-19", "acme/quiet") is not None
    quiet = replace(report, repos=report.repos[:1])
    store.put_report(quiet, data.replace(b"acme/quiet", b"acme/other"), pages[:1])
    assert store.day("2026-01-19", "acme/quiet") is None
    assert (store.labels(), len(store.report_pages("2026-01-19"))) == (["2026-01-19"], 1)
    assert list(store.verify()) == []
    assert (store.report_data("2026-01-18"), store.report_pages("2026-01-18"), store.whole("2026-01-18")) == (
        None,
        {},
        False,
    )


# --- runs ------------------------------------------------------------------------------------------------------------


def test_a_step_that_was_done_is_known_with_what_it_kept(store: SqlStore) -> None:
    part = factory.busy()
    with store.run("run", "1.0") as run, store.step(run, "acme/engine", "2026-01-19", "analyse", "abc") as step:
        step.keep(part)
    found = store.done("abc")
    assert found is not None
    assert (found.run, found.repo, found.label, found.stage) == (run.id, "acme/engine", "2026-01-19", "analyse")
    assert store.kept(found, RepoReport) == part
    assert store.kept(found, Window) is None
    assert store.done("other") is None


def test_what_failed_or_was_skipped_is_not_done(store: SqlStore) -> None:
    def failing() -> None:
        with store.run("run", "1.0") as run:
            with store.step(run, "a/b", "2026-01-19", "collect", "one") as step:
                step.skip("it does not answer")
            with store.step(run, "a/c", "2026-01-19", "collect", "two"):
                raise ValueError("secret words")

    with pytest.raises(ValueError):
        failing()
    assert (store.done("one"), store.done("two")) == (None, None)
    assert [(s.outcome, s.reason) for s in store.steps(1)] == [
        ("skipped", "it does not answer"),
        ("failed", "ValueError"),
    ]
    ended = store.runs()[0]
    assert (ended.outcome, ended.reason) == ("failed", "ValueError")
    with store.run("run", "1.0") as again, store.step(again, "a/c", "2026-01-19", "collect", "two"):
        pass
    assert store.done("two") is not None


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
    with store.run("first", "1.0") as first, store.step(first, "a/b", "2026-01-19", "collect", "same") as step:
        step.keep(1)
        clock.now -= timedelta(days=400)
    with store.run("second", "1.0") as second, store.step(second, "a/b", "2026-01-19", "collect", "same") as step:
        step.keep(2)
    runs = store.runs()
    assert [run.command for run in runs] == ["second", "first"]
    assert all(run.ended_at and run.ended_at >= run.started_at for run in runs)
    assert all(run.seconds is not None and run.seconds >= 0 for run in runs)
    newest = store.done("same")
    assert newest is not None
    assert store.kept(newest, int) == 2


def test_several_threads_write_in_turn(store: SqlStore) -> None:
    with store.run("run", "1.0") as run:

        def work(number: int) -> None:
            for piece in range(5):
                with store.step(run, f"a/{number}", "2026-01-19", "read", f"{number}-{piece}"):
                    store.put_changes([stored.bare(factory.change(number * 10 + piece))])

        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(step.id for step in store.steps(run.id)) == list(range(1, 31))
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


def test_forgetting_drops_what_is_raw_and_keeps_every_report(store: SqlStore, clock: SetClock) -> None:
    stored.fill(store)
    clock.now += timedelta(days=100)
    with store.run("later", "1.0") as run, store.step(run, "a/b", "2025-06-01", "collect", "a back-fill"):
        pass
    assert store.forget(date(2026, 2, 1)) == 4
    assert store.collected(factory.window(), factory.repo()) is None
    assert (store.done("inputs-1"), store.done("a back-fill") is not None) == (None, True)
    assert [r.command for r in store.runs()] == ["later"]
    assert store.report_data("2026-01-19") == stored.day_report()[1]
    assert (
        len(list(store.changes("acme/engine", factory.DAY - timedelta(days=9), factory.DAY + timedelta(days=1)))) == 9
    )
    assert store.forget(date(2026, 2, 1)) == 0
    assert list(store.verify()) == []
    store.forget(date(2027, 1, 1))
    with store.run("newest", "1.0") as newest:
        assert newest.id == run.id + 1


def everything(store: SqlStore) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table."""
    from daybreak.store.schema import metadata

    with store._database.read() as connection:
        return {
            str(name): sorted(map(tuple, connection.execute(table.select())), key=repr)
            for name, table in metadata.tables.items()
            if name not in ("holders", "runs", "steps", "costs")
        }
