"""`daybreak run` and its store: what it writes down, and what the next run makes of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cli.place import DAY, Place
from daybreak.cli import main
from daybreak.findings.reader import RuleReader
from daybreak.store import open_store
from gitrepo import GitRepo

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from daybreak.core.model.changes import Collected
    from daybreak.core.model.findings import Reading
    from daybreak.store import Store


@contextmanager
def store(place: Place) -> Iterator[Store]:
    made = open_store("sqlite:///.daybreak/daybreak.db", place.folder)
    try:
        yield made
    finally:
        made.close()


def run(place: Place, *arguments: str) -> int:
    return main(["run", "--config", str(place.folder / "daybreak.toml"), "--quiet", *arguments])


def test_a_run_writes_down_its_steps_and_its_report(place: Place) -> None:
    assert run(place, "--date", DAY) == 0
    with store(place) as kept:
        (one,) = kept.runs()
        assert (one.command, one.outcome) == (f"run {DAY}", "done")
        told = [(step.repo, step.label, step.stage, step.outcome) for step in kept.steps(one.id)]
        assert told == [
            ("acme/engine", DAY, "collect", "done"),
            ("acme/engine", DAY, "read", "done"),
            ("acme/engine", DAY, "analyse", "done"),
            ("", DAY, "publish", "done"),
        ]
        assert kept.report_data(DAY) == (place.folder / "reports" / f"{DAY}.json").read_bytes()
        assert kept.outputs(DAY, "analyse") == {}
        assert list(kept.verify()) == []
    assert run(place, "--date", DAY) == 0
    with store(place) as kept:
        assert len(kept.runs()) == 1, "nothing was done, so nothing is written down"


def test_a_run_that_broke_off_goes_on_where_it_stopped(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    whole = RuleReader.read

    def counted(self: RuleReader, collected: Collected) -> Mapping[str, Reading]:
        read.append(collected.repo.name)
        return whole(self, collected)

    def torn(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(RuleReader, "read", counted)
    with monkeypatch.context() as broken:
        broken.setattr("daybreak.cli.run.render_pages", torn)
        assert run(place, "--date", DAY) != 0
    assert place.written() == {}
    assert run(place, "--date", DAY) == 0
    assert read == ["acme/engine"], "what was read is not read again"
    gone_on = place.written()
    with store(place) as kept:
        second, first = kept.runs()
        assert (first.outcome, second.outcome) == ("failed", "done")
        reasons = [step.reason for step in kept.steps(second.id) if step.stage in ("read", "analyse")]
        assert reasons == ["finished by a run that was interrupted"] * 2
    (place.folder / "fresh").mkdir()
    fresh = Place(place.folder / "fresh", place.upstream)
    fresh.config()
    assert run(fresh, "--date", DAY) == 0
    assert fresh.written() == gone_on


def test_after_a_new_commit_an_interrupted_day_is_read_anew(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def torn(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr("daybreak.cli.run.render_pages", torn)
        run(place, "--date", DAY)
    sha = place.upstream.commit("Pushed in between", {"between.py": "x = 1\n"}, at=f"{DAY}T23:30:00")
    assert run(place, "--date", DAY) == 0
    assert sha in {commit["sha"] for commit in place.report()["repos"][0]["commits"]}


def test_a_day_whose_run_broke_off_is_made_up_for_by_the_next_daily_run(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def torn(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setenv("DAYBREAK_NOW", "2026-01-20T08:00:00+00:00")
    with monkeypatch.context() as broken:
        broken.setattr("daybreak.cli.run.render_pages", torn)
        assert run(place) != 0
    monkeypatch.setenv("DAYBREAK_NOW", "2026-01-21T08:00:00+00:00")
    assert run(place) == 0
    assert {f"reports/{DAY}.md", "reports/2026-01-20.md"} <= place.written().keys()
    monkeypatch.setenv("DAYBREAK_NOW", "2026-01-22T08:00:00+00:00")
    assert run(place) == 0
    with store(place) as kept:
        assert [one.command for one in kept.runs()] == [f"run {day}" for day in ("2026-01-21", "2026-01-20", DAY)]
        made = [step for one in kept.runs() for step in kept.steps(one.id) if step.label == DAY]
        assert [step.stage for step in made].count("publish") == 1, "a day that is there is not tried again"


def test_reports_of_a_store_that_was_lost_are_taken_in_again(place: Place) -> None:
    assert run(place, "--date", DAY) == 0
    for file in (place.folder / ".daybreak").glob("daybreak.db*"):
        file.unlink()
    assert run(place, "--date", "2026-01-20") == 0
    with store(place) as kept:
        assert kept.labels() == [DAY, "2026-01-20"]
        record = kept.day(DAY, "acme/engine")
        assert record is not None
        assert record.final


def test_a_report_that_was_lost_is_made_again_as_it_was(place: Place) -> None:
    assert run(place, "--date", DAY) == 0
    before = place.written()
    place.upstream.commit("Pushed later", {"late.py": "x = 1\n"}, at=f"{DAY}T23:45:00")
    for name in before:
        (place.folder / name).unlink()
    assert run(place, "--date", DAY) == 0
    assert place.written() == before, "the store remembers which commits the day was reported with"


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("mysql://x/y", "no kind of store"),
        ("sqlite://", "names no file"),
        ("postgresql+psycopg://me:secret@127.0.0.1:1/none", "cannot be reached"),
    ],
)
def test_a_store_that_cannot_be_had_is_one_sentence_without_secrets(place: Place, address: str, words: str) -> None:
    place.config(top=f'timezone = "UTC"\nstore = "{address}"')
    answer = place.run("run", "--date", DAY)
    assert answer.returncode in (1, 2)
    assert words in answer.stderr
    assert "secret" not in answer.stderr
    assert "Traceback" not in answer.stderr
    assert place.written() == {}


def test_where_the_work_runs_does_not_make_a_day_new(place: Place) -> None:
    assert run(place, "--date", DAY) == 0
    place.config(more="[execute]\nworkers = 1\n[schedule]\nat = '07:00'\n[retention]\ndays = 9\n")
    assert "nothing new" in place.run("run", "--date", DAY).stderr
    assert Path(place.folder / "reports").is_dir()


COMPLETE = """
import os, sys
from daybreak.store import reports
whole = reports.put_report
def torn(database, data):
    if b'"label": "2026-01-19"' in data[:2000]:
        os._exit(9)
    return whole(database, data)
