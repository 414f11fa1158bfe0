"""What a newcomer meets in the first minutes: an answer that leads on, and no line that must be guessed at."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cli.place import DAY, Place, one_sentence_and_a_tip
from daybreak.collect.github import client as github_client
from daybreak.collect.github import source as github_source
from program import PROGRAM, ended, run, start


def test_a_day_long_after_the_newest_commit_names_a_day_with_something_to_read(place: Place) -> None:
    quiet = place.run("run", "--date", "2026-03-01")
    assert quiet.returncode == 0, quiet.stderr
    assert f"the newest commit there is of {DAY}: daybreak run --date {DAY}" in quiet.stderr
    several = place.run("run", "--since", "2026-03-02", "--until", "2026-03-09")
    assert several.stderr.count(f"the newest commit there is of {DAY}") == 1, "a week of nothing is told once"
    page = (place.folder / "reports" / "2026-03-01.en.md").read_text(encoding="utf-8")
    assert f"Its newest commit is of {DAY}." in page, "a copy of long ago looks like quiet days"
    first = page.partition("## Act on")[2].partition("##")[0]
    assert f"No repository has a commit after {DAY}" in first, "quiet is no answer where nobody fetches"
    assert place.run("verify", "reports/2026-03-01.md").returncode == 0
    assert "newest commit" not in place.run("run", "--date", "2026-01-21").stderr
    assert "newest commit" not in (place.folder / "reports" / "2026-01-21.md").read_text(encoding="utf-8")
    assert "newest commit" not in place.run("run", "--date", DAY).stderr


def test_a_repository_without_a_mirror_is_named_once(tmp_path: Path) -> None:
    text = 'timezone = "UTC"\n[[repo]]\nname = "https://github.com/acme/engine"\n'
    (tmp_path / "daybreak.toml").write_text(text, encoding="utf-8")
    said = run("doctor", "--offline", cwd=tmp_path).stdout
    assert "FAIL acme/engine: It has no mirror on disk." in said


@pytest.mark.parametrize(("zone", "meant"), [("Beijing", "Asia/Shanghai"), ("europe/berlin", "Europe/Berlin")])
def test_a_zone_that_is_none_is_answered_with_one_that_is(tmp_path: Path, zone: str, meant: str) -> None:
    (tmp_path / "daybreak.toml").write_text(f'timezone = "{zone}"\n[[repo]]\nname = "a/b"\n', encoding="utf-8")
    done = run("run", cwd=tmp_path)
    assert done.returncode == 2
    assert meant in done.stderr
    assert "Ojinaga" not in done.stderr


def test_a_search_before_the_first_report_says_that_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "daybreak.toml").write_text('timezone = "UTC"\n[[repo]]\nname = "a/b"\n', encoding="utf-8")
    done = run("search", "crash", cwd=tmp_path)
    assert done.returncode == 1
    assert "No day is reported here yet" in done.stderr


def test_a_message_to_nobody_names_an_address_that_is_not_our_own_service(tmp_path: Path) -> None:
    (tmp_path / "daybreak.toml").write_text('timezone = "UTC"\n[[repo]]\nname = "a/b"\n', encoding="utf-8")
    done = run("notify", "--test", cwd=tmp_path)
    assert done.returncode == 2
    assert "8080" not in done.stderr


def test_setting_up_by_pip_says_what_it_does_before_it_is_silent() -> None:
    script = (Path(__file__).resolve().parents[2] / "scripts" / "setup.sh").read_text(encoding="utf-8")
    by_pip = script.partition("else")[2]
    assert by_pip.index("echo") < by_pip.index("-m pip")


def test_setting_up_by_uv_trusts_whom_the_machine_trusts_where_uv_alone_does_not(tmp_path: Path) -> None:
    script = Path(__file__).resolve().parents[2] / "scripts" / "setup.sh"
    uv = tmp_path / "uv"
    uv.write_text('#!/bin/sh\n[ "$1" = venv ] || [ -n "$UV_SYSTEM_CERTS" ] || exit 2\n', encoding="utf-8")
    uv.chmod(0o755)
    (tmp_path / "venv").mkdir()
    plain = {"PATH": os.environ["PATH"]}
    words = ("sh", str(script), sys.executable, "venv", str(uv), "none.txt")
    done = subprocess.run(words, cwd=tmp_path, env=plain, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "UV_SYSTEM_CERTS=1" in done.stderr


@pytest.mark.parametrize("locale", ["C", "POSIX", "en_US.ISO-8859-1"])
@pytest.mark.parametrize("mode", ["", "0"])
def test_names_in_other_letters_are_written_as_they_are_whatever_the_locale(
    tmp_path: Path, locale: str, mode: str
) -> None:
    """UTF-8 mode off, as an old locale or a setting has it: Python reads each letter of a name as bytes then."""
    env = {"LC_ALL": locale, "PYTHONUTF8": mode, "PYTHONCOERCECLOCALE": mode}
    done = ended(start("init", "我的日报", "--repo", "a/b", cwd=tmp_path, env=env))
    assert done.returncode == 0
    assert "wrote 我的日报/daybreak.toml; next: cd '我的日报' && daybreak run" in done.stderr
    told = ended(start("doctor", "--offline", cwd=tmp_path / "我的日报", env=env))
    assert "我的日报 can be written" in told.stdout


def test_a_folder_whose_name_is_no_text_is_refused_and_named(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/mine\xff"))
    folder.mkdir()
    (folder / "daybreak.toml").write_text('timezone = "UTC"\n[[repo]]\nname = "a/b"\n', encoding="utf-8")
    done = run("run", cwd=folder)
    assert done.returncode == 2
    assert "mine is no UTF-8" in done.stderr


def test_without_a_network_it_is_said_within_seconds_and_nothing_is_claimed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names under `.invalid` have no address anywhere (RFC 2606); it was 94 seconds once, of asking again and again."""
    waits, clock = list[float](), github_client.Clock
    monkeypatch.setattr(github_source, "Clock", lambda now, _, chance: clock(now, waits.append, chance))
    repos = "".join(
        f'[[repo]]\nname = "acme/{name}"\ngit = "https://git.invalid/acme/{name}.git"\n'
        for name in ("one", "two", "three")
    )
    text = f'timezone = "UTC"\nlanguages = ["en"]\n{repos}[github]\nask = true\napi = "https://api.git.invalid"\n'
    (tmp_path / "daybreak.toml").write_text(text, encoding="utf-8")
    done = run("run", "--date", DAY, cwd=tmp_path)
    assert sum(waits) < 30
    assert done.returncode == 3
    assert done.stderr.count("cannot be reached: no network") >= 3
    page = (tmp_path / "reports" / f"{DAY}.md").read_text(encoding="utf-8")
    assert "Not known: no repository could be had." in page
    addresses = re.findall(r"https:[^`\s]*git\W*invalid[^`\s]*", page)
    assert addresses
    assert all(one.isascii() for one in addresses)  # what is copied works


