"""What trees say of a window: who runs the lines that a fix replaces, what stands at the end, what is older than it seems."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from conftest import Collector
from daybreak.collect.git.standing import Tree
from daybreak.core.file_cache import Found
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Exposure
from gitrepo import GitRepo

CORE = "engine/core.py"
HEAD = "def scale(values, factor):\n    total = sum_of(values)\n"
FAULT = f"{HEAD}    return total / factor_of(values)\n"
FIXED = f"{HEAD}    return total / max(1, factor_of(values))\n"
OTHER = f"{HEAD}    return total * inverse_factor(values)\n"


def exposure(
    repo: GitRepo,
    collector: Collector,
    released: dict[str, str | None],
    before: dict[str, str | None],
    fix: dict[str, str | None],
    candidate: dict[str, str | None] | None = None,
) -> Exposure | None:
    """A release, what the branch did after it (perhaps up to a candidate), and a fix of the window."""
    repo.tag("v1.0", repo.commit("Begin", released, at="2026-01-05T10:00:00"), at="2026-01-05T11:00:00")
    if candidate is not None:
        repo.tag("v1.1rc1", repo.commit("Go on", candidate, at="2026-01-06T10:00:00"), at="2026-01-06T11:00:00")
    repo.commit("Rewrite", before, at="2026-01-10T10:00:00")
    sha = repo.commit("[Bugfix] Fix division by zero (#7)", fix, at="2026-01-19T10:00:00")
    return collector.collect(repo).exposed.get(sha)


def test_a_release_that_has_the_replaced_lines_has_the_bug_and_takes_the_pick(
    repo: GitRepo, collector: Collector
) -> None:
    found = exposure(repo, collector, {CORE: FAULT}, {"engine/x.py": "1\n"}, {CORE: FIXED})
    assert found == Exposure("v1.0", has=True, applies=True)


def test_a_release_without_the_replaced_lines_is_not_affected(repo: GitRepo, collector: Collector) -> None:
    assert exposure(repo, collector, {CORE: OTHER}, {CORE: FAULT}, {CORE: FIXED}) == Exposure("v1.0", has=False)


def test_a_file_that_came_after_the_release_affects_nobody_who_runs_it(repo: GitRepo, collector: Collector) -> None:
    assert exposure(repo, collector, {"engine/x.py": "1\n"}, {CORE: FAULT}, {CORE: FIXED}) == Exposure(
        "v1.0", has=False
    )


def test_lines_that_moved_are_found_where_the_release_has_them(repo: GitRepo, collector: Collector) -> None:
    moved: dict[str, str | None] = {"engine/old_home.py": None, CORE: f"class Scale:\n{FAULT}"}
    found = exposure(repo, collector, {"engine/old_home.py": FAULT}, moved, {CORE: f"class Scale:\n{FIXED}"})
    assert found == Exposure("v1.0", has=True)


TWIN = "def mean(values, factor):\n    total = sum_of(values)\n    return total / factor_of(values)\n"


def test_lines_of_a_function_that_came_after_the_release_are_not_those_of_another_one(
    repo: GitRepo, collector: Collector
) -> None:
    found = exposure(repo, collector, {CORE: TWIN}, {CORE: f"{TWIN}\n\n{FAULT}"}, {CORE: f"{TWIN}\n\n{FIXED}"})
    assert found == Exposure("v1.0", has=False)


def test_a_twin_that_has_other_lines_by_now_is_a_twin_all_the_same(repo: GitRepo, collector: Collector) -> None:
    mended = TWIN.replace("total / factor_of(values)", "total / max(1, factor_of(values))")
    found = exposure(repo, collector, {CORE: TWIN}, {CORE: f"{mended}\n\n{FAULT}"}, {CORE: f"{mended}\n\n{FIXED}"})
    assert found is not None
    assert found.has is False


def test_lines_of_a_function_that_has_another_name_now_are_in_the_release(repo: GitRepo, collector: Collector) -> None:
    found = exposure(repo, collector, {CORE: TWIN}, {CORE: FAULT}, {CORE: FIXED})
    assert found == Exposure("v1.0", has=True)


def test_a_function_that_is_gone_and_shares_a_line_with_a_new_one_is_not_the_same(
    repo: GitRepo, collector: Collector
) -> None:
    other = "def mean(values, factor):\n    weights = weights_of(values)\n    return total / factor_of(values)\n"
    new = FAULT.replace("    return", "    checked(total, values)\n    limited(total, factor)\n    return")
    fixed = FIXED.replace("    return", "    checked(total, values)\n    limited(total, factor)\n    return")
    assert exposure(repo, collector, {CORE: other}, {CORE: new}, {CORE: fixed}) == Exposure("v1.0", has=False)


def test_a_function_whose_lines_are_more_in_another_one_got_that_name(repo: GitRepo, collector: Collector) -> None:
    lines = "    checked(total, values)\n    limited(total, factor)\n"
    first = TWIN.replace("    return", f"{lines}    return")
    renamed = first.replace("def mean", "def average").replace("/ factor_of(values)", "/ max(1, factor_of(values))")
    new, fixed = f"{renamed}\n\n{FAULT}", f"{renamed}\n\n{FIXED}"
    found = exposure(repo, collector, {CORE: first}, {CORE: new}, {CORE: fixed})
    assert found is not None
    assert found.has is False


def test_a_file_with_the_lines_in_another_function_is_not_where_they_moved_from(
    repo: GitRepo, collector: Collector
) -> None:
    found = exposure(repo, collector, {"engine/twin.py": TWIN}, {CORE: FAULT}, {CORE: FIXED})
    assert found == Exposure("v1.0", has=False)


def test_a_candidate_that_has_the_lines_is_named(repo: GitRepo, collector: Collector) -> None:
    found = exposure(repo, collector, {CORE: OTHER}, {"engine/x.py": "1\n"}, {CORE: FIXED}, candidate={CORE: FAULT})
    assert found == Exposure("v1.0", has=False, candidate="v1.1rc1")


def test_a_fix_that_only_adds_is_judged_by_what_stood_around_it(repo: GitRepo, collector: Collector) -> None:
    guard = FAULT.replace("    return", "    if not values:\n        return None\n    return")
    assert exposure(repo, collector, {CORE: FAULT}, {"x": "1"}, {CORE: guard}) == Exposure("v1.0", True, applies=True)


def test_a_fix_that_only_adds_to_what_the_release_lacks_affects_nobody(repo: GitRepo, collector: Collector) -> None:
    guard = FAULT.replace("    return", "    if not values:\n        return None\n    return")
    assert exposure(
        repo, collector, {CORE: "unlike = everything(else_here)\n"}, {CORE: FAULT}, {CORE: guard}
    ) == Exposure("v1.0", has=False)


def test_a_fix_that_was_picked_onto_the_release_is_in_it(repo: GitRepo, collector: Collector) -> None:
    first = repo.commit("Begin", {CORE: FAULT}, at="2026-01-05T10:00:00")
    picked = repo.commit("Pick", {CORE: FIXED}, at="2026-01-19T09:00:00", branch="release", parents=[first])
    repo.tag("v1.0", picked, at="2026-01-19T09:30:00")
    sha = repo.commit("[Bugfix] Fix division by zero (#7)", {CORE: FIXED}, at="2026-01-19T10:00:00", branch="main")
    found = collector.collect(repo).exposed[sha]
    assert (found.has, found.picked) == (False, True)


@pytest.mark.parametrize("title", ["Refactor scale (#7)", "Add scale (#7)"])
def test_what_no_title_calls_a_repair_is_not_looked_at(repo: GitRepo, collector: Collector, title: str) -> None:
    repo.tag("v1.0", repo.commit("Begin", {CORE: FAULT}, at="2026-01-05T10:00:00"))
    repo.commit(title, {CORE: FIXED}, at="2026-01-19T10:00:00")
    assert collector.collect(repo).exposed == {}


def test_how_much_of_a_revert_stands_at_the_end_is_read_from_the_tree(repo: GitRepo, collector: Collector) -> None:
    repo.commit("Begin", {CORE: OTHER}, at="2026-01-10T10:00:00")
    repo.commit("Divide (#5)", {CORE: FAULT}, at="2026-01-19T10:00:00")
    gone = repo.commit('Revert "Divide" (#6)', {CORE: OTHER}, at="2026-01-19T11:00:00")
    assert collector.collect(repo).standing == {gone: 1.0}
    repo.commit("Divide (#7)", {CORE: FAULT}, at="2026-01-19T12:00:00")
    assert collector.collect(repo).standing == {gone: 0.0}


def test_a_line_that_stood_elsewhere_before_was_not_added(repo: GitRepo, collector: Collector) -> None:
    line = "    return total / factor_of(values)"
    repo.commit("Begin", {"engine/old_home.py": FAULT, CORE: "x = 1\n"}, at="2026-01-05T10:00:00")
    repo.commit("Begin too", {"engine/y.py": "y = 2\n"}, at="2026-01-06T10:00:00")
    copy = repo.commit("Copy it (#5)", {CORE: FAULT}, at="2026-01-12T10:00:00")
    repo.commit("Fix division by zero (#7)", {CORE: FIXED}, at="2026-01-19T10:00:00")
    assert collector.collect(repo).older == {copy: (line.strip(),)}


def test_a_line_that_came_lately_and_was_moved_then_was_not_added_by_the_move(
    repo: GitRepo, collector: Collector
) -> None:
    line = "    return total / factor_of(values)"
    repo.commit("Begin", {"engine/y.py": "y = 2\n"}, at="2026-01-06T10:00:00")
    repo.commit("Divide (#4)", {"engine/old_home.py": f"{FAULT}{OTHER * 9}"}, at="2026-01-12T10:00:00")
    files: dict[str, str | None] = {"engine/old_home.py": OTHER * 9, CORE: f"{FAULT}z = 1\n"}
    move = repo.commit("Tidy up (#5)", files, at="2026-01-12T11:00:00")
    repo.commit("Fix division by zero (#7)", {CORE: f"{FIXED}z = 1\n"}, at="2026-01-19T10:00:00")
    assert collector.collect(repo).older == {move: (line.strip(),)}


def removal(repo: GitRepo, collector: Collector, released: dict[str, str | None]) -> tuple[str, ...]:
    """Names that a change of the window takes away and that this release never had."""
    both: dict[str, str | None] = {
        CORE: f"{FAULT}def pin_prefix(values):\n    return values\n",
        "engine/x.py": "x = 1\n",
    }
    repo.tag("v1.0", repo.commit("Begin", released, at="2026-01-05T10:00:00"), at="2026-01-05T11:00:00")
    repo.commit("Pin", both, at="2026-01-10T10:00:00")
    sha = repo.commit("Remove pins (#7)", {CORE: FAULT}, at="2026-01-19T10:00:00")
    return collector.collect(repo).absent.get(sha, ())


def test_a_name_that_came_and_went_after_the_release_was_never_in_it(repo: GitRepo, collector: Collector) -> None:
    assert removal(repo, collector, {CORE: FAULT}) == ("pin_prefix",)


def test_a_longer_name_of_the_release_is_another_one(repo: GitRepo, collector: Collector) -> None:
    released: dict[str, str | None] = {CORE: f"{FAULT}pin_prefix_rid = 1\n", "engine/y.py": "unpin_prefix = 2\n"}
    assert removal(repo, collector, released) == ("pin_prefix",)


@pytest.mark.parametrize("path", [CORE, "engine/old_home.py"])
def test_a_name_that_the_release_has_at_whatever_path_was_in_it(repo: GitRepo, collector: Collector, path: str) -> None:
    assert removal(repo, collector, {path: "def pin_prefix(values):\n    return None\n"}) == ()


CLASS = "class Engine:\n    def __init__(self, args):\n        self.args_of_server = args\n        register(self.shutdown)\n"
USE = "    def generate(self):\n        return self.manager.generate()\n"
STOP = "    def shutdown(self):\n        if self.manager is not None:\n            self.manager.stop()\n"


@pytest.mark.parametrize(("released", "has"), [(f"{CLASS}{USE}{STOP}", True), (f"{CLASS}{USE}", None)])
def test_a_first_value_mends_a_release_only_where_it_has_every_read_of_the_attribute(
    repo: GitRepo, collector: Collector, released: str, has: bool | None
) -> None:
    fixed = f"{CLASS}{USE}{STOP}".replace("        register", "        self.manager = None\n        register")
    found = exposure(repo, collector, {CORE: released}, {CORE: f"{CLASS}{USE}{STOP}", "x": "1"}, {CORE: fixed})
    assert found is not None
    assert found.has is has


@pytest.mark.parametrize(("pin", "has"), [("0.6.6", None), ("0.6.7", True), ("0.10.0", True)])
def test_a_fix_for_versions_that_the_release_does_not_take_gives_no_verdict(
    repo: GitRepo, collector: Collector, pin: str, has: bool | None
) -> None:
    fixed = FIXED.replace("    return", "    # The division hangs with Kernels >= 0.6.7.\n    return")
    released: dict[str, str | None] = {CORE: FAULT, "requirements/cuda.txt": f"kernels-python=={pin}\n"}
    found = exposure(repo, collector, released, {"engine/x.py": "1\n"}, {CORE: fixed})
    assert found is not None
    assert found.has is has


class SearchedTree(Tree):
    """Knows how often git was asked to search."""

    searches = 0

    def _rows(self, command: Sequence[str], given: bytes) -> tuple[bytes, str]:
        type(self).searches += 1
        return super()._rows(command, given)


def test_a_tree_is_searched_once_for_the_same_words_and_anew_where_its_tag_moves(
    repo: GitRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SearchedTree, "searches", 0)
    tree = SearchedTree(Git(dict(os.environ)), repo.path, "v1.0", Found(tmp_path / "found"))
    repo.tag("v1.0", repo.commit("Begin", {CORE: FAULT}, at="2026-01-05T10:00:00"))
    for _ in range(2):
        assert tree.words(["factor_of", "pin_prefix"]) == {"factor_of"}
        assert tree.holding(["def scale(values, factor):"], [".py"]) == [CORE]
        assert tree.words(["pin_prefix"]) == set()
    assert SearchedTree.searches == 3
    repo.tag("v1.0", repo.commit("Pin", {CORE: "pin_prefix = 1\n"}, at="2026-01-06T10:00:00"))
    assert tree.words(["pin_prefix"]) == {"pin_prefix"}


def test_a_search_that_lacks_contents_is_not_kept(repo: GitRepo, tmp_path: Path) -> None:
    """They may be there the next time."""
    found = tmp_path / "found"
    sha = repo.commit("Begin", {CORE: FAULT, "engine/x.py": "pin_prefix = 1\n"}, at="2026-01-05T10:00:00")
    repo.lose(repo.oid(f"{sha}:engine/x.py"))
    SearchedTree(Git(dict(os.environ)), repo.path, sha, Found(found)).words(["factor_of", "pin_prefix"])
    assert not found.exists()