reports.put_report = torn
from daybreak.cli import main
sys.exit(main(sys.argv[1:]))
"""


def late(place: Place) -> list[str]:
    return [commit["sha"] for commit in place.report("2026-01-20")["repos"][0]["late"]]


def test_a_kill_between_a_completed_page_and_its_place_in_the_store_tells_no_commit_twice(place: Place) -> None:
    aside = place.folder / "aside.git"
    place.upstream.commit("Of the next day", {"next.py": "x = 1\n"}, at="2026-01-20T10:00:00")
    place.upstream.path.rename(aside)
    assert place.run("run", DAYBREAK_NOW="2026-01-20T08:00:00+00:00").returncode == 3
    aside.rename(place.upstream.path)
    command = [sys.executable, "-c", COMPLETE, "run"]
    moment = {**os.environ, "DAYBREAK_NOW": "2026-01-21T08:00:00+00:00"}
    assert subprocess.run(command, cwd=place.folder, env=moment, capture_output=True, check=False).returncode == 9
    assert place.run("run", DAYBREAK_NOW="2026-01-21T08:00:00+00:00").returncode == 0
    assert place.report()["completed"] == ["acme/engine"]
    assert late(place) == [], "the commits of the completed day stand in their own day alone"


def test_a_try_out_elsewhere_does_not_make_the_store_forget_a_repository(place: Place, tmp_path: Path) -> None:
    other = GitRepo.make(tmp_path / "other.git")
    other.commit("Of the day (#1)", {"a.py": "x = 1\n"}, at=f"{DAY}T10:00:00")
    place.config(more=f'[[repo]]\nname = "acme/other"\ngit = "{other.path}"\n')
    assert run(place, "--date", DAY) == 0
    assert run(place, "--date", DAY, "--repo", "acme/engine", "--out", str(tmp_path / "elsewhere")) == 0
    sha = other.commit("Late (#2)", {"a.py": "x = 2\n"}, at=f"{DAY}T11:00:00")
    assert run(place, "--date", "2026-01-20") == 0
    parts = {part["name"]: part for part in place.report("2026-01-20")["repos"]}
    assert [commit["sha"] for commit in parts["acme/other"]["late"]] == [sha]


def test_an_old_day_that_cannot_be_completed_costs_the_asked_day_nothing(place: Place) -> None:
    aside = place.folder / "aside.git"
    place.upstream.path.rename(aside)
    assert place.run("run", DAYBREAK_NOW="2026-01-20T08:00:00+00:00").returncode == 3
    aside.rename(place.upstream.path)
    (place.folder / "reports" / f"{DAY}.md").write_text("my own notes\n", encoding="utf-8")
    answer = place.run("run", DAYBREAK_NOW="2026-01-21T08:00:00+00:00")
    assert answer.returncode == 3
    assert f"{DAY} could not be completed" in answer.stderr
    assert "reports/2026-01-20.md" in place.written()


def test_a_dry_run_that_broke_off_is_not_published_later(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def torn(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr("daybreak.cli.run.render_pages", torn)
        assert run(place, "--date", DAY, "--no-publish") != 0
    monkeypatch.setenv("DAYBREAK_NOW", "2026-01-21T08:00:00+00:00")
    assert run(place) == 0
    assert f"reports/{DAY}.md" not in place.written()


def test_a_folder_that_was_copied_is_not_made_again(place: Place, tmp_path: Path) -> None:
    assert run(place, "--date", DAY) == 0
    copy = Place(Path(shutil.copytree(place.folder, tmp_path / "copy")), place.upstream)
    assert "nothing new" in copy.run("run", "--date", DAY).stderr
