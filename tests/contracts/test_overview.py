"""What ran and what is incomplete, as the store has it: killed runs, running ones, days that lack something."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from contracts import stored
from contracts.test_store_runs import eventually_free
from daybreak.core.config import Config, RetentionConfig, Settings
from daybreak.core.errors import DaybreakError
from daybreak.store import Cost, Holder, Run
from daybreak.store.status import Overview, _run, overview

if TYPE_CHECKING:
    from daybreak.store.sql import SqlStore

ZONE = "Asia/Shanghai"
NOW = datetime(2026, 1, 24, 1, tzinfo=UTC)


def looked(address: str, base: Path, now: datetime = NOW, last: int = 14) -> Overview:
    config = Config(timezone=ZONE, store=address, retention=RetentionConfig(90))
    return overview(Settings(config=config, base=base, environment={}), now, last)


def put_day(store: SqlStore, label: str, *, whole: bool = True, open_: bool = False) -> None:
    report, _, _ = stored.day_report(label)
    if whole:
        repos = tuple(
            replace(part, skipped=(), entries=tuple(e for e in part.entries if not e.change.skipped))
            for part in report.repos
        )
        report = replace(report, repos=repos)
    report = replace(report, window=replace(report.window, open=open_))
    store.put_report(stored.data_of(report))


# --- days ------------------------------------------------------------------------------------------------------------


def test_days_are_whole_skipped_open_or_missing_up_to_yesterday(store: SqlStore, address: str, tmp_path: Path) -> None:
    put_day(store, "2026-01-18")
    put_day(store, "2026-01-19", whole=False)
    put_day(store, "2026-01-21", open_=True)
    put_day(store, "2026-01-22")
    told = looked(address, tmp_path, last=7)
    assert [(day.day[-2:], day.state) for day in told.days] == [
        ("17", "before"),
        ("18", "whole"),
        ("19", "skipped"),
        ("20", "missing"),
        ("21", "open"),
        ("22", "whole"),
        ("23", "missing"),
    ]
    assert (told.first_report, told.newest_report, told.lag_days) == ("2026-01-18", "2026-01-22", 1)
    assert (told.missing, told.incomplete) == (["2026-01-20", "2026-01-23"], ["2026-01-19", "2026-01-21"])
    assert told.problems == ["days-missing", "days-incomplete"]
    named = [one.what for one in told.days[2].skipped]
    assert "acme/lost" in named


def test_days_before_those_shown_count_as_well(store: SqlStore, address: str, tmp_path: Path) -> None:
    put_day(store, "2025-12-30", whole=False)
    for number in range(14, 24):
        put_day(store, f"2026-01-{number}")
    told = looked(address, tmp_path, last=2)
    assert [day.state for day in told.days] == ["whole", "whole"]
    assert (told.incomplete, len(told.missing)) == (["2025-12-30"], 14)


def test_after_one_old_day_alone_nothing_is_missing(store: SqlStore, address: str, tmp_path: Path) -> None:
    put_day(store, "2026-01-10")
    told = looked(address, tmp_path, last=7)
    assert (told.missing, told.problems, told.lag_days) == ([], [], 13)
    assert [day.state for day in looked(address, tmp_path, last=14).days].count("whole") == 1
    put_day(store, "2026-01-11")
    assert len(looked(address, tmp_path, last=7).missing) == 12


def test_the_day_is_the_one_of_the_zone(store: SqlStore, address: str, tmp_path: Path) -> None:
    put_day(store, "2026-01-22")
    put_day(store, "2026-01-23")
    in_shanghai_still_the_23rd = datetime(2026, 1, 23, 15, 59, tzinfo=UTC)
    told = looked(address, tmp_path, in_shanghai_still_the_23rd, last=1)
    assert [day.day for day in told.days] == ["2026-01-22"]
    assert told.lag_days == 0
    told = looked(address, tmp_path, in_shanghai_still_the_23rd + timedelta(minutes=1), last=1)
    assert [day.day for day in told.days] == ["2026-01-23"]


def test_a_store_in_which_nothing_is_wrong_has_no_problems(store: SqlStore, address: str, tmp_path: Path) -> None:
    put_day(store, "2026-01-23")
    with store.run("run 2026-01-23", "1.0"):
        pass
    told = looked(address, tmp_path)
    assert (told.problems, told.there, told.lag_days, told.retention_days) == ([], True, 0, 90)
    assert told.store.bytes > 0


def test_nothing_was_run_yet(address: str, tmp_path: Path) -> None:
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "2026-01-19.json").write_text("{}")
    told = looked(address, tmp_path)
    assert (told.there, told.problems, told.reports_outside, told.runs) == (False, [], 1, [])
    assert not (tmp_path / "state").exists()


# --- runs ------------------------------------------------------------------------------------------------------------

WORK = """
import sys
from pathlib import Path
from daybreak.store import Step
from daybreak.store import open_store
store = open_store(sys.argv[1], Path(sys.argv[2]))
with store.hold(), store.run("run 2026-01-19", "1.0") as run:
    place = ("acme/lost", "2026-01-19", "collect", "inputs", "skipped", "it does not answer")
    store.add_step(run, Step(0, run.id, *place, run.started_at, 1.0))
    print("at work", flush=True)
    sys.stdin.read()
