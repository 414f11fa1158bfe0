"""`daybreak range` as a user runs it: pages in a folder, data on stdout, one sentence for every mistake."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from cli.place import Place, one_sentence_and_a_tip

FILE = "pkg/server_args.py"
STEM = "reports/range/acme-engine-v1.0..v1.1"


def flags(*names: str) -> str:
    return "".join(f'parser.add_argument("{name}", default=1)\n' for name in names)


@pytest.fixture
def upgraded(place: Place) -> Place:
    """Two releases: the second lacks a flag that the first has."""
    up = place.upstream
    up.tag("v1.0", up.commit("Base (#3)", {FILE: flags("--size", "--kv")}, at="2026-01-19T11:00:00"))
    up.commit("Drop the kv flag (#4)", {FILE: flags("--size")}, at="2026-01-19T12:00:00")
    up.tag("v1.1", up.commit("Docs (#5)", {"README.md": "x\n"}, at="2026-01-19T13:00:00"))
    return place


def test_pages_in_both_languages_and_data_and_the_same_bytes_again(upgraded: Place) -> None:
    answer = upgraded.run("range", "acme/engine", "v1.0..v1.1")
    assert answer.returncode == 0, answer.stderr
    assert "2 commits (1 breaking finding; 0 left behind; 0 skipped)" in answer.stdout
    written = upgraded.written()
    assert {f"{STEM}.md", f"{STEM}.en.md", f"{STEM}.json"} == set(written)
    assert b"--kv" in written[f"{STEM}.md"]
    assert b"--kv" in written[f"{STEM}.en.md"]
    data = json.loads(written[f"{STEM}.json"])
    assert [(net["kind"], net["symbol"], net["since"]) for net in data["nets"]] == [
        ("cli_flag_removed", "--kv", "v1.1")
    ]
    assert upgraded.run("range", "acme/engine", "v1.0..latest", "--offline").returncode == 0
    assert upgraded.written() == written


def test_data_on_stdout(upgraded: Place) -> None:
    answer = upgraded.run("range", "acme/engine", "v1.0..v1.1", "--json", "--no-publish")
    assert [commit["subject"] for commit in json.loads(answer.stdout)["commits"]] == [
        "Docs (#5)",
        "Drop the kv flag (#4)",
    ]
    assert upgraded.written() == {}


@pytest.mark.parametrize(("language", "word"), [("zh", "升级报告"), ("en", "Upgrade report")])
def test_without_publishing_the_main_edition_is_printed(upgraded: Place, language: str, word: str) -> None:
    answer = upgraded.run("range", "acme/engine", "v1.0..v1.1", "--no-publish", "--lang", language)
    assert answer.returncode == 0, answer.stderr
    assert word in answer.stdout
    assert upgraded.written() == {}


def test_any_repository_without_a_config(upgraded: Place, tmp_path: Path) -> None:
    (upgraded.folder / "daybreak.toml").unlink()
    arguments = ("acme/engine", "main..v1.0", "--git", str(upgraded.upstream.path), "--out", str(tmp_path / "out"))
    answer = upgraded.run("range", *arguments)
    assert answer.returncode == 0, answer.stderr
    assert (tmp_path / "out" / "reports" / "range" / "acme-engine-main..v1.0.json").is_file()
    assert not (upgraded.folder / ".daybreak").exists()
    assert "v1.0..main" in answer.stderr  # whoever swapped the ends is told at once


def test_what_was_read_without_a_config_is_there_for_the_next_question(upgraded: Place, own_home: Path) -> None:
    (upgraded.folder / "daybreak.toml").unlink()
    address = ("--git", str(upgraded.upstream.path))
    first = upgraded.run("range", "acme/engine", "v1.0..v1.1", *address, "--no-publish")
    assert "making a mirror" in first.stderr
    kept = {path: path.stat().st_mtime_ns for path in own_home.rglob("*.entry")}
    assert len(kept) == 2
    (upgraded.folder / "svc").mkdir()
    (upgraded.folder / "svc/start.sh").write_text("engine --kv 1\n", "utf-8")
    again = upgraded.run("impact", "svc", "--range", "acme/engine", "v1.0..v1.1", *address)
    assert again.returncode in (0, 3), again.stderr
    assert "making a mirror" not in again.stderr
    assert {path: path.stat().st_mtime_ns for path in own_home.rglob("*.entry")} == kept


def test_a_cache_that_cannot_be_written_costs_only_time(upgraded: Place) -> None:
    (upgraded.folder / "daybreak.toml").unlink()
    address = ("--git", str(upgraded.upstream.path), "--no-publish")
    full = upgraded.run("range", "acme/engine", "v1.0..v1.1", *address, XDG_CACHE_HOME="/dev/null")
    assert full.returncode == 0, full.stderr
    assert full.stdout == upgraded.run("range", "acme/engine", "v1.0..v1.1", *address).stdout


def test_a_branch_with_a_slash_has_a_page_of_its_own(upgraded: Place) -> None:
    up = upgraded.upstream
    up.commit("Hotfix (#9)", {"x.txt": "x\n"}, branch="release/1.x", parents=[up.oid("v1.0")], at="2026-01-20T10:00:00")
    assert upgraded.run("range", "acme/engine", "v1.0..release/1.x").returncode == 0
    names = [path.removeprefix("reports/range/") for path in upgraded.written()]
    assert all("/" not in name for name in names)
    assert any("release-1.x" in name for name in names)


def test_two_folders_of_sources(upgraded: Place, tmp_path: Path) -> None:
    for name, text in (("old", flags("--size", "--kv")), ("new", flags("--size"))):
        (tmp_path / name / "pkg").mkdir(parents=True)
        (tmp_path / name / FILE).write_text(text, "utf-8")
    answer = upgraded.run("range", "--trees", str(tmp_path / "old"), str(tmp_path / "new"), "--json", "--no-publish")
    assert answer.returncode == 0, answer.stderr
    assert [(net["kind"], net["symbol"]) for net in json.loads(answer.stdout)["nets"]] == [("cli_flag_removed", "--kv")]
    assert str(tmp_path) not in answer.stdout


def test_two_folders_of_sources_have_no_commits_to_count(upgraded: Place, tmp_path: Path) -> None:
    for name, text in (("old", flags("--size", "--kv")), ("new", flags("--size"))):
        (tmp_path / name / "pkg").mkdir(parents=True)
        (tmp_path / name / FILE).write_text(text, "utf-8")
    answer = upgraded.run("range", "--trees", str(tmp_path / "old"), str(tmp_path / "new"))
    assert "old..new: two source trees compared (1 breaking finding; 0 skipped) → " in answer.stdout
    assert "commit" not in answer.stdout + answer.stderr


def test_what_was_skipped_is_said_and_is_something_to_look_at(upgraded: Place) -> None:
    up = upgraded.upstream
    up.lose(up.oid("v1.1:README.md"))
    answer = upgraded.run("range", "acme/engine", "v1.0..v1.1")
    assert answer.returncode == 3, answer.stderr
    assert "skipped: acme/engine" in answer.stderr
    assert "1 skipped" in answer.stdout


def test_a_page_that_is_not_ours_is_left_alone(upgraded: Place) -> None:
    path = upgraded.folder / f"{STEM}.md"
    path.parent.mkdir(parents=True)
    path.write_text("my own notes\n", "utf-8")
    answer = upgraded.run("range", "acme/engine", "v1.0..v1.1")
    assert answer.returncode == 1
    assert "was not written by Daybreak" in one_sentence_and_a_tip(answer)
    assert upgraded.written() == {f"{STEM}.md": b"my own notes\n"}


def test_what_touches_your_code_is_something_to_look_at(upgraded: Place, tmp_path: Path) -> None:
    code = tmp_path / "service"
    code.mkdir()
    (code / "start.sh").write_text("#!/bin/sh\npython -m engine.server --size 3\n", "utf-8")
    answer = upgraded.run("range", "acme/engine", "v1.0..v1.1", "--impact", str(code), "--json", "--no-publish")
    assert answer.returncode == 0, answer.stderr
    data = json.loads(answer.stdout)
    assert (data["hits"], data["ignored"]) == ([], 1)


@pytest.mark.parametrize(
    "name", ["engine", "https://GitHub.com/acme/engine/", "https://github.com/acme/engine.git", "{git}"]
)
def test_a_repository_is_known_by_the_end_of_its_name_and_by_its_addresses(upgraded: Place, name: str) -> None:
    told = upgraded.run("range", name.format(git=upgraded.upstream.path), "v1.0..v1.1", "--no-publish")
    assert told.returncode == 0, told.stderr
    assert "acme/engine · v1.0 → v1.1" in told.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("acme/engine",), "a range A..B"),
        (("acme/engine", "v1.0"), "Write v1.0..latest."),
        (("acme/engine", "v1.0.."), "Write v1.0..latest."),
        (("acme/engine", "v1.0...v1.1"), "three dots"),
        (("acme/engine", "v1.0..v9"), "no tag, branch or commit 'v9'"),
        (("acme/engin", "v1.0..v1.1"), "not on the watchlist"),
        (("acme/engine", "v1.0..v1.1", "--git", "/nowhere"), "/nowhere"),
        (("--trees", "/nowhere", "/nowhere"), "does not exist"),
        (("acme/engine", "v1.0..v1.1", "--trees", "a", "b"), "two folders and nothing else"),
        (("acme/engine", "v1.0..v1.1", "--impact", "/nowhere"), "There is no /nowhere"),
    ],
)
def test_mistakes_are_one_sentence_and_a_tip(upgraded: Place, arguments: tuple[str, ...], words: str) -> None:
    answer = upgraded.run("range", *arguments)
    assert answer.returncode in (1, 2)
    assert words in one_sentence_and_a_tip(answer)
    assert answer.stdout == ""
    assert upgraded.written() == {}


def test_a_repository_that_is_gone_is_one_sentence(upgraded: Place) -> None:
    shutil.rmtree(upgraded.upstream.path)
    answer = upgraded.run("range", "acme/engine", "v1.0..v1.1")
    assert answer.returncode == 1
    one_sentence_and_a_tip(answer)
