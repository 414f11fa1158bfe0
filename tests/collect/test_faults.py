"""What is missing or damaged costs just that, with its reason; everything else is complete."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from gitrepo import GitRepo

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Collector
    from daybreak.core.model.changes import Collected

LINES = "".join(f"line {n}\n" for n in range(30))


def reasons(found: Collected) -> str:
    return "; ".join(f"{s.what}: {s.reason}" for s in found.skipped)


@pytest.fixture
def history(repo: GitRepo) -> dict[str, str]:
    """Four commits of the day over a base."""
    made = {"base": repo.commit("base", {"a": "0\n", "dir/x": LINES, "b": "b0\n"}, at="2026-01-10T00:00:00")}
    made["one"] = repo.commit("one", {"a": "1\n", "b": "b1\n", "c": "c\n"})
    made["two"] = repo.commit("two", {"dir/x": LINES + "more\n", "a": "2\n"})
    made["three"] = repo.commit("three", {"dir/x": None, "dir/y": LINES + "more\nand more\n", "b": "b3\n"})
    made["four"] = repo.commit("four", {"a": "4\n"})
    return made


@pytest.mark.parametrize("how", ["lose", "damage"])
def test_a_bad_blob_costs_one_file_of_the_commits_that_touch_it(
    repo: GitRepo, collector: Collector, history: dict[str, str], how: str
) -> None:
    blob = repo.oid(f"{history['one']}:b")
    getattr(repo, how)(blob)
    found = collector.collect(repo)
    assert [change.subject for change in found.changes] == ["four", "three", "two", "one"]
    bad = [(change.subject, file.path) for change in found.changes for file in change.files if file.skipped]
    assert bad == [("three", "b"), ("one", "b")]
    one = found.changes[3]
    assert [(file.path, file.added, file.deleted) for file in one.files] == [("a", 1, 1), ("b", 0, 0), ("c", 1, 0)]
    assert (one.added, one.deleted, one.files_total, one.skipped, one.empty) == (2, 1, 3, None, False)
    assert len(found.skipped) == 2
    assert "its content" in found.skipped[0].reason
    assert f"Bring it into {repo.path} with `git fetch --refetch`" in found.skipped[0].tip


def test_a_picture_that_is_missing_is_a_binary_file_and_nothing_that_was_not_read(
    repo: GitRepo, collector: Collector, history: dict[str, str]
) -> None:
    repo.commit("five", {"docs/plot.PNG": b"\x89PNG\0", "a": "5\n"})
    repo.lose(repo.oid("main:docs/plot.PNG"))
    found = collector.collect(repo)
    assert [(file.path, file.binary, file.skipped) for file in found.changes[0].files] == [
        ("a", False, None),
        ("docs/plot.PNG", True, None),
    ]
    assert not found.skipped


def test_a_missing_source_of_a_rename_costs_that_file(
    repo: GitRepo, collector: Collector, history: dict[str, str]
) -> None:
    repo.lose(repo.oid(f"{history['two']}:dir/x"))
    found = collector.collect(repo)
    three = next(change for change in found.changes if change.subject == "three")
    assert {file.path: bool(file.skipped) for file in three.files} == {"b": False, "dir/x": True, "dir/y": False}
    assert next(file for file in three.files if file.path == "dir/y").added == 32


def test_a_missing_file_that_became_a_folder(repo: GitRepo, collector: Collector) -> None:
    repo.commit("file", {"p": "lost\n", "q": "1\n"}, at="2026-01-10T00:00:00")
    blob = repo.oid("main:p")
    repo.commit("folder", {"p": None, "p/in": "2\n", "q": "3\n"})
    repo.lose(blob)
    change = collector.collect(repo).changes[0]
    assert [file.path for file in change.files] == ["p", "p/in", "q"]
    assert change.files_total == 3


def test_a_missing_tree_costs_the_commits_that_need_it(
    repo: GitRepo, collector: Collector, history: dict[str, str]
) -> None:
    repo.lose(repo.oid(f"{history['two']}^{{tree}}"))
    found = collector.collect(repo)
    assert [(change.subject, bool(change.skipped)) for change in found.changes] == [
        ("four", False),
        ("three", True),
        ("two", True),
        ("one", False),
    ]
    assert found.in_git == 4
    assert found.changes[3].added == 3


def test_a_missing_tree_under_a_merge_is_told_of_the_merge(
    repo: GitRepo, collector: Collector, history: dict[str, str]
) -> None:
    side = repo.commit("side", {"dir/s": "1\n"}, branch="side", parents=[history["base"]], at="2026-01-12T00:00:00")
    repo.commit("Merge", {"dir/s": "1\n"}, parents=[history["four"], side])
    repo.lose(repo.oid("main^{tree}"))
    merge = collector.collect(repo).changes[0]
    assert (merge.subject, merge.merged, bool(merge.skipped)) == ("Merge", (side,), True)


def test_what_lies_above_a_missing_commit_is_reported(
    repo: GitRepo, collector: Collector, history: dict[str, str]
) -> None:
    repo.lose(history["one"])
    found = collector.collect(repo)
    assert [change.subject for change in found.changes] == ["four", "three", "two"]
    assert history["one"][:9] in reasons(found)


def test_a_commit_lost_after_the_mirror_was_made_costs_that_commit(
    repo: GitRepo, collector: Collector, history: dict[str, str]
) -> None:
    assert not collector.collect(repo).skipped
    repo.lose(history["two"])
    found = collector.collect(repo)
    read = [change.subject for change in found.changes if not change.skipped]
    assert {"four", "one"} <= set(read) or history["two"][:9] in reasons(found)
    assert found.skipped


def test_a_path_that_vanished_is_skipped_with_that_reason(
    repo: GitRepo, collector: Collector, history: dict[str, str]
) -> None:
    collector.collect(repo)
    shutil.rmtree(repo.path)
    found = collector.collect(repo)
    assert found.in_git is None
    assert "its folder does not exist" in reasons(found)


def test_a_remote_that_vanished_is_reported_from_its_mirror(
    repo: GitRepo, collector: Collector, history: dict[str, str]
) -> None:
    address = f"file://{repo.path}"
    before = collector.collect(address)
    assert not before.skipped
    shutil.rmtree(repo.path)
    found = collector.collect(address)
    assert found.changes == before.changes
    assert "vanished" in reasons(found)
    assert "could not be updated" in reasons(found)


def test_a_configured_branch_that_was_renamed_is_named(
    repo: GitRepo, collector: Collector, history: dict[str, str]
) -> None:
    collector.collect(repo, branch="main")
    repo.git("branch", "-m", "main", "trunk")
    found = collector.collect(repo, branch="main")
    assert len(found.changes) == 4
    assert "'main' does not exist" in reasons(found)
    assert collector.collect(repo, branch="main", name="org/other").in_git is None


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_a_renamed_default_branch_is_followed(
    repo: GitRepo, collector: Collector, history: dict[str, str], scheme: str
) -> None:
    assert collector.collect(f"{scheme}{repo.path}").branch == "main"
    repo.git("branch", "-m", "main", "trunk")
    repo.git("symbolic-ref", "HEAD", "refs/heads/trunk")
    new = repo.commit("five", {"a": "5\n"}, branch="trunk", parents=[history["four"]])
    found = collector.collect(f"{scheme}{repo.path}")
    assert (found.branch, found.changes[0].sha, found.skipped) == ("trunk", new, ())


def test_a_folder_that_is_no_repository(tmp_path: Path, collector: Collector) -> None:
    (tmp_path / "plain").mkdir()
    assert "not a git repository" in reasons(collector.collect(tmp_path / "plain"))
    assert "does not exist" in reasons(collector.collect(tmp_path / "nothing", name="org/b"))


def test_a_folder_inside_another_repository_is_not_taken_for_it(tmp_path: Path, collector: Collector) -> None:
    outer = GitRepo.make(tmp_path / "outer" / ".git")
    outer.git("config", "core.bare", "false")
    outer.commit("outer", {"a": "1"})
    inner = GitRepo.make(tmp_path / "outer" / "inner.git")
    inner.commit("inner", {"a": "1"})
    collector.collect(inner)
    shutil.rmtree(inner.path)
    inner.path.mkdir()
    found = collector.collect(inner)
    assert found.changes == ()
    assert "not a git repository" in reasons(found)


def test_a_damaged_mirror_is_made_anew_and_not_mistaken_for_the_folder_around_it(
    repo: GitRepo, collector: Collector, history: dict[str, str]
) -> None:
    around = GitRepo.make(collector.mirrors.parent / ".git")
    around.git("config", "core.bare", "false")
    around.commit("ours", {"a": "1"})
    collector.collect(repo)
    (collector.mirrors / "org+project.git" / "HEAD").write_text("")
    assert collector.collect(repo, offline=True).in_git is None
    found = collector.collect(repo)
    assert len(found.changes) == 4
    assert not found.skipped


def test_a_repository_that_may_not_be_read(
    repo: GitRepo, collector: Collector, history: dict[str, str], tmp_path: Path
) -> None:
    if os.geteuid() == 0:  # root may read everything, unless its git is started without that power
        powerless = tmp_path / "powerless-git"
        powerless.write_text('#!/bin/sh\nexec setpriv --bounding-set=-all --inh-caps=-all git "$@"\n')
        powerless.chmod(0o755)
        collector.program = str(powerless)
    repo.path.chmod(0)
    try:
        assert collector.collect(repo).skipped
    finally:
        repo.path.chmod(0o755)
    assert not collector.collect(repo).skipped


@pytest.mark.skipif(os.geteuid() != 0, reason="this machine: only root may give files away")
def test_a_repository_of_another_user_gets_the_tip_and_the_tip_works(
    repo: GitRepo, collector: Collector, history: dict[str, str], own_home: Path
) -> None:
    for path in (repo.path, *repo.path.rglob("*")):
        os.chown(path, 12345, 12345)
    found = collector.collect(repo)
    assert "belongs to another user" in reasons(found)
    tip = found.skipped[0].tip
    trusted = tip.split("safe.directory '")[1].split("'")[0]
    (own_home / ".gitconfig").write_text(f"[safe]\n\tdirectory = {trusted}\n")
    found = collector.collect(repo)
    assert len(found.changes) == 4
    assert not found.skipped


@pytest.mark.skipif(os.geteuid() != 0, reason="this machine: only root may give files away")
def test_a_checkout_of_another_user_gets_a_tip_that_works(tmp_path: Path, collector: Collector, own_home: Path) -> None:
    repo = GitRepo.make(tmp_path / "work" / ".git")
    repo.git("config", "core.bare", "false")
    repo.commit("x", {"a": "1"})
    for path in (repo.path.parent, repo.path, *repo.path.rglob("*")):
        os.chown(path, 12345, 12345)
    tips: list[str] = []
    for _ in range(2):
        tips += [s.tip.split("safe.directory '")[1].split("'")[0] for s in collector.collect(repo.path.parent).skipped]
        (own_home / ".gitconfig").write_text("[safe]\n" + "".join(f"\tdirectory = {tip}\n" for tip in tips))
    assert len(collector.collect(repo.path.parent).changes) == 1


def test_a_shallow_clone_is_refused(
    repo: GitRepo, tmp_path: Path, collector: Collector, history: dict[str, str]
) -> None:
    repo.git("clone", "--quiet", "--depth=2", f"file://{repo.path}", str(tmp_path / "shallow"))
    assert "shallow" in reasons(collector.collect(tmp_path / "shallow"))


def test_stale_locks_are_cleared(repo: GitRepo, collector: Collector, history: dict[str, str]) -> None:
    address = f"file://{repo.path}"
    collector.collect(address)
    mirror = collector.mirrors / "org+project.git"
    (mirror / "refs" / "heads").mkdir(parents=True, exist_ok=True)
    for name in ("HEAD.lock", "packed-refs.lock", "config.lock", "shallow.lock", "refs/heads/main.lock"):
        (mirror / name).touch()
    graphs = mirror / "objects" / "info" / "commit-graphs"
    graphs.mkdir(parents=True, exist_ok=True)
    (graphs / "commit-graph-chain.lock").touch()
    new = repo.commit("five", {"a": "5\n"})
    found = collector.collect(address)
    assert (found.changes[0].sha, found.skipped) == (new, ())
    assert not list(mirror.rglob("*.lock"))


def test_a_clone_that_fails_leaves_no_half_mirror(tmp_path: Path, collector: Collector) -> None:
    collector.mirrors.mkdir(parents=True)
    (collector.mirrors / "org+project.git.new-1").mkdir()
    (tmp_path / "broken.git").mkdir()
    collector.collect(tmp_path / "broken.git")
    assert list(collector.mirrors.iterdir()) == []


def test_a_changed_address_makes_the_mirror_anew(
    repo: GitRepo, tmp_path: Path, collector: Collector, history: dict[str, str]
) -> None:
    collector.collect(repo)
    other = GitRepo.make(tmp_path / 'other "x" #1;\\y' / "r.git")
    sha = other.commit("other", {"z": "1"})
    for _ in range(2):
        found = collector.collect(other)
        assert ([change.sha for change in found.changes], found.skipped) == ([sha], ())
    assert sum("address changed" in text for text in collector.said) == 1


def test_a_rewritten_branch_is_read_as_it_is_now(repo: GitRepo, collector: Collector, history: dict[str, str]) -> None:
    collector.collect(repo)
    repo.move(history["one"])
    new = repo.commit("anew", {"a": "9\n"})
    assert [change.sha for change in collector.collect(repo).changes] == [new, history["one"]]
