"""Tags as of a window, and what those made in it are the first to hold."""

from __future__ import annotations

import pytest

from conftest import Collector
from daybreak.collect.git import release_picks, tags
from daybreak.core.model.changes import Collected
from gitrepo import GitRepo


def test_tags_made_after_the_window_do_not_exist_for_it(repo: GitRepo, collector: Collector) -> None:
    old = repo.commit("Old", {"a": "1"}, at="2026-01-17T10:00:00")
    new = repo.commit("New", {"a": "2"}, at="2026-01-19T10:00:00")
    repo.tag("v1.0", old)
    repo.tag("v1.1", new, at="2026-01-19T11:00:00")
    repo.tag("v1.1.1", new, at="2026-01-20T11:00:00")
    repo.tag("nightly-2026", new)
    collected = collector.collect(repo)
    assert collected.tags == {"v1.1": new, "v1.0": old}
    assert list(collected.tags) == ["v1.1", "v1.0"], "newest first"


def test_a_tag_of_the_window_holds_what_no_earlier_tag_holds(repo: GitRepo, collector: Collector) -> None:
    shas = [repo.commit(f"Change {n}", {"a": str(n)}, at=f"2026-01-{n}T10:00:00") for n in (15, 16, 17, 19)]
    repo.tag("v1.0", shas[0])
    repo.tag("v1.1", shas[2], at="2026-01-19T11:00:00")
    assert collector.collect(repo).holds == {"v1.1": (shas[1], shas[2])}


def test_a_release_made_on_a_branch_of_its_own_holds_what_the_branch_was_made_from(
    repo: GitRepo, collector: Collector
) -> None:
    first = repo.commit("First", {"a": "1"}, at="2026-01-18T10:00:00")
    repo.commit("Second", {"a": "2"}, at="2026-01-19T10:00:00")
    picked = repo.commit("Picked", {"b": "1"}, at="2026-01-19T11:00:00", branch="release", parents=[first])
    repo.tag("v1.0", picked)
    assert collector.collect(repo).holds == {"v1.0": (first,)}


def test_what_the_branch_had_before_a_candidate_was_cut_from_it_is_in_that_candidate(
    repo: GitRepo, collector: Collector
) -> None:
    repo.tag("v1.0", repo.commit("First", {"a": "1"}, at="2026-01-17T10:00:00"), at="2026-01-17T11:00:00")
    held = repo.commit("Held", {"a": "2"}, at="2026-01-19T09:00:00")
    cut = repo.commit("Cut", {"a": "3"}, at="2026-01-19T10:00:00")
    late = repo.commit("Late", {"a": "4"}, at="2026-01-19T10:30:00")
    own = repo.commit("Version", {"version": "1.1rc1"}, at="2026-01-19T11:00:00", branch="release", parents=[cut])
    repo.tag("v1.1rc1", own, at="2026-01-19T11:01:00")
    more = repo.commit("Version", {"version": "1.1rc2"}, at="2026-01-19T12:00:00", branch="release", parents=[own])
    repo.tag("v1.1rc2", more, at="2026-01-19T12:01:00")
    assert collector.collect(repo).released == {held: "v1.1rc1", cut: "v1.1rc1"}, f"and nothing for {late}"


def released(repo: GitRepo, collector: Collector, kept: dict[str, str | None]) -> tuple[str | None, tuple[str, ...]]:
    """The release of a change whose files came to a branch of releases by another commit, and what no release before had."""
    begin = {"a.py": "def pinned_prefix():\n    return 1\n\n\ndef other_name():\n    return 2\n"}
    first = repo.commit("First", {"a.py": "def pinned_prefix():\n    return 1\n"}, at="2026-01-17T10:00:00")
    repo.tag("v1.0", first, at="2026-01-17T11:00:00")
    repo.commit("Go on", dict(begin), at="2026-01-18T10:00:00")
    sha = repo.commit("Update to 1.1", {"a.py": "x = 1\n", "b.py": "y = 1\n"}, at="2026-01-19T10:00:00")
    other = repo.commit("Update to 1.1", kept, at="2026-01-19T10:01:00", branch="release", parents=[first])
    repo.tag("v1.1", other, at="2026-01-19T10:02:00")
    collected = collector.collect(repo)
    return collected.released.get(sha), collected.absent.get(sha, ())