def test_a_repository_is_meant_by_the_last_part_of_its_name(place: Place) -> None:
    first, last = (
        place.upstream.commit(f"Step {n} (#{n})", {"pkg/a.py": f"x = {n}\n"}, at=f"{DAY}T1{n}:00:00") for n in (3, 4)
    )
    done = place.run("range", "engine", f"{first}..{last}", "--no-publish")
    assert done.returncode == 0, done.stderr
    assert "acme/engine" in done.stdout


def test_a_repository_on_this_disk_is_no_failure_before_its_first_run(place: Place) -> None:
    done = place.run("doctor", "--offline")
    assert done.returncode == 0, done.stdout
    assert "ok   acme/engine: on this disk" in done.stdout


def test_a_chinese_word_finds_what_english_titles_say(place: Place) -> None:
    place.upstream.commit("Fix a crash when the cache is empty (#3)", {"pkg/a.py": "x = 1\n"}, at=f"{DAY}T11:00:00")
    assert place.run("run", "--date", DAY, "--quiet").returncode == 0
    done = place.run("search", "崩溃", "repo:engine")
    assert done.returncode == 0, done.stderr
    assert "Fix a crash when the cache is empty" in done.stdout


def test_a_message_can_be_looked_at_before_there_is_anybody_to_send_it_to(place: Place) -> None:
    assert place.run("run", "--date", DAY, "--quiet").returncode == 0
    done = place.run("notify", "--date", DAY, "--dry-run")
    assert done.returncode == 0, done.stderr
    assert DAY in done.stdout


