"""Charts as SVG, made by small pure functions: the same values give the same bytes, and style sheets do the rest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from html import escape

from msgspec import Struct

STYLES = ("a", "b", "c", "d")
"""How series are told apart: full, striped, dotted, hollow; in lines by their marks."""
_UNFIT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")


class Series(Struct, frozen=True):
    """A row of figures, one for each label of its chart."""

    name: str
    values: tuple[int | None, ...]
    """None: not read, which is not nothing."""
    tone: str = ""
    """Class that gives it a colour, such as `high`; its pattern follows from its place."""


def text(value: str) -> str:
    """Any text as the content of an element or the value of an attribute; what XML cannot hold is shown as missing."""
    return escape(_UNFIT.sub("\ufffd", value), quote=True)


def number(value: float) -> str:
    """A coordinate: at most two digits after the point."""
    return f"{value:.2f}".rstrip("0").rstrip(".") or "0"


def element(tag: str, content: str | None = None, **attributes: float | str | None) -> str:
    """`content` is markup already; a final `_` of a name is dropped and `_` stands for `-`."""
    shown = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{text(value) if isinstance(value, str) else number(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{shown}/>" if content is None else f"<{tag}{shown}>{content}</{tag}>"


def label(x: float, y: float, content: str, kind: str = "", anchor: str = "start") -> str:
    """Text in the picture; a screen reader gets the description instead."""
    return element("text", text(content), x=x, y=y, class_=f"ct {kind}".rstrip(), text_anchor=anchor)


def frame(name: str, size: tuple[float, float], title: str, description: str, body: Iterable[str]) -> str:
    """A picture that scales with its place and says in words what it shows."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no id")
    width, height = size
    head = element("title", text(title), id=f"{name}-t") + element("desc", text(description), id=f"{name}-d")
    return element(
        "svg",
        head + "".join(body),
        class_="chart",
        role="img",
        aria_labelledby=f"{name}-t",
        aria_describedby=f"{name}-d",
        viewBox=f"0 0 {number(width)} {number(height)}",
        width=width,
        height=height,
        xmlns="http://www.w3.org/2000/svg",
    )


def described(labels: Sequence[str], series: Sequence[Series]) -> str:
    """All figures in words, for those who do not see the picture."""
    read = [at for at in range(len(labels)) if all(row.values[at] is not None for row in series)]
    rows = (f"{labels[at]}: {', '.join(f'{row.name} {row.values[at]}' for row in series)}" for at in read)
    return "; ".join(rows)


def patterns(name: str, series: Sequence[Series]) -> str:
    """Fills of the second and later series: stripes, dots; the fourth and later are hollow and need none."""
    made = []
    for at, one in enumerate(series[1:3], 1):
        ground = element("rect", width=6, height=6, class_=f"cg {one.tone}".rstrip())
        ink = "M0 6L6 0M-1 1L1 -1M5 7L7 5" if at == 1 else "M3 1.8a1.2 1.2 0 1 0 .01 0z"
        mark = element("path", d=ink, class_=("cs " if at == 1 else "cd ") + one.tone)
        size = {"width": 6, "height": 6}
        made.append(element("pattern", ground + mark, id=f"{name}-{STYLES[at]}", patternUnits="userSpaceOnUse", **size))
    return element("defs", "".join(made)) if made else ""


def fill(name: str, at: int) -> str | None:
    """The fill of a series as an attribute: a pattern by its id; the first is full by its class."""
    return f"url(#{name}-{STYLES[at]})" if at in (1, 2) else None


