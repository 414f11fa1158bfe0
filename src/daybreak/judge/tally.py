"""Counts over entries: the numbers that assessments, summaries and conclusions state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from daybreak.core.model.findings import Area
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Kind, Level

UNSEEN: frozenset[Area] = frozenset({"ci", "test", "docs"})
"""Areas that reach no user: a change within them is counted, not told."""

LEVELS: tuple[Level, ...] = ("high", "medium", "low")

KIND_NAMES: dict[Kind, tuple[str, str]] = {
    "feature": ("功能", "feature"),
    "fix": ("修复", "fix"),
    "perf": ("性能", "perf"),
    "refactor": ("重构", "refactor"),
    "revert": ("回退", "revert"),
    "docs": ("文档", "docs"),
    "test": ("测试", "test"),
    "ci": ("CI", "CI"),
    "build": ("构建", "build"),
    "dependency": ("依赖", "dependency"),
    "security": ("安全", "security"),
    "other": ("其他", "other"),
}


class Tally(Struct, frozen=True):
    """Numbers of one repository's day, or of all."""

    commits: int
    levels: dict[Level, int]
    kinds: tuple[tuple[Kind, int], ...]
    breaking: int
    unseen: int
    unread: int

    def levels_zh(self) -> str:
        return f"高 {self.levels['high']}、中 {self.levels['medium']}、低 {self.levels['low']}"

    def levels_en(self) -> str:
        return f"high {self.levels['high']}, medium {self.levels['medium']}, low {self.levels['low']}"

    def kinds_zh(self) -> str:
        return "、".join(f"{KIND_NAMES[k][0]} {n}" for k, n in self.kinds)

    def kinds_en(self) -> str:
        return ", ".join(f"{KIND_NAMES[k][1]} {n}" for k, n in self.kinds)


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
