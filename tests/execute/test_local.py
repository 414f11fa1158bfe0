"""Many items, several threads: answers in order, and the first failure ends the whole."""

from __future__ import annotations

import threading

import pytest

from daybreak.runs.executors import LocalExecutor


@pytest.mark.parametrize("workers", [0, 1, 3])
def test_answers_come_in_the_order_of_the_items(workers: int) -> None:
    assert LocalExecutor(workers, lambda: None).map(lambda n: n * n, range(20)) == [n * n for n in range(20)]
    assert LocalExecutor(workers, lambda: None).map(lambda n: n, []) == []


def test_a_failure_stops_what_still_runs_even_when_it_stands_before() -> None:
    stopped = threading.Event()

    def work(number: int) -> int:
        if number == 1:
            raise ValueError("bad item")
        assert stopped.wait(20)
        return number

    with pytest.raises(ValueError, match="bad item"):
        LocalExecutor(2, stopped.set).map(work, [0, 1, 2, 3])
    assert stopped.is_set()


def test_items_run_side_by_side() -> None:
    meeting = threading.Barrier(3, timeout=120)
    assert LocalExecutor(3, lambda: None).map(lambda n: (meeting.wait(), n)[1], [1, 2, 3]) == [1, 2, 3]


def test_after_success_nothing_is_stopped() -> None:
    stopped: list[bool] = []
    LocalExecutor(2, lambda: stopped.append(True)).map(str, [1, 2])
    assert stopped == []
