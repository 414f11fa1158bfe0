"""A long history with its numbers: the same commits, files and counts as the window's reader has, without patches."""

from __future__ import annotations

import io
import os
from datetime import UTC
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from daybreak.collect.git import statistics as module
from daybreak.collect.git.history import HistoryReader
from daybreak.collect.git.statistics import statistics
from daybreak.core.git_program import Git
from gitrepo import File, GitRepo, link, submodule

if TYPE_CHECKING:
    from daybreak.core.model.changes import Change

LONG = "".join(f"line {number}\n" for number in range(40))


def git() -> Git:
    return Git(dict(os.environ))


def line(repo: GitRepo) -> list[str]:
    return repo.text("rev-list", "--first-parent", repo.branch).split()


def read(repo: GitRepo, shas: list[str] | None = None) -> list[Change]:
    return list(statistics(git(), repo.path, "org/project", shas or line(repo)))


def bare(change: Change) -> Change:
    files = tuple(replace(file, patch="", patch_cut=False) for file in change.files)
    return replace(change, files=files, merged=())


def many_kinds(repo: GitRepo) -> None:
    """Whatever a commit can do to a file, and names that are hard to list."""
    repo.commit(
        "Begin\n\nWhy.\n\nSigned-off-by: A <a@b>", {"a.py": LONG, "b.py": "1\n", "bin": b"\0\1\2", ":odd": "x\n"}
    )
    repo.commit("Rename (#3)", {"a.py": None, "deep/a new.py": LONG + "more\n", "b.py": "2\n"})
    repo.commit("Kinds", {"b.py": link("bin"), "bin": b"\0\1\3", "sub": submodule("5" * 40)})
    repo.commit("Modes", {"deep/a new.py": File(LONG + "more\n")})
    repo.commit(
        "Names", {b"tab\there": "1\n", b"line\nbreak": "2\n", 'quo"te': "3\n", b"caf\xe9": "4\n", "中文.md": "5\n"}
    )
    repo.commit("Nothing at all")
    repo.commit(b"bytes \xff\x01 in a subject", {"c": "no end"}, author=b"Jos\xe9")
    side = repo.commit("Beside", {"side.py": "s\n"}, branch="side", parents=[repo.oid(repo.branch)])
    repo.commit("Merge pull request #9 from x", {"side.py": "s\n"}, parents=[repo.oid(repo.branch), side])
    repo.commit("Gone", {":odd": None, "c": None})


def test_it_says_what_the_reader_of_a_window_says(repo: GitRepo) -> None:
    many_kinds(repo)
    found = read(repo)
    assert found == [bare(c) for c in HistoryReader(git(), repo.path, "org/project", UTC).read(line(repo))]
    assert {file.status for change in found for file in change.files} == {"A", "M", "D", "R", "T"}
    for change in found:
        counts = {file.path: (file.added, file.deleted, file.binary) for file in change.files}
        assert counts == repo.numstat(change.sha)


def test_a_missing_blob_costs_one_file_and_not_the_rest_of_the_history(repo: GitRepo) -> None:
    for number in range(6):
        repo.commit(f"Commit {number}", {"a.py": f"{number}\n" * 30, "b.py": f"{number}\n", "c": str(number)})
    repo.lose(repo.oid("main~2:b.py"))
    found = read(repo)
    assert [change.subject for change in found] == [f"Commit {number}" for number in reversed(range(6))]
    lost = {c.subject: [f.path for f in c.files if f.skipped] for c in found}
    assert {subject for subject, paths in lost.items() if paths == ["b.py"]} == {"Commit 3", "Commit 4"}
    assert sum(map(len, lost.values())) == 2
    assert all(file.added == 30 for c in found for file in c.files if file.path == "a.py")


def test_a_missing_tree_costs_one_commit(repo: GitRepo) -> None:
    for number in range(4):
        repo.commit(f"Commit {number}", {"deep/a.py": f"{number}\n"})
    shas = line(repo)
    repo.lose(repo.oid("main~1:deep"))
    found = read(repo, shas)
    assert [change.sha for change in found] == shas
    assert [change.skipped is None for change in found] == [False, False, True, True]


@pytest.mark.parametrize("block", [1, 7, 33, 64])
def test_marks_are_found_wherever_a_block_ends(repo: GitRepo, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    many_kinds(repo)
    wanted = read(repo)
    monkeypatch.setattr(module, "_BLOCK", block)
    lead = b"\x01" + b"m" * 8
    text = lead + lead.join([b"one", b"", b"\x01mmm", b"four" * 50])
    assert list(module._records(io.BufferedReader(io.BytesIO(text)), lead)) == ["one", "", "\x01mmm", "four" * 50]
    assert read(repo) == wanted


def test_no_commits_are_no_changes(repo: GitRepo) -> None:
    repo.commit("One", {"a": "1"})
    assert list(statistics(git(), repo.path, "org/project", [])) == []


def test_more_files_than_are_kept_are_counted(repo: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FILES_KEPT", 3)
    repo.commit("Many", {f"f{number}": "x\n" for number in range(10)})
    (change,) = read(repo)
    assert (len(change.files), change.files_total, change.added) == (3, 10, 10)
