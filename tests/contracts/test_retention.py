"""Forgetting takes only what tells how reports came about: memory and a restart lose nothing by it."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from contracts import stored
from daybreak.core.config import Config, RetentionConfig, Settings
from daybreak.store import Cost
from daybreak.store.runs import tidy

if TYPE_CHECKING:
    from contracts.conftest import SetClock
    from daybreak.store.sql import SqlStore

LABELS = ["2026-01-17", "2026-01-18", "2026-01-19"]
LONG_AFTER = date(2027, 1, 1)


def settings(days: int) -> Settings:
    return Settings(config=Config(retention=RetentionConfig(days)), base=Path(), environment={})


def lasting(store: SqlStore) -> dict[str, Any]:
    """All that must outlive any retention."""
    return {
        "labels": store.labels(),
        "data": [store.report_data(label) for label in LABELS],
        "digests": store.report_digests(),
        "repositories": [store.repositories(label) for label in LABELS],
        "memory": stored.answers(store, LABELS),
        "costs": store.costs(),
        "model_answers": store.model_answers.get("key-1"),
        "receipts": store.receipts.of_day("2026-01-19"),
        "answers": [store.answers.get("acme/engine", "2026-01-19", "items", name) for name in ("5", "6")],
    }


@pytest.mark.parametrize("today", [date(2026, 1, 22), date(2026, 2, 1), LONG_AFTER, date.max])
def test_reports_memory_costs_and_answers_outlive_every_retention(store: SqlStore, today: date) -> None:
    stored.fill(store)
    for label in LABELS[:2]:
        store.put_report(stored.day_data(label))
    before = lasting(store)
    tidy(store, settings(1), today)
    assert lasting(store) == before
    assert list(store.verify()) == []


def test_what_is_dropped_is_what_only_explains(store: SqlStore) -> None:
    stored.fill(store)
    with store.run("run 2026-01-20", "1.0"):
        pass
    assert tidy(store, settings(30), LONG_AFTER) == 2 + 1  # two steps, the older run
    assert store.steps(1) == []
    assert [run.id for run in store.runs()] == [2]


def test_an_interrupted_run_that_was_forgotten_is_done_again_with_the_same_result(
    store: SqlStore, clock: SetClock
) -> None:
    """Between the kill and the restart lies more time than is kept: work is done twice, nothing is lost."""

    def work() -> None:
        if not store.outputs("2026-01-19", "collect"):
            with store.run("run", "1.0") as run:
                stored.record(store, run, "a/b", output=b"the part")

    def made() -> list[object]:
        return [dict(store.outputs("2026-01-19", "collect")), lasting(store)]

    work()
    undisturbed = made()
    clock.now += timedelta(days=90)
    assert tidy(store, settings(30), clock.now.date())
    assert store.outputs("2026-01-19", "collect") == {}
    work()
    assert made() == undisturbed
    assert list(store.verify()) == []


def test_numbers_of_runs_are_never_given_out_twice(store: SqlStore) -> None:
    """Costs stay and name their run."""
    stored.fill(store)
    tidy(store, settings(1), LONG_AFTER)
    with store.run("run", "1.0") as run:
        store.add_cost(Cost(run.id, "tokens", "count", 1.0))
    tidy(store, settings(1), LONG_AFTER)
    with store.run("run", "1.0") as following:
        pass
    assert [cost.run for cost in store.costs()] == [1, run.id]
    assert 1 < run.id < following.id


@pytest.mark.parametrize(
    ("days", "age", "kept"),
    [(0, 5000, True), (1, 1, True), (1, 3, False), (30, 30, True), (30, 32, False), (10**9, 5000, True)],
)
def test_a_run_is_kept_for_as_long_as_the_config_says(
    store: SqlStore, clock: SetClock, days: int, age: int, kept: bool
) -> None:
    for _ in range(2):  # the newest is always kept
        with store.run("run", "1.0"):
            pass
    today = (clock.now + timedelta(days=age)).date()
    assert tidy(store, settings(days), today) == (0 if kept else 1)
    assert len(store.runs()) == (2 if kept else 1)


@pytest.mark.parametrize("hours", [-12, 0, 14])
def test_no_zone_makes_anything_go_early(store: SqlStore, clock: SetClock, hours: int) -> None:
    clock.now = datetime(2026, 1, 20, 0, 0, 1, tzinfo=UTC)
    for _ in range(2):
        with store.run("run", "1.0"):
            pass
    a_day_later = clock.now + timedelta(days=1, hours=hours)
    assert tidy(store, settings(1), a_day_later.date()) == 0


def test_a_run_that_goes_on_while_old_things_go_is_not_touched(store: SqlStore, clock: SetClock) -> None:
    stored.fill(store)
    clock.now += timedelta(days=90)
    with store.hold(), store.run("run 2026-01-20", "1.0") as run:
        stored.record(store, run, "acme/engine", label="2026-01-20", inputs="inputs-9", output=b"1")
        tidy(store, settings(30), clock.now.date())
        assert store.outputs("2026-01-20", "collect") == {"acme/engine": ("inputs-9", b"1")}
    assert [one.outcome for one in store.runs()] == ["done"]
