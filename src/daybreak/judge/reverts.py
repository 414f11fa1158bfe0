"""Chains of a change, its revert and its re-land, over days."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from daybreak.core.model.changes import Change
from daybreak.judge.line_ties import LineIndex, inverse, redone
from daybreak.judge.message_refs import Index, lands_again, quoted_title, reverted, title

_RECENT = timedelta(days=15)


@dataclass(slots=True)
class Chain:
    """One event: what was taken back, by what, and what brought it back."""

    roots: tuple[Change, ...]
    steps: list[tuple[Change, bool]] = field(default_factory=list)
    """Each later change, and whether the original stands on the branch after it."""

    @property
    def changes(self) -> list[Change]:
        return [*self.roots, *(c for c, _ in self.steps)]

    @property
    def stands(self) -> bool:
        return self.steps[-1][1]

    @property
    def undone_by(self) -> Change:
        """The last change that took it back."""
        return next(c for c, stands in reversed(self.steps) if not stands)

    @property
    def back_by(self) -> Change:
        """The last change that brought it back."""
        return next(c for c, stands in reversed(self.steps) if stands)

    @property
    def recent(self) -> bool:
        """It was taken back within days: older code that goes was not a fault of main all that time."""
        return self.undone_by.committed_at - self.roots[0].committed_at <= _RECENT

    @property
    def opposite(self) -> bool:
        """Nothing of it is left: the revert undoes it line for line."""
        return len(self.roots) == 1 and len(self.steps) == 1 and inverse(self.roots[0], self.steps[0][0])


def chains(index: Index, lines: LineIndex) -> list[Chain]:
    """All chains among the known changes, oldest first."""
    out: list[Chain] = []
    home: dict[str, Chain] = {}
    for change in index.all:
        targets = reverted(change, index)
        if targets:
            chain = next((home[t.sha] for t in targets if t.sha in home), None)
            if chain is None:
                chain = Chain(targets)
                out.append(chain)
            # A revert of the revert brings the original back; one of the re-land takes it away.
            chain.steps.append((change, not _stood_at(chain, targets[-1])))
        else:
            chain = next((c for c in out if not c.stands and _lands_again(c, change, index, lines)), None)
            if chain is not None:
                chain.steps.append((change, True))
        if chain is not None:
            home |= {c.sha: chain for c in chain.changes}
    return out


def _stood_at(chain: Chain, target: Change) -> bool:
    return next((stands for c, stands in chain.steps if c.sha == target.sha), True)


def _lands_again(chain: Chain, change: Change, index: Index, lines: LineIndex) -> bool:
    if quoted_title(change):
        return False
    said = lands_again(change, title(chain.roots[0]), chain.changes, index)
    return said or redone(chain.undone_by, change, lines)
