"""Who asks: tokens of the user, an installation of an App, or nobody; the next one when a limit is reached."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from msgspec import Struct

from daybreak.core.http.secrets import Secret

MOST_REFUSALS = 2


class Key(Protocol):
    """Something that opens the forge."""

    def authorization(self, now: datetime) -> Secret | None:
        """Value of the header, made anew when the old one has run out; None: asked without one."""
        ...

    def renew(self) -> None:
        """After a refusal: the next value is made anew where that can be."""
        ...


class Static(Struct, frozen=True):
    """A token as the user gave it, or none."""

    token: Secret | None = None

    def authorization(self, now: datetime) -> Secret | None:  # noqa: ARG002  # a static one never runs out
        return None if self.token is None else Secret(f"Bearer {self.token.reveal()}")

    def renew(self) -> None:
        """It is what it is."""


@dataclass(slots=True)
class Seat:
    """A key with what the forge has told about it."""

    key: Key
    blocked: dict[str, datetime] = field(default_factory=dict)
    """Limit (core, search, graphql) -> when it may be used again."""
    refusals: int = 0
    """In a row; a single one may be a fault that passes."""

    @property
    def refused(self) -> bool:
        return self.refusals >= MOST_REFUSALS

    def free_at(self, limit: str) -> datetime | None:
        return self.blocked.get(limit)


class Keys:
    """All keys of a run; may be used by several threads."""

    def __init__(self, keys: Sequence[Key]) -> None:
        self._seats = [Seat(key) for key in keys]
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._seats)

    def take(self, limit: str, now: datetime, but: Sequence[Seat] = ()) -> Seat | datetime | None:
        """A key that may be used now; else when the first one may; None when all were refused. `but`: not these."""
        with self._lock:
            left = [seat for seat in self._seats if not seat.refused and not any(seat is one for one in but)]
            if not left:
                return None
            times = [(seat.free_at(limit), seat) for seat in left]
            for until, seat in times:
                if until is None or until <= now:
                    return seat
            return min(until for until, _ in times if until is not None)

    def block(self, seat: Seat, limit: str, until: datetime) -> None:
        with self._lock:
            known = seat.blocked.get(limit)
            seat.blocked[limit] = until if known is None else max(known, until)

    def refuse(self, seat: Seat) -> None:
        with self._lock:
            seat.refusals += 1
            seat.key.renew()

    def accepted(self, seat: Seat) -> None:
        seat.refusals = 0
