"""Each reported day in small: counts, and what pages over many days name; kept so that only changed days are decoded.

A year of days fits in memory as summaries, not as reports. All texts are strangers': cut to one bounded line here,
escaped by whoever shows them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.model.day import (
    LEVELS,
    Bump,
    Commit,
    Cost,
    CrossStory,
    Day,
    Earlier,
    Finding,
    Grounding,
    Held,
    Pull,
    Release,
    RepoDay,
    Skipped,
    Story,
    Text,
    headline,
)
from daybreak.core.model.findings import Unread
from daybreak.findings.kinds import kind_of
from daybreak.report.render.escape import clean
from daybreak.report.render.tags import break_tag
from daybreak.report.render.unread import unread_of
from daybreak.site.pages.broken_names import (
    LONGEST,
    BrokenName,
    broken_findings,
    broken_name,
    forks_break,
    short,
    sides,
    surfaces_broken,
    users_break,
)
from daybreak.site.pages.broken_names import MOST as BROKEN_NAMES


class ChangeLine(Struct, frozen=True, array_like=True, gc=False):
    """One change as lists name it."""

    sha: str
    subject: str
    author: str
    committed_at: datetime
    level: str
    kind: str
    tag: str = ""
    """What it does, of one that is marked breaking."""
    pr: int | None = None
    story: str | None = None
    late: bool = False
    """Dated in an earlier window, whose report did not have it."""
    filtered: bool = False

    @property
    def breaking(self) -> bool:
        return bool(self.tag)


class PinMove(Struct, frozen=True, array_like=True, gc=False):
    """A version of something else that a change moved; empty: there was or is none."""

    package: str
    sha: str
    at: datetime
    before: str
    after: str
    released: str = ""
    """The release that is the first to hold it."""


class SymbolEvent(Struct, frozen=True, array_like=True, gc=False):
    """What a change did to a name."""

    kind: str
    symbol: str
    sha: str
    before: str | None = None
    after: str | None = None
    default: str | None = None
    breaking: bool = False
    released: str | None = None


class ComingLine(Struct, frozen=True, array_like=True):
    """An open pull request of weight."""

    number: int
    url: str
    title: str
    author: str
    created_at: datetime
    reasons: tuple[str, ...]
    draft: bool = False
    review: str | None = None


class RepoSummary(Struct, frozen=True):
    """One repository's day in numbers; late and filtered changes are in none but their own."""

    name: str
    url: str
    in_git: int | None
    complete: bool
    rewritten: str | None = None
    commits: int = 0
    high: int = 0
    medium: int = 0
    low: int = 0
    filtered: int = 0
    late: int = 0
    breaking: int = 0
    reverts: int = 0
    issues_opened: int = 0
    issues_closed: int = 0
    pulls_opened: int = 0
    pulls_merged: int = 0
    findings: dict[str, int] = {}
    findings_breaking: dict[str, int] = {}
    changes_breaking: dict[str, int] = {}
    """Surface -> changes that break something of it; what only plug-ins and forks meet is a surface of its own."""
    changes: tuple[ChangeLine, ...] = ()
    broken: dict[str, tuple[BrokenName, ...]] = {}
    """sha of a breaking change -> its first breaking findings."""
    broken_more: dict[str, int] = {}
    forks: tuple[str, ...] = ()
    """Changes that break plug-ins and forks alone; their first findings stand among the broken ones as well."""
    pins: tuple[PinMove, ...] = ()
    pinned: tuple[Held, ...] = ()
    symbols: tuple[SymbolEvent, ...] = ()
    churn: dict[str, tuple[int, int, int]] = {}
    """Folder -> changes, lines and breaking changes; a change counts for the folder that it touches most."""
    stories: tuple[Story, ...] = ()
    repaired: dict[str, Text] = {}
    """sha of a change that ends a time of fault -> what it does, in one sentence."""
    releases: tuple[Release, ...] = ()
    coming: tuple[ComingLine, ...] = ()
    settled: tuple[int, ...] = ()
    """Pull requests of the day that are not coming (any more)."""
    skipped: tuple[Skipped, ...] = ()
    unread: tuple[Unread, ...] = ()
    """Languages of its changed sources that no reader looked into."""
    assessment: tuple[Text, ...] = ()
    grounding: Grounding = Grounding()