def test_a_release_that_has_every_file_as_a_change_left_it_holds_the_change(
    repo: GitRepo, collector: Collector
) -> None:
    tag, absent = released(repo, collector, {"a.py": "x = 1\n", "b.py": "y = 1\n"})
    assert tag == "v1.1"
    assert absent == ("other_name",), "what went is looked up in the release before it"


def test_a_release_that_has_one_of_the_files_otherwise_does_not_hold_it(repo: GitRepo, collector: Collector) -> None:
    assert released(repo, collector, {"a.py": "x = 1\n", "b.py": "y = 2\n"})[0] is None


def test_a_repository_without_tags_has_none(repo: GitRepo, collector: Collector) -> None:
    repo.commit("Only", {"a": "1"})
    collected = collector.collect(repo)
    assert (collected.tags, collected.holds) == ({}, {})


def test_more_tags_than_are_looked_at_are_counted_and_named(
    repo: GitRepo, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    sha = repo.commit("Change", {"a": "1"}, at="2026-01-19T10:00:00")
    for number in range(5):
        repo.tag(f"v1.{number}", sha, at=f"2026-01-19T11:0{number}:00")
    assert collector.collect(repo).skipped == ()
    monkeypatch.setattr(tags, "_MOST", 3)
    reason = "5 were made in the window, and only the newest 3 are looked into"
    assert [(one.what, one.reason) for one in collector.collect(repo).skipped] == [("org/project tags", reason)]


def test_one_tag_a_commit_is_no_fault_and_each_holds_its_own(repo: GitRepo, collector: Collector) -> None:
    shas = []
    for number in range(80):
        shas.append(
            repo.commit(f"Change {number}", {"a": str(number)}, at=f"2026-01-19T{number // 4:02}:{number % 4}0:00")
        )
        repo.tag(f"b{5000 + number}", shas[-1])
    collected = collector.collect(repo)
    assert collected.skipped == ()
    assert collected.holds["b5040"] == (shas[40],)
    assert collected.released[shas[40]] == "b5040"


def test_old_tags_are_no_fault_however_many_there_are(
    repo: GitRepo, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = repo.commit("Old", {"a": "1"}, at="2025-12-01T10:00:00")
    repo.commit("New", {"a": "2"}, at="2026-01-19T10:00:00")
    for number in range(5):
        repo.tag(f"v1.{number}", old, at=f"2025-12-0{number + 1}T11:00:00")
    monkeypatch.setattr(tags, "_MOST", 3)
    collected = collector.collect(repo)
    assert (collected.skipped, list(collected.tags)) == ((), ["v1.4", "v1.3", "v1.2"])


def by_pick(repo: GitRepo, collector: Collector, *picks: tuple[str, str]) -> str | None:
    """The release of a change, made on a branch with these commits (title, text) beside it; no file is as the change left it."""
    first = repo.commit("First", {"a.py": "x = 1\n", "b.py": "y = 1\n"}, at="2026-01-17T10:00:00")
    sha = repo.commit("Install the tool (#12)", {"a.py": "x = 2\n"}, at="2026-01-19T10:00:00")
    last = first
    for number, (title, text) in enumerate(picks):
        message = f"{title}\n\n{text}".replace("CHANGE", sha).replace("LAST", last)
        files: dict[str, str | None] = {"a.py": f"z = 1\nx = {number}\n"}
        last = repo.commit(message, files, at=f"2026-01-19T10:0{number + 1}:00", branch="release", parents=[last])
    repo.tag("v1.1", last, at="2026-01-19T10:30:00")
    return collector.collect(repo).released.get(sha)


_TRAILER = "(cherry picked from commit CHANGE)"


@pytest.mark.parametrize(
    ("picks", "tag"),
    [
        ([("Install it", _TRAILER)], "v1.1"),
        ([("Install the tool (#12)", "")], "v1.1"),
        ([("Install another tool (#13)", "")], None),
        ([("Install it", _TRAILER), ('Revert "Install it"', "This reverts commit LAST.")], None),
        ([("Install the tool (#12)", ""), ('Revert "Install the tool (#12)" (#14)', "")], None),
        ([('Revert "Install the tool" (#12)', "")], None),
    ],
    ids=["trailer", "number", "another", "trailer taken back", "number taken back", "a revert"],
)
def test_what_was_picked_onto_a_branch_of_releases_and_stayed_there_is_released(
    repo: GitRepo, collector: Collector, picks: list[tuple[str, str]], tag: str | None
) -> None:
    assert by_pick(repo, collector, *picks) == tag


def test_a_release_goes_before_a_candidate_of_the_next_one_that_holds_the_change_on_the_branch(
    repo: GitRepo, collector: Collector
) -> None:
    first = repo.commit("First", {"a.py": "x = 1\n"}, at="2026-01-17T10:00:00")
    sha = repo.commit("Install the tool (#12)", {"a.py": "x = 2\n"}, at="2026-01-19T10:00:00")
    other = repo.commit("Install another tool (#13)", {"b.py": "x = 2\n"}, at="2026-01-19T10:10:00")
    pick = repo.commit(
        "Install the tool (#12)", {"a.py": "x = 3\n"}, at="2026-01-19T10:20:00", branch="release", parents=[first]
    )
    repo.tag("v1.0", pick, at="2026-01-19T10:30:00")
    repo.tag("v1.1rc0", other, at="2026-01-19T10:40:00")
    assert collector.collect(repo).released == {sha: "v1.0", other: "v1.1rc0"}


def test_a_candidate_that_alone_has_a_pick_has_the_change(repo: GitRepo, collector: Collector) -> None:
    first = repo.commit("First", {"a.py": "x = 1\n"}, at="2026-01-17T10:00:00")
    repo.tag("v1.0", first, at="2026-01-17T11:00:00")
    sha = repo.commit("Install the tool (#12)", {"a.py": "x = 2\n"}, at="2026-01-19T10:00:00")
    repo.commit("Install another tool (#13)", {"b.py": "x = 2\n"}, at="2026-01-19T10:10:00")
    pick = repo.commit(
        "Install the tool (#12)", {"a.py": "x = 3\n"}, at="2026-01-19T10:20:00", branch="release", parents=[first]
    )
    repo.tag("v1.1rc0", pick, at="2026-01-19T10:30:00")
    assert collector.collect(repo).released == {sha: "v1.1rc0"}


def picked_before_the_branch_is_tagged(repo: GitRepo, collector: Collector, title: str, path: str) -> Collected:
    """A candidate beside the branch with a commit of its own, and one on the branch after it."""
    first = repo.commit("First", {"a.py": "x = 1\n"}, at="2026-01-17T10:00:00")
    repo.tag("v1.0", first, at="2026-01-17T11:00:00")
    repo.commit("Install the tool (#12)", {"a.py": "x = 2\n"}, at="2026-01-19T10:00:00")
    pick = repo.commit(title, {path: "x = 2\n"}, at="2026-01-19T10:10:00", branch="release", parents=[first])
    repo.tag("v1.1rc0", pick, at="2026-01-19T10:20:00")
    other = repo.commit("Install another tool (#13)", {"b.py": "x = 2\n"}, at="2026-01-19T10:30:00")
    repo.tag("v1.1rc1", other, at="2026-01-19T10:40:00")
    return collector.collect(repo)


@pytest.mark.parametrize(
    ("title", "path", "first"),
    [
        ("Install the tool (#12)", "a.py", "v1.1rc0"),
        ("Install the tool (#12)", "lib/a.py", "v1.1rc0"),
        ("Take a fix", "a.py", "v1.1rc0"),
        ("Install the tool (#12)", "c.py", "v1.1rc1"),
        ("Take a fix", "c.py", "v1.1rc1"),
    ],
    ids=["number", "a file that moved", "the same lines", "a number of something else", "another"],
)
def test_a_candidate_that_has_a_pick_goes_before_one_made_later_on_the_branch(
    repo: GitRepo, collector: Collector, title: str, path: str, first: str
) -> None:
    found = picked_before_the_branch_is_tagged(repo, collector, title, path)
    other, sha = (change.sha for change in found.changes)
    assert found.released == {sha: first, other: "v1.1rc1"}
    each: dict[str, tuple[str, ...]] = {"v1.1rc0": (), "v1.1rc1": (sha, other)}
    assert found.holds == (each if first == "v1.1rc1" else {"v1.1rc0": (sha,), "v1.1rc1": (other,)})


def test_tags_of_one_commit_have_the_same_picks(repo: GitRepo, collector: Collector) -> None:
    first = repo.commit("First", {"a.py": "x = 1\n"}, at="2026-01-17T10:00:00")
    repo.tag("v1.0", first, at="2026-01-17T11:00:00")
    sha = repo.commit("Install the tool (#12)", {"a.py": "x = 2\n"}, at="2026-01-19T10:00:00")
    title, own = "Install the tool (#12)", {"a.py": "x = 2\n", "b.py": "y = 1\n"}
    pick = repo.commit(title, {**own}, at="2026-01-19T10:10:00", branch="release", parents=[first])
    for name in ("v1.1rc1", "v1.1"):
        repo.tag(name, pick, at="2026-01-19T10:20:00")
    assert collector.collect(repo).holds == {"v1.1": (sha,), "v1.1rc1": (sha,)}


def test_more_commits_beside_the_branch_than_are_looked_at_are_said(
    repo: GitRepo, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(release_picks, "_WALKED", 0)
    found = picked_before_the_branch_is_tagged(repo, collector, "Install the tool (#12)", "a.py")
    assert ["v1.1rc0 has more than 0 commits" in one.reason for one in found.skipped] == [True]


LOADER = "import os\n\n\ndef load(path):\n    return read_file(path, cached=False)\n"
LOADS_ONCE = LOADER.replace("read_file(path, cached=False)", "read_artifact(path, cached=True)")


@pytest.mark.parametrize(
    ("at_base", "picked", "tag"),
    [
        (LOADER, LOADS_ONCE, "v1.1"),
        (LOADER, LOADER, None),
        (LOADER, LOADER + LOADS_ONCE, None),
        (LOADS_ONCE, LOADS_ONCE, None),
    ],
    ids=["picked", "not picked", "what went is there too", "as it was before the branch had something else"],
)
def test_what_a_release_got_from_a_pull_request_before_the_branch_had_it_is_released(
    repo: GitRepo, collector: Collector, at_base: str, picked: str, tag: str | None
) -> None:
    first = repo.commit("First", {"a.py": at_base}, at="2026-01-17T10:00:00")
    more = "\n\ndef more():\n    return 1\n"
    repo.commit("Go on", {"a.py": LOADER + more}, at="2026-01-18T10:00:00")
    own = repo.commit(
        "update", {"a.py": f"{picked}# of the release\n"}, at="2026-01-19T09:00:00", branch="release", parents=[first]
    )
    repo.tag("v1.1", own, at="2026-01-19T09:10:00")
    sha = repo.commit(
        "Load once (#12)", {"a.py": LOADS_ONCE + more, "tests/test_a.py": "t\n"}, at="2026-01-19T10:00:00"
    )
    assert collector.collect(repo).released.get(sha) == tag


def test_what_a_change_brings_back_to_the_branch_is_not_released_where_it_never_left(
    repo: GitRepo, collector: Collector
) -> None:
    first = repo.commit("First", {"a.py": LOADER}, at="2026-01-16T10:00:00")
    repo.commit("Load once (#7)", {"a.py": LOADS_ONCE}, at="2026-01-17T10:00:00")
    own = repo.commit(
        "Load once (#7)", {"a.py": LOADS_ONCE}, at="2026-01-17T11:00:00", branch="release", parents=[first]
    )
    repo.tag("v1.1", own, at="2026-01-17T12:00:00")
    repo.commit("Load anew (#8)", {"a.py": LOADER}, at="2026-01-18T10:00:00")
    sha = repo.commit("Bring it back (#9)", {"a.py": LOADS_ONCE}, at="2026-01-19T10:00:00")
    assert sha not in collector.collect(repo).released


def test_releases_of_the_window_are_tags_of_living_families_with_the_time_that_git_has(
    repo: GitRepo, collector: Collector
) -> None:
    old = repo.commit("Old", {"a": "1"}, at="2026-01-17T10:00:00")
    new = repo.commit("New", {"a": "2"}, at="2026-01-19T10:00:00")
    repo.tag("v1.0", old)
    repo.tag("v1.1rc1", new)
    repo.tag("v1.1", new, at="2026-01-19T11:00:00")
    repo.tag("nightly-v1.1-20260119", new)
    repo.tag("deployed", new)
    told = [(x.tag, f"{x.created_at:%d %H:%M}", x.tagged, x.prerelease, x.sha) for x in collector.collect(repo).tagged]
    assert told == [("v1.1rc1", "19 10:00", "commit", True, new), ("v1.1", "19 11:00", "tag", False, new)]


LOG = "# Changes\n\n## v1.3.0 (needs 1.2.0)\n- later\n\n## [1.2.0-rc1] - 2026-01-10\n- early\n\n## v1.2.0 (2026-01-19)\n\n### Fixed\n- what lay still\n```\n# install\n```\n\n## 1.1.0\n- old\n"


def test_a_release_is_told_with_what_the_changelog_of_its_own_tree_says_of_it(
    repo: GitRepo, collector: Collector
) -> None:
    files = {"CHANGELOG.md": LOG, "kit/CHANGES": "# 0.3.0\n\n- of the kit\n\n# 0.2.0\n- old\n"}
    sha = repo.commit("New", files, at="2026-01-19T10:00:00")
    for name in ("v1.2.0", "v1.2.1", "kit-0.3.0"):
        repo.tag(name, sha)
    told = {one.tag: one.notes for one in collector.collect(repo).tagged}
    assert told == {
        "v1.2.0": "### Fixed\n- what lay still\n```\n# install\n```",
        "v1.2.1": "",
        "kit-0.3.0": "- of the kit",
    }


def test_a_plain_tag_on_an_old_commit_is_not_announced(repo: GitRepo, collector: Collector) -> None:
    old = repo.commit("Old", {"a": "1"}, at="2026-01-17T10:00:00")
    repo.commit("New", {"a": "2"}, at="2026-01-19T10:00:00")
    repo.tag("v1.0", old)
    assert collector.collect(repo).tagged == ()


def test_a_release_is_counted_from_the_one_before_it_and_not_from_its_own_candidate(
    repo: GitRepo, collector: Collector
) -> None:
    first = repo.commit("First", {"a.py": "x = 1\n"}, at="2026-01-17T10:00:00")
    repo.tag("v1.0", first, at="2026-01-17T11:00:00")
    one = repo.commit("Second (#2)", {"a.py": "x = 2\n"}, at="2026-01-19T10:00:00")
    repo.tag("v1.1rc0", one, at="2026-01-19T10:10:00")
    other = repo.commit("Third (#3)", {"a.py": "x = 3\n"}, at="2026-01-19T10:20:00")
    repo.tag("v1.1", other, at="2026-01-19T10:30:00")
    assert collector.collect(repo).holds == {"v1.1rc0": (one,), "v1.1": (one, other)}
