"""A machine without git, or with one that is too old: every command that needs it says so, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

import program
from gitrepo import GitRepo

COMMANDS = {
    "run": ("run", "--date", "2026-01-19"),
    "demo": ("demo", "--out", "demo"),
    "range": ("range", "org/good", "v1..v2"),
    "impact": ("impact", "."),
}
MACHINES = {"none": "The git program was not found.", "old": "git 2.17.1 is too old."}


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("command", COMMANDS)
def test_git_that_is_absent_or_too_old_is_told_with_what_to_install(tmp_path: Path, command: str, machine: str) -> None:
    repo = GitRepo.make(tmp_path / "good.git")
    repo.commit("Begin", {"pkg/a.py": "a = 1\n"}, at="2026-01-19T10:00:00")
    place, path = tmp_path / "place", tmp_path / "bin"
    place.mkdir()
    path.mkdir()
    (place / "daybreak.toml").write_text(f'timezone = "UTC"\n[[repo]]\nname = "org/good"\ngit = "{repo.path}"\n')
    if machine == "old":
        (path / "git").write_text("#!/bin/sh\necho git version 2.17.1\n")
        (path / "git").chmod(0o755)
    answer = program.run(*COMMANDS[command], cwd=place, env={"PATH": str(path)})
    assert answer.returncode == 1
    rows = answer.stderr.splitlines()[-2:]
    assert (MACHINES[machine] in rows[0], rows[1]) == (True, "  tip: Install git 2.34 or newer."), answer.stderr
    assert ".." not in rows[0]
    assert not (place / "reports").exists()
    assert not (place / "demo").exists()
