"""Interrupts and outputs that nobody takes: the exit code and the words say what is published and what is not."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

import program
from contracts.conftest import opened
from daybreak.deliver.publish.folder import FolderPublisher
from daybreak.runs.pipeline import Stages
from daybreak.upgrade.range import entries
from gitrepo import GitRepo
from program import PROGRAM

DAY = "2026-01-19"
SQLITE = "sqlite:///.daybreak/daybreak.db"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    good = GitRepo.make(tmp_path / "good.git")
    good.commit("Add a thing", {"a": "1\n"})
    good.commit("Add another", {"b": "1\n"}, at="2026-01-20T12:00:00")
    folder = tmp_path / "place"
    folder.mkdir()
    rows = f'timezone = "UTC"\nlanguages = ["en"]\n[[repo]]\nname = "org/good"\ngit = "{good.path}"\n'
    (folder / "daybreak.toml").write_text(rows, encoding="utf-8")
    return folder


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_while_pages_are_replaced_waits_until_all_of_it_is_done(
    place: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    real = FolderPublisher.publish

    def interrupted(self: FolderPublisher, pages: Any) -> Any:
        os.kill(os.getpid(), number)
        return real(self, pages)

    monkeypatch.setattr(FolderPublisher, "publish", interrupted)
    answer = program.run("run", "--since", DAY, "--until", "2026-01-21", cwd=place)
    assert answer.returncode == 3
    assert f"Interrupted: {DAY} is published, the other days are not." in answer.stderr
    assert sorted(path.name for path in (place / "reports").glob("*.json")) == [f"{DAY}.json"]
    store = opened(SQLITE, place)
    assert store.labels() == [DAY]
    store.close()
    monkeypatch.undo()
    assert program.run("run", "--since", DAY, "--until", "2026-01-21", cwd=place).returncode == 0


def test_an_interrupt_before_anything_is_published_says_that_and_leaves_nothing(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(Stages, "source", property(interrupted))
    answer = program.run("run", "--date", DAY, cwd=place)
    assert answer.returncode == 1
    assert "no page is half-written" in answer.stderr
    assert not (place / "reports").exists()


@pytest.mark.parametrize("command", ["range org/good a..b", "impact .", "status"])
def test_a_command_that_is_ended_says_so_as_if_by_hand(
    place: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """Ended without a word, it would leave those at work that it had started."""

    def ended(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(Path, "read_bytes", ended)
    monkeypatch.setattr(Path, "read_text", ended)
    answer = program.run(*command.split(), cwd=place)
    assert answer.returncode == 1
    assert "Interrupted; no page is half-written." in answer.stderr


def test_readers_of_a_range_end_with_whoever_leaves_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits until they have read what is not asked for any more."""
    monkeypatch.setattr(entries, "_packed", by_turns)
    answers: Any = entries._beside(["at once", "never"], 2)  # type: ignore[list-item]
    assert next(answers) == ["at once"]
    with pytest.raises(KeyboardInterrupt):
        answers.throw(KeyboardInterrupt())
    assert not multiprocessing.active_children()


def by_turns(task: str) -> list[str]:
    if task == "never":
        threading.Event().wait()
    return [task]


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_an_output_that_takes_nothing_does_not_make_a_published_day_a_failure(
    place: Path, more: tuple[str, ...]
) -> None:
    with Path("/dev/full").open("wb") as full:
        command = [*PROGRAM, "run", "--date", DAY, *more]
        answer = subprocess.run(command, cwd=place, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert answer.returncode == 3
    assert f"{DAY} is published, and could not be printed." in answer.stderr
    assert "Traceback" not in answer.stderr
    assert (place / "reports" / f"{DAY}.md").is_file()


def test_an_output_that_takes_nothing_fails_a_day_that_is_only_printed(place: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        command = [*PROGRAM, "run", "--date", DAY, "--json", "--no-publish"]
        answer = subprocess.run(command, cwd=place, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert answer.returncode == 1
    assert f"{DAY} could not be printed." in answer.stderr
