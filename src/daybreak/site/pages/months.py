"""Days as a calendar: a heat map over half a year, and a table for each month in which every day is a link."""

from __future__ import annotations

from calendar import Calendar
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from markupsafe import Markup
from msgspec import Struct

from daybreak.core.words.phrases import Phrases
from daybreak.site.charts import HeatMap, heat_map
from daybreak.site.charts.shapes import level_of
from daybreak.site.pages.summaries import DaySummary

# --- The one door through which markup of charts gets into templates: they escape every text themselves ---


def picture(drawn: str) -> Markup:
    """`drawn` was made by `daybreak.site.charts` and by nobody else."""
    return Markup(drawn)  # noqa: S704 made of elements whose texts are escaped; tests try hostile ones


PANEL = 26
"""Weeks of one heat map: half a year fits a phone."""
LEAST = 13
PANELS = 2
OPEN = 3
"""Months that stand unfolded."""


class HeatDay(Struct, frozen=True, array_like=True):
    """One day of one repository, or of all."""

    label: str
    commits: int = 0
    breaking: int = 0
    whole: bool = True
    """Nothing of it was skipped, and it is over."""


class Cell(Struct, frozen=True):
    """One day of a month's table; without a report only its number."""

    number: int
    day: HeatDay | None = None
    level: int = 0


class Month(Struct, frozen=True):
    name: str
    weeks: tuple[tuple[Cell | None, ...], ...]
    commits: int
    breaking: int
    days: int


def heat_days(days: Sequence[DaySummary], repo: str | None = None) -> tuple[HeatDay, ...]:
    """Oldest first; a day of which nothing is known is left out, as one without report."""
    made = []
    for day in days:
        if day.unreadable:
            continue
        if repo is None:
            made.append(HeatDay(day.label, day.commits_reported, day.total("breaking"), day.whole))
            continue
        part = day.repo(repo)
        if part is not None and part.in_git is not None:
            made.append(HeatDay(day.label, part.commits, part.breaking, part.complete and not day.open))
    return tuple(made)


def months_of(days: Sequence[HeatDay]) -> list[Month]:
    """Newest first."""
    highest = max((one.commits for one in days), default=0)
    by_date = {date.fromisoformat(one.label): one for one in days}
    made = []
    for year, month in sorted({(day.year, day.month) for day in by_date}, reverse=True):
        grid = Calendar().monthdatescalendar(year, month)
        weeks = tuple(tuple(_cell(day, month, by_date, highest) for day in week) for week in grid)
        told = [one for day, one in by_date.items() if (day.year, day.month) == (year, month)]
        commits, breaking = sum(one.commits for one in told), sum(one.breaking for one in told)
        made.append(Month(f"{year}-{month:02}", weeks, commits, breaking, len(told)))
    return made


def _cell(day: date, month: int, by_date: Mapping[date, HeatDay], highest: int) -> Cell | None:
    if day.month != month:
        return None
    told = by_date.get(day)
    return Cell(day.day, told, level_of(told.commits, highest) if told else 0)


def heat_maps(t: Phrases, days: Sequence[HeatDay], name: str, what: str, highest: int = 0) -> list[Markup]:
    """Maps of `commits` or `breaking`, older one first; at most a year, the months' tables have the rest."""
    if not days:
        return []
    values = {date.fromisoformat(one.label): getattr(one, what) for one in days}
    partial = frozenset(date.fromisoformat(one.label) for one in days if not one.whole)
    first, last = min(values), max(values)
    highest = highest or max(values.values())
    made = []
    for at in range(PANELS):
        monday = last - timedelta(days=last.weekday()) - timedelta(weeks=PANEL * at)
        start, end = monday - timedelta(weeks=PANEL - 1), monday + timedelta(days=6) if at else last
        if at and end < first:
            break
        start = max(start, min(first, monday - timedelta(weeks=LEAST - 1)))
        chosen = {day: value for day, value in values.items() if start <= day <= end}
        chart = HeatMap(
            name=f"{name}-{at}",
            title=t(f"calendar.map_{what}", start=max(start, first), end=end),
            description=_described(t, chosen, what),
            first=start,
            last=end,
            values=chosen,
            weekdays=tuple(t("calendar.weekdays").split()),
            months=tuple(t("calendar.months").split()),
            tone="breaking" if what == "breaking" else "activity",
            diamonds=what == "breaking",
            highest=highest,
            partial=partial,
        )
        made.append(picture(heat_map(chart)))
    return made[::-1]


def _described(t: Phrases, values: Mapping[date, int], what: str) -> str:
    """Sum of each month and the highest day; the table beside it has every figure."""
    if not values:
        return t("calendar.nothing")
    sums: dict[str, int] = {}
    for day, value in values.items():
        month = f"{day:%Y-%m}"
        sums[month] = sums.get(month, 0) + value
    parts = [f"{month}: {total}" for month, total in sums.items()]
    top = max(values, key=lambda day: (values[day], day))
    parts.append(t(f"calendar.most_{what}", day=top, n=values[top]))
    return "; ".join(parts)
