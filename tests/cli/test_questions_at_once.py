"""Several questions at the same time over one folder: each answers as if it were alone, whoever works there."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from cli.place import Place
from daybreak.store.lock import folder_lock, run_lock
from gitrepo import GitRepo
from program import ended

NOW = {"DAYBREAK_NOW": "2026-01-20T08:00:00+00:00"}
RANGE = ("acme/engine", "v1.0.0..v1.1.0")
QUESTIONS = (
    ("impact", "svc", "--range", *RANGE),
    ("impact", "svc", "--range", *RANGE, "--format", "json"),
    ("impact", "svc", "--date", "2026-01-19"),
    ("range", *RANGE, "--json", "--no-publish", "--impact", "svc"),
    ("range", *RANGE),
    ("show", "load_model"),
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    folder = tmp_path / "work"
    (folder / "svc").mkdir(parents=True)
    (folder / "svc" / "app.py").write_text("from engine.api import load_model\n", "utf-8")
    upstream = GitRepo.make(tmp_path / "upstream.git")
    old = {"engine/__init__.py": "", "engine/api.py": "def load_model():\n    pass\n"}
    upstream.tag("v1.0.0", upstream.commit("First (#1)", old, at="2026-01-10T10:00:00"))
    new = {"engine/api.py": "def keep():\n    pass\n"}
    upstream.tag("v1.1.0", upstream.commit("Tidy up (#2)", new, at="2026-01-19T10:00:00"))
    made = Place(folder, upstream)
    made.config()
    return made


def answers(place: Place, processes: list[subprocess.Popen[str]]) -> tuple[list[tuple[int, str]], dict[str, bytes]]:
    said = [ended(process) for process in processes]
    assert not [one.stderr for one in said if one.returncode not in (0, 3)]
    return [(one.returncode, one.stdout) for one in said], place.written()


def alone(place: Place) -> tuple[list[tuple[int, str]], dict[str, bytes]]:
    said = [place.run(*question, **NOW) for question in QUESTIONS]
    return [(one.returncode, one.stdout) for one in said], place.written()


def test_questions_that_start_together_on_a_store_that_has_read_nothing_answer_as_if_alone(place: Place) -> None:
    place.run("show", "load_model", **NOW)  # makes nothing but the folder: it has no mirror yet
    together = answers(place, [place.start(*question, **NOW) for question in QUESTIONS[:-1]])
    said, written = alone(place)
    assert together == (said[:-1], written)


def test_a_question_names_who_works_there_and_answers_beside_it(place: Place) -> None:
    expected = alone(place)
    with run_lock(place.folder / ".daybreak"):
        asked = [place.start(*question, **NOW) for question in QUESTIONS]
        errors = [ended(process) for process in asked]
    assert ([(one.returncode, one.stdout) for one in errors], place.written()) == expected
    for question, one in zip(QUESTIONS, errors, strict=True):
        told = f"Another run (process {os.getpid()}) is working in" in one.stderr
        assert told == (question[0] != "show")  # which only reads, and asks nobody
        assert "nothing is fetched" in one.stderr or question[0] == "show"


def test_where_nothing_can_be_read_yet_the_download_is_waited_for_and_not_its_reader(place: Place) -> None:
    expected = alone(place)
    mirrors = place.folder / ".daybreak" / "mirrors"
    mirrors.rename(aside := place.folder / "aside")
    with run_lock(place.folder / ".daybreak"):
        process = place.start(*QUESTIONS[0], **NOW)
        assert process.stderr is not None
        while "download is waited for" not in (line := process.stderr.readline()):
            assert line, "it ended without waiting"
        aside.rename(mirrors)
        said = ended(process)
    assert (said.returncode, said.stdout) == expected[0][0]
    assert "It is there." in said.stderr


def test_a_question_is_answered_from_a_folder_that_cannot_be_written(place: Place) -> None:
    expected = alone(place)
    state = place.folder / ".daybreak"
    (state / "lock").unlink()
    (state / "lock").mkdir()  # what keeps even root from opening it
    said = place.run(*QUESTIONS[0], **NOW)
    assert (said.returncode, said.stdout) == expected[0][0]
    assert "cannot be written, so nothing is fetched" in said.stderr


@pytest.mark.parametrize(
    "asked", [("range", "acme/engine", "v1.0.0"), ("impact", ".", "--range", "acme/engine", "v1.0.0")]
)
def test_what_is_no_range_is_told_at_once_whoever_works_there(place: Place, asked: tuple[str, ...]) -> None:
    with run_lock(place.folder / ".daybreak"):
        said = place.run(*asked, **NOW)
    assert said.returncode == 2
    assert "'v1.0.0' is not a range A..B" in said.stderr
    assert "Waiting" not in said.stderr


def test_an_upgrade_report_waits_for_who_writes_pages_into_its_folder_and_for_no_run(place: Place) -> None:
    expected = alone(place)[1]
    with folder_lock(place.folder):
        assert place.run(*QUESTIONS[4], **NOW).returncode == 0
    with folder_lock(place.folder / "reports" / "range"):
        process = place.start(*QUESTIONS[4], **NOW)
        assert process.stderr is not None
        while "is writing to" not in (line := process.stderr.readline()):
            assert line, "it ended without waiting"
    assert answers(place, [process])[1] == expected
