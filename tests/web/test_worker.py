"""The worker against clocks that change, jump and stand, downtime, failures, and others who hold the store."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from daybreak.serve.web.plan import LOCKED
from web.world import World, utc


def berlin(now: str = "2026-01-20T06:00", **more: object) -> World:
    """At seven in the morning in winter, with the days before reported."""
    world = World(utc(now), **more)  # type: ignore[arg-type]
    today = world.now.astimezone(world.table.zone).date()
    for back in range(2, 12):
        world.report((today - timedelta(days=back)).isoformat())
    return world


def test_each_day_is_reported_once_when_it_is_due() -> None:
    world = berlin()
    assert world.go_on(72) == ["2026-01-19", "2026-01-20", "2026-01-21"]
    assert [one.at for one in world.tried] == [utc(f"2026-01-{day}T07:00") for day in (20, 21, 22)]
    assert not any(one.force for one in world.tried)


@pytest.mark.parametrize(
    ("zone", "at", "now", "moments"),
    [
        ("Europe/Berlin", "02:30", "2026-03-27T23:00", ["2026-03-28T01:30", "2026-03-29T01:00", "2026-03-30T00:30"]),
        ("Europe/Berlin", "02:30", "2026-10-23T22:00", ["2026-10-24T00:30", "2026-10-25T00:30", "2026-10-26T01:30"]),
        ("America/New_York", "02:30", "2026-03-07T05:00", ["2026-03-07T07:30", "2026-03-08T07:00", "2026-03-09T06:30"]),
        ("America/New_York", "01:30", "2026-10-31T04:00", ["2026-10-31T05:30", "2026-11-01T05:30", "2026-11-02T06:30"]),
    ],
)
def test_days_are_neither_lost_nor_doubled_when_clocks_change(zone: str, at: str, now: str, moments: list[str]) -> None:
    world = berlin(now, zone=zone, at=at)
    labels = world.go_on(72)
    first = (
        date.fromisoformat(now[:10]) - timedelta(days=1) if zone != "Europe/Berlin" else date.fromisoformat(now[:10])
    )
    assert labels == [(first + timedelta(days=n)).isoformat() for n in range(3)]
    assert [one.at for one in world.tried] == [utc(moment) for moment in moments]


def test_a_run_that_met_another_one_waits_and_is_no_failure() -> None:
    world = berlin("2026-01-20T07:00")
    world.endings["2026-01-19"] = [(LOCKED, None), (LOCKED, None)]
    assert world.go_on(1) == ["2026-01-19"] * 3
    assert world.messages("error") == []
    waited = (world.tried[2].at - world.tried[0].at).total_seconds()
    assert waited == 2 * (world.run_takes + world.stride), "it does not pause as after a failure"


def test_what_was_missed_is_caught_up_at_once_oldest_first() -> None:
    world = World(utc("2026-01-20T12:00"), catch_up=3)
    assert world.go_on(1) == ["2026-01-16", "2026-01-17", "2026-01-18", "2026-01-19"]


def test_before_the_given_time_yesterday_is_left_alone() -> None:
    world = World(utc("2026-01-20T06:00"), catch_up=1)
    assert world.go_on(0.5) == ["2026-01-17", "2026-01-18"]


def test_three_days_of_downtime() -> None:
    world = berlin()
    world.go_on(6)
    world.steady, world.now = 5.0, world.now + timedelta(days=3)  # the machine was off: even the steady clock is new
    world.worker = world.new_worker({})
    assert world.go_on(6) == ["2026-01-20", "2026-01-21", "2026-01-22"]


def test_nothing_is_caught_up_further_back_than_told() -> None:
    world = World(utc("2026-01-20T12:00"), catch_up=0)
    assert world.go_on(1) == ["2026-01-19"]


def test_a_report_of_half_a_day_does_not_count() -> None:
    world = berlin()
    world.report("2026-01-19", open_=True)
    world.endings["2026-01-19"] = [(1, None), (1, None)]
    assert world.go_on(6) == ["2026-01-19"] * 3


def test_a_failure_is_tried_again_after_growing_pauses() -> None:
    world = berlin(run_takes=0.0)
    world.endings["2026-01-19"] = [(1, None)] * 9
    world.go_on(12)
    gaps = [later.at - sooner.at for sooner, later in zip(world.tried, world.tried[1:], strict=False)]
    minutes = [gap.total_seconds() / 60 for gap in gaps]
    # The pauses are 1, 2, 4, 8, 16, 32, 60, 60, 60 minutes; the test looks every ten.
    assert minutes == [10, 10, 10, 10, 20, 40, 60, 60, 60]
    assert world.reports["2026-01-19"].whole
    assert len(world.messages("error")) == 9
    assert world.worker.status.failures == {}


@pytest.mark.parametrize("ending", [(1, None), (2, None), (-9, None), (0, None), (3, None)])
def test_a_run_that_leaves_no_report_has_failed_whatever_it_says(ending: tuple[int, int | None]) -> None:
    world = berlin()
    world.endings["2026-01-19"] = [ending]
    assert world.go_on(3) == ["2026-01-19", "2026-01-19"]
    assert len(world.messages("error")) == 1


def test_a_day_that_fails_does_not_keep_the_others_waiting() -> None:
    world = World(utc("2026-01-20T12:00"), catch_up=2)
    world.endings["2026-01-17"] = [(1, None), (1, None)]
    tried = world.go_on(3)
    assert tried[:3] == ["2026-01-17", "2026-01-18", "2026-01-19"]
    assert tried[3:] == ["2026-01-17", "2026-01-17"]


def test_a_day_that_fails_until_it_is_too_old_is_given_up_aloud() -> None:
    world = berlin(catch_up=0)
    world.endings["2026-01-19"] = [(1, None)] * 100
    assert world.go_on(48)[-1] == "2026-01-20"
    assert [m for m in world.messages("error") if "given up" in m and "2026-01-19" in m]
    assert world.worker.status.failures == {}


def test_what_was_skipped_is_tried_again_once_a_day() -> None:
    world = berlin()
    world.endings["2026-01-19"] = [(3, 2), (3, 1)]
    world.go_on(96)
    again = [one.at for one in world.tried if one.label == "2026-01-19"]
    assert [moment.date().isoformat() for moment in again] == ["2026-01-20", "2026-01-21", "2026-01-22"]
    assert world.messages("error") == []


def test_what_was_skipped_is_not_tried_again_just_because_the_service_was() -> None:
    world = berlin("2026-01-20T10:00")
    world.report("2026-01-19", skipped=1)
    world.worker = world.new_worker({"2026-01-19": date(2026, 1, 20)})
    assert world.go_on(20) == []
    assert world.go_on(4) == ["2026-01-19", "2026-01-20"]


def test_a_failing_try_to_complete_a_report_waits_for_the_next_day() -> None:
    world = berlin("2026-01-20T10:00")
    world.report("2026-01-19", skipped=1)
    world.endings["2026-01-19"] = [(1, None)]
    assert world.go_on(20) == ["2026-01-19"]
    assert "2026-01-19" in world.worker.status.failures
    assert world.go_on(4) == ["2026-01-19", "2026-01-20"]
    assert world.worker.status.failures == {}


def test_a_day_that_somebody_else_reported_is_no_failure_any_more() -> None:
    world = berlin()
    world.endings["2026-01-19"] = [(1, None)] * 50
    world.go_on(2)
    assert "2026-01-19" in world.worker.status.failures
    world.report("2026-01-19")
    assert world.go_on(3) == []
    assert world.worker.status.failures == {}
    assert world.worker.status.waiting == {}


def test_a_store_that_is_held_is_waited_for_and_told_of_once() -> None:
    world = berlin(blocked="process 7 works with the store")
    assert world.go_on(4) == []
    assert world.messages("warning") == ["2026-01-19 has to wait: process 7 works with the store"]
    assert world.worker.status.blocked == "process 7 works with the store"
    world.blocked = None
    assert world.go_on(1) == ["2026-01-19"]
    assert world.worker.status.blocked is None


# --- clocks that jump ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hours", [-48, -24, -3, -1, 1, 3])
@pytest.mark.parametrize("after", [0.5, 1.5, 30.0])
def test_no_day_is_reported_twice_and_none_is_lost_when_the_clock_is_moved(hours: int, after: float) -> None:
    world = berlin(catch_up=3)
    world.after(after, lambda: world.move_clock(timedelta(hours=hours)))
    labels = world.go_on(24 * 7)
    assert sorted(labels) == sorted(set(labels))
    last = world.table.due(world.now)[-1]
    assert [d for d in ("2026-01-19", "2026-01-20", "2026-01-21", "2026-01-22") if d <= last.isoformat()] == [
        d for d in sorted(labels) if d <= "2026-01-22"
    ]
    assert all(report.whole for report in world.reports.values())


def test_a_clock_that_is_a_year_ahead_for_some_minutes_has_nothing_reported() -> None:
    world = berlin(stride=30.0)
    world.after(2, lambda: world.move_clock(timedelta(days=365)))
    world.after(2.07, lambda: world.move_clock(timedelta(days=-365)))
    assert world.go_on(3) == ["2026-01-19"]
    assert [message.partition(" by ")[0] for message in world.messages("warning")] == [
        "the clock went ahead",
        "the clock was set back",
    ]


def test_a_machine_that_slept_is_believed_after_a_while() -> None:
    world = berlin(stride=30.0)
    world.after(2, lambda: world.move_clock(timedelta(days=1)))
    assert world.go_on(3) == ["2026-01-19", "2026-01-20"]
    assert world.tried[1].at - world.tried[0].at == timedelta(days=1, hours=1, seconds=300)


def test_days_that_a_clock_ahead_had_reported_too_early_are_made_again_when_they_are_over() -> None:
    world = berlin(catch_up=0)
    world.after(6, lambda: world.move_clock(timedelta(days=2)))
    world.after(9, lambda: world.move_clock(timedelta(days=-2)))
    assert world.go_on(24 * 5) == ["2026-01-19", "2026-01-21", "2026-01-20", "2026-01-21", "2026-01-22", "2026-01-23"]
    assert [(one.label, one.at.date().isoformat()) for one in world.tried if one.force] == [
        ("2026-01-21", "2026-01-22")
    ]
    assert len(world.messages("warning")) == 2


def test_a_clock_that_stands_runs_nothing_twice() -> None:
    world = berlin()
    still = utc("2026-01-20T09:00")
    world.set_clock(still)
    for n in range(200):
        world.after(n / 10, lambda: world.set_clock(still))
    assert world.go_on(20) == ["2026-01-19"]


# --- what others see -------------------------------------------------------------------------------------------------


def test_the_status_names_the_run_that_goes_on_and_the_next_one() -> None:
    world = berlin()
    world.go_on(2)
    during, after = world.seen[0], world.worker.status
    assert during.task is not None
    assert during.task.label == "2026-01-19"
    assert after.task is None
    assert after.next_at == utc("2026-01-21T07:00")
    assert after.waiting == {}
