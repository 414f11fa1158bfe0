"""Lanes: what held from when to when, one row a name, as a picture whose spans are links."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta

from msgspec import Struct

from daybreak.site.charts import element, frame, label, text

WIDE, LEFT, ROW, TOP, RIGHT = 900.0, 200.0, 26.0, 36.0, 100.0
TICKS = 15
"""Days that have room for their name: each day of a fortnight is told by its weekday."""
_LETTER = 6.4
"""Pixels of a letter, generously: words that do not fit their span are left to its title."""
_FEWEST = 5
"""Letters of a word that was cut: fewer say nothing."""
_NAMES = 27
_SHA = re.compile("[0-9a-f]{40}")


class Held(Struct, frozen=True):
    """One span of a lane, in days from the first one of the picture; `href` may be empty."""

    start: float
    end: float
    said: str
    href: str = ""
    tone: str = ""
    brief: str = ""
    """What tells it where the whole does not fit."""


class Lane(Struct, frozen=True):
    """A row."""

    name: str
    spans: tuple[Held, ...]
    now: bool = False
    """Whether what holds at the end stands beside the row: its span may be too short for words."""


def lanes(name: str, title: str, first: date, days: int, rows: Sequence[Lane], weekdays: Sequence[str]) -> str:
    """The picture; the same is said in words in its description, and in a table beside it."""
    said = "; ".join(f"{row.name}: {', '.join(one.said for one in row.spans)}" for row in rows)
    body = [*_ticks(first, days, TOP + ROW * len(rows), weekdays), *_rows(rows, days)]
    wide = WIDE + (RIGHT if any(row.now for row in rows) else 0)
    return frame(name, (wide, TOP + ROW * len(rows) + 4), title, said, body).replace(' role="img"', ' role="group"')


def _ticks(first: date, days: int, bottom: float, weekdays: Sequence[str]) -> Iterator[str]:
    step = max(1, -(-days // TICKS))
    for at in range(0, days, step):
        x = _x(at, days)
        yield element("line", x1=x, x2=x, y1=TOP - 4, y2=bottom, class_="cl")
        when = first + timedelta(days=at)
        yield label(x + 2, TOP - 22, f"{when:%m-%d}")
        yield label(x + 2, TOP - 8, weekdays[when.weekday()])


def _rows(rows: Iterable[Lane], days: int) -> Iterator[str]:
    for number, row in enumerate(rows):
        y = TOP + ROW * number
        short = row.name if len(row.name) <= _NAMES else f"…{row.name[1 - _NAMES :]}"
        yield label(LEFT - 8, y + 16, short, anchor="end")
        for one in row.spans:
            yield _span(one, y, days)
        if row.now and row.spans:
            yield label(WIDE + 6, y + 16, _fitting(row.spans[-1], RIGHT - 6))


def _span(one: Held, y: float, days: int) -> str:
    x, end = _x(one.start, days), _x(one.end, days)
    wide = max(end - x, 4.0)
    bar = element("rect", x=x, y=y + 3, width=wide, height=ROW - 7, rx=3, class_=f"ln {one.tone}".rstrip())
    fits = _fitting(one, wide - 8)
    words = label(x + 5, y + 16, fits, "lt") if fits else ""
    shown = element("title", text(one.said)) + bar + words
    return element("a", shown, href=one.href, aria_label=one.said) if one.href else element("g", shown)


def _fitting(one: Held, wide: float) -> str:
    whole = one.said[:12] if _SHA.fullmatch(one.said) else one.said
    return whole if len(whole) * _LETTER <= wide else _cut(one.brief or whole, wide)


def _cut(said: str, wide: float) -> str:
    """As much as fits; nothing where that would be no word."""
    most = int(wide / _LETTER)
    if len(said) <= most:
        return said
    return f"{said[: most - 1].rstrip()}…" if most > _FEWEST else ""


def _x(day: float, days: int) -> float:
    return LEFT + (WIDE - LEFT) * min(max(day, 0.0), days) / max(days, 1)
