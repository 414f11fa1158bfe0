"""Stage 2, read: what each change really does, read from its diff and from its files before and after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from daybreak.core.model.changes import Collected
from daybreak.core.model.findings import Reading


class Reader(Protocol):
    """Reads every change of a repository's window; never raises for anything a commit may hold."""

    def read(self, collected: Collected) -> Mapping[str, Reading]:
        """What each change does, by sha, for the changes of the window and the late ones."""
        ...
