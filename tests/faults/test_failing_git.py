"""A git that fails, whichever of a run it is: the report is the same, or it says what is missing and the next run has it."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path
from random import Random
from typing import Any

import pytest

import program
from conftest import Collector
from daybreak.core.git_watch import cut_short
from gitrepo import GitRepo

DAY = "2026-03-06"
ENDS = {
    "killed": ("sh", "-c", "kill -9 $$"),
    "refused without a word": ("false",),
    "broken": ("sh", "-c", "echo fatal: unable to read >&2; exit 128"),
    "nothing said, as if all were well": ("true",),
    "half said": ("sh", "-c", 'shift 2; "$@" | head -c 100; exit 0', "sh", "2"),
    "cut short": ("sh", "-c", 'shift 2; "$@" | head -c -7; exit 0', "sh", "2"),
}
SPEAKING = ("half said", "cut short")
"""Ends of gits that did their work, of which not all reached us."""


class Failing:
    """Counts the gits that are started; the one whose turn it is ends as it should not."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.turn, self.end, self.started = 0, "", list[tuple[str, ...]]()
        lock, real, ours = threading.Lock(), subprocess.Popen, self

        class Started(real):  # type: ignore[valid-type, misc]
            def __init__(self, command: Any, *rest: Any, **how: Any) -> None:
                with lock:
                    ours.started.append(tuple(command))
                    bad = len(ours.started) == ours.turn
                wrapped = ("sh", *command) if ours.end in SPEAKING else ()
                super().__init__((*ENDS[ours.end], *wrapped) if bad else command, *rest, **how)

        patch.setattr("daybreak.core.git_program.subprocess.Popen", Started)

    def run(self, folder: Path, *more: str, turn: int = 0, end: str = "") -> int:
        self.turn, self.end = turn, end
        self.started.clear()
        return program.run("run", "--date", DAY, *more, cwd=folder).returncode


@pytest.fixture
def upstreams(demo_week: Path) -> str:
    """Three projects with tags, reverts, pins of each other and removed names, all of it visible."""
    names = ("lantern", "tilekit", "wick")
    rows = (f'[[repo]]\nname = "demo/{n}"\ngit = "{demo_week / "upstreams" / n}.git"\n' for n in names)
    return 'timezone = "Asia/Shanghai"\n[execute]\nworkers = 1\n' + "".join(rows)


def place(folder: Path, config: str) -> Path:
    folder.mkdir()
    (folder / "daybreak.toml").write_text(config, encoding="utf-8")
    return folder


def reports(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes() for path in (folder / "reports").rglob("*") if path.is_file()
    }


def cases(count: int, seed: int) -> list[tuple[float, str]]:
    chance = Random(seed)
    return [(chance.random(), chance.choice(sorted(ENDS))) for _ in range(count)]


