"""What is true of a range of commits as a whole: findings that undo one another cancel, those that follow join.

Each finding is a transition of a slot (`net_slots`). Transitions of one slot form a chain, of which only the two ends
are told: added and removed again is nothing, renamed twice is one rename, a default changed back is no change. The
findings of one commit, and those of one range, hold at the same time: removals come first, additions last, renames
between them all at once. So ranges can be put on one another: `compose(net(a), net(b))` says what `net(a + b)` says.

Two limits lie in the matter. What returned to where it was leaves no trace in a net, so when it goes the same way
again, the changes named are those since its return, if that return was netted before. And where readers did not see a
step (a text differs from the one told before), the texts at the two ends count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby

from msgspec.structs import replace

from daybreak.core.model.findings import Finding
from daybreak.core.model.upgrade import Net
from daybreak.upgrade.range.net_chain import Chain, mirrored, mirrored_net, opened, told
from daybreak.upgrade.range.net_slots import Name, Transition, families, named, transitions, values_of

__all__ = ["compose", "mirrored", "mirrored_net", "net"]

_MOVES = 8
"""Moves of the same name that are followed back."""
_Key = tuple[str, bool, str, str]
_Step = tuple[Transition, tuple[str, ...]]


class _Ledger:
    """Chains by the slot they end in."""

    def __init__(self) -> None:
        self._chains: dict[_Key, list[Chain]] = defaultdict(list)
        self._came_from: dict[str, str] = {}

    def load(self, nets: Iterable[Net]) -> None:
        """Nets of one range: they hold at the same time, so none follows another."""
        for step, commits in _steps(nets):
            self._register(step)
            self._put(opened(step, commits))

    def apply(self, steps: Iterable[_Step]) -> None:
        """Transitions that hold at the same time, upon what is here already."""
        listed = list(steps)
        for step, _ in listed:
            self._register(step)
        for step, commits in (x for x in listed if x[0].now is None):
            self._put(self._followed(step, commits))
        between = [x for x in listed if x[0].was is not None and x[0].now is not None]
        for chain in [x for step, _ in between if step.holds for x in self._values(step)]:
            self._put(chain)
        for chain in [self._followed(step, commits) for step, commits in between]:
            self._put(chain)
        for step, commits in (x for x in listed if x[0].was is None and x[0].now is not None):
            self._put(self._followed(step, commits))

    def chains(self) -> Iterator[Chain]:
        for chains in self._chains.values():
            yield from (chain for chain in chains if not chain.still)

    def _register(self, step: Transition) -> None:
        if step.holds:
            self._came_from[step.end.full] = step.start.full

    def _values(self, step: Transition) -> Iterator[Chain]:
        """Values of what is renamed, taken out and given its new name."""
        for family in values_of(step.family):
            for chain in self._chains.pop((family, True, step.start.full, ""), ()):
                chain.end, chain.alone = step.end, False
                yield chain

    def _put(self, chain: Chain) -> None:
        self._chains[chain.family, chain.value, chain.end.full, chain.end.text].append(chain)

    def _followed(self, step: Transition, commits: tuple[str, ...]) -> Chain:
        chain = self._taken(step)
        if chain is None:
            return opened(step, commits)
        chain.follow(step, commits)
        return chain

    def _taken(self, step: Transition) -> Chain | None:
        """The chain that this transition follows; what was found under an earlier name counts too."""
        strict = families()[step.family].by_text
        for full in self._names(step.start):
            listed = self._chains.get((step.family, step.value, full, step.start.text))
            if not listed:
                continue
            fits = [i for i, chain in enumerate(listed) if (chain.now is None) == (step.was is None)]
            if fits or not strict:
                return listed.pop(fits[-1] if fits else -1)
        return None

    def _names(self, name: Name) -> Iterator[str]:
        """The name, then what it was called before moves of what holds it."""
        full = name.full
        yield full
        if not self._came_from:
            return
        for _ in range(_MOVES):
            at = len(full)
            while at > 0 and full[:at] not in self._came_from:
                at = max(full.rfind(".", 0, at), full.rfind("(", 0, at))
            if at <= 0:
                return
            full = self._came_from[full[:at]] + full[at:]
            yield full


def net(steps: Iterable[tuple[str, Finding]]) -> tuple[Net, ...]:
    """What holds at the end and did not at the start; steps are (sha, finding) of commits, oldest first."""
    ledger = _Ledger()
    for sha, group in groupby(steps, key=lambda step: step[0]):
        ledger.apply((step, (sha,)) for _, finding in group for step in transitions(finding))
    return told(ledger.chains())


def compose(first: Iterable[Net], second: Iterable[Net]) -> tuple[Net, ...]:
    """The nets of two ranges, the second beginning where the first ends, as those of one."""
    ledger = _Ledger()
    ledger.load(first)
    ledger.apply(_steps(second))
    return told(ledger.chains())


def _steps(nets: Iterable[Net]) -> Iterator[_Step]:
    for one in nets:
        for step in transitions(one.finding):
            yield _remembering(step, one.names), one.commits
        yield from _steps(one.under)


def _remembering(step: Transition, names: tuple[str, ...]) -> Transition:
    """A thing that had another name on the way came under its first and went under its last."""
    if not names or (step.value and not step.derived):
        return step
    near = step.start
    if families()[step.family].by_text:
        return replace(step, start=near._replace(text=names[0]), end=near._replace(text=names[-1]))
    return replace(step, start=named(names[0], near), end=named(names[-1], near))
