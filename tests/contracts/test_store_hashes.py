"""Whatever is altered, added or lost in a store is found; what was not touched is left in peace."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts import stored
from contracts.conftest import opened
from daybreak.store import ROWS, Cost, schema
from daybreak.store.database import StoreDamaged, StoreError
from daybreak.store.schema import content_hash, stored_hash

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from daybreak.store.connection import Connection
    from daybreak.store.sql import SqlStore


class Undo(Exception):
    """Takes back what a test did."""


def after(store: SqlStore, deed: Callable[[Connection], object]) -> list[str]:
    """Tables in which damage is found after a deed, which is then undone."""
    found: list[str] = []

    def tried() -> None:
        with store._database.write() as connection:
            deed(connection)
            found.extend(damage.table for damage in store.verify())
            raise Undo

    with pytest.raises((Undo, StoreError)) as ended:
        tried()
    if ended.type is StoreError:  # the database itself did not let it happen
        assert "IntegrityError" in {kind.__name__ for kind in type(ended.value.__cause__).__mro__}
        found.append("refused")
    return found


def altered(value: Any, place: int, by: int) -> Any:
    """Another value of the same kind, a little different."""
    if value is None:
        return None
    if isinstance(value, bytes):
        at = place % len(value)
        return value[:at] + bytes([value[at] ^ by]) + value[at + 1 :]
    if isinstance(value, str):
        if not value:
            return "x"
        at = place % len(value)
        return (
            value[:at]
            + chr(ord(value[at]) ^ (by & 0x1F or 1) if value[at] > "~" else 33 + (ord(value[at]) + by) % 90)
            + value[at + 1 :]
        )
    return value + by


@pytest.mark.parametrize("table", schema.HASHED, ids=lambda table: table.name)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_altered_value_is_found(store: SqlStore, table: schema.Table, data: st.DataObject) -> None:
    if not store.labels():
        stored.fill(store)
        assert list(store.verify()) == []
    with store._database.read() as connection:
        rows = sorted(connection.rows(table.rows), key=repr)
    row = data.draw(st.sampled_from(rows))
    at = data.draw(st.sampled_from([n for n, value in enumerate(row) if value is not None]))
    new = altered(row[at], data.draw(st.integers(0, 10_000)), data.draw(st.integers(1, 255)))
    if new == row[at]:
        return
    change = f"UPDATE {table.name} SET {table.columns[at]} = ? WHERE hash = ?"
    assert after(store, lambda connection: connection.change(change, (new, row[0])))


def test_a_null_that_becomes_a_value_and_a_value_that_becomes_null_are_found(store: SqlStore) -> None:
    stored.fill(store)
    for column, value in (("due", "x"), ("reason", "")):
        assert "receipts" in after(store, lambda c: stored.set_all(c, schema.receipts, **{column: value}))  # noqa: B023
    assert "runs" in after(store, lambda c: stored.set_all(c, schema.runs, seconds=None))


def test_a_column_added_later_leaves_old_hashes_as_they_are() -> None:
    old = ("a", None, 3)
    assert stored_hash("t", (*old, None, None)) == content_hash("t", old)
    assert stored_hash("t", (*old, None, 4)) != content_hash("t", old)
    assert content_hash("t", ("ab", "c")) != content_hash("t", ("a", "bc"))
    assert content_hash("t", (1,)) != content_hash("u", (1,))


@pytest.mark.parametrize("table", schema.HASHED, ids=lambda table: table.name)
def test_a_row_that_is_gone_is_missed_until_what_is_left_counts(store: SqlStore, table: schema.Table) -> None:
    stored.fill(store)
    gone = f"DELETE FROM {table.name} WHERE hash = (SELECT min(hash) FROM {table.name})"
    with store._database.write() as connection:
        connection.change(gone)
    found = [(damage.table, damage.what) for damage in store.verify()]
    assert found == [(table.name, ROWS)]
    assert list(store.lost()) == [table.name]
    stored.record(store, store.runs()[0], "acme/later") if table is not schema.runs else None
    assert list(store.lost()) == [table.name], "what is written later hides nothing"
    store.seal()
    assert list(store.verify()) == []


@pytest.mark.parametrize("table", schema.HASHED, ids=lambda table: table.name)
def test_a_row_that_nobody_wrote_and_a_seal_that_is_gone_are_told(store: SqlStore, table: schema.Table) -> None:
    stored.fill(store)
    with store._database.read() as connection:
        (row, *_) = connection.rows(table.rows)
    other = {"id": 10**6, "label": "other", "target": "other"}
    foreign = [
        str(v) + "x" if (table.name, name) == ("answers", "id") else other.get(name, v)
        for name, v in zip(table.columns, row, strict=True)
    ][1:]
    sound = (content_hash(table.name, schema.trimmed(foreign)), *foreign)
    assert after(store, lambda connection: connection.change(table.insert, sound)) == [table.name]
    no_seal = "DELETE FROM seals WHERE name = ?"
    assert after(store, lambda connection: connection.change(no_seal, (table.name,))) == [table.name]


def test_writing_forgetting_and_settling_leave_the_seals_sound(store: SqlStore) -> None:
    stored.fill(store)
    stored.fill(store)
    store.settle("2026-01-19")
    (made,) = store.receipts.of_day("2026-01-19")
    store.receipts.begin(made.id)
    store.receipts.end(made.id, "sent")
    store.put_cost(Cost(1, "tokens", "count", 13.0))
    assert store.forget(date(2026, 6, 1))
    assert list(store.verify()) == []


def test_a_write_that_is_taken_back_leaves_the_seals_as_they_were(store: SqlStore) -> None:
    stored.fill(store)

    def broken_off() -> None:
        with store._database.write():
            stored.fill(store)
            raise Undo

    with pytest.raises(Undo):
        broken_off()
    stored.fill(store)
    assert list(store.verify()) == []


def test_a_store_that_lost_its_numbers_is_damaged_and_is_not_made_anew(
    store: SqlStore, address: str, tmp_path: Path
) -> None:
    stored.fill(store)
    for which in ("number = 2", "number > 0"):
        with store._database.write() as connection:
            connection.change(f"DELETE FROM schema_versions WHERE {which}")
        with pytest.raises(StoreDamaged):
            opened(address, tmp_path)
