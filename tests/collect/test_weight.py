"""Commits of any size: the totals are right and the reading process stays small."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from gitrepo import GitRepo

LIMIT = 150
"""MiB, of the issue."""

SCRIPT = """
import json, re, sys
from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo
from daybreak.collect.git.source import GitSource
from daybreak.core.git_program import Git
from daybreak.core.model.report import Repo
from daybreak.core.windows import day

class Nothing:
    def day(self, label, repo):
        return None
    def earlier(self, label, repo):
        return iter(())
    later = earlier

source, state, path = sys.argv[1:]
window = day(date(2026, 1, 19), ZoneInfo("UTC"), datetime(2035, 1, 1, tzinfo=UTC))
repo = Repo("org/project", "https://example.org/org/project", source)
git = Git({"PATH": path, "HOME": state})
found = GitSource(git, Path(state) / "mirrors", False, lambda _: None).collect(repo, window, Nothing())
change = found.changes[0]
json.dump({
    "peak": int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024,
    "added": change.added, "files_total": change.files_total, "files": len(change.files),
    "cut": change.files[0].patch_cut, "skipped": [s.reason for s in found.skipped],
}, sys.stdout)
"""


def weigh(source: str, state: Path) -> dict[str, Any]:
    command = [sys.executable, "-c", SCRIPT, source, str(state), os.environ["PATH"]]
    answer = subprocess.run(command, check=True, capture_output=True).stdout
    found: dict[str, Any] = json.loads(answer)
    return found


def test_a_diff_of_fifty_megabytes(repo: GitRepo, tmp_path: Path) -> None:
    line = b"y" * 99 + b"\n"
    repo.commit("big", {"data.txt": line * 500_000})
    found = weigh(str(repo.path), tmp_path)
    assert (found["added"], found["cut"], found["skipped"]) == (500_000, True, [])
    assert found["peak"] < LIMIT


def many_files(repo: GitRepo, count: int) -> None:
    head = b"blob\nmark :2\ndata 4\na\nb\n\ncommit refs/heads/main\nmark :1\ncommitter A <a@b> 1768824000 +0000\ndata 1\nx\n"
    repo.fast_import(head + b"".join(b"M 644 :2 d%d/f%d\n" % (n % 500, n) for n in range(count)) + b"\n")


@pytest.mark.parametrize("count", [60_000, pytest.param(200_000, marks=pytest.mark.soak)])
def test_a_commit_of_very_many_files(repo: GitRepo, tmp_path: Path, count: int) -> None:
    many_files(repo, count)
    found = weigh(str(repo.path), tmp_path)
    assert (found["files_total"], found["files"], found["added"]) == (count, 2000, 2 * count)
    assert found["skipped"] == []
    assert found["peak"] < LIMIT


def test_many_files_from_a_remote(repo: GitRepo, tmp_path: Path) -> None:
    many_files(repo, 20_000)
    found = weigh(f"file://{repo.path}", tmp_path)
    assert (found["files_total"], found["added"], found["skipped"]) == (20_000, 40_000, [])
    assert found["peak"] < LIMIT


@pytest.mark.parametrize("files", [2000, 2001])
def test_the_limit_of_kept_files_is_exact(repo: GitRepo, tmp_path: Path, files: int) -> None:
    many_files(repo, files)
    found = weigh(str(repo.path), tmp_path)
    assert (found["files_total"], found["files"], found["added"]) == (files, 2000, files * 2)
