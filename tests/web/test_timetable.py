"""When a day is due, in zones whose clocks change."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daybreak.serve.web.plan import Timetable
from web.world import utc


def table(zone: str, at: str = "08:00", catch_up: int = 0) -> Timetable:
    return Timetable.of(ZoneInfo(zone), at, catch_up)


@pytest.mark.parametrize(
    ("zone", "at", "day", "moment"),
    [
        ("Asia/Shanghai", "08:00", "2026-01-20", "2026-01-20T00:00"),
        ("Europe/Berlin", "08:00", "2026-01-20", "2026-01-20T07:00"),
        ("Europe/Berlin", "08:00", "2026-07-20", "2026-07-20T06:00"),
        # Clocks go from 02:00 to 03:00: half past two does not exist, and three is the next moment that does.
        ("Europe/Berlin", "02:30", "2026-03-29", "2026-03-29T01:00"),
        ("Europe/Berlin", "02:00", "2026-03-29", "2026-03-29T01:00"),
        ("Europe/Berlin", "01:59", "2026-03-29", "2026-03-29T00:59"),
        ("Europe/Berlin", "03:00", "2026-03-29", "2026-03-29T01:00"),
        ("America/New_York", "02:30", "2026-03-08", "2026-03-08T07:00"),
        # Clocks go from 03:00 to 02:00: half past two comes twice, and the first one counts.
        ("Europe/Berlin", "02:30", "2026-10-25", "2026-10-25T00:30"),
        ("Europe/Berlin", "03:00", "2026-10-25", "2026-10-25T02:00"),
        ("America/New_York", "01:30", "2026-11-01", "2026-11-01T05:30"),
        # Midnight does not exist.
        ("America/Santiago", "00:00", "2026-09-06", "2026-09-06T04:00"),
        # A whole day does not exist.
        ("Pacific/Apia", "08:00", "2011-12-30", "2011-12-30T10:00"),
    ],
)
def test_the_moment_of_a_day(zone: str, at: str, day: str, moment: str) -> None:
    assert table(zone, at).moment(date.fromisoformat(day)) == utc(moment)


@pytest.mark.parametrize(
    ("now", "due", "following"),
    [
        ("2026-01-20T06:59:59", "2026-01-18", "2026-01-20T07:00"),
        ("2026-01-20T07:00:00", "2026-01-19", "2026-01-21T07:00"),
        ("2026-01-20T22:59:59", "2026-01-19", "2026-01-21T07:00"),
        ("2026-01-20T23:00:00", "2026-01-19", "2026-01-21T07:00"),
        ("2026-03-28T07:00:00", "2026-03-27", "2026-03-29T06:00"),
        ("2026-10-24T06:00:00", "2026-10-23", "2026-10-25T07:00"),
    ],
)
def test_yesterday_is_due_from_the_given_time_on(now: str, due: str, following: str) -> None:
    berlin = table("Europe/Berlin")
    assert [day.isoformat() for day in berlin.due(utc(now))] == [due]
    assert berlin.next(utc(now)) == utc(following)


def test_the_second_half_past_two_is_no_new_turn() -> None:
    berlin = table("Europe/Berlin", "02:30")
    turns = [berlin.turn(utc("2026-10-25T00:00") + n * timedelta(minutes=10)) for n in range(18)]
    assert turns == [date(2026, 10, 24)] * 3 + [date(2026, 10, 25)] * 15


def test_days_before_yesterday_are_due_as_well_and_the_oldest_comes_first() -> None:
    days = table("UTC", catch_up=3).due(utc("2026-03-02T09:00"))
    assert [day.isoformat() for day in days] == ["2026-02-26", "2026-02-27", "2026-02-28", "2026-03-01"]


ZONES = ("Europe/Berlin", "America/New_York", "Asia/Shanghai", "Australia/Lord_Howe", "America/Santiago", "Asia/Gaza")


@given(
    zone=st.sampled_from(ZONES),
    at=st.times().map(lambda t: f"{t:%H:%M}"),
    seconds=st.integers(1_577_836_800, 1_893_456_000),
)
def test_a_day_that_is_due_is_over_and_the_next_turn_is_within_two_days(zone: str, at: str, seconds: int) -> None:
    moment = datetime.fromtimestamp(seconds, UTC)
    found = table(zone, at)
    newest = found.due(moment)[-1] + timedelta(days=1)
    assert datetime(newest.year, newest.month, newest.day, tzinfo=ZoneInfo(zone)).astimezone(UTC) <= moment
    assert timedelta(0) < found.next(moment) - moment <= timedelta(hours=25)
    assert found.turn(found.next(moment)) == found.turn(moment) + timedelta(days=1)
