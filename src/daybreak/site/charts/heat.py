"""A heat map of days: a column a week, a row a weekday; more is a bigger and darker shape, a day without report has none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, timedelta

from msgspec import Struct

from daybreak.site.charts.svg import element, frame, label, number

CELL = 14.0
LEFT, TOP = 30.0, 18.0
_SIZES = (4.0, 6.0, 8.5, 10.5, 12.5)
"""Edge of a shape for none, and for each of four levels: the size says what the shade says."""


class HeatMap(Struct, frozen=True):
    """Figures of days from the week of `first` to that of `last`."""

    name: str
    title: str
    description: str
    first: date
    last: date
    values: Mapping[date, int]
    """Days with a report."""
    weekdays: tuple[str, ...]
    """Monday first."""
    months: tuple[str, ...]
    """January first."""
    tone: str = "activity"
    diamonds: bool = False
    highest: int = 0
    """Of the scale, so that several maps share one; 0: the highest of these."""
    partial: frozenset[date] = frozenset()
    """Days whose report is not whole: they get a ring."""


def heat_levels(highest: int) -> tuple[tuple[int, int], ...]:
    """First and last figure of each of the (at most four) levels above none."""
    edges = sorted({-(-highest * quarter // 4) for quarter in range(1, 5)}) if highest > 0 else []
    return tuple((low + 1, high) for low, high in zip([0, *edges], edges, strict=False))


def level_of(value: int, highest: int) -> int:
    """0 for none, else 1 to 4; the highest is always 4, so that a lone figure is not faint."""
    levels = heat_levels(highest)
    found = next((at for at, (_, high) in enumerate(levels, 1) if value <= high), len(levels))
    return 0 if value <= 0 else found + 4 - len(levels)


def heat_map(chart: HeatMap) -> str:
    """The picture as SVG."""
    start = chart.first - timedelta(days=chart.first.weekday())
    weeks = (chart.last - start).days // 7 + 1
    highest = max(chart.highest, *chart.values.values(), 0) if chart.values else chart.highest
    size = (max(LEFT + weeks * CELL + 4, 190.0), TOP + 7 * CELL + 26)
    body = [
        *(label(0, TOP + day * CELL + 11, chart.weekdays[day]) for day in (0, 2, 4, 6)),
        *_month_names(chart, start, weeks),
        *_ground(chart, weeks),
        *_cells(chart, start, highest),
        *_legend(chart, highest, size[1] - 8),
    ]
    return frame(chart.name, size, chart.title, chart.description, body)


def _month_names(chart: HeatMap, start: date, weeks: int) -> Iterator[str]:
    """Over the first week that begins in the month, or over the very first."""
    shown, free = 0, -1.0
    for week in range(weeks):
        day = max(start + timedelta(days=7 * week), chart.first)
        x = LEFT + week * CELL
        if day.month != shown and x >= free:
            yield label(x, 11, chart.months[day.month - 1])
            shown, free = day.month, x + 30


def _ground(chart: HeatMap, weeks: int) -> Iterator[str]:
    """A dot for every day of the span: where nothing covers it, there is no report."""
    dot = element("circle", cx=CELL / 2, cy=CELL / 2, r=1, class_="cz")
    place = {"x": LEFT, "y": TOP, "width": CELL, "height": CELL}
    yield element("defs", element("pattern", dot, id=f"{chart.name}-z", patternUnits="userSpaceOnUse", **place))
    paint = f"url(#{chart.name}-z)"
    whole = weeks if chart.last.weekday() == 6 else weeks - 1
    yield element("rect", x=LEFT, y=TOP, width=whole * CELL, height=7 * CELL, fill=paint)
    if whole < weeks:
        rows = chart.last.weekday() + 1
        yield element("rect", x=LEFT + whole * CELL, y=TOP, width=CELL, height=rows * CELL, fill=paint)


def _cells(chart: HeatMap, start: date, highest: int) -> Iterator[str]:
    shapes: dict[int, list[str]] = {}
    rings: list[str] = []
    for day, value in sorted(chart.values.items()):
        if not start <= day <= chart.last:
            continue
        x = LEFT + (day - start).days // 7 * CELL + CELL / 2
        y = TOP + day.weekday() * CELL + CELL / 2
        level = level_of(value, highest)
        shapes.setdefault(level, []).append(_shape(x, y, _SIZES[level], chart.diamonds))
        if day in chart.partial:
            rings.append(_shape(x, y, CELL - 0.6, diamond=False))
    for level, found in sorted(shapes.items()):
        yield element("path", d="".join(found), class_=f"ce {chart.tone} l{level}")
    if rings:
        yield element("path", d="".join(rings), class_="cr")


def _shape(x: float, y: float, edge: float, diamond: bool) -> str:
    half = edge / 2
    if diamond:
        half *= 1.12
        step = number(half)
        return f"M{number(x)} {number(y - half)}l{step} {step}l-{step} {step}l-{step} -{step}z"
    return f"M{number(x - half)} {number(y - half)}h{number(edge)}v{number(edge)}h-{number(edge)}z"


def _legend(chart: HeatMap, highest: int, y: float) -> Iterator[str]:
    """What each size means in figures."""
    x = LEFT
    levels = heat_levels(highest)
    rows = [(0, "0"), *((at + 4 - len(levels), _range(*one)) for at, one in enumerate(levels, 1))]
    for level, words in rows:
        yield element("path", d=_shape(x + 6, y - 4, _SIZES[level], chart.diamonds), class_=f"ce {chart.tone} l{level}")
        yield label(x + 15, y, words)
        x += 22 + 6.4 * len(words)


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}–{high}"
