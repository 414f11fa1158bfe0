"""Back-filling does nothing twice, in whatever order; what failed is tried again, and the old report is completed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from contracts.conftest import opened
from daybreak.core.errors import DaybreakError
from daybreak.demo import week
from faults.scene import DAYS, SQLITE, WEEK, Place, Scene
from kills.jobs import demo_week
from kills.killing import assert_equal, new_folder


def times(place: Place) -> dict[str, int]:
    return {name: (place.folder / name).stat().st_mtime_ns for name in place.pages()}


def runs(place: Place) -> int:
    store = opened(SQLITE, place.folder)
    try:
        return len(store.runs())
    finally:
        store.close()


def test_what_is_there_is_not_done_again(scene: Scene) -> None:
    place = scene.place()
    place.works(*WEEK)
    before = times(place)
    assert runs(place) == 1
    answer = place.run(*WEEK)
    assert answer.returncode == 0
    assert answer.stderr.count("reported before, nothing new") == len(DAYS)
    assert times(place) == before
    assert runs(place) == 1


def test_only_what_is_missing_is_done(scene: Scene) -> None:
    place = scene.place()
    place.works("run", "--date", DAYS[1])
    before = times(place)[f"reports/{DAYS[1]}.json"]
    answer = place.run(*WEEK)
    assert answer.stderr.count("reported before, nothing new") == 1
    assert times(place)[f"reports/{DAYS[1]}.json"] == before
    assert_equal(place.came(), scene.expected)


def test_what_is_kept_for_a_day_made_again_in_vain_is_dropped_when_another_run_ends_well(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The day is there as it was, so nobody goes on with it: what the run had kept of it would stay for good."""
    place = scene.place()
    place.works(*WEEK)
    with monkeypatch.context() as broken:
        broken.setattr("daybreak.cli.run.render_pages", _no_room)
        assert place.run("run", "--date", DAYS[0], "--force").returncode == 1
    place.works("run", "--date", DAYS[2], "--force")
    assert_equal(place.came(), scene.expected)


def _no_room(*_: object) -> None:
    raise DaybreakError("There is no room.", "Make some.")


def test_newest_first_gives_the_same_bytes(scene: Scene) -> None:
    place = scene.place()
    answer = place.run(*WEEK, "--newest-first")
    assert [line[:10] for line in answer.stdout.splitlines()] == list(reversed(DAYS))
    assert_equal(place.came(), scene.expected)


def test_days_with_notes_from_later_ones_are_not_done_again_and_are_the_same_in_any_order(tmp_path: Path) -> None:
    job = demo_week(tmp_path)
    job.commands[-1].before()  # all of the week can be seen
    days = ("run", "--since", week.FIRST.isoformat(), "--until", "2026-03-09")
    places = []
    for name, more in (("oldest", ()), ("newest", ("--newest-first",))):
        places.append(Place(new_folder(tmp_path, name, job)))
        places[-1].works(*days, *more)
    oldest, newest = places
    assert b"\xf0\x9f\x93\x8c" in oldest.pages()["reports/2026-03-03.md"]
    assert_equal(newest.came(), oldest.came())
    for place in places:
        before, answer = times(place), place.run(*days)
        assert answer.stderr.count("reported before, nothing new") == 7
        assert (times(place), runs(place)) == (before, 1)


# --- what failed -----------------------------------------------------------------------------------------------------


class Away:
    """An upstream that can be taken away and brought back; its name never changes."""

    def __init__(self, scene: Scene) -> None:
        self._link, self._real = scene.root / "link.git", Path(scene.upstreams["acme/served"].removeprefix("file://"))
        self.upstreams = {**scene.upstreams, "acme/served": f"file://{self._link}"}

    def back(self) -> None:
        self._link.symlink_to(self._real)

    def gone(self) -> None:
        self._link.unlink()


def test_what_failed_is_tried_again_by_the_next_run_and_the_old_report_says_so(scene: Scene) -> None:
    place, away = scene.place(), Away(scene)
    place.config(away.upstreams)
    answer = place.run("run", DAYBREAK_NOW="2026-01-20T08:00:00+00:00")
    assert answer.returncode == 3
    assert "skipped: acme/served" in answer.stderr
    first = place.pages()
    assert [one["what"] for one in data(first, DAYS[0])["coverage"]["skipped"]] == ["acme/served"]
    away.back()
    place.works("run", DAYBREAK_NOW="2026-01-21T08:00:00+00:00")
    second = place.pages()
    completed = data(second, DAYS[0])
    assert {repo["name"]: repo["completed"] for repo in completed["repos"]} == {
        "acme/served": ["acme/served"],
        "acme/borrowed": [],
    }
    noted = {f"reports/{DAYS[0]}{page}{end}" for page in ("", "/acme-served") for end in (".md", ".en.md")}
    index = {f"{stem}{end}" for stem in ("README", "reports/2026-01") for end in (".md", ".en.md")}
    for name in second.keys() - {*index, f"reports/{DAYS[0]}.json"}:
        ours = scene.expected.written[name].decode().splitlines()
        more = [line for line in second[name].decode().splitlines() if line not in ours]
        assert bool(more) == (name in noted), name
        assert not more or more[-1].endswith("acme/served")
    for part in (completed, *completed["repos"]):
        part["completed"] = []
    calm = data(scene.expected.written, DAYS[0])
    assert completed.pop("pages").keys() == calm.pop("pages").keys(), "their digests are of pages with that note"
    assert completed == calm
    before, recorded = times(place), runs(place)
    place.works("run", DAYBREAK_NOW="2026-01-21T09:00:00+00:00")
    assert times(place) == before
    assert runs(place) == recorded
    away.gone()


def data(pages: dict[str, bytes], day: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(pages[f"reports/{day}.json"])
    return found