def ticks(highest: int, most: int = 4) -> list[int]:
    """Round numbers from 0 up to at least `highest`."""
    if highest <= 0:
        return [0, 1]
    step = 1
    for step in (unit * 10**power for power in range(18) for unit in (1, 2, 5)):
        if step * most >= highest:
            break
    return list(range(0, -(-highest // step) * step + 1, step))


def swatch(name: str, at: int, tone: str, line: bool = False) -> str:
    """A sample of a series of the chart `name` for its legend; the legend says in words what it is."""
    if line:
        body = element("path", d="M0 6H20", class_=f"cw cw{at} {tone}") + element(
            "path", d=mark(at, 10, 6), class_=f"cm {tone}"
        )
    else:
        kind = f"cb {tone}" + (" ch" if at > 2 else "")
        body = element("rect", x=3, y=0.5, width=14, height=11, class_=kind, fill=fill(name, at))
    return element("svg", body, class_="swatch", aria_hidden="true", viewBox="0 0 20 12", width=20, height=12)


def mark(at: int, x: float, y: float) -> str:
    """A point of a line: circle, square, triangle, diamond."""
    if at % 4 == 0:
        return f"M{number(x - 3)} {number(y)}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z"
    if at % 4 == 1:
        return f"M{number(x - 3)} {number(y - 3)}h6v6h-6z"
    if at % 4 == 2:
        return f"M{number(x)} {number(y - 4)}l4 7h-8z"
    return f"M{number(x)} {number(y - 4)}l4 4l-4 4l-4 -4z"


# --- The figures of a chart as an HTML table: the same for those who read it aloud, copy it, or see no picture ---


def data_table(caption: str, corner: str, labels: Sequence[str], series: Sequence[Series]) -> str:
    """One row for each label, one column for each series; `corner` says what the labels are."""
    head = element("th", text(corner), scope="col")
    head += "".join(element("th", text(one.name), scope="col", class_="num") for one in series)
    rows = (
        element("th", text(one), scope="row")
        + "".join(element("td", str(row.values[at]), class_="num") for row in series)
        for at, one in enumerate(labels)
    )
    body = "".join(element("tr", row) for row in rows)
    return element(
        "table",
        element("caption", text(caption)) + element("thead", element("tr", head)) + element("tbody", body),
        class_="figures",
    )


# --- Charts of days and weeks: stacked bars, lines told apart by marks and dashes, and a heat map ---

# --- Bars over weeks: several series stacked on each other, each with a fill of its own ---


WIDTH, HEIGHT = 400.0, 190.0
LEFT, RIGHT, TOP, BOTTOM = 34.0, 6.0, 16.0, 30.0
_DIGIT = 6.2
"""Width of a digit of the figures on bars."""


class BarChart(Struct, frozen=True):
    """One bar for each label; the figures of the series stand on each other."""

    name: str
    """Unique on its page: ids begin with it."""
    title: str
    labels: tuple[str, ...]
    series: tuple[Series, ...]
    partial: tuple[bool, ...] = ()
    """Bars that do not hold all they should; a mark stands below them."""

    def totals(self) -> list[int]:
        return [sum(one.values[at] or 0 for one in self.series) for at in range(len(self.labels))]


def bar_chart(chart: BarChart) -> str:
    """The picture as SVG."""
    totals = chart.totals()
    steps = ticks(max(totals, default=0))
    body = [patterns(chart.name, chart.series), *axis(steps), *_bars(chart, totals, steps[-1])]
    body += under(chart.labels, chart.partial)
    return frame(chart.name, (WIDTH, HEIGHT), chart.title, described(chart.labels, chart.series), body)


def height_of(value: float, top: int) -> float:
    return (HEIGHT - TOP - BOTTOM) * value / top


def place(at: int, count: int) -> tuple[float, float]:
    """Left edge and width of the room that one label has."""
    room = (WIDTH - LEFT - RIGHT) / max(count, 1)
    return LEFT + at * room, room


def axis(steps: list[int]) -> Iterator[str]:
    """Lines across with their figures."""
    for step in steps:
        y = HEIGHT - BOTTOM - height_of(step, steps[-1])
        yield element("path", d=f"M{number(LEFT)} {number(y)}H{number(WIDTH - RIGHT)}", class_="cl")
        yield label(LEFT - 5, y + 4, str(step), "cn", "end")


def under(labels: tuple[str, ...], partial: tuple[bool, ...]) -> Iterator[str]:
    """Labels below the axis, as many as have room; the newest always has one."""
    every = max(1, -(-len(labels) * 44 // int(WIDTH - LEFT - RIGHT)))
    for at, one in enumerate(labels):
        left, room = place(at, len(labels))
        middle = left + room / 2
        if (len(labels) - 1 - at) % every == 0:
            kept = min(max(middle, LEFT + 14), WIDTH - RIGHT - 16)
            yield label(kept, HEIGHT - 8, one, "", "middle")
        if at < len(partial) and partial[at]:
            yield element("circle", cx=middle, cy=HEIGHT - BOTTOM + 6, r=2.4, class_="cp")


def figured(totals: list[int]) -> set[int]:
    """Bars that carry their figure: all of them if there is room, else the highest and the newest."""
    if not totals:
        return set()
    _, room = place(0, len(totals))
    if max(len(str(one)) for one in totals) * _DIGIT <= room:
        return {at for at, one in enumerate(totals) if one}
    highest = totals.index(max(totals))
    last = len(totals) - 1
    chosen = {highest} if (last - highest) * room < 4 * _DIGIT and highest != last else {highest, last}
    return {at for at in chosen if totals[at]}


def _bars(chart: BarChart, totals: list[int], top: int) -> Iterator[str]:
    for at, total in enumerate(totals):
        left, room = place(at, len(totals))
        wide = min(room * 0.72, 34.0)
        x, y = left + (room - wide) / 2, HEIGHT - BOTTOM
        for place_, one in enumerate(chart.series):
            tall = height_of(one.values[at] or 0, top)
            y -= tall
            if tall:
                kind = f"cb {one.tone}".rstrip() + (" ch" if place_ > 2 else "")
                paint = fill(chart.name, place_)
                yield element("rect", x=x, y=y, width=wide, height=tall, class_=kind, fill=paint)
        if at in figured(totals):
            centre = min(max(left + room / 2, LEFT + 4), WIDTH - RIGHT - _DIGIT * len(str(total)) / 2)
            yield label(centre, y - 4, str(total), "cv", "middle")


# --- Lines over weeks: few series side by side, told apart by their marks and dashes ---


class LineChart(Struct, frozen=True):
    """One point for each label and series."""

    name: str
    title: str
    labels: tuple[str, ...]
    series: tuple[Series, ...]
    partial: tuple[bool, ...] = ()


def line_chart(chart: LineChart) -> str:
    """The picture as SVG."""
    steps = ticks(max((value or 0 for one in chart.series for value in one.values), default=0))
    body = [*axis(steps), *under(chart.labels, chart.partial)]
    for at, one in enumerate(chart.series):
        body += _line(at, one, steps[-1])
    return frame(chart.name, (WIDTH, HEIGHT), chart.title, described(chart.labels, chart.series), body)


def _line(at: int, one: Series, top: int) -> Iterator[str]:
    """The line breaks where nothing was read."""
    points, path, pen = [], "", "M"
    for index, value in enumerate(one.values):
        if value is None:
            pen = "M"
            continue
        left, room = place(index, len(one.values))
        x, y = left + room / 2, HEIGHT - BOTTOM - height_of(value, top)
        points.append((x, y))
        path, pen = f"{path}{pen}{number(x)} {number(y)}", "L"
    tone = f" {one.tone}".rstrip()
    if "L" in path:
        yield element("path", d=path, class_=f"cw cw{at}{tone}")
    yield element("path", d="".join(mark(at, x, y) for x, y in points), class_=f"cm{tone}")
    if one.values and one.values[-1]:
        x, y = points[-1]
        yield label(min(x, WIDTH - 12), y - 7 if at % 2 == 0 else y + 15, str(one.values[-1]), "cv", "middle")


# --- A heat map of days: a column a week, a row a weekday; more is a bigger and darker shape, a day without report has none ---


CELL = 14.0
HEAT_LEFT, HEAT_TOP = 30.0, 18.0
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
    size = (max(HEAT_LEFT + weeks * CELL + 4, 190.0), HEAT_TOP + 7 * CELL + 26)
    body = [
        *(label(0, HEAT_TOP + day * CELL + 11, chart.weekdays[day]) for day in (0, 2, 4, 6)),
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
        x = HEAT_LEFT + week * CELL
        if day.month != shown and x >= free:
            yield label(x, 11, chart.months[day.month - 1])
            shown, free = day.month, x + 30


def _ground(chart: HeatMap, weeks: int) -> Iterator[str]:
    """A dot for every day of the span: where nothing covers it, there is no report."""
    dot = element("circle", cx=CELL / 2, cy=CELL / 2, r=1, class_="cz")
    place = {"x": HEAT_LEFT, "y": HEAT_TOP, "width": CELL, "height": CELL}
    yield element("defs", element("pattern", dot, id=f"{chart.name}-z", patternUnits="userSpaceOnUse", **place))
    paint = f"url(#{chart.name}-z)"
    whole = weeks if chart.last.weekday() == 6 else weeks - 1
    yield element("rect", x=HEAT_LEFT, y=HEAT_TOP, width=whole * CELL, height=7 * CELL, fill=paint)
    if whole < weeks:
        rows = chart.last.weekday() + 1
        yield element("rect", x=HEAT_LEFT + whole * CELL, y=HEAT_TOP, width=CELL, height=rows * CELL, fill=paint)


def _cells(chart: HeatMap, start: date, highest: int) -> Iterator[str]:
    shapes: dict[int, list[str]] = {}
    rings: list[str] = []
    for day, value in sorted(chart.values.items()):
        if not start <= day <= chart.last:
            continue
        x = HEAT_LEFT + (day - start).days // 7 * CELL + CELL / 2
        y = HEAT_TOP + day.weekday() * CELL + CELL / 2
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
    x = HEAT_LEFT
    levels = heat_levels(highest)
    rows = [(0, "0"), *((at + 4 - len(levels), _range(*one)) for at, one in enumerate(levels, 1))]
    for level, words in rows:
        yield element("path", d=_shape(x + 6, y - 4, _SIZES[level], chart.diamonds), class_=f"ce {chart.tone} l{level}")
        yield label(x + 15, y, words)
        x += 22 + 6.4 * len(words)


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}–{high}"


# --- Small pictures beside words: how large a day was, and what a repository did day by day ---

_WIDE, _BAR = 120, 8
_STEP, _HIGH = 9, 26


def size_bar(value: int, breaking: int, most: int) -> str:
    """A bar as long as the value beside the greatest one, its breaking part first; the figures stand beside it."""
    long = _WIDE * value / most if most else 0
    part = _WIDE * breaking / most if most else 0
    body = element("rect", x=0, y=0, width=max(long, 1), height=_BAR, rx=2, class_="sb")
    body += element("rect", x=0, y=0, width=max(part, 3), height=_BAR, rx=2, class_="sx") if breaking else ""
    return element("svg", body, class_="size-bar", viewBox=f"0 0 {_WIDE} {_BAR}", aria_hidden="true")


def sparkline(values: Sequence[int], breaking: Sequence[int], told: str) -> str:
    """One column a day, oldest first; a day that broke something has a mark under it."""
    top = max((*values, 1))
    body = ""
    for at, (value, broken) in enumerate(zip(values, breaking, strict=True)):
        high = max((_HIGH - 5) * value / top, 1.0)
        body += element("rect", x=at * _STEP, y=_HIGH - 5 - high, width=_STEP - 2, height=high, class_="sb")
        if broken:
            body += element("circle", cx=at * _STEP + (_STEP - 2) / 2, cy=_HIGH - 2, r=1.8, class_="sx")
    wide = max(len(values), 1) * _STEP
    box = {"viewBox": f"0 0 {wide} {_HIGH}", "preserveAspectRatio": "xMinYMid"}  # few days stand where many begin
    return element("svg", body, class_="spark", role="img", aria_label=told, **box)


# --- Charts as SVG, made by small pure functions: the same values give the same bytes, and style sheets decide the colours ---

__all__ = [
    "BarChart",
    "HeatMap",
    "LineChart",
    "Series",
    "bar_chart",
    "data_table",
    "heat_levels",
    "heat_map",
    "line_chart",
    "size_bar",
    "sparkline",
]
