"""Names that a change breaks, as lists show them: those that everybody meets first, both sides cut where they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from daybreak.core.model.day import Commit, Finding, Statement, Tells
from daybreak.findings.kinds import Kind, kind_of
from daybreak.judge.breaking import mark_of
from daybreak.judge.day_value import reader_finding
from daybreak.judge.phrases import is_list_of_values, lost_and_new
from daybreak.report.render.escape import clean

INTERNALS = "internals"
MOST = 3
"""Names of one change that a list shows."""
_LONGEST = 200
_BEFORE = 40
"""Characters that stay before the first difference of two long sides."""


class BrokenName(Struct, frozen=True, array_like=True, gc=False):
    """A breaking finding: before → after."""

    kind: str
    symbol: str
    before: str | None = None
    after: str | None = None


def broken_findings(commit: Commit) -> list[Finding]:
    """Those that say so, or else those whose kind breaks: another default does without saying it."""
    found = [one for one in commit.findings if one.breaking]
    found = found or [one for one in commit.findings if kind_of(one.kind).mark == "breaks"]
    return sorted(found, key=lambda one: not kind_of(one.kind).is_operated)


def users_break(commit: Commit) -> list[Finding]:
    """Those of a breaking change by which it breaks something for users; what plug-ins and forks alone meet is none."""
    return [one for one in commit.findings if mark_of(reader_finding(one)) == "breaks"]


def what_breaks(commit: Commit) -> list[Tells | Statement]:
    """The sentence that says what it breaks for users, which need not be the one that says what it does; none where no
    finding breaks.
    """
    breaks = {f"finding:{one.id}" for one in users_break(commit)} if commit.breaking else set()
    said: list[Tells | Statement] = [commit.tells] if commit.tells else []
    said += [one for one in commit.statements if one.role == "what"]
    return [one for one in said if breaks.intersection(one.evidence)][:1]


def forks_break(commit: Commit) -> list[Finding]:
    """By what it breaks plug-ins and forks; nothing of a change that breaks users, too."""
    found = [one for one in commit.findings if mark_of(reader_finding(one)) == "breaks_internals"]
    return found if not commit.breaking and not commit.filtered else []


def broken_name(finding: Finding) -> BrokenName:
    """Short enough for a list."""
    before, after = finding.before, finding.after
    told = reader_finding(finding)
    if is_list_of_values(told) and any(sides := lost_and_new(told)):  # which of them came and went, not all there are
        before, after = (", ".join(some) or None for some in sides)
    if before is not None and after is not None and max(len(before), len(after)) > _LONGEST:
        pairs = enumerate(zip(before, after, strict=False))
        differs = next((at for at, (one, two) in pairs if one != two), min(len(before), len(after)))
        alike = max(0, differs - _BEFORE)
        before, after = (f"…{side[alike:]}" if alike else side for side in (before, after))
    shown = (None if side is None else _short(side) for side in (before, after))
    return BrokenName(finding.kind, _short(finding.symbol), *shown)


def _short(text: str) -> str:
    text = clean(text)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def surfaces_broken(told: Iterable[Commit]) -> dict[str, int]:
    """Changes by surface, as breaking only where their day calls them so; what plug-ins and forks alone meet is apart."""
    found: Counter[str] = Counter()
    for one in told:
        names = {_surface(kind_of(finding.kind)) for finding in broken_findings(one)}
        found.update(names if one.breaking else names & {INTERNALS})
    return dict(found)


def _surface(kind: Kind) -> str:
    return INTERNALS if kind.mark == INTERNALS else kind.surface
