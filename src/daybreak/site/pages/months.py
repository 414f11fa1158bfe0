"""Weeks and months as pictures: a heat map of days, a table for each month, and trends of what happened."""

from __future__ import annotations

from calendar import Calendar
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from markupsafe import Markup
from msgspec import Struct

from daybreak.core.words.phrases import Phrases
from daybreak.site.charts import (
    BarChart,
    HeatMap,
    LineChart,
    Series,
    bar_chart,
    data_table,
    heat_map,
    level_of,
    line_chart,
    swatch,
)
from daybreak.site.pages.summaries import DaySummary, RepoSummary

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


def heat_maps(t: Phrases, days: Sequence[HeatDay], name: str, what: str) -> list[Markup]:
    """Maps of `commits` or `breaking`, older one first; at most a year, the months' tables have the rest."""
    if not days:
        return []
    values = {date.fromisoformat(one.label): getattr(one, what) for one in days}
    partial = frozenset(date.fromisoformat(one.label) for one in days if not one.whole)
    first, last = min(values), max(values)
    highest = max(values.values())
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


# --- Weeks as pictures: commits by importance, breaking changes, reverts, issues opened and closed, each with its table ---

# --- Days put together to weeks, Monday first; a week says how many of its days were reported, since the others are unknown ---


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
        return f"{self.monday:%m-%d}" if self.days else "…"

    @property
    def name(self) -> str:
        year, week, _ = self.monday.isocalendar()
        return f"{year}-W{week:02}"


def weeks_of(days: Sequence[DaySummary], repo: str | None = None) -> tuple[Week, ...]:
    """Reported weeks, of one repository or of all; one week without days stands for all between two that nobody read."""
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
    made: list[Week] = []
    for monday, counted in sorted(sums.items()):
        if made and (unread := made[-1].monday + timedelta(days=7)) < monday:
            made.append(Week(unread))
        made.append(Week(monday, **counted))
    return tuple(made)


def _parts(day: DaySummary, repo: str | None) -> Sequence[RepoSummary] | None:
    """None: nothing is known of the day."""
    if day.unreadable:
        return None
    if repo is None:
        return day.repos
    found = day.repo(repo)
    return None if found is None or found.in_git is None else (found,)


SHOWN = 26
"""Weeks of a picture; the table has all."""
FEW = 4
"""Weeks from which on bars of them say more than the days in the calendar."""


class Figure(Struct, frozen=True):
    """A picture with its legend and the same figures as a table."""

    title: str
    picture: Markup
    legend: tuple[tuple[Markup, str, int], ...]
    """Sample, name, and the sum over the picture."""
    table: Markup
    partial: bool
    """A week of it was not reported on every day."""


def trends(t: Phrases, weeks: Sequence[Week], name: str) -> list[Figure]:
    """`name` begins the ids, so that several sets can stand on one page."""
    levels = (("change_high", "high"), ("change_medium", "medium"), ("change_low", "low"))
    made = [
        _bars(t, weeks, f"{name}-levels", "commits", [(f"repo.{key}", field) for key, field in levels]),
        _bars(t, weeks, f"{name}-breaking", "breaking", [("repo.breaking", "breaking")]),
        _bars(t, weeks, f"{name}-reverts", "reverts", [("repo.reverts", "reverts")]),
    ]
    if any(week.issues_opened or week.issues_closed or week.pulls_opened or week.pulls_merged for week in weeks):
        made.insert(1, _issues(t, weeks, f"{name}-issues"))
    return made


def _bars(t: Phrases, weeks: Sequence[Week], name: str, title: str, rows: list[tuple[str, str]]) -> Figure:
    shown = weeks[-SHOWN:]
    head = t(f"repo.chart_{title}")
    series = tuple(_series(t(key), field, shown) for key, field in rows)
    chart = BarChart(name, head, tuple(one.label for one in shown), series, _partial(shown))
    legend = _legend(name, series, lines=False)
    return Figure(head, picture(bar_chart(chart)), legend, _table(t, head, weeks, rows), any(chart.partial))


def _issues(t: Phrases, weeks: Sequence[Week], name: str) -> Figure:
    shown = weeks[-SHOWN:]
    head = t("repo.chart_issues")
    rows = [("repo.issues_opened", "issues_opened"), ("repo.issues_closed", "issues_closed")]
    tones = {"issues_opened": "opened", "issues_closed": "closed"}
    series = tuple(_series(t(key), field, shown, tones[field]) for key, field in rows)
    chart = LineChart(name, head, tuple(one.label for one in shown), series, _partial(shown))
    legend = _legend(name, series, lines=True)
    return Figure(head, picture(line_chart(chart)), legend, _table(t, head, weeks, rows), any(chart.partial))


def _series(name: str, field: str, weeks: Sequence[Week], tone: str = "") -> Series:
    return Series(name, tuple(getattr(week, field) if week.days else None for week in weeks), tone or field)


def _partial(weeks: Sequence[Week]) -> tuple[bool, ...]:
    return tuple(0 < week.days < 7 for week in weeks)


def _legend(name: str, series: Sequence[Series], lines: bool) -> tuple[tuple[Markup, str, int], ...]:
    return tuple(
        (picture(swatch(name, at, one.tone, lines)), one.name, sum(value or 0 for value in one.values))
        for at, one in enumerate(series)
    )


def _table(t: Phrases, title: str, weeks: Sequence[Week], rows: list[tuple[str, str]]) -> Markup:
    """All weeks, newest first, each with how many of its days were reported."""
    newest = [week for week in reversed(weeks) if week.days]
    days = Series(t("repo.days_reported"), tuple(week.days for week in newest))
    series = [*(_series(t(key), field, newest) for key, field in rows), days]
    labels = [f"{week.name} ({week.monday:%Y-%m-%d})" for week in newest]
    return picture(data_table(title, t("repo.week"), labels, series))
