"""Commits written by the tests themselves are those that git would write."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from gitrepo import File, GitRepo, link, submodule

PATHS = ("a.py", "b", "b/c.txt", "b.txt", "b0", "d/e/f", "d/e", "\u03b1/x", b"\xff\xfe", "d/.git-not", "x y")


def history(repo: GitRepo, seed: int) -> list[str]:
    """Files come, change, go, and stand where folders stood; merges, tags, other branches, odd names."""
    chance, shas = Random(seed), [repo.commit("Begin", at=0)]
    for number in range(12):
        contents = [f"{number}\n", b"\0\xff", "", None, None, File("#!/bin/sh\n"), link("a.py"), submodule("1" * 40)]
        files = {chance.choice(PATHS): chance.choice(contents) for _ in range(chance.randint(0, 4))}
        parents = None if chance.random() < 0.7 else chance.sample(shas, min(2, len(shas)))
        message = chance.choice([f"Step {number}".encode(), f"Step\n\n{number}\n".encode(), b"\xe4\n", b""])
        author = chance.choice([b"Ann Lee", "\u674e".encode(), b"\xe4", b""])
        branch = chance.choice(["main", "topic/one", "main.x"])
        encoding = chance.choice(["", "", "ISO-8859-1"])
        at = 1_700_000_000 + number
        shas.append(
            repo.commit(message, files, at=at, author=author, branch=branch, parents=parents, encoding=encoding)
        )
        if number % 4 == 0:
            repo.tag(f"v{number}", shas[-1], at if number else None)
    return shas


@pytest.mark.parametrize("seed", range(6))
def test_any_history_is_the_one_that_fast_import_writes(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = GitRepo.make(tmp_path / "ours.git")
    written = history(ours, seed)
    monkeypatch.setattr(GitRepo, "_plain_commit", lambda *_: "")
    gits = GitRepo.make(tmp_path / "gits.git")
    assert written == history(gits, seed)
    assert ours.text("for-each-ref") == gits.text("for-each-ref")
    assert ours.git("fsck", "--no-dangling") == gits.git("fsck", "--no-dangling")
    assert sum(1 for _ in (tmp_path / "ours.git" / "objects" / "pack").iterdir()) == 0, "most took no git at all"
