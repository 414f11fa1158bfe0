"""From flags to windows: which calendar days of the zone a run is about."""

from __future__ import annotations

import difflib
import re
from calendar import monthrange
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from itertools import groupby
from zoneinfo import ZoneInfo

from daybreak.core.errors import UsageError
from daybreak.core.model.changes import Window

_EARLIEST, _LATEST = 1970, 9998
LONGEST = 3660
"""Days of one run; more is surely a slip of the pen."""


def elapsed(first: datetime, last: datetime) -> timedelta:
    """Time between two moments; of two in one zone, Python itself compares the faces of clocks, which are set twice a year."""
    return timedelta(seconds=last.timestamp() - first.timestamp())


def day(which: date, zone: ZoneInfo, now: datetime) -> Window:
    """That calendar day, 23 or 25 hours long when the clocks change."""
    since = datetime(which.year, which.month, which.day, tzinfo=zone)
    after = which + timedelta(days=1)
    until = datetime(after.year, after.month, after.day, tzinfo=zone)
    return Window(since, until, zone.key, which.isoformat(), open=now < until)


def last_day(month: str) -> date:
    """The last day of a month such as 2026-02."""
    year, number = int(month[:4]), int(month[5:7])
    return date(year, number, monthrange(year, number)[1])


def windows(
    zone: ZoneInfo, now: datetime, *, on: str | None, since: str | None, until: str | None, last: str | None
) -> list[Window]:
    """The days asked for, oldest first; yesterday when nothing was asked."""
    today = now.astimezone(zone).date()
    if sum(option is not None for option in (on, last, since if since is not None else until)) > 1:
        raise UsageError("--date, --last and --since/--until name the days twice.", "Use one of them.")
    first, end = _span(today, on, since, until, last)
    if first > today:
        raise UsageError(f"{first} lies in the future; today is {today} in {zone.key}.", "Name a day that has begun.")
    if end <= first:
        raise UsageError(
            f"The window ends ({end}) before it has begun ({first}).", "--until is the day after the last one."
        )
    if end > today + timedelta(days=1):
        raise UsageError(
            f"{end - timedelta(days=1)} lies in the future; today is {today} in {zone.key}.", "Use an earlier --until."
        )
    _limited((end - first).days)
    return [day(first + timedelta(days=n), zone, now) for n in range((end - first).days)]


def _span(today: date, on: str | None, since: str | None, until: str | None, last: str | None) -> tuple[date, date]:
    one = timedelta(days=1)
    if since is not None or until is not None:
        if since is None:
            raise UsageError("--until needs --since.", "For example --since 2026-01-01 --until 2026-01-08.")
        return _date(since, today), _date(until, today) if until is not None else today
    if last is not None:
        match = re.fullmatch(r"(\d{1,9})d?", last, re.ASCII)
        if not match or int(match[1]) < 1:
            raise UsageError(
                f"--last {last!r} is not a number of days.", "A week is --last 7, or 7d; a month --last 30."
            )
        _limited(int(match[1]))
        return today - timedelta(days=int(match[1])), today
    first = today - one if on is None else _date(on, today)
    return first, first + one


def _limited(days: int) -> None:
    if days > LONGEST:
        raise UsageError(f"{days} days are more than one run takes.", f"At most {LONGEST}.")


def _date(text: str, today: date) -> date:
    """A calendar day: YYYY-MM-DD (midnight may follow), `today` or `yesterday`."""
    if text in ("today", "yesterday"):
        return today - timedelta(days=text == "yesterday")
    try:
        found = date.fromisoformat(re.sub(r"[T ]00:00(:00)?$", "", text))
    except ValueError:
        near = difflib.get_close_matches(text.lower(), ("today", "yesterday"), n=1, cutoff=0.7)
        tip = f"Did you mean {near[0]!r}? " if near else ""
        raise UsageError(
            f"{text!r} is not a day.", f"{tip}Days are calendar days of the zone, written 2026-01-19."
        ) from None
    if not _EARLIEST <= found.year <= _LATEST:
        raise UsageError(f"{found} is a day of which no commit tells.", f"Name one from {_EARLIEST} on.")
    return found


def stretches(labels: Sequence[str], to: str) -> list[str]:
    """Days in order, those that follow one another as one: `2026-07-01 – 2026-07-12` where `to` is a dash."""
    rows = []
    for _, some in groupby(enumerate(map(date.fromisoformat, labels)), key=lambda one: one[1].toordinal() - one[0]):
        row = [day for _, day in some]
        rows.append(f"{row[0]}" if len(row) == 1 else f"{row[0]} {to} {row[-1]}")
    return rows


def to_make(day: date, today: date, last: date | None = None) -> str:
    """A tip where a day has no report, or none of those up to `last`; days that are not over are not asked for."""
    if day > today:
        return "It is still to come; `daybreak status` names the days that are there."
    end = min(last, today - timedelta(days=1)) if last else day
    if end <= day:
        return f"Make it with `daybreak run --date {day}`."
    return f"Make them with `daybreak run --since {day} --until {end + timedelta(days=1)}`."
