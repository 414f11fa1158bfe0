"""Blob ids by commit and path: whatever a path is called, the others keep their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from daybreak.core.git_program import Git
from daybreak.findings.blobs import blobs_at
from gitrepo import GitRepo, clean_environment


@pytest.mark.parametrize("absent", ["gone.py", "two words.py", "a blob", "line\u2028end.py", "page\x0cend.py"])
def test_a_path_that_is_not_there_shifts_no_other(tmp_path: Path, absent: str) -> None:
    repo = GitRepo.make(tmp_path / "r.git")
    sha = repo.commit("all", {"a.py": "a = 1\n", "b c.py": "b = 1\n"})
    names = [f"{sha}:{path}" for path in ("a.py", absent, "b c.py")]
    found = blobs_at(Git(clean_environment(tmp_path)), repo.path, names)
    assert found == {names[0]: repo.oid(names[0]), names[2]: repo.oid(names[2])}


def test_a_folder_and_a_name_that_cannot_be_asked_are_left_out(tmp_path: Path) -> None:
    repo = GitRepo.make(tmp_path / "r.git")
    sha = repo.commit("all", {"folder/a.py": "a = 1\n"})
    git = Git(clean_environment(tmp_path))
    assert blobs_at(git, repo.path, [f"{sha}:folder", f"{sha}:x\ny", f"{sha}:caf\ufffd.py"]) == {}
