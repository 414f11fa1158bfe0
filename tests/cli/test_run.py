"""`daybreak run` as a user runs it: a process, its exit code, what it prints and what it leaves behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from cli.place import DAY, Place, one_sentence_and_a_tip
from gitrepo import GitRepo


def test_a_day_is_reported_with_every_file_the_contract_names(place: Place) -> None:
    answer = place.run("run", "--date", DAY)
    assert answer.returncode == 0, answer.stderr
    names = {"README.md", "README.en.md", "reports/2026-01.md", "reports/2026-01.en.md", f"reports/{DAY}.json"}
    names |= {f"reports/{DAY}{end}" for end in (".md", ".en.md", "/acme-engine.md", "/acme-engine.en.md")}
    assert set(place.written()) == names
    assert f"reports/{DAY}.md" in answer.stdout


def test_yesterday_is_the_default(place: Place) -> None:
    assert place.run("run", DAYBREAK_NOW="2026-01-20T06:00:00+00:00").returncode == 0
    assert f"reports/{DAY}.json" in place.written()


def test_a_second_run_writes_nothing_and_says_so(place: Place) -> None:
    place.run("run", "--date", DAY)
    before = {name: (place.folder / name).stat().st_mtime_ns for name in place.written()}
    answer = place.run("run", "--date", DAY)
    assert answer.returncode == 0
    assert "nothing new" in answer.stderr
    assert {name: (place.folder / name).stat().st_mtime_ns for name in place.written()} == before


def test_json_on_stdout_is_the_reports_data_first_and_again(place: Place) -> None:
    first = place.run("run", "--date", DAY, "--json")
    again = place.run("run", "--date", DAY, "--json")
    assert json.loads(first.stdout) == json.loads(again.stdout) == place.report()


def test_no_publish_writes_no_page(place: Place) -> None:
    answer = place.run("run", "--date", DAY, "--no-publish", "--json")
    assert json.loads(answer.stdout)["window"]["label"] == DAY
    assert place.written() == {}


def test_several_days_one_report_each(place: Place) -> None:
    assert place.run("run", "--since", "2026-01-17", "--until", "2026-01-20").returncode == 0
    assert {f"reports/2026-01-{d}.json" for d in (17, 18, 19)} <= set(place.written())


def test_a_late_arrival_is_shown_once_and_the_old_report_keeps_its_bytes(place: Place) -> None:
    place.run("run", "--date", DAY)
    before = place.written()[f"reports/{DAY}.md"]
    late = place.upstream.commit("Pushed late (#3)", {"pkg/late.py": "x = 1\n"}, at=f"{DAY}T12:00:00")
    place.upstream.commit("Next day (#4)", {"pkg/next.py": "x = 1\n"}, at="2026-01-20T12:00:00")
    assert place.run("run", "--date", "2026-01-20").returncode == 0
    assert [c["sha"] for c in place.report("2026-01-20")["repos"][0]["late"]] == [late]
    assert "Pushed late" in (place.folder / "reports" / "2026-01-20.en.md").read_text(encoding="utf-8")
    assert place.run("run", "--date", DAY).returncode == 0
    assert place.written()[f"reports/{DAY}.md"] == before
    assert place.run("run", "--date", "2026-01-21").returncode == 0
    assert place.report("2026-01-21")["repos"][0]["late"] == []
    forced = place.run("run", "--date", DAY, "--force")
    assert forced.returncode == 0, forced.stderr
    assert place.report()["revised"] == [late]


def test_one_repository_alone_never_narrows_a_report(place: Place, tmp_path: Path) -> None:
    other = GitRepo.make(tmp_path / "other.git")
    other.commit("Other", {"a.py": "x = 1\n"}, at=f"{DAY}T11:00:00")
    place.config(f'[[repo]]\nname = "acme/other"\ngit = "{other.path}"\n')
    place.run("run", "--date", DAY)
    assert place.run("run", "--date", DAY, "--repo", "acme/other", "--force").returncode == 0
    assert [r["name"] for r in place.report()["repos"]] == ["acme/engine", "acme/other"]
    answer = place.run("run", "--date", DAY, "--repo", "acme/othr")
    assert answer.returncode == 2
    assert "Did you mean 'acme/other'?" in one_sentence_and_a_tip(answer)


def test_a_repository_that_vanished_is_skipped_and_the_rest_is_reported(place: Place, tmp_path: Path) -> None:
    place.config(f'[[repo]]\nname = "acme/gone"\ngit = "{tmp_path / "gone.git"}"\n')
    answer = place.run("run", "--date", DAY)
    assert answer.returncode == 3
    assert "acme/gone" in answer.stderr
    page = (place.folder / "reports" / f"{DAY}.md").read_text(encoding="utf-8")
    assert "acme/gone" in page
    assert "Tune" in page
    assert place.report()["coverage"]["skipped"][0]["what"] == "acme/gone"
    again = GitRepo.make(tmp_path / "gone.git")
    again.commit("Back", {"a.py": "x = 1\n"}, at=f"{DAY}T11:00:00")
    assert place.run("run", "--date", DAY).returncode == 0
    assert len(place.report()["repos"][1]["commits"]) == 1


def test_a_whole_report_is_not_replaced_by_a_poorer_one(place: Place) -> None:
    place.run("run", "--date", DAY)
    before = place.written()
    (place.folder / "reports" / f"{DAY}.md").unlink()
    place.upstream.path.rename(place.upstream.path.with_name("away.git"))
    answer = place.run("run", "--date", DAY)
    assert answer.returncode == 3
    assert "stays" in one_sentence_and_a_tip(answer)
    del before[f"reports/{DAY}.md"]
    assert place.written() == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "--date", "2999-01-01"], "future"),
        (["run", "--since", "2026-01-05", "--until", "2026-01-04"], "before it has begun"),
        (["run", "--date", "yesterdayish"], "not a day"),
        (["run", "--dat", "2026-01-01"], "Did you mean '--date'?"),
        (["rum"], "Did you mean 'run'?"),
        (["run", "--frob"], "See `daybreak"),
        (["run", "--last", "0d"], "number of days"),
        (["run", "--config", "nowhere.toml"], "There is no nowhere.toml"),
        (["run", "--analyst", "llm"], "no model is named"),
    ],
)
def test_bad_usage_is_one_sentence_a_tip_and_exit_code_2(place: Place, arguments: list[str], words: str) -> None:
    answer = place.run(*arguments)
    assert answer.returncode == 2
    assert words in one_sentence_and_a_tip(answer)
    assert place.written() == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('timezone = "Asia/Shangai"', "Did you mean 'Asia/Shanghai'?"),
        ("timezone = 8", "timezone: expected text"),
        ('timezon = "UTC"', "Did you mean 'timezone'?"),
        ('[[repo]]\nnam = "a/b"', "unknown key 'repo.nam'"),
        ('[[repo]]\nname = "a/../b"', "is not OWNER/NAME"),
        ("timezone =", "Check quotes and brackets"),
        ('out = "a"\nout = "b"', "stands a second time"),
        ("[reader]\n[reader]", "stands a second time"),
        ('timezone = "UTC"', "watchlist is empty"),
    ],
)
def test_a_mistake_in_the_config_is_one_sentence_a_tip_and_exit_code_2(place: Place, text: str, words: str) -> None:
    (place.folder / "daybreak.toml").write_text(text, encoding="utf-8")
    answer = place.run("run", "--date", DAY)
    assert answer.returncode == 2
    assert words in one_sentence_and_a_tip(answer)


def test_a_file_of_somebody_else_is_never_overwritten(place: Place) -> None:
    (place.folder / "README.md").write_text("# Mine\n", encoding="utf-8")
    answer = place.run("run", "--date", DAY)
    assert answer.returncode == 1
    assert "was not written by Daybreak" in one_sentence_and_a_tip(answer)
    assert place.written() == {"README.md": b"# Mine\n"}


def test_a_damaged_record_of_a_day_is_told_and_left(place: Place) -> None:
    place.run("run", "--date", DAY)
    path = place.folder / "reports" / f"{DAY}.json"
    path.write_bytes(b'{"schema": "daybreak.report/1", "win')
    answer = place.run("run", "--date", DAY)
    assert answer.returncode == 1
    assert "cannot be read as a report" in one_sentence_and_a_tip(answer)
    assert path.read_bytes().endswith(b'"win')


def test_the_second_of_two_runs_at_once_names_the_first(place: Place) -> None:
    from daybreak.store.lock import run_lock

    with run_lock(place.folder / ".daybreak"):
        answer = place.run("run", "--date", DAY)
    assert answer.returncode == 1
    assert f"process {os.getpid()}" in one_sentence_and_a_tip(answer)
    assert place.run("run", "--date", DAY).returncode == 0


def slow_git(folder: Path) -> str:
    """A PATH whose git stops in the middle of reading, until it is killed; it leaves a note when it got there."""
    real = subprocess.run(["which", "git"], capture_output=True, text=True, check=True).stdout.strip()
    (folder / "bin").mkdir()
    script = folder / "bin" / "git"
    script.write_text(
        f'#!/bin/sh\ncase "$*" in *" log "*) echo there > {folder}/note; exec sleep 600;; esac\nexec {real} "$@"\n'
    )
    script.chmod(0o755)
    return f"{folder / 'bin'}:{os.environ['PATH']}"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_in_the_middle_nothing_is_published_and_no_git_is_left(
    place: Place, tmp_path: Path, number: int
) -> None:
    process = place.start("run", "--date", DAY, PATH=slow_git(tmp_path))
    deadline = time.monotonic() + 60
    while not (tmp_path / "note").exists() and time.monotonic() < deadline:
        time.sleep(0.01)  # there is no other way to see another process arrive
    process.send_signal(number)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "Interrupted; no page is half-written." in err
    assert "Traceback" not in err
    assert place.written() == {}
    assert place.run("run", "--date", DAY).returncode == 0


def test_messages_can_be_json_and_quiet_is_quiet(place: Place) -> None:
    answer = place.run("run", "--date", DAY, "--log-format", "json")
    assert [json.loads(line)["level"] for line in answer.stderr.splitlines()] == ["info"]
    assert place.run("run", "--date", DAY, "--quiet").stderr == ""
    failed = place.run("run", "--date", "2999-01-01", "--log-format", "json")
    assert json.loads(failed.stderr)["tip"]


def test_hostile_names_reach_no_terminal_as_codes(place: Place) -> None:
    place.upstream.commit(
        "Title \x1b[2J with \u202e codes <b>@all</b> (#9)",
        {b"pkg/\x1b[31mred\nname\xff.py": "x = 1\n"},
        at=f"{DAY}T13:00:00",
        author=b"Ev\x1bil \xff",
    )
    answer = place.run("run", "--date", DAY)
    assert answer.returncode == 0, answer.stderr
    for data in place.written().values():
        assert b"\x1b" not in data
        assert "\u202e".encode() not in data
        data.decode("utf-8")
    assert "\x1b" not in answer.stdout + answer.stderr


def test_a_month_that_is_over_is_told_as_one_page_with_the_table_of_its_days(place: Place) -> None:
    assert place.run("run", "--date", DAY).returncode == 0
    assert place.written()["reports/2026-01.md"].startswith(b"<!-- daybreak.index/")
    assert place.run("run", "--date", "2026-01-31").returncode == 0
    told = place.written()["reports/2026-01.md"]
    assert told.startswith(b"<!-- daybreak.rollup/")
    assert f"| [{DAY}]({DAY}.md) |" in told.decode()
    assert place.run("run", "--date", "2026-01-20").returncode == 0
    assert b"| [2026-01-20](2026-01-20.md) |" in place.written()["reports/2026-01.md"]
    before = place.written()
    assert place.run("run", "--date", "2026-01-20").returncode == 0
    assert place.written() == before


def test_a_month_that_was_rolled_up_before_its_end_is_told_anew_by_each_run(place: Place) -> None:
    assert place.run("run", "--date", DAY).returncode == 0
    assert place.run("rollup", "--month", "2026-01").returncode in (0, 3)
    assert place.run("run", "--date", "2026-01-20").returncode == 0
    told = place.written()["reports/2026-01.md"].decode()
    assert told.startswith("<!-- daybreak.rollup/")
    assert "| [2026-01-20](2026-01-20.md) |" in told
    assert place.run("verify", str(place.folder / "reports" / "2026-01.md")).returncode == 0


def test_a_month_whose_page_could_not_be_told_lists_all_its_days_and_is_told_by_the_next_run(place: Place) -> None:
    in_the_way = place.folder / "reports" / "2026-01.json"
    in_the_way.mkdir(parents=True)
    for label in ("2026-01-31", "2026-01-20"):
        assert place.run("run", "--date", label).returncode == 3
        page = (place.folder / "reports" / "2026-01.md").read_text(encoding="utf-8")
        assert page.startswith("<!-- daybreak.index/")
        assert f"| [{label}]({label}.md) |" in page
    in_the_way.rmdir()
    assert place.run("run", "--date", "2026-01-20").returncode == 0
    assert (place.folder / "reports" / "2026-01.md").read_text(encoding="utf-8").startswith("<!-- daybreak.rollup/")


def test_a_run_that_reaches_no_repository_says_so_last(place: Place) -> None:
    place.config()
    text = (place.folder / "daybreak.toml").read_text(encoding="utf-8")
    (place.folder / "daybreak.toml").write_text(text.replace('git = "', 'git = "file://'), encoding="utf-8")
    assert place.run("run", "--date", DAY).returncode == 0
    place.upstream.path.rename(place.upstream.path.with_name("away"))
    answer = place.run("run", "--date", "2026-01-18")
    assert answer.returncode == 3
    assert answer.stderr.splitlines()[-1].endswith("nothing new was read from acme/engine; the next run tries again")
