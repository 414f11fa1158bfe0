"""The coming days of one repository, read by a single git that waits until each of them is asked for.

A git of its own for each day unpacks the same objects again and again: a month of a busy branch costs half as much in
one go. Nothing is read far ahead: git stops when its pipe is full, so that a day's patches are in memory only when it
is the day's turn. What is given from here is what a git for that day alone would say; where that is not sure, nothing is.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import suppress
from datetime import tzinfo
from pathlib import Path

from daybreak.collect.git.patches import COMMIT_KEPT, STREAM_KEPT, Budget, StreamBroken, log_arguments, new_mark, parse
from daybreak.core.errors import GitError, Interrupted
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Change

COMMITS = 2000
"""Of one git; the days after those get one of their own."""
ROOM = STREAM_KEPT - COMMIT_KEPT
"""Bytes of patches of a day up to which its limit cannot have cut any of them."""


class Ahead:
    """Days in the order in which they will be asked for, each with the commits that it will probably have."""

    def __init__(self, git: Git, mirror: Path, repo: str, zone: tzinfo, days: Mapping[str, Sequence[str]]) -> None:
        self._git, self._mirror, self._repo, self.zone = git, mirror, repo, zone
        self.days = days
        self._waiting = list(days)
        self._changes = self._read()

    @property
    def over(self) -> bool:
        """Nothing more will come."""
        return not self._waiting

    @property
    def waiting(self) -> Sequence[str]:
        """Days that are still to come."""
        return tuple(self._waiting)

    def take(self, label: str) -> Mapping[str, Change]:
        """The day's commits, less those that could not be read; days before it that nobody asked for are passed over."""
        if label not in self._waiting:
            return {}
        found: dict[str, Change] = {}
        size = 0
        try:
            for day in self._waiting[: self._waiting.index(label) + 1]:
                found.clear()
                size = 0
                for sha, (change, kept) in zip(self.days[day], self._changes, strict=False):
                    if change.sha != sha:
                        raise StreamBroken("a commit is not where it was asked for")
                    found[sha] = change
                    size += kept
                self._waiting.remove(day)
        except (StreamBroken, GitError):
            # Whoever asks reads the day by himself, around the hole.
            self._waiting.clear()
        if self.over:
            self.close()
        return found if size <= ROOM else {}

    def close(self) -> None:
        """End the git, if it still waits."""
        self._waiting.clear()
        with suppress(Interrupted):  # whoever stopped the run is told so by what he stopped
            self._changes.close()

    def _read(self) -> Generator[tuple[Change, int], None, None]:
        """Each change and the bytes that are kept of its patches, once another one follows or git has ended well: one
        that a fault has cut short looks whole.
        """
        mark, budget = new_mark(), Budget()
        shas = "".join(f"{sha}\n" for some in self.days.values() for sha in some).encode()
        before: tuple[Change, int] | None = None
        with self._git.stream(*log_arguments(mark), at=self._mirror, stdin=shas) as stream:
            for change in parse(stream.output, mark, self._repo, self.zone, budget):
                if before is not None:
                    yield before
                before = change, STREAM_KEPT - budget.left
                budget.left = STREAM_KEPT
            if stream.finish():
                raise StreamBroken(stream.last_words())
        if before is not None:
            yield before
