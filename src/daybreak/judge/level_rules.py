"""What is high whatever its size, and however little a title says: rules that stand above the fitted grade.

What stops a deployment from starting or being seen, and what makes it unsafe. What breaks code that calls it, or changes
what happens by default: in a library without flags that is all that users ever meet. Hardware that runs it from now on.
Results that were wrong until now.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec.structs import replace

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Reading
from daybreak.core.model.statements import Importance, Kind, Reason
from daybreak.core.words import known, say, term
from daybreak.findings.kinds import kind_of
from daybreak.judge.importance import MAX_REASONS, weights
from daybreak.judge.places import concerns_few, front, lines
from daybreak.judge.titles import bare
from daybreak.judge.urgency import repaired

_OPERATED = frozenset({"cli", "environment", "server", "metrics"})
"""Surfaces that operators and clients type: flags, variables, requests, metrics."""
_STILL_RUNS = frozenset({"deprecates", "refuses"})
"""Breaks of which most users notice nothing yet, or that turn away what was wrong already."""
_RUNS_ON = re.compile(
    r"\b(sm_?\d{2,3})[a-z]?`?(?: \w{1,20}){0,3} support\b|\bsupport\w{0,3}(?: for)? `?(sm_?\d{2,3})[a-z]?\b"
    r"|^add `?(sm_?\d{2,3})[a-z]?`?(?: for \w{1,20})?$",
    re.IGNORECASE,
)
"""Hardware itself is supported now; a kernel that is written for one is news of a kernel."""


def floored(rank: Importance, change: Change, reading: Reading, kind: Kind, broken: Sequence[Reason]) -> Importance:
    """The grade, lifted where a rule says so; the rule's reason comes first. What is low stays low."""
    if rank.level != "medium":
        return rank
    if kind == "security" or any(f.breaking and kind_of(f.kind).surface in _OPERATED for f in reading.findings):
        return _lifted(rank)
    if concerns_few([file.path for file in front(change)]):
        return rank
    breaks = [r for r in broken if r.code not in _STILL_RUNS and "within" not in kind_of(r.code).traits]
    reason = breaks[0] if breaks else runs_on(change) if kind == "feature" else rights(change, kind)
    return _lifted(rank, reason) if reason else rank


def runs_on(change: Change) -> Reason | None:
    """Hardware that the title says is supported now, where lines that came name it."""
    said = _RUNS_ON.search(bare(change.subject))
    if said is None:
        return None
    name = next(filter(None, said.groups()))
    digits = name[2:].lstrip("_")
    number = re.compile(rf"(?<!\d){digits[:-1]}{digits[-1]}?(?!\d)")  # code asks for 120, or for a major version of 12
    if not any(map(number.search, lines(change, "+"))):
        return None
    return Reason("runs_on", say("judge.grade.runs_on", name=name))


def rights(change: Change, kind: Kind) -> Reason | None:
    """Results that were wrong, and what worked before, where a fix says so in words that mean nothing else."""
    found = repaired(change, kind) if kind == "fix" else None
    if found is None or not (found.said and found.in_subject) or not known("judge.grade_repair", found.kind):
        return None
    return Reason(f"says_{found.kind}", term("judge.grade_repair", found.kind, word=found.word))


def _lifted(rank: Importance, reason: Reason | None = None) -> Importance:
    first = (reason,) if reason and reason.text not in [r.text for r in rank.reasons] else ()
    return replace(
        rank, level="high", score=max(rank.score, weights().high), reasons=(*first, *rank.reasons)[:MAX_REASONS]
    )
