"""Answers of models are found by the content of their questions on every store, and the newest one counts."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts import stored
from contracts.conftest import opened
from daybreak.prose.llm.asking import Spent
from daybreak.store import Cost, ModelCosts, schema

if TYPE_CHECKING:
    from pathlib import Path

    from daybreak.store.sql import SqlStore


def rows(store: SqlStore) -> int:
    with store._database.read() as connection:
        return int(connection.value("SELECT count(*) FROM model_answers"))


def test_an_answer_comes_back_for_its_question_and_for_no_other(store: SqlStore) -> None:
    assert store.model_answers.get("a") is None
    store.model_answers.put("a", b'{"x": 1}')
    assert store.model_answers.get("a") == b'{"x": 1}'
    assert store.model_answers.get("b") is None
    assert list(store.verify()) == []


def test_rows_are_only_added_and_the_newest_counts(store: SqlStore) -> None:
    for number in range(3):
        store.model_answers.put("a", b"%d" % number)
    assert (store.model_answers.get("a"), rows(store)) == (b"2", 3)


def test_answers_are_there_for_the_next_run(address: str, tmp_path: Path) -> None:
    first = opened(address, tmp_path)
    first.model_answers.put("a", b"1")
    first.close()
    second = opened(address, tmp_path)
    assert second.model_answers.get("a") == b"1"
    second.close()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(), st.binary(max_size=300))
def test_any_answer_can_be_kept(store: SqlStore, key: str, body: bytes) -> None:
    store.model_answers.put(key, body)
    assert store.model_answers.get(key) == body


@pytest.mark.parametrize("damage", [{"body": b"\x78\x9cnonsense"}, {"answered_at": "x"}])
def test_a_damaged_answer_is_as_good_as_none_and_told_of(store: SqlStore, damage: dict[str, bytes | str]) -> None:
    store.model_answers.put("a", b"old")
    with store._database.write() as connection:
        stored.set_all(connection, schema.model_answers, **damage)
    assert store.model_answers.get("a") is None
    assert [found.table for found in store.verify()] == ["model_answers"]
    store.model_answers.put("a", b"new")
    assert store.model_answers.get("a") == b"new"


def test_several_threads_may_write_at_once(store: SqlStore) -> None:
    def write(number: int) -> None:
        for other in range(5):
            store.model_answers.put(f"{number}-{other}", b"%d" % number)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(store.model_answers.get(f"{n}-{o}") == b"%d" % n for n in range(4) for o in range(5))
    assert list(store.verify()) == []


# --- costs -----------------------------------------------------------------------------------------------------------


def test_costs_of_a_model_are_the_newest_sums_of_the_run(store: SqlStore) -> None:
    costs = ModelCosts(store, 7, "CNY")
    costs(Spent("m", 1, 10, 5, 0, 0.5))
    costs(Spent("m", 2, 30, 9, 1, 1.25))
    costs(Spent("other", 1, 1, 0))
    store.add_cost(Cost(8, "model m", "requests", 100))
    assert {(c.what, c.unit): c.amount for c in store.costs(7)} == {
        ("model m", "requests"): 2,
        ("model m", "prompt tokens"): 30,
        ("model m", "completion tokens"): 9,
        ("model m", "cache hits"): 1,
        ("model m", "CNY"): 1.25,
        ("model other", "requests"): 1,
        ("model other", "prompt tokens"): 1,
    }
    assert len(store.costs()) == 8
    assert list(store.verify()) == []


def test_a_cost_that_is_put_replaces_its_own_kind_only(store: SqlStore) -> None:
    store.add_cost(Cost(1, "github", "requests", 3))
    store.put_cost(Cost(1, "github", "bytes", 4))
    store.put_cost(Cost(2, "github", "requests", 5))
    store.put_cost(Cost(2, "github", "requests", 6))
    assert [(c.run, c.unit, c.amount) for c in store.costs()] == [
        (1, "requests", 3),
        (1, "bytes", 4),
        (2, "requests", 6),
    ]
