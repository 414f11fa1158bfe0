"""From flags to calendar days of a zone."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

import daybreak
from daybreak.core.errors import EXIT_USAGE, UsageError
from daybreak.core.windows import day, elapsed, windows

NOW = datetime(2026, 1, 19, 20, 0, tzinfo=UTC)
SHANGHAI = ZoneInfo("Asia/Shanghai")


def asked(
    on: str | None = None,
    since: str | None = None,
    until: str | None = None,
    last: str | None = None,
    zone: str = "Asia/Shanghai",
) -> list[str]:
    return [w.label for w in windows(ZoneInfo(zone), NOW, on=on, since=since, until=until, last=last)]


def test_without_a_wish_it_is_yesterday_of_the_zone() -> None:
    assert asked() == ["2026-01-19"]
    assert asked(zone="UTC") == ["2026-01-18"]
    assert asked(zone="Pacific/Kiritimati") == ["2026-01-19"]


def test_days_can_be_named() -> None:
    assert asked(on="2026-01-05") == ["2026-01-05"]
    assert asked(on="yesterday") == ["2026-01-19"]
    assert asked(last="3d") == asked(last="3") == ["2026-01-17", "2026-01-18", "2026-01-19"]
    assert asked(since="2026-01-17", until="2026-01-19") == ["2026-01-17", "2026-01-18"]
    assert asked(since="2026-01-17T00:00", until="2026-01-18 00:00:00") == ["2026-01-17"]
    assert asked(since="2026-01-18") == ["2026-01-18", "2026-01-19"]
    assert asked(since="yesterday", until="2026-01-21") == ["2026-01-19", "2026-01-20"]


def test_only_today_is_open() -> None:
    found = windows(SHANGHAI, NOW, on=None, since="2026-01-19", until="2026-01-21", last=None)
    assert [w.open for w in found] == [False, True]
    end = datetime(2026, 1, 20, tzinfo=SHANGHAI)
    assert not day(date(2026, 1, 19), SHANGHAI, end).open
    assert day(date(2026, 1, 19), SHANGHAI, end - timedelta(seconds=1)).open


@pytest.mark.parametrize(
    "wish",
    [
        {"on": "2026-01-21"},
        {"on": "9999-12-31"},
        {"on": "0001-01-01"},
        {"on": "2026-02-30"},
        {"on": "tomorrow"},
        {"on": ""},
        {"on": "2026-01-19T12:00"},
        {"on": "2026-01-05", "last": "2d"},
        {"on": "2026-01-05", "until": "2026-01-06"},
        {"last": "2d", "since": "2026-01-05"},
        {"last": "0d"},
        {"last": "-1d"},
        {"last": "week"},
        {"last": ""},
        {"last": "9999d"},
        {"since": "2026-01-10", "until": "2026-01-10"},
        {"since": "2026-01-10", "until": "2026-01-09"},
        {"since": "2026-01-19", "until": "2026-01-22"},
        {"since": "2030-01-01", "until": "2030-01-02"},
        {"since": "1990-01-01", "until": "2026-01-01"},
        {"until": "2026-01-10"},
        {"since": ""},
        {"since": "2026-01-10", "until": ""},
        {"since": "2026-01-21"},
    ],
    ids=str,
)
def test_what_cannot_be_is_one_sentence_with_a_tip(wish: dict[str, str]) -> None:
    with pytest.raises(UsageError) as caught:
        asked(**wish)
    assert caught.value.exit_code == EXIT_USAGE
    assert caught.value.tip
    assert "\n" not in caught.value.message


@pytest.mark.parametrize(
    ("zone", "on", "hours"),
    [
        ("Europe/Berlin", date(2026, 3, 29), 23),
        ("Europe/Berlin", date(2026, 10, 25), 25),
        ("Africa/Cairo", date(2025, 4, 25), 23),
        ("UTC", date(2026, 1, 1), 24),
    ],
)
def test_days_have_the_hours_their_zone_gives_them(zone: str, on: date, hours: int) -> None:
    window = day(on, ZoneInfo(zone), NOW)
    assert window.until.timestamp() - window.since.timestamp() == hours * 3600
    assert (window.timezone, window.label) == (zone, on.isoformat())


@given(
    st.dates(date(1975, 1, 1), date(2037, 1, 1)),
    st.sampled_from(
        ["Europe/Berlin", "America/Havana", "Asia/Beirut", "Pacific/Apia", "Australia/Lord_Howe", "America/Sao_Paulo"]
    ),
)
def test_days_follow_each_other_without_gap_or_overlap(on: date, zone: str) -> None:
    this, following = day(on, ZoneInfo(zone), NOW), day(on + timedelta(days=1), ZoneInfo(zone), NOW)
    assert this.until.timestamp() == following.since.timestamp()


@given(
    st.integers(0, 2_000_000_000),
    st.sampled_from(["Europe/Berlin", "America/Havana", "Asia/Beirut", "America/Sao_Paulo", "Asia/Amman"]),
)
def test_a_moment_lies_in_the_day_its_clock_shows(seconds: int, zone: str) -> None:
    moment = datetime.fromtimestamp(seconds, ZoneInfo(zone))
    window = day(moment.date(), ZoneInfo(zone), NOW)
    assert window.since.timestamp() <= seconds < window.until.timestamp()
    assert window.holds(moment)
    assert window.holds(moment.astimezone(UTC))


def test_an_hour_that_comes_twice_around_midnight_belongs_to_one_day() -> None:
    """St John's, 2010: at 00:01 the clocks went back to 23:01 of the day before."""
    zone = ZoneInfo("America/St_Johns")
    days = [day(date(2010, 11, number), zone, datetime(2026, 1, 1, tzinfo=UTC)) for number in (6, 7, 8)]
    start = days[0].since.timestamp()
    moments = [datetime.fromtimestamp(start + minute * 60, zone) for minute in range(3 * 24 * 60)]
    assert {sum(one.holds(moment) for one in days) for moment in moments} == {1}


def test_time_between_commits_is_not_that_between_faces_of_clocks() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    summer, winter = datetime(2026, 10, 25, 2, 50, tzinfo=berlin), datetime(2026, 10, 25, 2, 10, fold=1, tzinfo=berlin)
    assert elapsed(summer, winter) == timedelta(minutes=20)
    rooms = Path(daybreak.__file__).parent
    subtracting = re.compile(r"committed_at - \w[\w.\[\]]*committed_at")
    assert not [path for path in rooms.rglob("*.py") if subtracting.search(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"since": "2030-01-01"}, "2030-01-01 lies in the future"),
        ({"since": "2026-01-10", "until": "2026-01-09"}, "before it has begun"),
        ({"on": "1969-07-20"}, "1969-07-20 is a day of which no commit tells"),
        ({"on": "2026-02-30"}, "'2026-02-30' is not a day"),
        ({"last": "99999d"}, "99999 days are more than one run takes"),
        ({"last": "1w"}, "'1w' is not a number of days"),
    ],
    ids=str,
)
def test_what_is_wrong_is_said_of_the_day_that_was_named(wish: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        asked(**wish)
    assert said in caught.value.message
