"""Readings are kept by commit: the same answer again without reading, and never a stale or half one."""

from __future__ import annotations

import os
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from daybreak.collect.git.history import HistoryReader
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Collected, Repo
from daybreak.findings import reader
from daybreak.findings.reader import RuleReader
from gitrepo import GitRepo

ARGS = "engine/entrypoints/server_args.py"


@pytest.fixture
def collected(repo: GitRepo) -> Collected:
    repo.commit("one", {ARGS: 'p.add_argument("--fast", default=1)\n'})
    shas = [repo.commit("two", {ARGS: 'p.add_argument("--quick", default=1)\n'})]
    changes = HistoryReader(Git(dict(os.environ)), repo.path, "org/project", ZoneInfo("UTC")).read(shas)
    return Collected(Repo("org/project", "https://x.example", "x"), changes=tuple(changes), mirror=str(repo.path))


def test_the_same_reading_comes_back(collected: Collected, tmp_path: Path) -> None:
    first = RuleReader(Git(dict(os.environ)), tmp_path / "cache").read(collected)
    assert first[collected.changes[0].sha].findings[0].breaking
    nowhere = replace(collected, mirror=str(tmp_path / "nowhere"))
    assert RuleReader(Git(dict(os.environ)), tmp_path / "cache").read(nowhere) == first


def test_a_damaged_file_is_read_anew(collected: Collected, tmp_path: Path) -> None:
    first = RuleReader(Git(dict(os.environ)), tmp_path / "cache").read(collected)
    for path in (tmp_path / "cache").rglob("*.readings"):
        path.write_bytes(path.read_bytes()[:-3])
    assert RuleReader(Git(dict(os.environ)), tmp_path / "cache").read(collected) == first


def test_another_reader_or_more_of_the_commit_is_another_key(collected: Collected, tmp_path: Path) -> None:
    RuleReader(Git(dict(os.environ)), tmp_path / "cache").read(collected)
    (change,) = collected.changes
    cut = replace(change, files=tuple(replace(file, patch_cut=True) for file in change.files))
    cache = reader.ReadingCache(tmp_path / "cache", "org/project")
    assert cache.get([change])
    assert not cache.get([cut])
    assert not reader.ReadingCache(tmp_path / "cache", "org/other").get([change])
