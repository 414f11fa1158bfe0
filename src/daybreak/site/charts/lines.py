"""Lines over weeks: few series side by side, told apart by their marks and dashes."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from daybreak.site.charts.bars import BOTTOM, HEIGHT, WIDTH, axis, height_of, place, under
from daybreak.site.charts.svg import Series, described, element, frame, label, mark, number, ticks


class LineChart(Struct, frozen=True):
    """One point for each label and series."""

    name: str
    title: str
    labels: tuple[str, ...]
    series: tuple[Series, ...]
    partial: tuple[bool, ...] = ()


def line_chart(chart: LineChart) -> str:
    """The picture as SVG."""
    steps = ticks(max((value for one in chart.series for value in one.values), default=0))
    body = [*axis(steps), *under(chart.labels, chart.partial)]
    for at, one in enumerate(chart.series):
        body += _line(at, one, steps[-1])
    return frame(chart.name, (WIDTH, HEIGHT), chart.title, described(chart.labels, chart.series), body)


def _line(at: int, one: Series, top: int) -> Iterator[str]:
    points = []
    for index, value in enumerate(one.values):
        left, room = place(index, len(one.values))
        points.append((left + room / 2, HEIGHT - BOTTOM - height_of(value, top)))
    tone = f" {one.tone}".rstrip()
    path = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)
    if len(points) > 1:
        yield element("path", d=path, class_=f"cw cw{at}{tone}")
    yield element("path", d="".join(mark(at, x, y) for x, y in points), class_=f"cm{tone}")
    if one.values and one.values[-1]:
        x, y = points[-1]
        yield label(min(x, WIDTH - 12), y - 7 if at % 2 == 0 else y + 15, str(one.values[-1]), "cv", "middle")