def test_a_look_at_a_day_of_long_ago_does_not_make_all_days_since_missing(place: Place) -> None:
    env = {"DAYBREAK_NOW": "2026-05-20T08:00:00+00:00"}
    for day in (DAY, "2026-05-17", "2026-05-19"):
        assert place.run("run", "--date", day, "--quiet", **env).returncode == 0
    told = place.run("status", **env)
    assert re.findall(r"(\S+) +MISSING", told.stdout) == ["2026-05-18"]
    assert "To complete" in told.stdout
    assert place.run("run", "--date", "2026-05-18", "--quiet", **env).returncode == 0
    assert place.run("status", **env).returncode == 0


def shell(place: Place, line: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["sh", "-c", line, "sh", *PROGRAM, *arguments]
    return subprocess.run(command, cwd=place.folder, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize("arguments", [("status",), ("doctor", "--offline"), ("--help",), ("status", "--json")])
def test_a_command_whose_output_is_closed_does_its_work(place: Place, arguments: tuple[str, ...]) -> None:
    assert place.run("run", "--date", DAY).returncode == 0
    done = shell(place, '"$@" >&-', *arguments)
    assert done.returncode == 0, done.stderr
    assert "bug" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "--date", DAY, "--json"),
        ("run", "--date", DAY, "--json", "--no-publish"),
        ("range", "acme/engine", "HEAD..HEAD"),
        ("status", "--json"),
        ("docs", "upgrades"),
        ("--help",),
    ],
)
def test_a_reader_who_has_enough_changes_no_exit_code(place: Place, arguments: tuple[str, ...]) -> None:
    """Nobody reads at all: what was written meets a pipe without an end, whatever its size."""
    read, write = os.pipe()
    os.close(read)
    command = [*PROGRAM, *arguments]
    left = subprocess.run(command, cwd=place.folder, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert left.returncode == place.run(*arguments).returncode, left.stderr
    for word in ("bug", "printed", "Exception"):
        assert word not in left.stderr


def test_a_failure_is_said_before_anybody_else_is_told_of_it(place: Place, tmp_path: Path) -> None:
    """A target that does not answer is waited for, and what is being done meanwhile has a name."""
    place.config('[notify]\nurls = ["json://127.0.0.1:9/"]\npatience = 0\n')
    done = place.run("run", "--date", DAY, PATH=str(tmp_path / "empty"))
    assert done.returncode == 1
    said = [line for line in done.stderr.splitlines() if line.startswith(("daybreak: ", "  tip: "))]
    assert said[0] == "daybreak: The git program was not found."
    assert said[1].startswith("  tip: ")
    assert "telling the targets of [notify] that the run failed" in said[2]
    assert done.stderr.count("was not found") == done.stderr.count("tip:") == 1


def test_a_closed_stream_of_errors_changes_no_exit_code(place: Place) -> None:
    assert shell(place, '"$@" 2>&-', "run", "--date", DAY).returncode == 0
    assert shell(place, '"$@" 2>&-', "run", "--date", "never").returncode == 2


def test_an_output_that_is_full_is_no_bug(place: Place) -> None:
    assert place.run("run", "--date", DAY).returncode == 0
    done = shell(place, '"$@" > /dev/full', "status")
    assert done.returncode == 1
    assert "The output could not be written: No space left on device." in one_sentence_and_a_tip(done)


def test_a_readme_of_somebody_else_is_told_before_anything_is_read(place: Place) -> None:
    (place.folder / "README.md").write_text("# Our notes\n", encoding="utf-8")
    done = place.run("run", "--date", DAY)
    assert done.returncode == 1
    assert "README.md was not written by Daybreak" in one_sentence_and_a_tip(done)
    assert not (place.folder / ".daybreak" / "mirrors").exists()
    told = place.run("doctor", "--offline").stdout
    assert "FAIL out: " in told
    assert "nothing foreign" not in told


def test_the_first_report_takes_the_place_of_the_templates_page(place: Place) -> None:
    page = place.folder / "README.md"
    page.write_bytes((Path(__file__).resolve().parents[2] / "template" / "README.md").read_bytes())
    assert place.run("run", "--date", DAY).returncode == 0
    assert f"reports/{DAY}" in page.read_text(encoding="utf-8")


def test_a_misspelt_day_a_place_that_cannot_be_and_a_missing_config_are_answered_with_the_way_on(place: Place) -> None:
    assert "Did you mean 'yesterday'?" in one_sentence_and_a_tip(place.run("run", "--date", "yesterdy"))
    assert place.run("run", "--date", DAY).returncode == 0
    (place.folder / "file").write_text("", encoding="utf-8")
    refused = one_sentence_and_a_tip(place.run("site", "--out", "file/below"))
    assert "Choose another place with --out." in refused
    missing = place.run("doctor", "--config", "none.toml")
    assert (missing.returncode, "FAIL none.toml" in missing.stdout) == (2, True)


@pytest.mark.parametrize("named", ["daybreak.toml", "below/daybreak.toml"])
def test_a_config_that_is_no_toml_is_told_with_its_line_and_is_bad_usage(place: Place, named: str) -> None:
    file = place.folder / named
    file.parent.mkdir(exist_ok=True)
    file.write_text('timezone = "UTC"\n[[repo]\n', encoding="utf-8")
    said = place.run("doctor", "--config", named)
    assert "FAIL daybreak.toml is not valid TOML: " in said.stdout
    assert "at line 2" in said.stdout
    assert said.returncode == place.run("run", "--config", named).returncode == 2


@pytest.mark.parametrize(
    "command",
    ["rollup --week 2026-W05", "search x", "show 2026-01-19", "show a1b2c3d", "range a/b v1..v2", "impact .",
     "notify --test", "grade a/b --commits -", "run", "status", "site", "doctor", "verify x.md", "mcp"],
)  # fmt: skip
def test_a_tip_names_no_option_that_the_command_lacks(tmp_path: Path, command: str) -> None:
    done = run(*command.split(), cwd=tmp_path)
    known = run(command.split(maxsplit=1)[0], "--help", cwd=tmp_path).stdout
    for option in re.findall(r"--[a-z]+", done.stderr.partition("tip:")[2]):
        assert option in known


def test_a_day_that_is_still_to_come_is_told_as_that(place: Place) -> None:
    for command in (("show", "9027-01-01"), ("rollup", "--week", "9027-W01")):
        said = one_sentence_and_a_tip(place.run(*command))
        assert "still to come" in said
        assert "daybreak run" not in said


def test_a_file_that_cannot_be_read_is_told_without_a_sum_of_nothing(place: Place) -> None:
    done = place.run("verify", "nofile.md")
    assert done.returncode == 2
    assert "claims checked" not in one_sentence_and_a_tip(done)


def test_a_missing_git_is_told_once_and_what_cannot_be_written_as_that(place: Place, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    place.config(top=f'timezone = "UTC"\nout = "{tmp_path}/file/out"')
    said = place.run("doctor", "--offline", PATH=str(tmp_path / "empty")).stdout
    assert said.count("git program was not found") == 1
    assert f"FAIL out: {tmp_path}/file/out cannot be written" in said


def test_a_place_that_cannot_be_written_is_named_by_the_folder_that_a_user_knows(place: Place, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    demo = one_sentence_and_a_tip(place.run("demo", "--out", str(tmp_path / "file" / "demo")))
    assert "Errno" not in demo
    (place.folder / ".daybreak").write_text("", encoding="utf-8")
    ran = one_sentence_and_a_tip(place.run("run", "--date", DAY))
    assert f"{place.folder}/.daybreak cannot be written: " in ran
    assert "lock" not in ran
