"""Since which release what a range comes to holds: the first inside it from which on every one has it.

The last change that touched a name says when nothing was undone in between; where something was, or only joined, the releases
between the ends are asked, each by the changes that it holds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from daybreak.core.model.findings import Finding
from daybreak.core.model.upgrade import Net
from daybreak.core.versions import version
from daybreak.findings.kinds import GONE, kind_of
from daybreak.judge.value_lists import is_list_of_values, lost_and_new
from daybreak.upgrade.range.net import net
from daybreak.upgrade.range.net_slots import slots

_Steps = Sequence[tuple[str, Finding]]
_Held = tuple[str, str, object]


def since(steps: _Steps, nets: Sequence[Net], released: Mapping[str, str], start: AbstractSet[str]) -> list[str | None]:
    """Of each net a release, None where none of the range has it; `start`: changes of the start alone, which every release lacks."""
    tags = tags_of(released, start)
    found = [_of_last(one, released, start, tags) for one in nets]
    times = Counter(slot for _, some in {(sha, slots(finding)) for sha, finding in steps} for slot in some)
    asked = [at for at, one in enumerate(nets) if any(times[slot] > 1 for slot in slots(one.finding))]
    of_them = {slot for at in asked for slot in slots(nets[at].finding)}
    told = [(sha, finding) for sha, finding in steps if not of_them.isdisjoint(slots(finding))]
    for at_tag in range(len(tags) - 1, -1, -1):
        have = {*tags[: at_tag + 1]}
        open_ = [at for at in asked if _next(found[at], tags) == at_tag]
        if open_:
            held = {
                _held(one.finding)
                for one in net(row for row in told if row[0] in start or released.get(row[0]) in have)
            }
            for at in open_:
                if _held(nets[at].finding) in held:
                    found[at] = tags[at_tag]
    return found


def tags_of(released: Mapping[str, str], start: AbstractSet[str]) -> list[str]:
    """The releases that hold changes of the range, in their order; those that only hold the start's own lie before it."""
    named = {tag for sha, tag in released.items() if sha not in start and version(tag)}
    return sorted(named, key=lambda tag: version(tag) or ())


def _of_last(one: Net, released: Mapping[str, str], start: AbstractSet[str], tags: Sequence[str]) -> str | None:
    """The release of the last change; what only undoes the start's own holds from the first one on."""
    if not one.commits:
        return None
    if one.commits[-1] in start:
        return tags[0] if tags else None
    return released.get(one.commits[-1])


def _next(tag: str | None, tags: Sequence[str]) -> int:
    """The release before one, which is asked next."""
    return (tags.index(tag) if tag in tags else len(tags)) - 1


def _held(finding: Finding) -> _Held:
    """What holds, whatever else came with it: that a name is gone, which values went, or what it is now."""
    kind = kind_of(finding.kind)
    lost = frozenset(lost_and_new(finding)[0]) if is_list_of_values(finding) else frozenset[str]()
    return kind.family, finding.symbol, lost or (kind.change in GONE) or finding.after
