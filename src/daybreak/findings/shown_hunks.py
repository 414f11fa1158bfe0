"""The one to three hunks that show a change, verbatim.

A hunk with a breaking finding tells most, then one with another finding that is told; then code before all else, a
changed condition before added lines, and nothing that is only imports, comments or logging while there is more.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from daybreak.core.model.findings import Area, Finding, Hunk
from daybreak.findings.diff import DiffHunk
from daybreak.findings.kinds import CAME, kind_of
from daybreak.findings.languages.base import ReadFile

MAX_LINES = 40
MAX_WIDTH = 400
LIMIT = 3

_WEIGHT: dict[Area, float] = {
    "api": 3.0,
    "kernel": 2.8,
    "code": 2.8,
    "dependency": 1.5,
    "build": 1.2,
    "data": 0.6,
    "ci": 0.3,
    "test": 0.25,
    "docs": 0.3,
}
_CODE: frozenset[Area] = frozenset({"api", "kernel", "code"})
_NEVER: frozenset[Area] = frozenset({"generated", "vendored", "lock"})
_BEHIND: frozenset[Area] = frozenset({"test", "docs", "ci", "data"})
_CONDITION = re.compile(
    r"\s*(?:\}?\s*else\s+)?(?:if|elif|while|assert|return|and|or)\b|\s*(?:&&|\|\|)|\s*#\s*(?:el)?if"
)
_TALK = re.compile(
    r"\s*(?:#|//|/\*|\*|\"\"\"|'''|from [\w.]+ import|import |#include|using |[\w.]*log(?:ger)?\.|print\(|warnings\.)"
)
_NAMES_ONLY = re.compile(r"\s*(?:[\w.]+( as \w+)?,?|[()\]}])\s*$")
_BEHAVIOUR = frozenset({"switch", "guard", "dispatch"})


def decisive(files: Sequence[ReadFile], findings: Sequence[Finding]) -> tuple[Hunk, ...]:
    """Best first; one hunk unless findings stand in several."""
    held: dict[str, list[Finding]] = {}
    for finding in findings:
        held.setdefault(finding.path, []).append(finding)
    shown = [f for f in files if f.area not in _NEVER and f.hunks]
    front = [f for f in shown if f.area not in _BEHIND]
    ranked: list[tuple[float, int, ReadFile, DiffHunk]] = []
    for file in front or shown:
        for hunk in file.hunks:
            if all(len(line) <= MAX_WIDTH for line in hunk.raw[: MAX_LINES + 1]):
                ranked.append((-_score(file, hunk, held.get(file.path, ())), len(ranked), file, hunk))
    ranked.sort(key=lambda item: item[:2])
    telling = [item for item in ranked[:LIMIT] if item[0] <= -10.0]
    return tuple(Hunk(f.path, cut(h)) for _, _, f, h in telling or ranked[:1])


def _score(file: ReadFile, hunk: DiffHunk, findings: Sequence[Finding]) -> float:
    """Ten and more: the hunk holds a finding that its first lines show."""
    score = _WEIGHT.get(file.area, 0.1) - (0.5 if file.path.startswith("test") else 0.0)
    changed = [x for x in hunk.lines if x.sign != " "]
    score += min(len(changed), 12) / 12 - (1.0 if len(hunk.raw) > MAX_LINES else 0.0)
    score += _worth(hunk) if file.area in _CODE else 0.0
    visible = hunk.lines[:MAX_LINES]
    old = {x.old for x in visible if x.sign != "+"}
    new = {x.new for x in visible if x.sign != "-"}
    best = 0.0
    for f in findings:
        if f.line in (old if f.after is None else new):
            best = max(best, _telling(f))
    return score + best


def _telling(finding: Finding) -> float:
    """How much a finding makes its hunk worth showing."""
    if finding.breaking:
        return 20.0
    kind = kind_of(finding.kind)
    if kind.told != "always" or not kind.family:
        return 0.5
    if kind.change in CAME:
        return 10.0
    if kind.family in _BEHAVIOUR:
        return 12.0
    return 10.3 if kind.family == "submodule" else 11.0  # two shas say less than the versions of a pin beside them


def _worth(hunk: DiffHunk) -> float:
    """Down for imports, comments and logging alone; up for a condition that reads otherwise now."""
    changed = [x for x in hunk.lines if x.sign != " " and x.text.strip()]
    if all(_TALK.match(x.text) for x in changed):
        return -3.0
    if all(_TALK.match(x.text) or _NAMES_ONLY.match(x.text) for x in changed):
        return -2.5  # a list of imported names, or of names in general
    gone, come = ([x for x in changed if x.sign == s and _CONDITION.match(x.text)] for s in "-+")
    return 0.8 if gone and come else 0.3 if gone or come else 0.0


def cut(hunk: DiffHunk) -> str:
    """The hunk, or its first lines when it is longer than a reader wants: a run of whole lines from its `@@` on."""
    return "\n".join(hunk.raw[: MAX_LINES + 1])
