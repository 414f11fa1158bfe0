"""A clock that jumps: no day is lost, runs stay in their order, and nothing takes less than no time."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

import program
from contracts.conftest import opened
from daybreak.cli import main
from daybreak.store.sqlite import SqliteStore
from faults.scene import DAYS, SQLITE, WEEK, Scene
from gitrepo import GitRepo
from kills.killing import assert_equal


def test_days_run_while_the_clock_jumps_to_and_fro_are_all_there_with_the_same_bytes(scene: Scene) -> None:
    place = scene.place()
    for now in ("2026-01-20T08:00", "2026-01-22T08:00", "2026-01-21T08:00"):
        place.works("run", DAYBREAK_NOW=f"{now}:00+00:00")
    assert_equal(place.came(), scene.expected)


def test_a_clock_set_back_into_a_day_that_was_reported_does_not_lose_it(scene: Scene) -> None:
    place = scene.place()
    place.works(*WEEK)
    place.works("run", "--date", DAYS[1], DAYBREAK_NOW="2026-01-20T10:30:00+00:00")
    place.works("run", "--date", DAYS[1], DAYBREAK_NOW="2026-01-22T09:00:00+00:00")
    assert_equal(place.came(), scene.expected)


def test_a_day_that_has_not_begun_by_the_clock_is_refused(scene: Scene) -> None:
    answer = scene.place().run("run", "--date", DAYS[2], DAYBREAK_NOW="2026-01-19T08:00:00+00:00")
    assert answer.returncode == 2
    assert "lies in the future" in answer.stderr


def test_runs_keep_their_order_and_last_no_less_than_nothing(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    place, moment = scene.place(), datetime(2026, 1, 25, tzinfo=UTC)

    def backwards() -> datetime:
        nonlocal moment
        moment -= timedelta(hours=5)
        return moment

    monkeypatch.setattr(SqliteStore.__init__, "__defaults__", (backwards,))
    for day in DAYS:
        assert main(["run", "--quiet", "--date", day, "--config", str(place.folder / "daybreak.toml")]) == 0
    monkeypatch.undo()
    store = opened(SQLITE, place.folder)
    runs = store.runs()
    assert [run.command for run in runs] == [f"run {day}" for day in reversed(DAYS)]
    assert runs[0].started_at < runs[2].started_at
    for run in runs:
        assert run.ended_at is not None
        assert run.seconds is not None
        assert run.ended_at >= run.started_at
        assert run.seconds >= 0
        assert all(step.seconds >= 0 for step in store.steps(run.id))
    store.close()
    assert_equal(place.came(), scene.expected)


NIGHTS = {
    "Europe/Berlin": (date(2025, 10, 25), date(2025, 10, 27)),
    "America/Havana": (date(2025, 11, 1), date(2025, 11, 3)),
    "America/St_Johns": (date(2010, 11, 6), date(2010, 11, 8)),
}
"""Zones whose clocks are set back: at three, at one to midnight, at a minute past it."""


@pytest.mark.parametrize("zone", NIGHTS)
def test_each_commit_of_a_night_in_which_clocks_are_set_back_is_in_exactly_one_report(
    tmp_path: Path, repo: GitRepo, zone: str
) -> None:
    first, last = (datetime(one.year, one.month, one.day, tzinfo=ZoneInfo(zone)) for one in NIGHTS[zone])
    moment, made = first.astimezone(UTC) + timedelta(minutes=10), []
    while moment < last:
        made.append(repo.commit(f"At {moment:%d %H:%M}", {"a.txt": f"{moment}\n"}, at=moment.isoformat()))
        moment += timedelta(minutes=30)
    config = f'timezone = "{zone}"\nlanguages = ["en"]\n[[repo]]\nname = "org/one"\ngit = "{repo.path}"\n'
    (tmp_path / "daybreak.toml").write_text(config, encoding="utf-8")
    days = [(NIGHTS[zone][0] + timedelta(days=n)).isoformat() for n in range(2)]
    # Once in the repeated hour itself, by a clock that is then set back by a day, and once when all is over.
    for now in (first + timedelta(hours=25, minutes=30), first + timedelta(hours=20), last + timedelta(hours=6)):
        env = {"DAYBREAK_NOW": now.astimezone(UTC).isoformat()}
        for day in days:
            answer = program.run("run", "--date", day, cwd=tmp_path, env=env)
            assert answer.returncode == 0 or "lies in the future" in answer.stderr, answer.stderr
    found = []
    for day in days:
        report = json.loads((tmp_path / "reports" / f"{day}.json").read_bytes())
        found += [one["sha"] for one in report["repos"][0]["commits"]]
        assert not report["window"].get("open")
    assert len(made) > 96
    assert sorted(found) == sorted(made)