class DaySummary(Struct, frozen=True):
    """One day."""

    label: str
    zone: str = ""
    open: bool = False
    languages: tuple[str, ...] = ()
    commits_in_git: int = 0
    commits_reported: int = 0
    repos_unknown: int = 0
    issues: int = 0
    pulls: int = 0
    releases: int = 0
    skipped: tuple[Skipped, ...] = ()
    left_out: tuple[Skipped, ...] = ()
    analyst: str = "rules"
    model: str | None = None
    cost: Cost = Cost()
    grounding: Grounding = Grounding()
    actions: int = 0
    headline: Text = {}
    touches: int | None = None
    """None: no path of the reader's own code is configured."""
    repos: tuple[RepoSummary, ...] = ()
    bumps: tuple[Bump, ...] = ()
    across: tuple[CrossStory, ...] = ()
    earlier: tuple[Earlier, ...] = ()
    revised: int = 0
    completed: int = 0
    unreadable: bool = False
    """What is stored for the day is no report: nothing else of it is known."""

    def repo(self, name: str) -> RepoSummary | None:
        return next((one for one in self.repos if one.name == name), None)

    @property
    def whole(self) -> bool:
        """Everything of the day was had, and the day is over."""
        return not (self.unreadable or self.skipped or self.repos_unknown or self.open)

    def total(self, field: str) -> int:
        """A number of `RepoSummary` over all repositories."""
        return sum(getattr(one, field) for one in self.repos)


def summary_of(day: Day) -> DaySummary:
    """Counted from the values that the report lists."""
    return DaySummary(
        label=day.label,
        zone=day.window.timezone,
        open=day.window.open,
        languages=day.languages,
        commits_in_git=day.coverage.commits_in_git,
        commits_reported=day.coverage.commits_reported,
        repos_unknown=day.coverage.repos_unknown,
        issues=day.coverage.issues,
        pulls=day.coverage.pulls,
        releases=day.coverage.releases,
        skipped=day.coverage.skipped,
        left_out=day.coverage.left_out,
        analyst=day.analyst.kind,
        model=day.analyst.model,
        cost=day.cost,
        grounding=day.grounding,
        actions=len(day.actions),
        headline={language: headline(day, language) for language in day.languages},
        touches=len(day.touches.found) if day.touches is not None else None,
        repos=tuple(_repo(repo) for repo in day.repos),
        bumps=tuple(_bump(one) for one in day.across.bumps),
        across=day.across.stories,
        earlier=day.across.earlier,
        revised=len(day.revised),
        completed=len(day.completed),
    )


def unreadable_day(label: str, reason: str) -> DaySummary:
    """A day whose report cannot be read is named, not left out."""
    return DaySummary(label, skipped=(Skipped("report", reason),), unreadable=True)


def _repo(repo: RepoDay) -> RepoSummary:
    told = [one for one in repo.commits if not one.filtered]
    findings = [finding for one in told for finding in one.findings]
    forks = {one.sha: found for one in repo.commits if (found := forks_break(one))}
    broken = forks | {one.sha: broken_findings(one) for one in repo.changes if one.breaking}
    return replace(
        _counted(repo, told),
        findings=_kinds(findings),
        findings_breaking=_kinds(finding for one in told if one.breaking for finding in users_break(one)),
        changes_breaking=surfaces_broken(told),
        changes=tuple(_line(one, at >= len(repo.commits)) for at, one in enumerate(repo.changes)),
        forks=tuple(forks),
        broken={sha: tuple(map(broken_name, found[:BROKEN_NAMES])) for sha, found in broken.items()},
        broken_more={sha: len(found) - BROKEN_NAMES for sha, found in broken.items() if len(found) > BROKEN_NAMES},
        pinned=repo.pinned,
        pins=tuple(_pin(one, f) for one in told for f in one.findings if "pinned" in kind_of(f.kind).traits),
        churn=_churn(told),
        symbols=tuple(_event(one, f) for one in repo.changes if not one.filtered for f in one.findings if has_life(f)),
        stories=repo.stories,
        repaired=_repaired(repo),
        releases=tuple(_release(one) for one in repo.releases),
        coming=tuple(_coming(one) for one in repo.pulls if _is_coming(one)),
        settled=tuple(one.number for one in repo.pulls if not _is_coming(one)),
        skipped=repo.skipped,
        unread=unread_of([repo]),
        assessment=tuple(one.text for one in repo.assessment),
        grounding=repo.grounding,
    )


