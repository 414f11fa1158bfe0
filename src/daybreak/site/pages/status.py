"""The status page: how much of each day was had, what was skipped and why, what it cost, and what a check dropped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec import Struct

from daybreak.core.model.day import Cost, Grounding, Skipped
from daybreak.report.archive.addresses import status_path
from daybreak.site.pages.summaries import DaySummary
from daybreak.site.pages.views import ViewPages, without_language

DETAILED = 31
"""Days whose skipped items are named here; the pages of older days name theirs."""


class StatusDay(Struct, frozen=True):
    label: str
    open: bool
    whole: bool
    unreadable: bool
    in_git: int
    reported: int
    unknown: int
    filtered: int
    late: int
    issues: int
    pulls: int
    releases: int
    skipped: int
    left_out: int
    cost: Cost
    grounding: Grounding
    analyst: str
    model: str | None
    revised: int
    completed: int


class StatusView(Struct, frozen=True):
    days: tuple[StatusDay, ...]
    """Newest first."""
    skipped: tuple[tuple[str, tuple[Skipped, ...]], ...]
    """By day, newest first, of the newest days."""
    skipped_older: int
    left_out: tuple[tuple[str, tuple[Skipped, ...]], ...]
    left_out_older: int
    grounding: Grounding
    cost: Cost
    repos: int
    zone: str
    missing: tuple[str, ...]
    """Days between the first and the last without a report."""


class StatusPages(ViewPages[StatusView]):
    """One page in each language."""

    template = "status.html"
    section = "status"
    beginning = "status.html"

    def views(self, days: Sequence[DaySummary]) -> Mapping[str, StatusView]:
        return {without_language(status_path("-")): status_view(days)}


def status_view(days: Sequence[DaySummary]) -> StatusView:
    """All days; single faults of the newest ones."""
    newest = list(reversed(days))
    detailed, older = newest[:DETAILED], newest[DETAILED:]
    last = newest[0] if newest else DaySummary("")
    return StatusView(
        days=tuple(_day(day) for day in newest),
        skipped=tuple((day.label, day.skipped) for day in detailed if day.skipped),
        skipped_older=sum(len(day.skipped) for day in older),
        left_out=tuple((day.label, day.left_out) for day in detailed if day.left_out),
        left_out_older=sum(len(day.left_out) for day in older),
        grounding=_grounding(days),
        cost=_cost(days),
        repos=len(last.repos),
        zone=last.zone,
        missing=_missing([day.label for day in days]),
    )


def _day(day: DaySummary) -> StatusDay:
    return StatusDay(
        label=day.label,
        open=day.open,
        whole=day.whole,
        unreadable=day.unreadable,
        in_git=day.commits_in_git,
        reported=day.commits_reported,
        unknown=day.repos_unknown,
        filtered=day.total("filtered"),
        late=day.total("late"),
        issues=day.issues,
        pulls=day.pulls,
        releases=day.releases,
        skipped=len(day.skipped),
        left_out=len(day.left_out),
        cost=day.cost,
        grounding=day.grounding,
        analyst=day.analyst,
        model=day.model,
        revised=day.revised,
        completed=day.completed,
    )


def _grounding(days: Sequence[DaySummary]) -> Grounding:
    reasons = Counter[str]()
    for day in days:
        reasons.update(day.grounding.by_reason)
    return Grounding(
        statements=sum(day.grounding.statements for day in days),
        kept=sum(day.grounding.kept for day in days),
        dropped=sum(day.grounding.dropped for day in days),
        by_reason=dict(sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))),
    )


def _cost(days: Sequence[DaySummary]) -> Cost:
    """Money is known only as far as some day knows it."""
    money = [day.cost.money for day in days if day.cost.money is not None]
    return Cost(
        requests=sum(day.cost.requests for day in days),
        prompt_tokens=sum(day.cost.prompt_tokens for day in days),
        completion_tokens=sum(day.cost.completion_tokens for day in days),
        money=sum(money) if money else None,
    )


def _missing(labels: Sequence[str]) -> tuple[str, ...]:
    from datetime import date, timedelta

    if not labels:
        return ()
    first, last = date.fromisoformat(labels[0]), date.fromisoformat(labels[-1])
    reported = set(labels)
    every = (f"{first + timedelta(days=at)}" for at in range((last - first).days))
    return tuple(label for label in every if label not in reported)
