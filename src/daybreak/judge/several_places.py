"""Names that go from several places, have to be given at several, or move to one place together: told once, in the plural."""

from __future__ import annotations

import re
from collections.abc import Sequence

from daybreak.core.model.findings import Finding
from daybreak.core.model.statements import Text
from daybreak.core.words import say, term
from daybreak.core.words.grammar import listing
from daybreak.findings.kinds import kind_of

_PARTS = re.compile(r"(?P<owner>[\w.]+?)(?:\.__init__)?(?:\((?P<argument>\w+)\)|\.(?P<member>\w+))")
_TOLD = frozenset({"removed", "required_added"})
_SEVERAL, _SHOWN = 3, 4
"""Places from which on they are told in the plural, and how many of them are named."""
MoveOf = tuple[str, str, str]


def parted(finding: Finding) -> tuple[str, str]:
    """What has a parameter or a field, and its name; two empty ones for all else."""
    kind = kind_of(finding.kind)
    found = _PARTS.fullmatch(finding.symbol) if kind.family.endswith(("parameter", "field")) else None
    return (found["owner"], found["argument"] or found["member"]) if found else ("", "")


def together(first: Finding, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Those of the findings that one sentence tells with the first; none where it stands alone."""
    if kind_of(first.kind).change not in _TOLD or not parted(first)[1]:
        return ()
    change, name = kind_of(first.kind).change, parted(first)[1]
    same = [f for f in findings if kind_of(f.kind).change == change and parted(f)[1] == name and not f.inner]
    return tuple(same) if len({parted(f)[0] for f in same}) >= _SEVERAL and first in same else ()


def told(group: Sequence[Finding]) -> Text:
    """The one name, and where it went or has to be given."""
    name, owners = parted(group[0])[1], listing((parted(f)[0] for f in group), _SHOWN)
    return term("judge.several", kind_of(group[0].kind).change, name=name, owners=owners)


def moved(finding: Finding) -> MoveOf | None:
    """From where to where a function or a class moves that keeps its name."""
    old, new = ((side or "").rpartition(".") for side in (finding.before, finding.after))
    keeps = kind_of(finding.kind).change == "moved" and old[2] == new[2] == finding.symbol
    return (finding.kind, old[0], new[0]) if keeps and old[0] and new[0] else None


def moved_together(group: Sequence[Finding]) -> Text | None:
    """Those that move from one module to another, in one sentence; None for one alone."""
    ways = {moved(f) for f in group}
    way = ways.pop() if len(ways) == 1 and len(group) > 1 else None
    names = listing((f.symbol for f in group), _SHOWN)
    return say("judge.parted.moved", names=names, before=way[1], after=way[2]) if way else None
