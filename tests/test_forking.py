"""Forks against upstream, on real repositories: what conflicts is named and nothing else, and every pick applies."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import pytest

import fork_histories
from daybreak.upgrade.fork.forking import fork_report
from forkrepo import FIX, Fork, content, lines, named, picked
from gitrepo import File, clean_environment, link

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def fork(tmp_path: Path) -> Fork:
    return Fork(tmp_path)


# --- conflicts -----------------------------------------------------------------------------------------------------


def test_edits_of_the_same_line_conflict_and_those_elsewhere_do_not(fork: Fork) -> None:
    mine = fork.ours({"a.py": lines({5: "ours"})})
    first = fork.theirs({"a.py": "new\n" * 7 + lines({20: "theirs"})})
    second = fork.theirs({"a.py": "new\n" * 7 + lines({5: "theirs", 20: "theirs"})})
    third = fork.theirs({"a.py": "new\n" * 7 + lines({5: "theirs", 20: "again"})})
    fork.theirs({"b.py": "b\n"})
    report = fork.report()
    assert (report.merges, report.conflicts) == (False, ("a.py",))
    assert named(report) == [second]
    assert report.touches[0].ours == (mine,)
    assert named(report, "file") == [third, first]
    assert [entry.change.sha for entry in report.theirs[1:]] == [third, second, first]
    assert all(not file.patch for entry in report.theirs for file in entry.change.files)


def test_a_neighbouring_line_conflicts_as_git_has_it(fork: Fork) -> None:
    fork.ours({"a.py": lines({5: "ours"})})
    far = fork.theirs({"a.py": lines({7: "theirs"})})
    near = fork.theirs({"a.py": lines({6: "theirs", 7: "theirs"})})
    report = fork.report()
    assert named(report) == [near]
    assert named(report, "file") == [far]


def test_a_change_and_its_revert_cancel_but_what_came_later_stays(fork: Fork) -> None:
    fork.ours({"a.py": lines({5: "ours", 15: "ours"})})
    there = fork.theirs({"a.py": lines({5: "theirs"})})
    back = fork.theirs({"a.py": lines()})
    report = fork.report()
    assert (report.merges, named(report), named(report, "hunk")) == (True, [], [back, there])
    other = fork.theirs({"a.py": lines({15: "theirs"})})
    again = fork.theirs({"a.py": lines({5: "others", 15: "theirs"})})
    assert named(fork.report()) == [again, other]


def test_what_ours_took_over_is_not_ours_and_does_not_conflict(fork: Fork) -> None:
    mine = fork.ours({"b.py": "b\n"})
    taken = fork.theirs({"a.py": lines({5: "theirs"})})
    picked = fork.ours({"a.py": lines({5: "theirs"})}, "Picked")
    report = fork.report()
    assert (report.merges, report.ours, named(report)) == (True, (mine,), [])
    later = fork.theirs({"a.py": lines({5: "theirs, later"})})
    report = fork.report()
    assert named(report) == [later]
    assert named(report, "hunk") == [taken]
    assert picked not in report.ours


def test_insertions_at_the_same_gap_conflict(fork: Fork) -> None:
    fork.ours({"a.py": lines({5: "line 5\nours"})})
    elsewhere = fork.theirs({"a.py": lines({9: "line 9\ntheirs"})})
    there = fork.theirs({"a.py": lines({5: "line 5\ntheirs\nmore", 9: "line 9\ntheirs"})})
    builds_on = fork.theirs({"a.py": lines({5: "line 5\ntheirs\nmore of it", 9: "line 9\ntheirs"})})
    report = fork.report()
    assert named(report) == [builds_on, there]
    assert named(report, "file") == [elsewhere]


def test_what_builds_on_an_insertion_beside_our_line_does_not_conflict_itself(fork: Fork) -> None:
    fork.ours({"a.py": lines({5: "ours"})})
    block = ["first", "second", "third"]
    there = fork.theirs({"a.py": lines({5: "\n".join(["line 5", *block])})})
    midst = fork.theirs({"a.py": lines({5: "line 5\nfirst\nother\nthird"})})
    end = fork.theirs({"a.py": lines({5: "line 5\nfirst\nother\nthird\nfourth"})})
    edge = fork.theirs({"a.py": lines({5: "line 5\nedge\nother\nthird\nfourth"})})
    report = fork.report()
    assert named(report) == [edge, there]
    assert named(report, "file") == [end, midst]


def test_lines_are_followed_through_renames(fork: Fork) -> None:
    mine = fork.ours({"a.py": lines({5: "ours"})})
    moved = fork.theirs({"a.py": None, "pkg/z.py": lines({25: "theirs"})})
    there = fork.theirs({"pkg/z.py": lines({5: "theirs", 25: "theirs"})})
    again = fork.theirs({"pkg/z.py": None, "pkg/y.py": lines({5: "theirs", 25: "theirs"})})
    report = fork.report()
    assert (report.conflicts, named(report)) == (("pkg/y.py",), [there])
    assert named(report, "file") == [again, moved]
    assert report.touches[0].paths == ("pkg/z.py",)
    assert report.touches[0].ours == (mine,)


DELETIONS: dict[str, tuple[dict[str, Any], list[dict[str, Any]], list[int]]] = {
    "upstream deletes what ours edits": ({"a.py": lines({5: "x"})}, [{"a.py": lines({9: "y"})}, {"a.py": None}], [1]),
    "ours deletes what upstream edits": ({"a.py": None}, [{"a.py": lines({9: "y"})}, {"c.py": "c\n"}], [0]),
    "both delete": ({"a.py": None}, [{"a.py": lines({9: "y"})}, {"a.py": None}], []),
    "ours deletes, upstream makes it executable": ({"a.py": None}, [{"a.py": File(lines())}], [0]),
    "ours deletes what upstream renames": ({"a.py": None}, [{"c.py": "c\n"}, {"a.py": None, "b.py": lines()}], [1]),
    "upstream deletes what ours renames": ({"a.py": None, "b.py": lines()}, [{"c.py": "c\n"}, {"a.py": None}], [1]),
    "upstream deletes and puts it back": ({"a.py": lines({5: "x"})}, [{"a.py": None}, {"a.py": lines()}], []),
    "renamed to two names": (
        {"a.py": None, "b.py": lines()},
        [{"a.py": lines({9: "y"})}, {"a.py": None, "c.py": lines({9: "y"})}],
        [1],
    ),
    "renamed to the same name": ({"a.py": None, "b.py": lines()}, [{"a.py": None, "b.py": lines({9: "y"})}], []),
    "both add the same path": ({"n.py": "ours\n"}, [{"n.py": "theirs\n"}, {"a.py": lines({9: "y"})}], [0]),
    "both add the same file": ({"n.py": "same\n"}, [{"n.py": "same\n"}], []),
    "binary on both sides": ({"d.bin": b"\0ours"}, [{"a.py": lines({9: "y"})}, {"d.bin": b"\0theirs"}], [1]),
    "binary on one side": ({"d.bin": b"\0ours"}, [{"a.py": lines({9: "y"})}], []),
    "a file where upstream makes a folder": ({"n": "ours\n"}, [{"a.py": lines({9: "y"})}, {"n/x.py": "x\n"}], [1]),
    "a folder where upstream makes a file": ({"n/x.py": "x\n"}, [{"n": "theirs\n"}, {"a.py": lines({9: "y"})}], [0]),
    "a link where ours edits": ({"a.py": lines({5: "x"})}, [{"d.bin": b"\0x"}, {"a.py": link("elsewhere")}], [1]),
    "executable on both sides": ({"a.py": File(lines())}, [{"a.py": File(lines())}], []),
    "without a last line break": (
        {"a.py": lines() + "ours"},
        [{"a.py": lines({5: "x"})}, {"a.py": lines() + "x"}],
        [1],
    ),
    "line breaks of another kind": (
        {"a.py": lines({5: "x"})},
        [{"d.bin": b"\0x"}, {"a.py": lines().replace("\n", "\r\n")}],
        [1],
    ),
}


@pytest.mark.parametrize("case", sorted(DELETIONS))
def test_conflicts_of_every_kind_name_their_change(tmp_path: Path, case: str) -> None:
    mine, theirs, expected = DELETIONS[case]
    fork = Fork(tmp_path, {"a.py": lines(), "d.bin": b"\0base", "k.py": "k\n"})
    fork.ours(mine)
    shas = [fork.theirs(files, f"Change {number}") for number, files in enumerate(theirs)]
    report = fork.report()
    assert sorted(named(report), key=shas.index) == [shas[number] for number in expected]
    assert report.merges == (not expected)
    assert report.skipped == ()


def test_a_new_file_in_a_folder_that_upstream_renamed_names_who_renamed_it(tmp_path: Path) -> None:
    old = {f"old/{n}.py": lines({1: f"file {n}"}) for n in range(3)}
    fork = Fork(tmp_path, {"k.py": "k\n", **old})
    fork.ours({"old/ours.py": "ours\n"})
    fork.theirs({"k.py": "kk\n"})
    moved = {path.replace("old/", "new/"): text for path, text in old.items()}
    renamer = fork.theirs({**dict.fromkeys(old), **moved})
    assert named(fork.report()) == [renamer]


def test_upstream_merged_into_the_branch_moves_the_base(fork: Fork) -> None:
    fork.ours({"a.py": lines({5: "ours"})})
    merged = fork.theirs({"a.py": lines({15: "theirs"})})
    tip = fork.repo.oid("fork")
    fork.repo.commit("Merge", {"a.py": lines({5: "ours", 15: "theirs"})}, branch="fork", parents=[tip, merged])
    mine = fork.ours({"b.py": "b\n"}, "After the merge")
    there = fork.theirs({"a.py": lines({5: "theirs", 15: "theirs"})})
    report = fork.report()
    assert (report.base, named(report), report.ours) == (merged, [there], (tip, mine))
    assert report.touches[0].ours == (tip,)


def test_a_branch_cut_from_a_side_branch_is_compared_in_its_own_lines(tmp_path: Path) -> None:
    fork = Fork(tmp_path)
    side = fork.repo.commit("Side", {"a.py": "side\n" * 4 + lines()}, branch="side", parents=[fork.base])
    fork.repo.move(side, "fork")
    fork.ours({"a.py": "side\n" * 4 + lines({9: "ours"})})
    early = fork.theirs({"a.py": lines({20: "theirs"})})
    merge = fork.repo.commit("Merge side", {"a.py": "side\n" * 4 + lines({20: "theirs"})}, parents=[early, side])
    there = fork.theirs({"a.py": "side\n" * 4 + lines({9: "theirs", 20: "theirs"})})
    report = fork.report()
    assert (report.base, named(report)) == (side, [there])
    assert {entry.change.sha for entry in report.theirs} == {early, merge, there}


# --- symbols -------------------------------------------------------------------------------------------------------

CODE = """class Runner:
    def start(self, batch):
        first = batch
        second = first
        third = second
        fourth = third
        fifth = fourth
        return fifth

    def stop(self):
        first = 1
        second = first
        third = second
        return third


