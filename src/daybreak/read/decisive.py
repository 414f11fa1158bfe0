"""The one to three hunks that show a change, verbatim.

A hunk with a finding tells more than any other; then public and kernel code before the rest, and short before long.
"""

from __future__ import annotations

from collections.abc import Sequence

from daybreak.model import Area, Finding, Hunk
from daybreak.read.diff import DiffHunk
from daybreak.read.languages.base import ReadFile

MAX_LINES = 40
MAX_WIDTH = 400
LIMIT = 3

_WEIGHT: dict[Area, float] = {
    "api": 3.0,
    "kernel": 2.6,
    "code": 2.5,
    "dependency": 1.5,
    "build": 1.2,
    "data": 0.6,
    "ci": 0.3,
    "test": 0.3,
    "docs": 0.3,
}


def decisive(files: Sequence[ReadFile], findings: Sequence[Finding]) -> tuple[Hunk, ...]:
    """Best first; one hunk unless findings stand in several."""
    lines: dict[str, list[Finding]] = {}
    for finding in findings:
        lines.setdefault(finding.path, []).append(finding)
    ranked: list[tuple[float, int, ReadFile, DiffHunk]] = []
    for file in files:
        if file.area in ("generated", "vendored", "lock"):
            continue
        for hunk in file.hunks:
            score = _score(file, hunk, lines.get(file.path, ()))
            ranked.append((-score, len(ranked), file, hunk))
    ranked.sort(key=lambda item: item[:2])
    chosen = [(f, h) for score, _, f, h in ranked[:LIMIT] if score <= -10.0] or [(f, h) for _, _, f, h in ranked[:1]]
    return tuple(Hunk(f.path, _cut(h)) for f, h in chosen if all(len(line) <= MAX_WIDTH for line in h.raw[:MAX_LINES]))


def _score(file: ReadFile, hunk: DiffHunk, findings: Sequence[Finding]) -> float:
    """Ten and more: the hunk holds a finding."""
    score = _WEIGHT.get(file.area, 0.1)
    size = len(hunk.raw)
    changed = sum(1 for x in hunk.lines if x.sign != " ")
    score += min(changed, 12) / 12 - (1.5 if size > MAX_LINES else 0.0)
    score -= 1.0 if _only_comments(hunk) else 0.0
    numbers = {x.old for x in hunk.lines[:MAX_LINES] if x.sign != "+"} | {
        x.new for x in hunk.lines[:MAX_LINES] if x.sign != "-"
    }
    held = [f for f in findings if f.line in numbers]
    if held:
        score += 10.0 + (5.0 if any(f.breaking for f in held) else 0.0)
    return score


def _only_comments(hunk: DiffHunk) -> bool:
    changed = [x.text.strip() for x in hunk.lines if x.sign != " "]
    return all(not t or t.startswith(("#", "//", "import ", "from ", "*")) for t in changed)


def _cut(hunk: DiffHunk) -> str:
    """The hunk, or its first lines when it is longer than a reader wants: a run of whole lines from its `@@` on."""
    return "\n".join(hunk.raw[: MAX_LINES + 1])
