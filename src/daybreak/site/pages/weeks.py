"""Days put together to weeks, Monday first; a week says how many of its days were reported, since the others are unknown."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from msgspec import Struct

from daybreak.site.pages.summaries import DaySummary, RepoSummary

COUNTED = (
    "commits", "high", "medium", "low", "breaking", "reverts", "issues_opened", "issues_closed", "pulls_opened", "pulls_merged",
)  # fmt: skip


class Week(Struct, frozen=True):
    """Seven days of one repository, or of all."""

    monday: date
    days: int = 0
    """Reported ones that are known of."""
    commits: int = 0
    high: int = 0
    medium: int = 0
    low: int = 0
    breaking: int = 0
    reverts: int = 0
    issues_opened: int = 0
    issues_closed: int = 0
    pulls_opened: int = 0
    pulls_merged: int = 0

    @property
    def label(self) -> str:
        return f"{self.monday:%m-%d}"

    @property
    def name(self) -> str:
        year, week, _ = self.monday.isocalendar()
        return f"{year}-W{week:02}"


def weeks_of(days: Sequence[DaySummary], repo: str | None = None) -> tuple[Week, ...]:
    """From the first reported week to the last without a gap, of one repository or of all."""
    sums: dict[date, dict[str, int]] = {}
    for day in days:
        parts = _parts(day, repo)
        if parts is None:
            continue
        moment = date.fromisoformat(day.label)
        week = sums.setdefault(moment - timedelta(days=moment.weekday()), dict.fromkeys(("days", *COUNTED), 0))
        week["days"] += 1
        for one in parts:
            for field in COUNTED:
                week[field] += getattr(one, field)
    if not sums:
        return ()
    first, last = min(sums), max(sums)
    mondays = (first + timedelta(days=7 * at) for at in range((last - first).days // 7 + 1))
    return tuple(Week(monday, **sums.get(monday, {})) for monday in mondays)


def _parts(day: DaySummary, repo: str | None) -> Sequence[RepoSummary] | None:
    """None: nothing is known of the day."""
    if day.unreadable:
        return None
    if repo is None:
        return day.repos
    found = day.repo(repo)
    return None if found is None or found.in_git is None else (found,)