def build_everything(size):
    return size
"""


def test_the_same_function_is_met_by_name(tmp_path: Path) -> None:
    fork = Fork(tmp_path, {"a.py": CODE})
    mine = fork.ours({"a.py": CODE.replace("first = batch", "first = batch or []")})
    fork.ours({"a.py": CODE.replace("first = batch", "first = batch or []").replace("return size", "return size + 1")})
    same = fork.theirs({"a.py": CODE.replace("return fifth", "return fifth or None")})
    other = fork.theirs(
        {"a.py": CODE.replace("return fifth", "return fifth or None").replace("first = 1", "first = 2")}
    )
    by_sha = {touch.sha: touch for touch in fork.report().touches}
    assert (by_sha[same].overlap, by_sha[same].symbols, by_sha[same].ours) == ("symbol", ("Runner.start",), (mine,))
    assert (by_sha[other].overlap, by_sha[other].symbols) == ("file", ())


def test_a_name_that_ours_uses_and_upstream_removed_is_met_in_any_file(tmp_path: Path) -> None:
    fork = Fork(tmp_path, {"a.py": CODE, "b.py": "x = 1\n"})
    fork.ours({"b.py": "from a import build_everything\n\nx = build_everything(1)\n"})
    gone = fork.theirs({"a.py": CODE[: CODE.index("def build")]})
    (touch,) = fork.report().touches
    assert (touch.sha, touch.overlap, touch.symbols) == (gone, "symbol", ("build_everything",))


# --- picks ---------------------------------------------------------------------------------------------------------


def test_small_fixes_that_apply_are_offered_oldest_first_with_why(fork: Fork) -> None:
    fork.ours({"a.py": lines({5: "ours"})})
    first = fork.theirs({"a.py": lines({20: "fixed"})}, FIX)
    fork.theirs({"a.py": lines({5: "theirs", 20: "fixed"})}, "[Bugfix] Fix wrong result in line 5")
    fork.theirs({"b.py": lines(count=200)}, "[Bugfix] Fix deadlock with much code")
    fork.theirs({"c.py": lines()}, "Add something")
    second = fork.theirs({"d.py": "d\n"}, "[Bugfix] Fix memory leak in d")
    report = fork.report()
    assert picked(report) == [first, second]
    assert [dict(pick.why) for pick in report.picks] == [
        {"zh": "修复崩溃或报错：`crash`（`a.py`）", "en": "fixes a crash or an error: `crash` (in `a.py`)"},
        {"zh": "修复泄漏：`leak`（`d.py`）", "en": "fixes a leak: `leak` (in `d.py`)"},
    ]


def test_fixes_that_do_not_say_what_was_wrong_come_last_and_only_from_the_core(tmp_path: Path) -> None:
    fork = Fork(tmp_path, {"a.py": lines(), "engine/layers/sampler.py": lines(), "core/scheduler.py": lines()})
    fork.ours({"a.py": lines({5: "ours"})})
    plain = fork.theirs({"engine/layers/sampler.py": lines({9: "x"})}, "[Bugfix] Return logprobs of the model (#4)")
    crash = fork.theirs({"core/scheduler.py": lines({9: "x"})}, FIX)
    fork.theirs({"a.py": lines({20: "x"})}, "[Bugfix] Reset the offsets of a page (#5)")
    assert picked(fork.report()) == [crash, plain]


NO_PICKS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "already taken over": [(FIX, {"a.py": lines({5: "ours"})})],
    "taken back by upstream": [(FIX, {"k.py": "kk\n"}), (f'Revert "{FIX}"', {"k.py": "k\n"})],
    "repairs a change that ours does not have": [
        ("Rework the runner (#12)", {"k.py": "kk\n"}),
        ("[Bugfix] Fix crash introduced by #12", {"b.py": "b\n"}),
    ],
    "builds on code that ours does not have": [("Rework", {"k.py": "kk\n"}), (FIX, {"k.py": "kkk\n"})],
    "only tests": [(FIX, {"tests/test_a.py": "a = 1\n"})],
    "only words": [("[Bugfix] Fix error message", {"k.py": "kk\n"})],
    "no fix": [("Crash less often", {"k.py": "kk\n"})],
    "only a log line in the core": [("[Bugfix] Fix log of the scheduler", {"core/scheduler.py": "a = 1\n"})],
    "only a test of the core": [("[Bugfix] Fix flaky test", {"core/scheduler.py": "a = 1\n"})],
    "says nothing, and is no core": [("[Bugfix] Return another value", {"tools/k.py": "kk\n"})],
    "says nothing, and is for few": [("[Bugfix] Return another value", {"core/rocm/scheduler.py": "a = 1\n"})],
}


@pytest.mark.parametrize("case", sorted(NO_PICKS))
def test_no_pick(tmp_path: Path, case: str) -> None:
    fork = Fork(tmp_path, {"a.py": lines(), "k.py": "k\n"})
    fork.ours({"a.py": lines({5: "ours", 25: "ours"})})
    for subject, files in NO_PICKS[case]:
        fork.theirs(files, subject)
    assert picked(fork.report()) == []


# --- generated histories -------------------------------------------------------------------------------------------


def applies(scratch: Path, tip: str, shas: list[str]) -> bool:
    """Whether `git cherry-pick` takes these one after another."""
    environment = clean_environment(scratch.parent)
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")

    def runs(*words: str) -> bool:
        command = ["git", "-C", str(scratch), *who, *words]
        return subprocess.run(command, env=environment, capture_output=True, check=False).returncode == 0

    assert runs("checkout", "--quiet", "--force", "--detach", tip)
    return runs("cherry-pick", "--allow-empty-message", *shas)


def check(folder: Path, seed: int) -> None:
    history = fork_histories.make(folder / "clone.git", seed)
    before = content(history.repo.path)
    report = fork_report(history.repo.path, "fork", "main", clean_environment(folder), lambda _: None)
    assert content(history.repo.path) == before, seed
    conflicting = history.conflicting()
    assert report.skipped == (), seed
    assert set(named(report)) == conflicting, seed
    assert report.merges == (not conflicting), seed
    assert set(named(report, "conflict", "hunk")) == conflicting | history.meeting(), seed
    scratch = folder / "scratch"
    command = ["git", "clone", "--quiet", "--shared", str(history.repo.path), str(scratch)]
    subprocess.run(command, check=True, env=clean_environment(folder))
    tip = history.repo.oid("fork")
    picks = picked(report)
    plain = {pick.sha for pick in report.picks if pick.why["en"].startswith("fix ") or pick.why["en"] == "fix"}
    assert picks == sorted(picks, key=lambda sha: (sha in plain, history.theirs.shas.index(sha))), seed
    assert all(applies(scratch, tip, [sha]) for sha in picks), seed
    assert not picks or applies(scratch, tip, picks), seed


@pytest.mark.parametrize("seed", range(12))
def test_generated_conflicts_are_named_exactly_and_picks_apply(tmp_path: Path, seed: int) -> None:
    check(tmp_path, seed)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1000, 1300))
def test_many_generated_conflicts_are_named_exactly_and_picks_apply(tmp_path: Path, seed: int) -> None:
    check(tmp_path, seed)
