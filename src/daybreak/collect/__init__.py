"""Stage 1: collect what happened in the window, from git and from GitHub."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from daybreak.core.checkpoint import Memory
from daybreak.core.model.changes import Collected, Repo, Window


class Source(Protocol):
    """Collects one repository's part of a window; a fault of the repository is a `Skipped` in the answer."""

    def collect(self, repo: Repo, window: Window, memory: Memory, force: bool = False) -> Collected: ...

    def expect(self, windows: Sequence[Window]) -> None:
        """Days that will be asked for next, in this order: it may read them in one go, and answers as if it did not."""
        ...