"""


def test_a_run_is_running_while_it_holds_the_store_and_then_was_killed(
    store: SqlStore, address: str, tmp_path: Path
) -> None:
    def last() -> tuple[str, list[str], list[str]]:
        told = looked(address, tmp_path, datetime.now(UTC))
        held = ["held by it"] if told.holder and told.holder.pid == run.pid else []
        return told.runs[0].state, held, list(told.problems)

    command = [sys.executable, "-c", WORK, address, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "at work\n"
        assert last() == ("running", ["held by it"], [])
        run.kill()
        run.wait()
    eventually_free(store)
    assert last() == ("killed", [], ["last-run-failed"])
    assert [(s.repo, s.day, s.stage, s.outcome, s.reason) for s in looked(address, tmp_path).steps] == [
        ("acme/lost", "2026-01-19", "collect", "skipped", "it does not answer")
    ]
    # Somebody else who holds the store does not bring it back to life.
    with store.hold():
        assert last()[0] == "killed"
        with store.run("run 2026-01-19", "1.0"):
            assert [one.state for one in looked(address, tmp_path).runs] == ["running", "killed"]
    assert looked(address, tmp_path).problems == []


@pytest.mark.parametrize(
    ("host", "pid", "since", "newest", "state"),
    [
        ("here", 7, 0, True, "running"),
        ("here", 7, 1, True, "killed"),  # the number was given out again, and the new process has no run yet
        ("here", 7, -9, False, "killed"),
        ("here", 8, 0, True, "killed"),
        ("there", 7, 0, True, "killed"),
    ],
)
def test_only_who_began_a_run_can_be_at_it(host: str, pid: int, since: int, newest: bool, state: str) -> None:
    holder = Holder(host, pid, NOW + timedelta(seconds=since))
    assert _run(Run(1, "here", 7, "run", "1.0", NOW), holder, newest).state == state
    assert _run(Run(1, "here", 7, "run", "1.0", NOW), None, newest).state == "killed"
    assert _run(Run(1, "here", 7, "run", "1.0", NOW, NOW, "done"), holder, newest).state == "done"


def test_the_last_run_decides_and_an_older_failure_is_history(store: SqlStore, address: str, tmp_path: Path) -> None:
    with pytest.raises(DaybreakError), store.run("run", "1.0"):
        raise DaybreakError("The disk is full.", "Free some.")
    told = looked(address, tmp_path)
    assert (told.problems, told.runs[0].reason) == (["last-run-failed"], "The disk is full.")
    with store.run("run", "1.0"):
        pass
    assert looked(address, tmp_path).problems == []


def test_costs_are_summed_by_what_and_unit(store: SqlStore, address: str, tmp_path: Path) -> None:
    for amount in (1.0, 2.5):
        with store.run("run", "1.0") as run:
            store.add_cost(Cost(run.id, "model", "tokens", amount))
            store.add_cost(Cost(run.id, "model", "CNY", amount * 2))
            store.add_cost(Cost(run.id, "model", "tokens", 1.0))
    told = looked(address, tmp_path)
    assert [(c.what, c.unit, c.amount, c.last_run) for c in told.costs] == [
        ("model", "CNY", 7.0, 5.0),
        ("model", "tokens", 5.5, 3.5),
    ]


def test_mirrors_are_measured(address: str, tmp_path: Path) -> None:
    deep = tmp_path / ".daybreak" / "mirrors" / "a" / "b"
    deep.mkdir(parents=True)
    (deep / "pack").write_bytes(b"x" * 5000)
    (deep / "link").symlink_to("/")
    assert 5000 <= looked(address, tmp_path).mirrors < 5100
