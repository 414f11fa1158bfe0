"""One repository over all days, and the calendar of all: pictures, stories, findings by kind, releases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from daybreak.core.model.day import Skipped
from daybreak.core.model.findings import Unread
from daybreak.core.words.phrases import Phrases
from daybreak.findings.kinds import kind_of, surfaces
from daybreak.report.archive.addresses import calendar_path, repo_path, symbol_letter
from daybreak.site.pages.across_days import Joined, JoinedRelease, JoinedStory
from daybreak.site.pages.aftermath import After, By, aftermath
from daybreak.site.pages.broken_names import BrokenName
from daybreak.site.pages.months import (
    FEW,
    OPEN,
    SHOWN,
    HeatDay,
    Week,
    heat_days,
    heat_maps,
    months_of,
    trends,
    weeks_of,
)
from daybreak.site.pages.named_pages import has_page
from daybreak.site.pages.ranges import RangeName, range_names
from daybreak.site.pages.rollups import rollup_labels
from daybreak.site.pages.summaries import ChangeLine, ComingLine, DaySummary, RepoSummary
from daybreak.site.pages.views import ViewPages, without_language


class RepoLine(Struct, frozen=True):
    """One repository over all days."""

    name: str
    commits: int
    high: int
    breaking: int
    stories: int
    releases: int


class CalendarView(Struct, frozen=True):
    days: tuple[HeatDay, ...]
    weeks: tuple[Week, ...]
    repos: tuple[RepoLine, ...]
    rollups: tuple[str, ...] = ()
    ranges: tuple[RangeName, ...] = ()


class CalendarPages(ViewPages[CalendarView]):
    """One page in each language."""

    template = "calendar.html"
    section = "calendar"
    beginning = "calendar.html"

    def views(self, days: Sequence[DaySummary]) -> Mapping[str, CalendarView]:
        repos = tuple(_line(name, days) for name in repo_names(days))
        sums = tuple(rollup_labels(self._ground)), tuple(range_names(self._ground))
        view = CalendarView(heat_days(days), weeks_of(days), repos, *sums)
        return {without_language(calendar_path("-")): view}

    def values(self, view: CalendarView, t: Phrases) -> Mapping[str, Any]:
        return {
            "activity": heat_maps(t, view.days, "activity", "commits"),
            "breaking": heat_maps(t, view.days, "breaking", "breaking"),
            "figures": trends(t, view.weeks, "all"),
            "months": months_of(view.days),
            "unfolded": OPEN,
            "shown_weeks": SHOWN,
            "few_weeks": FEW,
        }


def repo_names(days: Sequence[DaySummary]) -> list[str]:
    """Of the newest day first, in its order; then those that are watched no more."""
    return list(dict.fromkeys(repo.name for day in reversed(days) for repo in day.repos))


def _line(name: str, days: Sequence[DaySummary]) -> RepoLine:
    told = [part for day in days if (part := day.repo(name)) is not None]
    return RepoLine(
        name,
        commits=sum(one.commits for one in told),
        high=sum(one.high for one in told),
        breaking=sum(one.breaking for one in told),
        stories=len({story.id for one in told for story in one.stories}),
        releases=len({release.tag for one in told for release in one.releases}),
    )


# --- One repository over all days: its weeks as pictures, stories, findings by kind, what is coming, releases, what broke ---

MOST = 30
"""Rows of a list; the page says how many more there are."""


class BreakingLine(Struct, frozen=True):
    """A breaking change and the day that tells it."""

    label: str
    change: ChangeLine
    names: tuple[BrokenName, ...] = ()
    more: int = 0
    after: After | None = None
    """What became of it."""


class LastDay(Struct, frozen=True):
    """What breaks on the newest day of which a report tells: how much of it was read, and what not."""

    label: str
    commits: int
    in_git: int | None
    breaking: tuple[BreakingLine, ...]
    forks: tuple[BreakingLine, ...]
    """What plug-ins and forks alone meet."""
    skipped: tuple[Skipped, ...]
    unread: tuple[Unread, ...]


class SurfaceLine(Struct, frozen=True):
    """Findings about one part of the project."""

    surface: str
    total: int
    breaking: int
    kinds: tuple[tuple[str, int, int], ...]
    """Kind, how many, how many of them breaking; most frequent first."""


class RepoView(Struct, frozen=True):
    name: str
    url: str
    days: tuple[HeatDay, ...]
    weeks: tuple[Week, ...]
    last: LastDay | None
    totals: dict[str, int]
    open: tuple[JoinedStory, ...]
    stories: tuple[JoinedStory, ...]
    stories_more: int
    findings: tuple[SurfaceLine, ...]
    coming: tuple[tuple[str, ComingLine], ...]
    """With the day that said so."""
    releases: tuple[JoinedRelease, ...]
    breaking: tuple[BreakingLine, ...]
    breaking_more: int
    symbols: tuple[tuple[str, tuple[tuple[str, str, int], ...]], ...]
    """Surface -> letter, a name that begins so, and how many names do."""
    ranges: tuple[RangeName, ...]
    forge: bool
    """Something of issues or pull requests is in the reports."""


class RepositoryPages(ViewPages[RepoView]):
    """One page for each repository that a report names."""

    template = "repository.html"
    section = "repo"
    beginning = "repos/"

    def views(self, days: Sequence[DaySummary]) -> Mapping[str, RepoView]:
        joined = Joined(days)
        names = reversed(repo_names(days))  # of two that share an address, the one watched now has it
        ranges, later = range_names(self._ground), aftermath(days)
        return {without_language(repo_path("-", name)): repo_view(name, days, joined, ranges, later) for name in names}

    def values(self, view: RepoView, t: Phrases) -> Mapping[str, Any]:
        return {
            "activity": heat_maps(t, view.days, "activity", "commits"),
            "breaking": heat_maps(t, view.days, "breaking", "breaking"),
            "figures": trends(t, view.weeks, "repo"),
            "months": months_of(view.days),
            "unfolded": OPEN,
            "shown_weeks": SHOWN,
            "few_weeks": FEW,
        }


def repo_view(
    name: str, days: Sequence[DaySummary], joined: Joined, ranges: Sequence[RangeName] = (), later: By | None = None
) -> RepoView:
    """All that its page shows."""
    told = [(day.label, part) for day in days if (part := day.repo(name)) is not None]
    stories = sorted(
        (one for one in joined.stories.values() if name in one.repos), key=lambda one: (one.last, one.id), reverse=True
    )
    releases = [one for (repo, _), one in joined.releases.items() if repo == name]
    breaking = _breaking(told, later or {})
    settled = [one for one in stories if not one.open]
    return RepoView(
        name=name,
        url=joined.urls.get(name, ""),
        days=heat_days(days, name),
        weeks=weeks_of(days, name),
        last=_last(*told[-1], later or {}) if told else None,
        totals=_totals(told),
        open=tuple(one for one in stories if one.open),
        stories=tuple(settled[:MOST]),
        stories_more=max(len(settled) - MOST, 0),
        findings=_findings(told),
        coming=_coming(told),
        releases=tuple(sorted(releases, key=lambda one: one.release.created_at, reverse=True)),
        breaking=tuple(breaking[:MOST]),
        breaking_more=max(len(breaking) - MOST, 0),
        symbols=_symbols(told),
        ranges=tuple(one for one in ranges if one.repo == name),
        forge=any(part.issues_opened or part.issues_closed or part.coming or part.settled for _, part in told),
    )


def _symbols(
    told: Sequence[tuple[str, RepoSummary]],
) -> tuple[tuple[str, tuple[tuple[str, str, int], ...]], ...]:
    """Which pages of names there are."""
    names = {
        (kind_of(one.kind).surface, one.symbol)
        for _, part in told
        for one in part.symbols
        if has_page(one.kind, one.symbol, one.breaking)
    }
    found: dict[str, dict[str, list[str]]] = {}
    for surface, name in sorted(names):
        found.setdefault(surface, {}).setdefault(symbol_letter(name), []).append(name)
    return tuple(
        (surface, tuple((letter, some[0], len(some)) for letter, some in sorted(found[surface].items())))
        for surface in surfaces()
        if surface in found
    )


def _totals(told: Sequence[tuple[str, RepoSummary]]) -> dict[str, int]:
    fields = (
        "commits", "high", "medium", "low", "filtered", "late", "breaking", "reverts",
        "issues_opened", "issues_closed", "pulls_opened", "pulls_merged",
    )  # fmt: skip
    return {field: sum(getattr(part, field) for _, part in told) for field in fields}


def _findings(told: Sequence[tuple[str, RepoSummary]]) -> tuple[SurfaceLine, ...]:
    every, broke = Counter[str](), Counter[str]()
    for _, part in told:
        every.update(part.findings)
        broke.update(part.findings_breaking)
    made = []
    for surface in surfaces():
        kinds = sorted(
            (kind for kind in every if kind_of(kind).surface == surface), key=lambda kind: (-every[kind], kind)
        )
        if kinds:
            rows = tuple((kind, every[kind], broke[kind]) for kind in kinds)
            made.append(SurfaceLine(surface, sum(row[1] for row in rows), sum(row[2] for row in rows), rows))
    return tuple(made)


def _coming(told: Sequence[tuple[str, RepoSummary]]) -> tuple[tuple[str, ComingLine], ...]:
    """As its newest report has it: one that was merged or closed since is gone."""
    found: dict[int, tuple[str, ComingLine]] = {}
    for label, part in told:
        for number in part.settled:
            found.pop(number, None)
        for one in part.coming:
            found[one.number] = (label, one)
    return tuple(sorted(found.values(), key=lambda pair: (pair[0], pair[1].number), reverse=True))


def _last(label: str, part: RepoSummary, later: By) -> LastDay:
    own = tuple(one for one in _breaking([(label, part)], later) if not one.change.late)
    forks = tuple(_breaking_line(label, part, one, later) for one in part.changes if one.sha in part.forks)
    return LastDay(label, part.commits, part.in_git, own, forks, part.skipped, part.unread)


def _breaking(told: Sequence[tuple[str, RepoSummary]], later: By) -> list[BreakingLine]:
    """Newest day first, in a day as the report has them."""
    return [
        _breaking_line(label, part, one, later)
        for label, part in reversed(told)
        for one in part.changes
        if one.breaking and not one.filtered
    ]


def _breaking_line(label: str, part: RepoSummary, one: ChangeLine, later: By) -> BreakingLine:
    names, more = part.broken.get(one.sha, ()), part.broken_more.get(one.sha, 0)
    return BreakingLine(label, one, names, more, later.get((part.name, one.sha)))
