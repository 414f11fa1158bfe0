"""A chain: all that happened to one slot within a range, of which the two ends are kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from daybreak.core.model.findings import Alias, Finding
from daybreak.upgrade.range.net_slots import Name, Transition


class Text(NamedTuple):
    """A text, and the symbol it was told under."""

    text: str
    symbol: str


@dataclass(slots=True)
class Chain:
    """All that happened to one slot, told by its ends."""

    family: str
    value: bool
    start: Name
    was: str | None
    end: Name
    now: str | None
    newest: Finding
    before: Text | None = None
    """Text of what stood at the start, as far as it was told, and the name it was told under."""
    after: Text | None = None
    breaking: bool = False
    alias: Alias | None = None
    commits: dict[str, None] = field(default_factory=dict)
    alone: bool = True
    """One finding and nothing else: it is told as it is."""

    @property
    def still(self) -> bool:
        return self.was == self.now and (self.value or self.was is None or self.start == self.end)

    def follow(self, step: Transition, commits: Iterable[str]) -> None:
        """One transition more."""
        self.alone = False
        finding = step.finding
        self.end, self.now, self.newest = step.end, step.now, finding
        before, after = _texts(step)
        self.before = before if self.before is None else self.before
        self.after = after if after is not None else self.after
        self.commits.update(dict.fromkeys(commits))
        if self.still:
            self.breaking, self.alias = False, None
            return
        breaks, alias = _said(step)
        if self.was is None and step.was is not None:
            return  # what is new breaks only by its coming
        self.breaking = breaks if self.was is None else self.breaking or breaks
        self.alias = alias if self.was is None else alias or self.alias


def opened(step: Transition, commits: tuple[str, ...]) -> Chain:
    """A chain of one transition."""
    breaks, alias = _said(step)
    return Chain(
        step.family, step.value, step.start, step.was, step.end, step.now, step.finding, *_texts(step),
        breaks, alias, dict.fromkeys(commits),
    )  # fmt: skip


def _texts(step: Transition) -> tuple[Text | None, Text | None]:
    """Texts of the thing itself; a rename shows nothing but names."""
    if step.holds:
        return None, None
    symbol, before, after = step.finding.symbol, step.finding.before, step.finding.after
    return Text(before, symbol) if before is not None else None, Text(after, symbol) if after is not None else None


def _said(step: Transition) -> tuple[bool, Alias | None]:
    """Whether it breaks, and what of the old name still works: said of the thing, not of the value that went with it."""
    return (False, None) if step.derived else (step.finding.breaking, step.finding.alias)