@pytest.mark.timeout(6000)
@pytest.mark.parametrize("count", [6, pytest.param(400, marks=pytest.mark.soak)])
def test_whichever_git_fails_the_report_is_the_same_or_says_so_and_the_next_run_has_it(
    tmp_path: Path, upstreams: str, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    """Many more of them, among other faults, are drawn by `tests/simulation`."""
    failing = Failing(monkeypatch)
    calm = place(tmp_path / "calm", upstreams)
    assert failing.run(calm) == 0
    expected, gits = reports(calm), len(failing.started)
    for number, (share, end) in enumerate(cases(count, 26)):
        folder = place(tmp_path / str(number), upstreams)
        turn = 1 + int(share * gits)
        code = failing.run(folder, turn=turn, end=end)
        told = f"{end}, git {turn} of {gits}: {' '.join(failing.started[turn - 1])[:200]}"
        assert code in (0, 1, 3), told
        if code == 0:
            assert reports(folder) == expected, told
        else:
            assert failing.run(folder) == 0, told
            assert without_completion(reports(folder)) == without_completion(expected), told


@pytest.mark.timeout(3000)
@pytest.mark.parametrize("most", [4, pytest.param(1000, marks=pytest.mark.soak)])
def test_contents_that_did_not_come_whole_are_none(
    tmp_path: Path, upstreams: str, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """Else a name that stood in the lost part of a release's file was never in that release, and its removal not told."""
    failing = Failing(monkeypatch)
    calm = place(tmp_path / "calm", upstreams)
    assert failing.run(calm) == 0
    expected = reports(calm)
    asked = [turn for turn, command in enumerate(failing.started, 1) if {"--batch", "diff-tree"} & set(command)]
    assert asked
    for turn in Random(26).sample(asked, min(most, len(asked))):
        folder = place(tmp_path / str(turn), upstreams)
        code = failing.run(folder, turn=turn, end="cut short")
        assert (code, reports(folder) == expected) in ((0, True), (3, False)), turn
        failing.run(folder)
        assert without_completion(reports(folder)) == without_completion(expected), turn


def without_completion(found: dict[str, bytes]) -> dict[str, list[bytes]]:
    """A day that was completed later says so in a line of its own, and is otherwise the same."""
    said = ("补全的".encode(), b"ompleted")
    return {
        name: [row for row in data.split(b"\n") if row.strip() and not any(words in row for words in said)]
        for name, data in found.items()
        if name.endswith(".md")
    }


def test_a_mirror_without_old_contents_is_no_fault(tmp_path: Path, upstreams: str) -> None:
    """A clone has the contents of its window only; what whole trees would add is asked where they are."""
    folder = place(tmp_path / "cloned", upstreams.replace('git = "', 'git = "file://'))
    answer = program.run("run", "--date", DAY, cwd=folder)
    assert (answer.returncode, "skipped:" in answer.stderr) == (0, False), answer.stderr


@pytest.mark.parametrize("lost", [1, 30, 60])
def test_a_branch_whose_list_was_cut_in_the_middle_of_a_row_is_read_again(
    tmp_path: Path, repo: GitRepo, collector: Collector, monkeypatch: pytest.MonkeyPatch, lost: int
) -> None:
    """Else the commit that the day before ended with would be missed, and the branch called a rewritten one."""
    for day in (17, 18, 19):
        repo.commit(f"Change {day}", at=f"2026-01-{day}T10:00:00")
    program = tmp_path / "git"
    once = f"case \"$*\" in *'rev-list --first-parent --timestamp'*) mkdir {tmp_path}/once 2>/dev/null &&"
    program.write_text(f'#!/bin/sh\n{once} {{ git "$@" | head -c -{lost}; exit 0; }} ;; esac\nexec git "$@"\n')
    program.chmod(0o755)
    collector.program = str(program)
    found = collector.collect(repo)
    assert (tmp_path / "once").exists()
    assert ([change.subject for change in found.changes], found.skipped) == (["Change 19"], ())


def test_a_list_that_lacks_the_end_of_its_last_row_is_cut_short() -> None:
    assert cut_short(("rev-list", "main"), b"1768817000 abc")
    assert cut_short(("diff-tree", "-z"), b":100644 100644 abc def M\0pk")
    for half in (b"", b"abc blob", b"abc blob 3\n"):
        assert cut_short(("cat-file", "--batch-check=%(objecttype)"), half, b"abc\ndef\n")
    assert not cut_short(("cat-file", "--batch-check"), b"abc blob 3\ndef missing\n", b"abc\ndef\n")
    whole = b"abc blob 3\nx\ny\nHEAD:a file 9 missing\ndef blob 0\n\n"
    assert not cut_short(("cat-file", "--batch"), whole, b"abc\nHEAD:a file 9\ndef\n")
    assert all(cut_short(("cat-file", "--batch"), whole[:n], b"abc\nHEAD:a file 9\ndef\n") for n in range(len(whole)))
    assert not any(cut_short(("rev-list", "main"), out) for out in (b"", b"1768817000 abc\n"))
    assert not cut_short(("ls-tree", "-z"), b"100644 blob abc\ta\0")
    assert not cut_short(("cat-file", "blob", "abc"), b"a text without a last newline")
