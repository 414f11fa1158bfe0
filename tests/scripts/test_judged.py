"""The script that holds reports beside readers' lists counts what it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scripts import judged

DATE = "2026-01-02"


def listed(sha: str, tier: str, mark: str = "none") -> dict[str, Any]:
    return {
        "date": DATE,
        "repo": "a/b",
        "sha": sha,
        "tier": tier,
        "rank": 1,
        "mark": mark,
        "effect": f"effect of {sha}",
    }


def commit(sha: str, level: str, *marks: str) -> dict[str, Any]:
    return {"sha": sha, "subject": sha, "importance": {"level": level}, "marks": list(marks), "tells": None}


LIST = [
    listed("one", "first", "breaks"),
    listed("two", "first"),
    listed("three", "second", "internals"),
    {"date": DATE, "repo": "a/b", "sha": "two", "grade": "high"},
    {"date": DATE, "repo": "a/b", "sha": "four", "grade": "low"},
]
REPORT = {
    "actions": [{"commits": ["one"]}, {"commits": ["four"]}],
    "also": [{"commits": ["two"]}],
    "repos": [
        {
            "commits": [
                commit("one", "high", "breaks"),
                commit("two", "medium"),
                commit("three", "low", "breaks"),
                commit("four", "low"),
            ]
        }
    ],
}


def test_each_figure_counts_what_its_name_says() -> None:
    found = judged.figures(judged.compare(DATE, LIST, REPORT))
    assert found["firsts on the screen"] == (1, 2)
    assert found["firsts there or under Also"] == (2, 2)
    assert found["named on the screen"] == (1, 2)
    assert found["first entry is a first"] == (1, 1)
    assert found["entries of the list with a mark"] == (2, 2)
    assert found["… with the same mark"] == (1, 2)
    assert found["grades agree"] == (1, 2)


def test_what_was_wanted_and_is_not_there_is_named() -> None:
    said = list(judged.misses(judged.compare(DATE, LIST, REPORT)))
    assert any("first 1 in also: two" in line for line in said)
    assert any("named, and not listed: four" in line for line in said)
    assert any("mark internals, given breaks: three" in line for line in said)


def test_reports_that_were_made_before_are_enough(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / f"{DATE}.json").write_text(json.dumps(REPORT), encoding="utf-8")
    lists = tmp_path / "lists.jsonl"
    lists.write_text("\n".join(map(json.dumps, LIST)), encoding="utf-8")
    asked = ["--reports", str(tmp_path), "--lists", str(lists), "--day", DATE, "--day", "2026-01-03"]
    assert judged.main(asked) == 0
    shown = capsys.readouterr()
    assert "no report of 2026-01-03: left out" in shown.err
    assert "firsts there or under Also | 2/2 | 2/2 (100%)" in shown.out


def test_every_row_of_the_lists_says_of_which_commit_of_which_day_it_is() -> None:
    rows = judged.read_rows(judged.LISTS)
    assert len({row["date"] for row in rows}) >= 9
    assert all(len(row["sha"]) == 40 and ("tier" in row) != ("grade" in row) for row in rows)


def test_a_day_that_cannot_be_made_ends_it_and_no_older_report_stands_in(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no report was made"):
        judged.make_days(["no date"], ["a/b"], tmp_path, tmp_path)
