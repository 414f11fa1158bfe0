"""Steps that were done elsewhere, what they keep for a run that goes on, and what is no report."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import msgspec
import pytest
from msgspec.structs import replace

from daybreak.store import Outcome, Run, Step
from render import factory

if TYPE_CHECKING:
    from daybreak.store.sql import SqlStore

DAY = "2026-01-19"


def step(run: Run, repo: str, *, label: str = DAY, inputs: str = "i", outcome: Outcome = "done") -> Step:
    return Step(0, run.id, repo, label, "analyse", inputs, outcome, None, factory.DAY, 1.5)


def test_the_newest_output_of_each_repository_is_there_until_the_day_is_settled(store: SqlStore) -> None:
    with store.run("run", "1") as run:
        store.add_step(run, step(run, "a/a", inputs="old"), b"old")
        assert store.outputs(DAY, "analyse") == {"a/a": ("old", b"old")}
        store.add_step(run, step(run, "a/a", inputs="new"), b"new \xff" * 1000)
        store.add_step(run, step(run, "a/b"))
        store.add_step(run, step(run, "a/c", outcome="failed"), b"of a failure")
        store.add_step(run, step(run, "a/a", label="2026-01-20"), b"another day")
        assert store.outputs(DAY, "analyse") == {"a/a": ("new", b"new \xff" * 1000)}
        assert store.outputs(DAY, "read") == {}
        before = store.steps(run.id)
        assert sorted(store.unsettled()) == [DAY, "2026-01-20"]
        store.settle(DAY)
        assert store.unsettled() == ["2026-01-20"]
        assert store.outputs(DAY, "analyse") == {}
        assert store.outputs("2026-01-20", "analyse") == {"a/a": ("i", b"another day")}
        assert store.steps(run.id) == before, "only what was kept is gone"
    assert list(store.verify()) == []


def test_attempts_are_runs_that_published_the_day_when_it_was_over(store: SqlStore) -> None:
    over = factory.DAY + timedelta(days=1)
    for hours in (-2, -1, 0, 5, 9):
        with store.run("run", "1") as run:
            told = replace(step(run, ""), stage="publish", started_at=over + timedelta(hours=hours))
            store.add_step(run, told)
            store.add_step(run, replace(told, stage="read"))
            store.add_step(run, replace(told, label="2026-01-20"))
    with store.run("run", "1") as run:
        store.add_step(run, replace(step(run, "a/a"), started_at=over + timedelta(hours=9)))
    assert store.attempts(DAY, over) == 3, "neither before its end nor without publishing"


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b'{"schema": "else"}', b"\xff\xfe"])
def test_what_is_no_report_is_not_taken_in(store: SqlStore, data: bytes) -> None:
    with pytest.raises((msgspec.DecodeError, UnicodeDecodeError)):
        store.put_report(data)
    assert store.labels() == []
