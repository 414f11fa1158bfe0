"""Stage 2, read: what a change really does, read from its diff."""

from __future__ import annotations

from typing import Protocol

from daybreak.model import Change, Reading


class Reader(Protocol):
    """Reads one change; never raises for anything a commit may hold."""

    def read(self, change: Change) -> Reading: ...
