"""Searches in the tree of a commit, for few words and for many; what all of them say of a window is kept as one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from collect.test_bearing import CORE, FAULT, FIXED, OTHER
from conftest import Collector
from daybreak.collect.git.bearing import Bearings
from daybreak.collect.git.borne import Asked, Borne, borne
from daybreak.collect.git.known_releases import Releases
from daybreak.collect.git.mirror import Mirror
from daybreak.collect.git.tree_search import Tree, lacked, still_lacks
from daybreak.core.file_cache import Found
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Change, Exposure
from gitrepo import GitRepo


def test_trees_are_asked_once_about_a_window_and_anew_where_a_tag_moves(
    repo: GitRepo, collector: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, exposed = list[str](), Bearings.exposed

    def counted(trees: Bearings, changes: Sequence[Change], known: Releases) -> dict[str, Exposure]:
        asked.append("")
        return exposed(trees, changes, known)

    monkeypatch.setattr(Bearings, "exposed", counted)
    collector.cache = tmp_path / "cache"
    at = "2026-01-05T11:00:00"
    repo.tag("v1.0", repo.commit("Begin", {CORE: FAULT}, at="2026-01-05T10:00:00"), at=at)
    other = repo.commit("Go on", {CORE: OTHER}, at="2026-01-05T10:30:00")
    repo.commit("Back", {CORE: FAULT}, at="2026-01-06T10:00:00")
    fix = repo.commit("[Bugfix] Fix division by zero (#7)", {CORE: FIXED}, at="2026-01-19T10:00:00")
    first = collector.collect(repo)
    assert first == collector.collect(repo)
    assert (len(asked), first.exposed[fix].has) == (1, True)
    repo.tag("v1.0", other, at=at)
    assert (collector.collect(repo).exposed[fix].has, len(asked)) == (False, 2)


@pytest.mark.parametrize("many", [0, 50])
def test_many_names_are_found_as_few_are(repo: GitRepo, many: int) -> None:
    text = "pin_prefix = rows.part[0] + (1|2)\nparser.add('--one-two')\nlater = other_name\n"
    sha = repo.commit("Begin", {CORE: text}, at="2026-01-05T10:00:00")
    tree = Tree(Git(dict(os.environ)), repo.path, sha)
    asked = ["pin_prefix", "pin_pre", "rows.part[0]", "(1|2)", "one-two", "other_name", "*", "gone"]
    found = tree.words([*asked, *(f"no_such_{number}" for number in range(many))])
    assert found == {"pin_prefix", "rows.part[0]", "(1|2)", "one-two", "other_name"}


def test_a_picture_that_a_clone_lacks_hides_no_name(repo: GitRepo) -> None:
    sha = repo.commit("Begin", {CORE: FAULT, "media/plan.png": "a picture\n"}, at="2026-01-05T10:00:00")
    repo.lose(repo.oid(f"{sha}:media/plan.png"))
    assert Tree(Git(dict(os.environ)), repo.path, sha).words(["no_such_name"]) == set()


def test_an_answer_that_lacks_contents_is_kept_until_one_of_them_comes(repo: GitRepo, tmp_path: Path) -> None:
    sha = repo.commit("Begin", {CORE: FAULT, "engine/x.py": "pin_prefix = 1\n"}, at="2026-01-05T10:00:00")
    lost, git = repo.oid(f"{sha}:engine/x.py"), Git(dict(os.environ))
    repo.lose(lost)
    trees = Bearings(git, Mirror(repo.path, "main", sha))
    asked, found = Asked((), (), Releases({}, {}, lambda _: (), lambda _: None), sha), Found(tmp_path / "found")
    Tree(git, repo.path, sha, trees.complaints).words(["factor_of", "pin_prefix"])
    asks: list[Sequence[str]] = []

    def lacks(objects: Sequence[str]) -> bool:
        asks.append(objects)
        return still_lacks(git, repo.path, objects)

    nothing = Borne({}, {}, {}, {}, {}, {})
    assert borne(trees, asked, {}, found, lambda: True, lacks) == nothing
    assert (asks, len(list(found.folder.iterdir()))) == ([], 1)
    assert borne(trees, asked, {}, found, lambda: True, lacks) == nothing
    assert asks == [[lost]]
    assert still_lacks(git, repo.path, [lost])
    assert not still_lacks(git, repo.path, [lost, sha])


@pytest.mark.parametrize("said", ["fatal: out of memory", "error: unable to read tree (abc)"])
def test_an_answer_beside_any_other_complaint_is_not_kept(repo: GitRepo, tmp_path: Path, said: str) -> None:
    sha = repo.commit("Begin", {CORE: FAULT}, at="2026-01-05T10:00:00")
    trees = Bearings(Git(dict(os.environ)), Mirror(repo.path, "main", sha))
    asked, found = Asked((), (), Releases({}, {}, lambda _: (), lambda _: None), sha), Found(tmp_path / "found")
    trees.complaints.append(said)
    borne(trees, asked, {}, found, lambda: True, lambda _: True)
    assert not found.folder.exists()


def test_a_search_that_fails_is_a_complaint_as_well(repo: GitRepo) -> None:
    sha = repo.commit("Begin", {CORE: FAULT, "engine/x.py": "pin_prefix = 1\n"}, at="2026-01-05T10:00:00")
    repo.lose(lost := repo.oid(f"{sha}:engine/x.py"))
    complaints: list[str] = []
    assert Tree(Git(dict(os.environ)), repo.path, sha, complaints).words(["no_such_name"]) is None
    assert lacked(complaints) == [lost]


def test_a_search_for_no_word_finds_nothing_and_complains_of_nothing(repo: GitRepo) -> None:
    sha = repo.commit("Begin", {CORE: FAULT}, at="2026-01-05T10:00:00")
    told = list[str]()
    tree = Tree(Git(dict(os.environ)), repo.path, sha, told)
    assert (tree.places([], {".py"}), tree.naming([], {".py"}), told) == ([], [""], [])
