"""The calendar: every reported day over all repositories, and each repository's half year at a glance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from daybreak.core.words.phrases import Phrases
from daybreak.report.archive.addresses import calendar_path
from daybreak.site.pages.months import OPEN, HeatDay, heat_days, heat_maps, months_of
from daybreak.site.pages.summaries import DaySummary
from daybreak.site.pages.trends import SHOWN, Week, trends, weeks_of
from daybreak.site.pages.views import ViewPages, without_language


class RepoLine(Struct, frozen=True):
    """One repository over all days."""

    name: str
    days: tuple[HeatDay, ...]
    commits: int
    high: int
    breaking: int
    stories: int
    releases: int


class CalendarView(Struct, frozen=True):
    days: tuple[HeatDay, ...]
    weeks: tuple[Week, ...]
    repos: tuple[RepoLine, ...]


class CalendarPages(ViewPages[CalendarView]):
    """One page in each language."""

    template = "calendar.html"
    section = "calendar"
    beginning = "calendar.html"

    def views(self, days: Sequence[DaySummary]) -> Mapping[str, CalendarView]:
        view = CalendarView(heat_days(days), weeks_of(days), tuple(_line(name, days) for name in repo_names(days)))
        return {without_language(calendar_path("-")): view}

    def values(self, view: CalendarView, t: Phrases) -> Mapping[str, Any]:
        return {
            "activity": heat_maps(t, view.days, "activity", "commits"),
            "breaking": heat_maps(t, view.days, "breaking", "breaking"),
            "figures": trends(t, view.weeks, "all"),
            "months": months_of(view.days),
            "unfolded": OPEN,
            "shown_weeks": SHOWN,
            "strips": {
                one.name: heat_maps(t, one.days, f"repo{at}", "commits")[-1:] for at, one in enumerate(view.repos)
            },
        }


def repo_names(days: Sequence[DaySummary]) -> list[str]:
    """Of the newest day first, in its order; then those that are watched no more."""
    return list(dict.fromkeys(repo.name for day in reversed(days) for repo in day.repos))


def _line(name: str, days: Sequence[DaySummary]) -> RepoLine:
    told = [part for day in days if (part := day.repo(name)) is not None]
    return RepoLine(
        name,
        heat_days(days, name),
        commits=sum(one.commits for one in told),
        high=sum(one.high for one in told),
        breaking=sum(one.breaking for one in told),
        stories=len({story.id for one in told for story in one.stories}),
        releases=len({release.tag for one in told for release in one.releases}),
    )
