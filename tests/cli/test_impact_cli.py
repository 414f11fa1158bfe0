"""`impact`, `range` and `ack` at their edges: acknowledgements, tips that fit what was asked, forks in the right language."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from cli.place import Place, one_sentence_and_a_tip
from daybreak.cli import common_options, impact, main
from daybreak.core.errors import ConfigError, GitError, UsageError
from daybreak.core.model.changes import Repo, Skipped
from daybreak.core.model.upgrade import ForkReport, ForkTouch
from forkrepo import Fork
from gitrepo import GitRepo, clean_environment

NOW = {"DAYBREAK_NOW": "2026-01-20T08:00:00+00:00"}
ARGS = "engine/server_args.py"


def flags(*names: str) -> str:
    return "".join(f'parser.add_argument("{name}", default=1)\n' for name in names)


@pytest.fixture
def touched(place: Place) -> Place:
    """A release that lacks a flag, and a script that passes it."""
    up = place.upstream
    up.tag("v1.0.0", up.commit("Base (#3)", {ARGS: flags("--size", "--kv")}, at="2026-01-19T11:00:00"))
    up.tag("v1.1.0", up.commit("Drop it (#4)", {ARGS: flags("--size")}, at="2026-01-19T12:00:00"))
    (place.folder / "svc").mkdir()
    (place.folder / "svc" / "run.sh").write_text("python -m engine.launch --kv 3 --size 2\n", "utf-8")
    return place


# --- acknowledgements ----------------------------------------------------------------------------------------------


def test_an_id_that_no_answer_told_is_refused_and_the_one_that_was_meant_is_named(touched: Place) -> None:
    assert "could not be checked" in touched.run("ack", "DB-00000000", "--reason", "early", **NOW).stderr
    asked = touched.run("impact", "svc", "--range", "acme/engine", "v1.0.0..v1.1.0", "--json", **NOW)
    known: str = json.loads(asked.stdout)["hits"][0]["id"]
    wrong = known[:-1] + ("0" if known[-1] != "0" else "1")
    said = touched.run("ack", wrong, "--reason", "r", **NOW)
    assert said.returncode == 2
    assert f"Did you mean {known}? " in one_sentence_and_a_tip(said)
    assert touched.run("ack", wrong, "--reason", "r", "--elsewhere", **NOW).returncode == 0
    assert touched.run("ack", known, "--reason", "r", **NOW).returncode == 0
    said = touched.run("ack", "cli_flag_remove:--kv", "--reason", "r", **NOW)
    assert said.returncode == 2
    assert "Did you mean cli_flag_removed?" in said.stderr


def test_a_range_keeps_to_the_acknowledgements_until_they_expire(touched: Place) -> None:
    asks = ("range", "acme/engine", "v1.0.0..v1.1.0", "--impact", "svc")
    before = touched.run(*asks, **NOW)
    assert before.returncode == 3, before.stderr
    assert "1 place of yours touched" in before.stdout
    ack = ("ack", "cli_flag_removed:--kv", "--reason", "we go in May", "--expires", "30d")
    assert touched.run(*ack, **NOW).returncode == 0
    after = touched.run(*asks, "--offline", **NOW)
    assert after.returncode == 0, after.stderr
    assert "0 places of yours touched" in after.stdout
    later = touched.run(*asks, "--offline", DAYBREAK_NOW="2026-04-01T08:00:00+00:00")
    assert later.returncode == 3


# --- tips ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ("range", "acme/x", "a..b", "--git", "/nonexistent"),
        ("impact", "svc", "--range", "acme/x", "a..b", "--git", "/nonexistent"),
        ("grade", "acme/x", "--commits", "/dev/null", "--git", "/nonexistent"),
    ],
)
def test_an_address_given_by_hand_is_not_looked_for_in_the_config(touched: Place, arguments: tuple[str, ...]) -> None:
    answer = touched.run(*arguments)
    assert answer.returncode == 1
    assert "--git" in one_sentence_and_a_tip(answer)
    assert "daybreak.toml" not in answer.stderr


def test_an_address_of_the_config_is_looked_for_there() -> None:
    with pytest.raises(GitError) as caught, common_options.told_of_git(None):
        raise GitError("It is gone.", "Check `git` of this repository in daybreak.toml.")
    assert "daybreak.toml" in caught.value.tip


@pytest.mark.parametrize(
    ("command", "way"),
    [
        (("range", "acme/engine", "a..b"), "say where the repository is with --git"),
        (("impact", "."), "--range OWNER/NAME A..B --git URL"),
        (("grade", "acme/engine", "--commits", "/dev/null"), "with --git"),
    ],
)
def test_without_a_config_the_way_without_one_is_told(place: Place, command: tuple[str, ...], way: str) -> None:
    (place.folder / "daybreak.toml").unlink()
    answer = place.run(*command)
    assert answer.returncode == 2
    assert way in one_sentence_and_a_tip(answer)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("lantren", "'acme/lantern'"),
        ("acme/wik", "'acme/wick'"),
        ("zzzzzz", "--git"),
    ],
)
def test_a_part_of_a_name_is_told_in_full(name: str, meant: str) -> None:
    repos = [Repo(full, "", "") for full in ("acme/lantern", "acme/wick")]
    with pytest.raises(UsageError) as caught:
        common_options.listed(repos, name)
    assert meant in caught.value.tip
    assert common_options.listed(repos, "acme/wick") is common_options.listed(repos, "Wick") is repos[1]


def test_what_is_no_finding_says_what_one_looks_like(place: Place) -> None:
    answer = place.run("ack", "nonsense", "--reason", "x")
    assert answer.returncode == 2
    said = one_sentence_and_a_tip(answer)
    assert "DB-3f9a2c11" in said
    assert "kind:symbol" in said


# --- work ----------------------------------------------------------------------------------------------------------


def test_a_range_elsewhere_is_read_by_all_cores(touched: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def stop(job: object, *_: object) -> None:
        seen.append(job.workers)  # type: ignore[attr-defined]
        raise UsageError("stop", "stop")

    monkeypatch.setattr("daybreak.upgrade.impact.in_range", stop)
    monkeypatch.setattr(impact, "cores", lambda: 5)
    monkeypatch.chdir(touched.folder)
    git = str(touched.upstream.path)
    assert main(["impact", "svc", "--range", "acme/engine", "v1.0.0..v1.1.0", "--git", git]) == 2
    assert seen == [5]


# --- forks ---------------------------------------------------------------------------------------------------------


def answered(folder: Path, fork: Fork, *more: str) -> subprocess.CompletedProcess[str]:
    place = Place(folder, GitRepo(fork.repo.path))
    return place.run("impact", str(fork.repo.path), "--fork", "fork", "--upstream", "main", *more)


def test_a_fork_is_answered_in_the_language_of_the_config(tmp_path: Path) -> None:
    fork = Fork(tmp_path)
    fork.ours({"b.py": "b\n"})
    folder = tmp_path / "work"
    folder.mkdir()
    assert "Merging main: no conflicts" in answered(folder, fork).stdout
    (folder / "daybreak.toml").write_text('languages = ["zh", "en"]\n', "utf-8")
    assert "无冲突" in answered(folder, fork).stdout
    assert "Merging main: no conflicts" in answered(folder, fork, "--lang", "en").stdout
    (folder / "daybreak.toml").write_text("languages = 3\n", "utf-8")
    assert answered(folder, fork).returncode == 2


@pytest.mark.parametrize(
    ("report", "code"),
    [
        (ForkReport("fork", "main", "b" * 40, merges=True), 0),
        (ForkReport("fork", "main", "b" * 40, merges=False), 3),
        (ForkReport("fork", "main", "b" * 40, merges=None), 3),
        (ForkReport("fork", "main", "b" * 40, merges=True, skipped=(Skipped("a.py", "it is gone"),)), 3),
        (ForkReport("fork", "main", "b" * 40, merges=True, touches=(ForkTouch("c" * 40, "file", ("a.py",)),)), 3),
    ],
)
def test_what_meets_us_or_could_not_be_told_is_something_to_look_at(
    report: ForkReport, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daybreak.upgrade.fork.forking.fork_report", lambda *_: report)
    monkeypatch.chdir(tmp_path)
    assert main(["impact", ".", "--fork", "fork"]) == code


def test_a_config_that_is_there_is_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        common_options.settings_of(str(tmp_path / "none.toml"), {})
    (tmp_path / "daybreak.toml").write_text('languages = ["en"]\n', "utf-8")
    assert common_options.settings_of(str(tmp_path / "daybreak.toml"), {}).languages == ("en",)


# --- ranges from pins, and another commit of one's own ---------------------------------------------------------------


@pytest.fixture
def own(touched: Place) -> Path:
    """The service as a repository of its own that runs 1.0.0."""
    svc = touched.folder / "svc"
    (svc / "requirements.txt").write_text("engine==1.0.0\n", "utf-8")
    env = clean_environment(touched.folder)
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-qm", "Start")):
        git = ["git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org", *words]
        subprocess.run(git, cwd=svc, env=env, check=True)
    return svc


def test_the_range_starts_at_the_version_that_is_pinned(touched: Place, own: Path) -> None:
    done = touched.run("impact", "svc", "--from-pin", "--lang", "en", **NOW)
    assert done.returncode == 3, done.stderr
    assert "acme/engine v1.0.0..v1.1.0" in done.stdout
    assert "run.sh:1" in done.stdout
    assert "requirements.txt:1: engine 1.0.0 → latest" in done.stderr


def test_the_tag_that_a_pin_lacks_is_named(touched: Place, own: Path) -> None:
    done = touched.run("impact", "svc", "--from-pin", "v7.0.0", **NOW)
    assert done.returncode == 1, done.stderr
    assert (
        "no tags for 1.0.0 and v7.0.0 (requirements.txt:1): acme/engine has no tag, branch or commit 'v7.0.0'"
        in done.stderr
    )


def test_code_that_pins_nothing_is_asked_for_a_range(touched: Place) -> None:
    done = touched.run("impact", "svc", "--from-pin", **NOW)
    assert done.returncode == 2
    one_sentence_and_a_tip(done)
    assert "--range" in done.stderr


def test_only_what_the_other_commit_does_not_have_counts(touched: Place, own: Path) -> None:
    asks = ("impact", "svc", "--range", "acme/engine", "v1.0.0..v1.1.0", "--lang", "en", "--against", "HEAD")
    same = touched.run(*asks, **NOW)
    assert same.returncode == 0, same.stderr
    assert "1 more is in HEAD as well" in same.stdout
    (own / "more.sh").write_text("python -m engine.launch --kv 4\n", "utf-8")
    more = touched.run(*asks, **NOW)
    assert more.returncode == 3
    assert "more.sh:1" in more.stdout
    assert "run.sh:1" not in more.stdout


def test_a_commit_that_is_not_there_is_said(touched: Place, own: Path) -> None:
    done = touched.run("impact", "svc", "--range", "acme/engine", "v1.0.0..v1.1.0", "--against", "nowhere", **NOW)
    assert done.returncode == 2
    one_sentence_and_a_tip(done)


def test_data_is_printed_though_no_pin_moved(touched: Place) -> None:
    service = touched.folder / "svc"
    for command in (("init", "-q"), ("add", "-A"), ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x")):
        subprocess.run(["git", *command], cwd=service, check=True, env=clean_environment(touched.folder))
    answer = touched.run("impact", "svc", "--bumps", "HEAD", "--json", "--offline", **NOW)
    assert answer.returncode == 0, answer.stderr
    assert json.loads(answer.stdout)["hits"] == []


# --- where your code is --------------------------------------------------------------------------------------------


def test_code_that_the_config_names_need_not_be_named_again(touched: Place) -> None:
    asks = ("impact", "--range", "acme/engine", "v1.0.0..v1.1.0")
    assert "where your code is" in one_sentence_and_a_tip(touched.run(*asks, **NOW))
    config = touched.folder / "daybreak.toml"
    plain = config.read_text("utf-8")
    config.write_text(f'{plain}\n[impact]\npaths = ["svc"]\n', "utf-8")
    found = touched.run(*asks, **NOW)
    assert found.returncode == 3, found.stderr
    assert "svc/run.sh:1" in found.stdout
    config.write_text(f'{plain}\n[impact]\npaths = ["svc", "other"]\n', "utf-8")
    assert "svc, other" in one_sentence_and_a_tip(touched.run(*asks, **NOW))


def test_a_tag_without_its_last_part_is_answered_with_the_tag_that_begins_so(touched: Place) -> None:
    touched.upstream.tag(
        "v0.1.1", touched.upstream.commit("Later (#5)", {"notes.txt": "x\n"}, at="2026-01-19T13:00:00")
    )
    asked = touched.run("range", "acme/engine", "v1.0.0..v1.1", **NOW)
    assert "Did you mean 'v1.1.0'?" in asked.stderr
