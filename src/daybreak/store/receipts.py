"""Receipts of notifications in the store: planned before anything is sent, so that a restart sends nothing twice.

They stay when other rows are forgotten: they are what keeps a message of long ago from being sent again.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec.structs import astuple, replace
from sqlalchemy import ColumnElement, delete, select

from daybreak.store import schema
from daybreak.store.database import Database
from daybreak.store.faults import StoreError
from daybreak.store.hashes import content_hash
from daybreak.store.interface import Receipt, ReceiptState
from daybreak.store.reports import Values, from_iso, iso, storable
from daybreak.store.runs import next_number

_TABLE = schema.receipts


class StoredReceipts:
    """What `interface.Receipts` promises, in any database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def plan(self, target: str, shown: str, event: str, label: str, digest: str, said: str | None = None) -> Receipt:
        table, database = _TABLE, self._database
        place = (table.c.label == label, table.c.target == target, table.c.event == event, table.c.digest == digest)
        with database.write():
            known = self._found(*place)
            if known:
                return known[0]
            number = next_number(database, table)
            made = Receipt(number, target, shown, event, label, digest, "planned", 0, database.clock(), said=said)
            self._write(made)
        return made

    def begin(self, number: int) -> Receipt | None:
        with self._database.write():
            (known,) = self._found(_TABLE.c.id == number) or (None,)
            if known is None or known.state != "planned":
                return None
            begun = replace(known, state="sending", tries=known.tries + 1, due=None, ended_at=None)
            self._write(begun)
        return begun

    def end(self, number: int, state: ReceiptState, reason: str | None = None, due: datetime | None = None) -> Receipt:
        with self._database.write():
            (known,) = self._found(_TABLE.c.id == number) or (None,)
            if known is None:
                raise StoreError("A receipt is gone from the store.", "Look with `daybreak doctor --store`.")
            ended = None if state in ("planned", "sending") else self._database.clock()
            done = replace(known, state=state, reason=reason, due=due, ended_at=ended)
            self._write(done)
        return done

    def of_day(self, label: str) -> tuple[Receipt, ...]:
        return self._found(_TABLE.c.label == label)

    def in_state(self, *states: ReceiptState) -> tuple[Receipt, ...]:
        return self._found(_TABLE.c.state.in_(states))

    def _found(self, *where: ColumnElement[bool]) -> tuple[Receipt, ...]:
        with self._database.read() as connection:
            rows = connection.execute(select(_TABLE).where(*where).order_by(_TABLE.c.id)).fetchall()
        return tuple(_receipt(row) for row in rows)

    def _write(self, receipt: Receipt) -> None:
        """In place of what the receipt was before."""
        values: Values = storable(tuple(iso(v) if isinstance(v, datetime) else v for v in astuple(receipt)))
        with self._database.write() as connection:
            connection.execute(delete(_TABLE).where(_TABLE.c.id == receipt.id))
            self._database.insert(_TABLE, [(_hash(values), *values)])


def _hash(values: Values) -> bytes:
    end = len(values)
    while values[end - 1] is None:
        end -= 1
    return content_hash("receipts", values[:end])


def _receipt(row: Sequence[Any]) -> Receipt:
    number, target, shown, event, label, digest, state, tries, planned, due, ended, reason, said = row[1:14]
    return Receipt(
        *(number, target, shown, event, label, digest, state, tries, from_iso(planned)),
        due=None if due is None else from_iso(due),
        ended_at=None if ended is None else from_iso(ended),
        reason=reason,
        said=said,
    )