def _counted(repo: RepoDay, told: Sequence[Commit]) -> RepoSummary:
    """Which repository it is, and how much happened there."""
    high, medium, low = map(Counter(one.importance.level for one in told).__getitem__, LEVELS)
    return RepoSummary(
        name=repo.name,
        url=repo.url,
        in_git=repo.in_git,
        complete=repo.complete,
        rewritten=repo.rewritten,
        commits=len(repo.commits),
        high=high,
        medium=medium,
        low=low,
        filtered=len(repo.commits) - len(told),
        late=len(repo.late),
        breaking=sum(one.breaking for one in told),
        reverts=sum(one.kind == "revert" for one in told),
        issues_opened=_happened(repo.issues, "opened"),
        issues_closed=_happened(repo.issues, "closed"),
        pulls_opened=_happened(repo.pulls, "opened"),
        pulls_merged=_happened(repo.pulls, "merged"),
    )


def _repaired(repo: RepoDay) -> dict[str, Text]:
    ends = {(sha, one.broken.end) for one in repo.stories if one.broken for sha in one.commits}
    return {one.sha: one.tells.text for one in repo.changes if one.tells and (one.sha, one.committed_at) in ends}


def _churn(told: Iterable[Commit]) -> dict[str, tuple[int, int, int]]:
    found: dict[str, tuple[int, int, int]] = {}
    for one in told:
        for name in one.components[:1]:
            changes, lines, breaking = found.get(short(name), (0, 0, 0))
            found[short(name)] = (changes + 1, lines + one.added + one.deleted, breaking + one.breaking)
    return found


def _happened(items: Iterable[object], what: str) -> int:
    return sum(what in getattr(one, "happened", ()) for one in items)


def _kinds(findings: Iterable[Finding]) -> dict[str, int]:
    """Most frequent first."""
    return dict(sorted(Counter(one.kind for one in findings).items(), key=lambda pair: (-pair[1], pair[0])))


def _line(commit: Commit, late: bool) -> ChangeLine:
    return ChangeLine(
        sha=commit.sha,
        subject=short(commit.subject),
        author=short(commit.author),
        committed_at=commit.committed_at,
        level=commit.importance.level,
        kind=commit.kind,
        tag=break_tag(commit),
        pr=commit.pr.number if commit.pr else None,
        story=commit.story,
        late=late,
        filtered=commit.filtered,
    )


def _pin(commit: Commit, finding: Finding) -> PinMove:
    before, after = (short(text or "") for text in (finding.before, finding.after))
    return PinMove(short(finding.symbol), commit.sha, commit.committed_at, before, after, commit.released or "")


_NO_NAMES = frozenset({"behaviour", "safe", "hardware"})
"""Surfaces whose findings have no name that lives on."""


def has_life(finding: Finding) -> bool:
    """It is about a name that others write down: a flag, a variable, a class, an operator, a package."""
    kind, fits = kind_of(finding.kind), len(finding.symbol) <= LONGEST
    named = kind.surface not in _NO_NAMES and kind.mark != "internals"
    return fits and named and kind.change not in ("none", "moved")


def _event(commit: Commit, finding: Finding) -> SymbolEvent:
    default = None if finding.default is None else short(finding.default)
    name, told = clean(finding.symbol), (finding.breaking, commit.released)
    return SymbolEvent(finding.kind, name, commit.sha, *sides(finding), default, *told)


def _is_coming(pull: Pull) -> bool:
    return bool(pull.coming) and pull.state == "open"


def _coming(pull: Pull) -> ComingLine:
    title, author = short(pull.title), short(pull.author)
    return ComingLine(pull.number, pull.url, title, author, pull.created_at, pull.coming, pull.draft, pull.review)


def _release(release: Release) -> Release:
    return replace(release, title=short(release.title), notes=tuple(clean(line) for line in release.notes))


def _bump(bump: Bump) -> Bump:
    """Without the changes it brings: the page of the day has them."""
    return replace(bump, between=(), findings=())
