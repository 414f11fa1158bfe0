"""Receipts of notifications are planned once, begun by one, and stay, on every store."""

from __future__ import annotations

import threading
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import pytest

from contracts.conftest import opened
from daybreak.store.database import StoreError

if TYPE_CHECKING:
    from pathlib import Path

    from daybreak.store import Receipt
    from daybreak.store.sql import SqlStore

PLACE = ("t1", "feishu", "report", "2026-01-19", "")


def test_a_message_is_planned_once_and_the_first_plan_counts(store: SqlStore) -> None:
    first = store.receipts.plan(*PLACE, "DB-1 a")
    assert (first.id, first.state, first.tries, first.said) == (1, "planned", 0, "DB-1 a")
    assert store.receipts.plan("t1", "another name", "report", "2026-01-19", "", "DB-2 b") == first
    others = [("t2", *PLACE[1:]), ("t1", "feishu", "failure", "2026-01-19", ""), (*PLACE[:4], "ab")]
    assert [store.receipts.plan(*place).id for place in others] == [2, 3, 4]
    assert [one.id for one in store.receipts.of_day("2026-01-19")] == [1, 2, 3, 4]
    assert store.receipts.of_day("2026-01-20") == ()
    assert list(store.verify()) == []


def test_a_receipt_tells_what_became_of_its_message(store: SqlStore) -> None:
    made = store.receipts.plan(*PLACE)
    begun = store.receipts.begin(made.id)
    assert begun is not None
    assert (begun.state, begun.tries) == ("sending", 1)
    assert store.receipts.begin(made.id) is None
    due = datetime(2026, 1, 20, 9, tzinfo=UTC)
    later = store.receipts.end(made.id, "planned", "it cannot be reached", due)
    assert (later.due, later.ended_at, later.reason) == (due, None, "it cannot be reached")
    again = store.receipts.begin(made.id)
    assert again is not None
    assert (again.tries, again.due) == (2, None)
    done = store.receipts.end(made.id, "sent")
    assert (done.state, done.reason) == ("sent", None)
    assert done.ended_at is not None
    assert store.receipts.of_day("2026-01-19") == (done,)
    assert store.receipts.begin(made.id) is None
    assert list(store.verify()) == []


def test_receipts_are_found_by_their_state(store: SqlStore) -> None:
    made = [store.receipts.plan(f"t{n}", "x", "report", "2026-01-19", "") for n in range(4)]
    store.receipts.end(made[1].id, "failed", "no")
    store.receipts.begin(made[2].id)
    assert [one.target for one in store.receipts.in_state("planned", "sending")] == ["t0", "t2", "t3"]
    assert [one.target for one in store.receipts.in_state("failed")] == ["t1"]
    assert store.receipts.in_state("sent") == ()


def test_one_of_several_who_begin_a_message_gets_it(store: SqlStore) -> None:
    made = store.receipts.plan(*PLACE)
    got: list[Receipt | None] = []
    threads = [threading.Thread(target=lambda: got.append(store.receipts.begin(made.id))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(one is not None for one in got) == 1


def test_one_of_two_stores_on_the_same_database_gets_it(address: str, tmp_path: Path) -> None:
    first, second = opened(address, tmp_path), opened(address, tmp_path)
    made = first.receipts.plan(*PLACE)
    assert second.receipts.plan(*PLACE) == made
    assert second.receipts.begin(made.id) is not None
    assert first.receipts.begin(made.id) is None
    first.close()
    second.close()


def test_receipts_outlive_a_restart_and_every_retention(address: str, tmp_path: Path) -> None:
    first = opened(address, tmp_path)
    made = first.receipts.plan(*PLACE, "words with \0 and \ud800")
    first.close()
    second = opened(address, tmp_path)
    second.forget(date.max)
    (found,) = second.receipts.of_day("2026-01-19")
    assert (found.id, found.said) == (made.id, "words with \ufffd and \ufffd")
    assert list(second.verify()) == []
    second.close()


def test_a_receipt_that_was_altered_is_told_of(store: SqlStore) -> None:
    store.receipts.plan(*PLACE)
    with store._database.write() as connection:
        connection.change("UPDATE receipts SET state = 'sent'")
    assert [found.table for found in store.verify()] == ["receipts"]


def test_a_receipt_that_is_gone_is_no_message(store: SqlStore) -> None:
    assert store.receipts.begin(7) is None
    with pytest.raises(StoreError, match="gone"):
        store.receipts.end(7, "sent")
