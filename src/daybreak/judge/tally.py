"""Counts over entries: the numbers that assessments, summaries and conclusions state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from daybreak.core.model.findings import Area
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Kind, Level, Text
from daybreak.core.words import say, term
from daybreak.core.words.grammar import joined

UNSEEN: frozenset[Area] = frozenset({"ci", "test", "docs"})
"""Areas that reach no user: a change within them is counted, not told."""

LEVELS: tuple[Level, ...] = ("high", "medium", "low")


class Tally(Struct, frozen=True):
    """Numbers of one repository's day, or of all."""

    commits: int
    levels: dict[Level, int]
    kinds: tuple[tuple[Kind, int], ...]
    breaking: int
    unseen: int
    unread: int

    def levels_text(self) -> Text:
        """How many of each level, in words."""
        return say("judge.tally.levels", high=self.levels["high"], medium=self.levels["medium"], low=self.levels["low"])

    def kinds_text(self) -> Text:
        """How many of each kind, in words."""
        return joined((say("judge.tally.kind", kind=term("judge.kind", kind), n=n) for kind, n in self.kinds), "list")


def unseen(entry: Entry) -> bool:
    """Touches nothing but CI, tests, docs and examples."""
    return bool(entry.reading.areas) and set(entry.reading.areas) <= UNSEEN


def tally(entries: Iterable[Entry]) -> Tally:
    """Count some entries."""
    found = list(entries)
    levels = Counter(e.importance.level for e in found)
    kinds = Counter(e.kind for e in found)
    return Tally(
        commits=len(found),
        levels={level: levels[level] for level in LEVELS},
        kinds=tuple(sorted(kinds.items(), key=lambda item: (-item[1], item[0]))),
        breaking=sum(e.breaking for e in found),
        unseen=sum(map(unseen, found)),
        unread=sum(e.change.skipped is not None for e in found),
    )
