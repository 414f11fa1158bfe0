"""What earlier runs reported: the Protocol that stages are given, and the value it speaks of.

The implementation is passed in by wiring, so that no stage knows where memory is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Protocol

from msgspec import Struct, field


class Broken(Struct, frozen=True):
    """A span in which the branch was at fault, as a day's report told it."""

    fault: str
    repair: str
    start: datetime
    end: datetime


class Recorded(Struct, frozen=True):
    """One repository's part of a day that was reported."""

    label: str
    since: datetime
    until: datetime
    open: bool
    complete: bool
    """Nothing of this repository was skipped: its list of commits is final."""
    branch: str | None
    head: str | None
    commits: tuple[str, ...]
    late: tuple[str, ...]
    released: Mapping[str, str] = field(default_factory=dict)
    rewritten: str | None = None
    revised: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    """What could not be had or read of it."""
    completed: tuple[str, ...] = ()
    """What was skipped at first and had later."""
    broken: tuple[Broken, ...] = ()
    """Spans that began with a change of an earlier day."""

    @property
    def final(self) -> bool:
        """A closed day, reported whole: a later run keeps its list."""
        return self.complete and not self.open


class Memory(Protocol):
    """Days already reported."""

    def day(self, label: str, repo: str) -> Recorded | None:
        """That day's record of the repository, if it was reported."""
        ...

    def earlier(self, label: str, repo: str) -> Iterator[Recorded]:
        """Records of days before `label`, newest first; read one at a time, since most questions need only one."""
        ...

    def later(self, label: str, repo: str) -> Iterator[Recorded]:
        """Records of days after `label`, oldest first."""
        ...
