"""Links reach back over days: earlier moves of a pin, releases, and changes that the words of an issue name."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from between.looked import ENGINE, KERNELS, SINCE, TODAY, WINDOW, Watched, moment
from daybreak.core.model.changes import Window
from daybreak.core.model.items import Activity, Issue
from daybreak.core.model.links import CrossForge
from daybreak.judge.cross_repo import mirrors as days_before
from daybreak.judge.links.across import across, numbers_of
from daybreak.judge.links.repo_links import of_repository
from gitrepo import submodule


def needs(version: str) -> dict[str, str]:
    return {"pyproject.toml": f'[project]\nname = "engine"\ndependencies = [\n    "tilekernels=={version}",\n]\n'}


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    """Released, taken, taken back, released again as a post release; today it is taken again."""
    made = Watched.make(tmp_path, KERNELS, ENGINE)
    kernels, engine = made.repos[KERNELS], made.repos[ENGINE]
    for version, days in (("0.6.14", 40), ("0.6.15", 6), ("0.6.15.post1", 2)):
        sha = kernels.commit(f"Work for {version}", {"tilekernels/a.py": f"V = {version!r}\n"}, at=moment(days))
        kernels.tag(f"v{version}", sha, at=moment(days))
    engine.commit("Begin", needs("0.6.14"), at=moment(30))
    engine.commit("Bump tilekernels to 0.6.15 (#1)", needs("0.6.15"), at=moment(5))
    engine.commit('Revert "Bump tilekernels to 0.6.15 (#1)" (#2)', needs("0.6.14"), at=moment(4))
    engine.commit("Something else", {"engine/run.py": "x = 1\n"}, at=moment(3))
    return made


def between(watched: Watched, window: Window = WINDOW) -> CrossForge:
    sides, skipped = watched.looked(window=window)
    assert skipped == {}
    found = tuple(sides.values())
    return across(found, numbers_of(found), window)


def test_a_story_runs_over_days_and_repositories(watched: Watched) -> None:
    watched.repos[ENGINE].commit("Bump tilekernels to 0.6.15.post1 (#3)", needs("0.6.15.post1"), at=TODAY)
    [story] = between(watched).stories
    assert [(step.kind, step.version) for step in story.steps] == [
        ("released", "v0.6.15"),
        ("taken", "0.6.15"),
        ("reverted", "0.6.14"),
        ("released", "v0.6.15.post1"),
        ("taken", "0.6.15.post1"),
    ]
    assert story.net["en"].endswith("at the end of the window `org/engine` is on `0.6.15.post1`.")


def test_all_changes_between_two_releases_are_known(watched: Watched) -> None:
    sha = watched.repos[ENGINE].commit("Bump tilekernels (#3)", needs("0.6.15.post1"), at=TODAY)
    kernels = watched.repos[KERNELS]
    [move] = [one for one in between(watched).bumps if one.sha == sha]
    assert (move.release, move.whole) == ("v0.6.15.post1", True)
    assert list(move.between) == kernels.text("rev-list", "--reverse", "v0.6.14..v0.6.15.post1").split()


def test_more_changes_than_are_listed_are_said(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    watched.repos[ENGINE].commit("Bump tilekernels (#3)", needs("0.6.15.post1"), at=TODAY)
    monkeypatch.setattr(days_before, "MOST_BETWEEN", 1)
    _, skipped = watched.looked()
    [one] = skipped[KERNELS]
    assert one.reason.startswith("1 moved pins bring more than ")
    monkeypatch.setattr(days_before, "MOST_BETWEEN", 2)
    assert watched.looked()[1] == {}


def test_a_release_that_follows_a_version_which_was_taken_back_is_the_next_step(watched: Watched) -> None:
    sha = watched.repos[KERNELS].commit("Mend", {"tilekernels/a.py": "V = 3\n"}, at=TODAY)
    watched.repos[KERNELS].tag("v0.6.16", sha, at=TODAY)
    sides, _ = watched.looked()
    held = {"v0.6.16": (sha,)}
    given = [replace(watched.side(name), holds=held if name == KERNELS else {}) for name in (KERNELS, ENGINE)]
    assert sides[ENGINE].earlier == (), "without a release or a move nobody looks back"
    seen, _ = watched.looking().into([watched.report(side.repo) for side in given], given, WINDOW)
    [story] = across(seen, numbers_of(seen), WINDOW).stories
    assert [(step.kind, step.version) for step in story.steps] == [
        ("released", "v0.6.15"), ("taken", "0.6.15"), ("reverted", "0.6.14"), ("released", "v0.6.16"),
    ]  # fmt: skip


def test_what_comes_after_the_window_changes_nothing(watched: Watched) -> None:
    watched.repos[ENGINE].commit("Bump tilekernels to 0.6.15.post1 (#3)", needs("0.6.15.post1"), at=TODAY)
    before = between(watched)
    later = watched.repos[KERNELS].commit("Later", {"tilekernels/a.py": "V = 9\n"}, at="2026-03-11T12:00:00")
    watched.repos[KERNELS].tag("v0.7.0", later, at="2026-03-11T12:00:00")
    watched.repos[ENGINE].commit('Revert "Bump tilekernels" (#4)', needs("0.6.14"), at="2026-03-11T13:00:00")
    assert between(watched) == before


def test_what_is_older_than_a_fortnight_is_not_part_of_it(watched: Watched) -> None:
    late = WINDOW.since + timedelta(days=20)
    window = Window(late, late + timedelta(days=1), "UTC", late.date().isoformat())
    at = (late + timedelta(hours=5)).isoformat()
    watched.repos[ENGINE].commit("Bump tilekernels to 0.6.15.post1 (#3)", needs("0.6.15.post1"), at=at)
    [story] = between(watched, window).stories
    assert [step.kind for step in story.steps] == ["released", "taken"]


def test_a_submodule_that_moved_twice(tmp_path: Path) -> None:
    made = Watched.make(tmp_path, KERNELS, ENGINE)
    kernels, engine = made.repos[KERNELS], made.repos[ENGINE]
    first, second = (kernels.commit(f"Work {n}", {"a.py": f"x = {n}\n"}, at=moment(20 - n)) for n in (1, 2))
    modules = '[submodule "k"]\n\tpath = deps/tilekernels\n\turl = https://github.com/org/tilekernels.git\n'
    engine.commit("Begin", {".gitmodules": modules, "deps/tilekernels": submodule(first)}, at=moment(9))
    engine.commit("Update", {"deps/tilekernels": submodule(second)}, at=moment(3))
    engine.commit('Revert "Update"', {"deps/tilekernels": submodule(first)}, at=TODAY)
    [story] = between(made).stories
    assert [step.kind for step in story.steps] == ["taken", "reverted"]


def test_contents_that_are_missing_are_named(watched: Watched) -> None:
    engine = watched.repos[ENGINE]
    engine.commit("Bump tilekernels (#3)", needs("0.6.16"), at=TODAY)
    engine.lose(engine.oid("main~3:pyproject.toml"))
    _, skipped = watched.looked()
    assert [one.what for one in skipped[ENGINE]] == [f"{ENGINE} beside the others"]
    assert "days before" in skipped[ENGINE][0].reason


# --- issues ----------------------------------------------------------------------------------------------------------


def bug(title: str, body: str) -> Activity:
    return Activity(
        ENGINE, issues=(Issue(7, "", title, "bob", SINCE + timedelta(hours=9), "open", ("opened",), body=body),)
    )


def causes(watched: Watched, activity: Activity) -> list[tuple[str, tuple[str, ...]]]:
    sides, skipped = watched.looked(activity)
    assert skipped == {}
    found = of_repository(sides[ENGINE], numbers_of(tuple(sides.values())))
    return [(link.target, link.evidence) for link in found.links if link.kind == "caused_by"]


def test_an_issue_is_held_against_a_change_of_the_days_before_that_removed_what_it_names(watched: Watched) -> None:
    engine = watched.repos[ENGINE]
    flags = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--page-table-width')\n"
    engine.commit("Begin the parser", {"engine/cli.py": flags}, at=moment(9))
    gone = engine.commit("Tidy up (#5)", {"engine/cli.py": flags.rsplit("p.add", 1)[0]}, at=moment(2))
    issue = bug(
        "[Bug]: unrecognized arguments", "It fails with `--page-table-width 8`:\n\nerror: unrecognized arguments"
    )
    assert causes(watched, issue) == [(f"commit:{gone}", (f"issue:{ENGINE}#7", f"commit:{gone}"))]


def test_a_change_that_is_named_on_a_day_without_changes_is_known(watched: Watched) -> None:
    sha = watched.repos[ENGINE].commit("Tune (#66)", {"engine/b.py": "x = 2\n"}, at=moment(1))
    issue = bug("[Bug]: wrong output", "Wrong results since #66. See `engine_output_table`.")
    assert [target for target, _ in causes(watched, issue)] == [f"commit:{sha}"]


@pytest.mark.parametrize("days", [8, 12])
def test_a_change_of_more_than_a_week_before_is_not_blamed(watched: Watched, days: int) -> None:
    engine = watched.repos[ENGINE]
    engine.move(engine.text("rev-parse", "main~3"))
    flags = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--page-table-width')\n"
    engine.commit("Begin the parser", {"engine/cli.py": flags}, at=moment(14))
    engine.commit("Tidy up (#5)", {"engine/cli.py": "import argparse\n"}, at=moment(days))
    assert causes(watched, bug("[Bug]: unrecognized arguments", "It fails with `--page-table-width 8`.")) == []


def test_a_question_blames_nobody_and_nothing_is_read_for_it(watched: Watched) -> None:
    issue = bug("[Usage]: how do I set `--page-table-width`?", "Please help.")
    sides, _ = watched.looked(issue)
    assert sides[ENGINE].earlier == ()
