"""What the program says: nobody has to listen for the work to be done."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from cli.place import DAY, Place
from daybreak.cli.console import Voice
from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Skipped
from gitrepo import GitRepo
from program import PROGRAM


def test_a_reader_of_messages_who_went_away_costs_nothing_of_the_report(place: Place) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        command = [*PROGRAM, "run", "--date", DAY, "--verbose"]
        answer = subprocess.run(command, cwd=place.folder, stdout=subprocess.PIPE, stderr=writing, check=False)
    finally:
        os.close(writing)
    assert answer.returncode == 0
    assert place.report()["coverage"]["skipped"] == []


def test_what_to_do_about_several_things_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    voice = Voice()
    for what in ("acme/engine a", "acme/engine b"):
        voice.skipped(Skipped(what, "its content is missing", "Bring it into /srv/engine."))
    first, second = capsys.readouterr().err.splitlines()
    assert first == "daybreak: skipped: acme/engine a: its content is missing. Bring it into /srv/engine."
    assert second == "daybreak: skipped: acme/engine b: its content is missing."


def test_what_git_said_of_something_that_failed_is_a_flag_away(
    repo: GitRepo, capsys: pytest.CaptureFixture[str]
) -> None:
    repo.commit("one", {"a.py": "x\n"})
    git = Git(dict(os.environ))
    with pytest.raises(GitError):
        git.run("grep", "--no-such-option", at=Path(repo.path))
    failed = git.faults.take(Path(repo.path))
    assert list(failed) == ["grep"]
    assert "no-such-option" in failed["grep"]
    one = Skipped("acme/engine", "git grep failed", detail=failed["grep"])
    Voice().skipped(one)
    assert capsys.readouterr().err == "daybreak: skipped: acme/engine: git grep failed. Why: --verbose.\n"
    Voice(verbose=True).skipped(one)
    assert "no-such-option" in capsys.readouterr().err
