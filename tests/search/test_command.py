"""`daybreak search` as a user runs it, on the demo's week."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest

from daybreak.cli import main


@pytest.fixture
def place(own_demo_week: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(own_demo_week)
    return own_demo_week


def width(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in line)


def test_results_stand_in_80_columns_and_the_best_comes_first(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "breaking:yes", "--limit", "5"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(width, lines)) <= 80
    assert "breaking" in lines[0]
    assert "daybreak-demo/" in lines[0]
    assert lines[-1].startswith("1 to 5 of ")
    assert main(["search", "breaking:yes", "--limit", "5", "--offset", "5", "--lang", "en", "--no-color"]) == 0
    assert lines[0] not in capsys.readouterr().out.splitlines()


def test_filters_alone_find_what_they_say_and_tell_what_it_is_about(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No word was looked for, so that none is missing from what is shown."""
    assert main(["search", "repo:lantern", "level:high", "since:2026-03-06", "--lang", "en"]) == 0
    told = capsys.readouterr().out
    assert "  DEFAULT · Default of --chunked-prefill-size: 8192 → 2048." in told.splitlines()
    assert "Only the name of a file" not in told


def test_data_has_everything_of_a_hit(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "--json", "in:change", "level:high"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["total"] == len(told["hits"]) > 0
    hit = told["hits"][0]
    assert hit["level"] == "high"
    assert len(hit["id"]) == 40
    assert hit["url_path"].startswith("changes/daybreak-demo-")
    assert main(["search", "--json", hit["id"][:9]]) == 0
    assert json.loads(capsys.readouterr().out)["hits"][0]["id"] == hit["id"]


def test_chinese_words_of_two_characters_are_found(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "移除"]) == 0 or main(["search", "删除"]) == 0
    assert "daybreak-demo/" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["zzyzx"], 1, "Nothing was found for zzyzx."),
        (["zzyzxcrashingly"], 1, "or the start of one: `zzyzxcra*`"),
        (["lantern", "breaking:yes", "since:2027-01"], 1, "Did you mean lantern breaking:yes? Reports go from 2026-"),
        (["max-num-seqs", "level:low", "repo:tilekit"], 1, "Did you mean max-num-seqs?"),
        (["zzyz", "repo:lantern"], 1, "Use fewer words, or others."),
        (["kind:route_removed", "is:skipped"], 1, "tip: Leave a filter out, or give it another value."),
        (["kind:route_removed"], 1, "Give the filter another value."),
        (["kind:fixx"], 2, "Did you mean kind:fix?"),
        (["since:2099"], 1, "Reports go from 2026-"),
        (["month:2025-01", "crash"], 1, "Reports go from 2026-"),
        (["x" * 10_000], 2, "10000 characters"),
        (["a", "--limit", "0"], 2, "--limit goes from 1 to 100"),
        (["a", "--offset", "-1"], 2, "--offset"),
        (["\x1b[31mred\x07"], 1, "Nothing was found"),
    ],
)
def test_what_goes_wrong_is_one_sentence(
    place: Path, words: list[str], code: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["search", *words]) == code
    said = capsys.readouterr()
    assert told in said.err
    assert "\x1b" not in said.err
    assert "Traceback" not in said.err


def test_written_reports_are_searched_where_there_is_no_store(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "--json", "in:change"]) == 0
    with_store = json.loads(capsys.readouterr().out)
    for path in (place / ".daybreak").glob("daybreak.db*"):
        path.unlink()
    assert main(["search", "--json", "in:change"]) == 0
    assert json.loads(capsys.readouterr().out) == with_store
    assert not (place / ".daybreak" / "daybreak.db").exists()


def test_a_damaged_report_is_named_and_the_rest_is_searched(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in (place / ".daybreak").glob("daybreak.db*"):
        path.unlink()
    newest = max((place / "reports").glob("????-??-??.json"))
    newest.write_text("{}", encoding="utf-8")
    assert main(["search", "in:change"]) == 3
    assert f"not looked through: {newest.stem}" in capsys.readouterr().err


def test_without_a_config_the_tip_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["search", "a"]) == 2
    assert "daybreak init" in capsys.readouterr().err
