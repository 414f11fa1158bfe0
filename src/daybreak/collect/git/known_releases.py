"""What is known of the releases of a window's changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from daybreak.collect.git.families import is_final
from daybreak.core.model.changes import Change


class Releases(Struct, frozen=True):
    """What is known of a window's releases."""

    newest: Mapping[str, str]
    """sha -> highest release of what it touches."""
    released: Mapping[str, str]
    candidates: Callable[[str], Sequence[str]]
    """Release -> candidates of the next one, the newest first."""
    earlier: Callable[[str], str | None]
    """Release -> the one before it."""

    def lacking(self, change: Change) -> str | None:
        """The newest release that does not hold a change: that before the first that does, where that is no candidate."""
        if self.lacks(change):
            return self.newest[change.sha]
        holds = self.released.get(change.sha)
        return self.earlier(holds) if holds else None

    def lacks(self, change: Change) -> bool:
        """The newest release does not hold it: none does, or a candidate of the next one."""
        return change.sha in self.newest and not is_final(self.released.get(change.sha))
