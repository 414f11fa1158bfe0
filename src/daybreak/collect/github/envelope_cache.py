"""Envelopes: what came is kept as it came, and what stands there is not asked for again.

Items of a closed day stand as first fetched. What was fetched while the day still ran stands only offline: the next run
asks for the lists again, and for the items that were touched since.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import TypeVar

import msgspec

from daybreak.collect.github.requests import Ask, Envelopes
from daybreak.core.model.items import Envelope

VERSION = "github/1"
Value = TypeVar("Value")


class Keep:
    """The envelopes of one run."""

    def __init__(
        self,
        envelopes: Envelopes,
        origin: str,
        now: Callable[[], datetime],
        offline: bool,
        force: bool,
        ahead: Callable[[], timedelta] = timedelta,
    ) -> None:
        """`ahead`: how far our clock is ahead of the forge's, as far as is known by now."""
        self.offline, self.now = offline, now
        self._envelopes, self._origin, self._force, self._ahead = envelopes, origin, force, ahead

    def final(self, ask: Ask, category: str, name: str, kind: type[Value]) -> Value | None:
        """What was kept after the window had ended; offline, whatever was kept."""
        found = self.envelope(ask, category, name)
        if found is None or not (self.offline or found.fetched_at >= ask.window.until):
            return None
        return read(found.body, kind)

    def standing(self, ask: Ask, category: str, name: str, fresh: Callable[[bytes], bool]) -> bytes | None:
        """The same for one item, which also stands when it was not touched since."""
        found = self.envelope(ask, category, name)
        if found is None:
            return None
        stands = self.offline or found.fetched_at >= ask.window.until or fresh(found.body)
        return found.body if stands else None

    def envelope(self, ask: Ask, category: str, name: str) -> Envelope | None:
        if self._force and not self.offline:
            return None
        found = self._envelopes.get(ask.repo.name, ask.window.label, category, name)
        return found if found is not None and found.version == VERSION else None

    def save(
        self, ask: Ask, category: str, bodies: Mapping[str, bytes], began: datetime, etag: str | None = None
    ) -> None:
        """`began`: when asking for it began, with all waits after that, since it may be as old as that."""
        at, repo, label = began - self._ahead(), ask.repo.name, ask.window.label
        kept = [
            Envelope(repo, label, category, name, self._origin, at, VERSION, etag, body)
            for name, body in bodies.items()
        ]
        if kept:
            self._envelopes.put(kept)


def read(body: bytes, kind: type[Value]) -> Value | None:
    """None for what this version cannot read: it is asked for again."""
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
