"""Names that a change breaks, as lists show them: those that everybody meets first, both sides cut where they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from daybreak.core.model.day import Commit, Finding, Statement, Tells
from daybreak.core.text import contrast
from daybreak.findings.kinds import Kind, kind_of
from daybreak.judge.breaking import mark_of
from daybreak.judge.day_value import reader_finding
from daybreak.judge.value_lists import is_list_of_values, lost_and_new
from daybreak.report.render.escape import clean

INTERNALS = "internals"
MOST = 3
"""Names of one change that a list shows."""
LONGEST = 200
"""Characters of a subject, title, symbol or value that a list shows."""


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
    return BrokenName(finding.kind, short(finding.symbol), *sides(finding))


def sides(finding: Finding) -> tuple[str | None, str | None]:
    """What was and what is, as lists, lives of names and search show them: cut around what differs."""
    before, after = finding.before, finding.after
    told = reader_finding(finding)
    if is_list_of_values(told) and any(both := lost_and_new(told)):  # which of them came and went, not all there are
        before, after = (", ".join(some) or None for some in both)
    if before is not None and after is not None:
        before, after = contrast(before, after, LONGEST)
    return before and short(before), after and short(after)


def short(text: str) -> str:
    """As much of it as a list shows."""
    text = clean(text)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def surfaces_broken(told: Iterable[Commit]) -> dict[str, int]:
    """Changes by surface, as breaking only where their day calls them so; what plug-ins and forks alone meet is apart."""
    found: Counter[str] = Counter()
    for one in told:
        names = {_surface(kind_of(finding.kind)) for finding in broken_findings(one)}
        found.update(names if one.breaking else names & {INTERNALS})
    return dict(found)


def _surface(kind: Kind) -> str:
    return INTERNALS if kind.mark == INTERNALS else kind.surface
