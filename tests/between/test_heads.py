"""A name that one repository takes away and another uses at its head is found in its code, and nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from between.looked import ENGINE, KERNELS, TODAY, WINDOW, Watched, moment
from daybreak.core.model.changes import Repo
from daybreak.findings.reader import RuleReader
from daybreak.judge.cross_repo.mirrors import Looking
from daybreak.judge.cross_repo.trees import Opened
from daybreak.judge.links.across import across, numbers_of
from daybreak.upgrade.impact.removed_name_uses import uses_at_heads

BEFORE = "def plan_tables(rows):\n    return rows\n\n\ndef run_tables(rows):\n    return rows\n"
AFTER = "def run_tables(rows):\n    return rows\n"
NEEDS = '[project]\nname = "engine"\ndependencies = ["tilekernels==1.0"]\n'
USE = "from tilekernels.ops import plan_tables\n\n\ndef go(rows):\n    return plan_tables(rows)\n"


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    made = Watched.make(tmp_path, KERNELS, ENGINE)
    project = '[project]\nname = "tilekernels"\n'
    made.repos[KERNELS].commit("Begin", {"tilekernels/ops.py": BEFORE, "pyproject.toml": project}, at=moment(30))
    made.repos[KERNELS].commit("Drop plan_tables", {"tilekernels/ops.py": AFTER}, at=TODAY)
    return made


def used(watched: Watched, files: dict[str, Any], needs: str = NEEDS, at: str = "") -> list[tuple[str, int, bool]]:
    watched.repos[ENGINE].commit("Begin", {"pyproject.toml": needs, **files}, at=at or moment(20))
    sides, skipped = watched.looked()
    assert skipped == {}
    return [(use.path, use.line, use.sure) for use in sides[ENGINE].uses]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (USE, 1),
        ("import tilekernels.ops\n\n\ndef go(rows):\n    return tilekernels.ops.plan_tables(rows)\n", 5),
        ("\nfrom tilekernels import ops as o\n\ngo = o.plan_tables\n", 4),
    ],
)
def test_a_use_of_the_name_is_found_with_its_line(watched: Watched, text: str, line: int) -> None:
    assert used(watched, {"engine/run.py": text}) == [("engine/run.py", line, True)]


def test_the_link_tells_where_and_rests_on_what_the_report_has(watched: Watched) -> None:
    watched.repos[ENGINE].commit("Begin", {"pyproject.toml": NEEDS, "engine/run.py": USE}, at=moment(20))
    sides, _ = watched.looked()
    [link] = across(tuple(sides.values()), numbers_of(tuple(sides.values())), WINDOW).links
    finding = sides[KERNELS].entries[0].reading.findings[0]
    assert (link.kind, link.source, link.target) == ("uses_removed", f"finding:{finding.id}", f"repo:{ENGINE}")
    assert [(place.repo, place.path, place.line) for place in link.places] == [(ENGINE, "engine/run.py", 1)]
    assert not link.likely


@pytest.mark.parametrize(("owner", "needs", "met"), [("org", "", True), ("other", "", False), ("other", NEEDS, True)])
def test_what_is_built_from_a_fork_is_not_missed_before_it_moves(
    watched: Watched, owner: str, needs: str, met: bool
) -> None:
    built = f"FetchContent_Declare(\n  tilekernels\n  GIT_REPOSITORY https://github.com/{owner}/tilekernels\n  GIT_TAG {'1a' * 20}\n)\n"
    found = used(watched, {"cmake/tiles.cmake": built, "engine/run.py": USE}, needs or '[project]\nname = "engine"\n')
    assert bool(found) is met


@pytest.mark.parametrize(
    "text",
    [
        "def plan_tables(rows):\n    return rows\n",
        "# plan_tables of tilekernels was here\nfrom tilekernels.ops import run_tables\n",
        "from otherkernels.ops import plan_tables\n# from tilekernels\n",
        "from tilekernels.ops import run_tables\n\nplan_tables = run_tables\n",
        "class A:\n    def plan_tables(self):\n        from tilekernels.ops import run_tables\n        return run_tables\n",
    ],
)
def test_a_mere_word_is_no_use(watched: Watched, text: str) -> None:
    assert used(watched, {"engine/run.py": text}) == []


def test_what_is_guarded_is_not_sure(watched: Watched) -> None:
    text = "try:\n    from tilekernels.ops import plan_tables\nexcept ImportError:\n    def plan_tables(): ...\n"
    assert used(watched, {"engine/run.py": text}) == [("engine/run.py", 2, False)]


def test_a_guard_that_tries_the_new_name_as_well_is_ready(tmp_path: Path) -> None:
    made = Watched.make(tmp_path, KERNELS, ENGINE)
    made.repos[KERNELS].commit("Begin", {"tilekernels/ops.py": BEFORE}, at=moment(30))
    renamed = BEFORE.replace("plan_tables", "plan_all_tables")
    made.repos[KERNELS].commit("Rename plan_tables", {"tilekernels/ops.py": renamed}, at=TODAY)
    ways = "from tilekernels.ops import plan_all_tables as plan\nexcept ImportError:\n    from tilekernels.ops import plan_tables as plan\n"
    assert used(made, {"engine/run.py": f"try:\n    {ways}"}) == []
    only = "try:\n    from tilekernels.ops import plan_tables\nexcept ImportError:\n    def plan_tables(): ...\n"
    assert used(made, {"engine/run.py": only}, at=moment(10)) == [("engine/run.py", 2, False)]


def test_a_name_that_another_module_handed_on_is_told_by_its_own_removal(tmp_path: Path) -> None:
    """And not by what else left the module that handed it on."""
    made = Watched.make(tmp_path, KERNELS, ENGINE)
    kinds = "class RowKind:\n    FLAT = 1\n\n\nclass OtherKind:\n    FLAT = 2\n"
    ops = "from tilekernels.kinds import RowKind\n\n\ndef a_plan(rows):\n    return RowKind\n\n\ndef z_run(rows):\n    return 1\n"
    first = {"tilekernels/kinds.py": kinds, "tilekernels/ops.py": ops, "tilekernels/__init__.py": ""}
    made.repos[KERNELS].commit("Begin", first, at=moment(30))
    after = {"tilekernels/kinds.py": kinds.split("\n\n\n")[1], "tilekernels/ops.py": ops.split("\n\n\n")[2]}
    made.repos[KERNELS].commit("Drop RowKind and a_plan", after, at=TODAY)
    text = "from tilekernels.ops import RowKind\nfrom tilekernels.ops import a_plan\n"
    made.repos[ENGINE].commit("Begin", {"pyproject.toml": NEEDS, "engine/run.py": text}, at=moment(20))
    sides, _ = made.looked()
    assert sorted((use.name, use.line) for use in sides[ENGINE].uses) == [("RowKind", 1), ("a_plan", 2)]


@pytest.mark.parametrize("path", ["tests/test_run.py", "docs/run.py", "benchmarks/run.py", "engine/tests/run.py"])
def test_what_does_not_ship_is_left_aside(watched: Watched, path: str) -> None:
    assert used(watched, {path: USE}) == []


@pytest.mark.parametrize(
    "needs", ['[project]\nname = "engine"\n', NEEDS.replace("tilekernels", "tilekernelsx"), "# tilekernels\n"]
)
def test_a_repository_that_does_not_need_the_other_is_not_searched(watched: Watched, needs: str) -> None:
    assert used(watched, {"engine/run.py": USE}, needs) == []


def test_a_name_that_the_package_still_hands_on_is_not_gone(watched: Watched) -> None:
    kernels = watched.repos[KERNELS]
    moved = {
        "tilekernels/ops.py": "from tilekernels.plans import plan_tables\n" + AFTER,
        "tilekernels/plans.py": BEFORE,
    }
    kernels.commit("Move plan_tables", moved, at="2026-03-09T13:00:00")
    assert used(watched, {"engine/run.py": USE}) == []


def test_the_head_is_the_one_of_the_window(watched: Watched) -> None:
    engine = watched.repos[ENGINE]
    engine.commit("Begin", {"pyproject.toml": NEEDS, "engine/run.py": USE}, at=moment(20))
    engine.commit("Follow", {"engine/run.py": USE.replace("plan_", "run_")}, at="2026-03-10T12:00:00")
    assert len(watched.looked()[0][ENGINE].uses) == 1, "what comes later does not exist"
    engine.move(engine.text("rev-parse", "main~1"))
    engine.commit("Follow", {"engine/run.py": USE.replace("plan_", "run_")}, at="2026-03-09T18:00:00")
    assert watched.looked()[0][ENGINE].uses == ()


def test_a_name_that_was_not_there_before_either_is_nobodys(watched: Watched) -> None:
    text = "from tilekernels.ops import plan_tables_v0\n"
    assert used(watched, {"engine/run.py": text}) == []


def test_a_variable_of_its_own_prefix_is_found_in_scripts(tmp_path: Path) -> None:
    watched = Watched.make(tmp_path, KERNELS, ENGINE)
    declared = (
        'import os\nFAST = os.environ.get("TILEKERNELS_FAST", "0")\nSLOW = os.environ.get("TILEKERNELS_SLOW", "0")\n'
    )
    watched.repos[KERNELS].commit("Begin", {"tilekernels/envs.py": declared}, at=moment(30))
    left = declared.replace('FAST = os.environ.get("TILEKERNELS_FAST", "0")\n', "")
    watched.repos[KERNELS].commit("Drop it", {"tilekernels/envs.py": left}, at=TODAY)
    found = used(watched, {"run.sh": "export TILEKERNELS_FAST=1\nexport TILEKERNELS_SLOW=1\n"})
    assert [(path, line) for path, line, _ in found] == [("run.sh", 1)]


def test_contents_that_are_missing_are_named(watched: Watched) -> None:
    engine = watched.repos[ENGINE]
    engine.commit("Begin", {"pyproject.toml": NEEDS, "engine/run.py": USE}, at=moment(20))
    engine.lose(engine.oid("main:engine/run.py"))
    sides, skipped = watched.looked()
    assert sides[ENGINE].uses == ()
    assert [(one.what, one.reason) for one in skipped[ENGINE]] == [
        (f"{ENGINE} at its head", "contents of 1 files are missing")
    ]


def test_a_file_too_large_to_be_read_is_counted(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    watched.repos[ENGINE].commit("Begin", {"pyproject.toml": NEEDS, "engine/run.py": USE}, at=moment(20))
    assert watched.looked()[1] == {}
    monkeypatch.setattr("daybreak.findings.blobs.LARGEST", len(USE) - 1)
    sides, skipped = watched.looked()
    assert sides[ENGINE].uses == ()
    assert [one.reason for one in skipped[ENGINE]] == ["1 more files hold the words that are looked for"]


def test_nothing_is_asked_when_nothing_went(tmp_path: Path) -> None:
    watched = Watched.make(tmp_path, KERNELS, ENGINE)
    watched.repos[KERNELS].commit("Begin", {"tilekernels/ops.py": AFTER}, at=moment(30))
    watched.repos[KERNELS].commit("Add", {"tilekernels/ops.py": BEFORE}, at=TODAY)
    engine = watched.repos[ENGINE]
    engine.commit("Begin", {"pyproject.toml": NEEDS, "engine/run.py": USE}, at=moment(20))
    for oid in ("main:engine/run.py", "main:pyproject.toml"):
        engine.lose(engine.oid(oid))
    assert watched.looked()[1] == {}


def test_each_mirror_is_opened_once_and_first_the_one_that_is_asked_for_uses(watched: Watched) -> None:
    watched.repos[ENGINE].commit("Begin", {"pyproject.toml": NEEDS, "engine/run.py": USE}, at=moment(20))
    asked: list[str] = []

    def opened(repo: Repo, _: str) -> Opened:
        asked.append(repo.name)
        return Opened(watched.repos[repo.name].path)

    looking = Looking(watched.git, RuleReader(watched.git), opened, uses_at_heads)
    looking.into(
        [watched.report(name) for name in watched.repos], [watched.side(name) for name in watched.repos], WINDOW
    )
    # What the other one offers is asked where a use was found.
    assert asked[0] == ENGINE
    watched.repos[ENGINE].commit("Use it no more", {"engine/run.py": "pass\n"}, at=moment(10))
    asked.clear()
    looking.into(
        [watched.report(name) for name in watched.repos], [watched.side(name) for name in watched.repos], WINDOW
    )
    assert asked[0] == ENGINE
    assert len(asked) == len(set(asked)) == len(watched.repos), (
        "what each pins is read at every head, which is opened once"
    )
