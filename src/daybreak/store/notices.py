"""Receipts of notifications as values: what was planned, sent or given up, and to whom."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, Protocol

from msgspec import Struct

ReceiptState = Literal["planned", "sending", "sent", "failed", "unsure"]
"""`unsure`: it may have arrived, and the target has no way to tell a second one from the first; not sent again."""


class Receipt(Struct, frozen=True):
    """One message to one target: planned, sent, or what became of it. No address and no secret is in it."""

    id: int
    target: str
    """Hash of the target's address without its secrets."""
    shown: str
    """What people know the target by: its name, or its kind and host."""
    event: str
    label: str
    digest: str
    """What makes it another message than the day's first: a hash of the places of your code it tells of."""
    state: ReceiptState
    tries: int
    planned_at: datetime
    due: datetime | None = None
    """Not to be tried before."""
    ended_at: datetime | None = None
    reason: str | None = None
    said: str | None = None
    """What is needed to make the message again: the places it tells of, or the words of a failure."""


class Receipts(Protocol):
    """Receipts of notifications; each change is one transaction, and of two who begin a message one is told no."""

    def plan(self, target: str, shown: str, event: str, label: str, digest: str, said: str | None = None) -> Receipt:
        """A message that is to be sent; the one that is already there when it was planned before."""
        ...

    def begin(self, number: int) -> Receipt | None:
        """`planned` becomes `sending`; None when it is anything else."""
        ...

    def end(
        self, number: int, state: ReceiptState, reason: str | None = None, due: datetime | None = None
    ) -> Receipt: ...

    def of_day(self, label: str) -> tuple[Receipt, ...]: ...

    def in_state(self, *states: ReceiptState) -> tuple[Receipt, ...]:
        """Oldest first."""
        ...
