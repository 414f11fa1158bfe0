"""How people ask: days as they say them (`7月`, `上周`, `last week`), and words that only ask (`what changed about`).

The tables go to the site's script, which reads them as this does. Days are counted from the newest report, which is read on
the morning after it: on a Monday `上周` is the week that this report ends.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, timedelta

from msgspec import Struct

_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_TIME = r"(?:^|\s)(?:in |of |on |from |over |during )?(?:the )?"
_END = r"(?=[\s?.,!]|$)"

SPANS: tuple[tuple[str, str, int], ...] = (
    (r"(?:最近|近|过去)([0-9]{1,3}|[一二两三四五六七八九十])个?(天|周|星期|月)", "last", 0),
    (r"(?:(20[0-9]{2})年)?([0-9]{1,2}|十[一二]?|[一二三四五六七八九])月(?:份|([0-9]{1,2})[日号]?)?", "date", 0),
    (rf"(?:^|\s)(20[0-9]{{2}})-([0-9]{{2}})(?:-([0-9]{{2}}))?{_END}", "date", 0),
    (rf"(?:^|\s)(?:(?:in|of|on) )?({MONTHS.replace('march|', '').replace('may|', '')})(?: ([0-9]{{1,2}}))?{_END}", "named", 0),
    (rf"(?:^|\s)(?:in|of|on) (march|may)(?: ([0-9]{{1,2}}))?{_END}", "named", 0),
    (r"(上)?(?:周|星期|礼拜)([一二三四五六日天])", "weekday", 0),
    (rf"{_TIME}(last )?({_DAYS}){_END}", "weekday", 0),
    (rf"{_TIME}(?:last|past) ([0-9]{{1,3}}) (day|week|month)s?{_END}", "last", 0),
    (rf"今[天日]|昨[天日]|{_TIME}(?:today|yesterday){_END}", "day", 0),
    (r"前天", "day", -1),
    (rf"[本这]一?个?(?:周|星期)|{_TIME}this week{_END}", "week", 0),
    (rf"上一?个?(?:周|星期)|{_TIME}(?:last|past) week{_END}", "week", -1),
    (rf"[本这当]个?月|{_TIME}(?:this month|the month|month){_END}", "month", 0),
    (rf"上个?月|{_TIME}(?:last|past) month{_END}", "month", -1),
)  # fmt: skip
"""A pattern, what it names, and how many before the newest one."""
ASKING = frozenset(
    [
        "what",
        "which",
        "how",
        "when",
        "did",
        "does",
        "was",
        "were",
        "is",
        "are",
        "has",
        "have",
        "had",
        "been",
        "about",
        "of",
        "the",
        "in",
        "on",
        "for",
        "to",
        "any",
        "there",
        "this",
    ]
)
"""Words that say nothing of what is looked for."""
CHANGES = frozenset(["change", "changes", "changed", "changing", "update", "updates", "updated", "new", "happened"])
"""So do these, beside one of those or a day."""
_NUMERALS = "一二三四五六七八九十"


class Spoken(Struct, frozen=True):
    """A query without the days that it named."""

    text: str
    days: tuple[date, date] | None = None
    said: tuple[str, ...] = ()
    """How the days were named."""


def without_days(text: str, newest: str) -> Spoken:
    """The first day or span that is named outside of quotation marks; where nothing was reported there are none."""
    pieces = text.split('"')
    for place in range(0, len(pieces) if newest else 0, 2):
        for pattern, unit, step in SPANS:
            found = re.search(pattern, pieces[place], re.IGNORECASE)
            days = _span(unit, step, found.groups(), date.fromisoformat(newest)) if found else None
            if found and days:
                pieces[place] = f"{pieces[place][: found.start()]} {pieces[place][found.end() :]}"
                return Spoken('"'.join(pieces), days, (found[0].strip(),))
    return Spoken(text)


def _span(unit: str, step: int, parts: tuple[str | None, ...], newest: date) -> tuple[date, date] | None:
    try:
        if unit in ("date", "named"):
            return _calendar(unit, parts, newest)
        if unit == "weekday":
            return _weekday(parts, newest)
        if unit == "last":
            return newest - timedelta(days=_count(parts) - 1), newest
        return _before(unit, step, newest)
    except (ValueError, OverflowError):
        return None


def _before(unit: str, step: int, newest: date) -> tuple[date, date]:
    if unit == "day":
        return (newest + timedelta(days=step),) * 2
    base = newest + timedelta(days=1) if step else newest  # whoever says `last` speaks on the morning after
    if unit == "week":
        monday = base - timedelta(days=base.weekday() - 7 * step)
        return monday, monday + timedelta(days=6)
    return _month(base.year, base.month + step)


def _calendar(unit: str, parts: tuple[str | None, ...], newest: date) -> tuple[date, date]:
    """Of a month without a year, the last one that there was."""
    if unit == "named":
        parts = (None, str(MONTHS.split("|").index((parts[0] or "").lower()) + 1), parts[1])
    month = _number(parts[1] or "0")
    if not 1 <= month <= 12:
        raise ValueError(month)
    year = int(parts[0]) if parts[0] else newest.year - (month > newest.month)
    return (date(year, month, int(parts[2])),) * 2 if parts[2] else _month(year, month)


def _month(year: int, month: int) -> tuple[date, date]:
    if month == 0:
        year, month = year - 1, 12
    first = date(year, month, 1)
    return first, date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)


def _weekday(parts: tuple[str | None, ...], newest: date) -> tuple[date, date]:
    """The last one; `上周二` that of the last week."""
    name = (parts[1] or "").lower()
    number = _DAYS.split("|").index(name) if name.isascii() else min("一二三四五六日天".index(name), 6)
    if parts[0] == "上":
        base = newest + timedelta(days=1)
        day = base - timedelta(days=base.weekday() + 7 - number)
    else:
        day = newest - timedelta(days=(newest.weekday() - number) % 7)
    return day, day


def _number(said: str) -> int:
    """`7`, `七`, `十二`."""
    return int(said) if said.isascii() else sum(_NUMERALS.index(one) + 1 for one in said)


def _count(parts: tuple[str | None, ...]) -> int:
    number, unit = parts[0] or "", (parts[1] or "").lower()
    many = 2 if number == "两" else _number(number)
    each: Mapping[str, int] = {"周": 7, "星期": 7, "week": 7, "月": 30, "month": 30}
    return max(1, many) * each.get(unit, 1)
