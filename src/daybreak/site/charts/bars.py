"""Bars over weeks: several series stacked on each other, each with a fill of its own."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from daybreak.site.charts.svg import Series, described, element, fill, frame, label, number, patterns, ticks

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
        return [sum(one.values[at] for one in self.series) for at in range(len(self.labels))]


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
            tall = height_of(one.values[at], top)
            y -= tall
            if tall:
                kind = f"cb {one.tone}".rstrip() + (" ch" if place_ > 2 else "")
                paint = fill(chart.name, place_)
                yield element("rect", x=x, y=y, width=wide, height=tall, class_=kind, fill=paint)
        if at in figured(totals):
            centre = min(max(left + room / 2, LEFT + 4), WIDTH - RIGHT - _DIGIT * len(str(total)) / 2)
            yield label(centre, y - 4, str(total), "cv", "middle")
