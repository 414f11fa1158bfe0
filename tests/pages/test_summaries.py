"""Summaries say what the reports say, and only days that changed are decoded to make them."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

import daybreak
from daybreak.core.model.day import Pull, Skipped
from daybreak.report.archive.opening import FolderArchive
from daybreak.site.pages.kept_summaries import _DECIDING, Summaries, _memory
from daybreak.site.pages.summaries import DaySummary, summary_of
from pages.shelf import NOON, Shelf, commit, day, finding, repo

LABELS = [f"2026-02-{at:02}" for at in range(26, 29)] + [f"2026-03-{at:02}" for at in range(1, 5)]


@pytest.fixture
def shelf() -> Shelf:
    made = Shelf()
    made.put(*(day(label, repo([commit(at)])) for at, label in enumerate(LABELS)))
    return made


def asked(shelf: Shelf, folder: Path, *, anew: bool = True) -> tuple[list[DaySummary], list[str]]:
    """The summaries, and which days had to be decoded; `anew`: as another process would."""
    if anew:
        _memory.cache_clear()
    shelf.decoded.clear()
    return Summaries(shelf, folder).days(), list(shelf.decoded)


def test_every_number_is_the_one_of_the_report(demo_week: Path, tmp_path: Path) -> None:
    days = Summaries(FolderArchive(demo_week), tmp_path).days()
    assert [one.label for one in days] == [f"2026-03-0{at}" for at in range(2, 9)]
    for one in days:
        data = json.loads((demo_week / "reports" / f"{one.label}.json").read_text("utf-8"))
        assert one.commits_reported == data["coverage"]["commits_reported"] == one.total("commits")
        assert (one.issues, one.pulls) == (data["coverage"]["issues"], data["coverage"]["pulls"])
        assert one.grounding.dropped == data["grounding"]["dropped"]
        for told, made in zip(data["repos"], one.repos, strict=True):
            levels = [each["importance"]["level"] for each in told["commits"]]
            assert (made.high, made.medium, made.low) == tuple(levels.count(x) for x in ("high", "medium", "low"))
            assert made.breaking == sum(each["breaking"] for each in told["commits"])
            assert made.reverts == sum(each["kind"] == "revert" for each in told["commits"])
            assert made.issues_opened == sum("opened" in each["happened"] for each in told["issues"])
            assert made.issues_closed == sum("closed" in each["happened"] for each in told["issues"])
            assert sum(made.findings.values()) == sum(len(each["findings"]) for each in told["commits"])
            assert [each.sha for each in made.changes] == [each["sha"] for each in told["commits"] + told["late"]]
            assert [each.id for each in made.stories] == [each["id"] for each in told["stories"]]
            assert [each.tag for each in made.releases] == [each["tag"] for each in told["releases"]]
    assert sum(len(one.bumps) for one in days) == 2
    assert [story.id for one in days for story in one.across] == ["across-tilekit-21b80cc4c-bdfcd5b9b"]


def test_only_new_and_changed_days_are_decoded(shelf: Shelf, tmp_path: Path) -> None:
    days, decoded = asked(shelf, tmp_path)
    assert decoded == LABELS
    assert asked(shelf, tmp_path) == (days, [])
    shelf.put(day("2026-03-05", repo([commit(90)])), day("2026-02-27", repo([commit(91), commit(92)])))
    later, decoded = asked(shelf, tmp_path)
    assert sorted(decoded) == ["2026-02-27", "2026-03-05"]
    assert [one.commits_reported for one in later] == [1, 2, 1, 1, 1, 1, 1, 1]
    assert asked(shelf, tmp_path, anew=False) == (later, [])
    del shelf.stored["2026-03-01"]
    assert [one.label for one in asked(shelf, tmp_path)[0]] == sorted(shelf.stored)


def test_times_keep_the_zone_of_the_report_in_memory(tmp_path: Path) -> None:
    shelf = Shelf()
    at = datetime(2026, 3, 2, 23, 18, tzinfo=timezone(timedelta(hours=8)))
    shelf.put(day("2026-03-02", repo([commit(1, committed_at=at)])))
    for _ in range(2):
        days, _ = asked(shelf, tmp_path)
        assert days[0].repos[0].changes[0].committed_at.isoformat() == "2026-03-02T23:18:00+08:00"


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "strange", "older"])
def test_a_damaged_or_older_memory_is_made_again(
    shelf: Shelf, tmp_path: Path, damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    days, _ = asked(shelf, tmp_path)
    file = tmp_path / "summaries-2026-03.kept"
    data = file.read_bytes()
    flipped = bytearray(data)
    flipped[len(data) // 2] ^= 4
    if damage == "older":
        monkeypatch.setattr("daybreak.site.pages.kept_summaries.code_digest", lambda *_: "another")
    else:
        file.write_bytes({"cut": data[:-9], "flipped": bytes(flipped), "empty": b"", "strange": b"\xc1" * 99}[damage])
    found, decoded = asked(shelf, tmp_path)
    assert found == days
    assert decoded == (LABELS if damage == "older" else LABELS[3:])
    assert asked(shelf, tmp_path)[1] == []


def test_the_memory_is_of_another_version_once_code_that_summaries_call_has_changed() -> None:
    root = Path(daybreak.__file__).parent
    called = re.compile(r"(?m)^from daybreak\.([\w.]+) import")
    for name in ("summaries", "broken_names"):
        modules = called.findall((root / f"site/pages/{name}.py").read_text("utf-8"))
        paths = {f"{module.replace('.', '/')}.py" for module in modules}
        assert {path for path in paths if not path.startswith(_DECIDING)} == set()


def test_without_the_right_to_write_there_is_just_no_memory(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    for _ in range(2):
        days, decoded = asked(shelf, tmp_path / "file" / "below")
        assert (len(days), decoded) == (7, LABELS)


def test_a_day_that_cannot_be_read_is_named_and_tried_again(shelf: Shelf, tmp_path: Path) -> None:
    good = shelf.stored["2026-03-02"]
    shelf.stored["2026-03-02"] = b'{"schema": "something else"}'
    shelf.stored |= {"2026-02-30": good, "0001-01-01": good, "x": good}  # no day is called so
    days, _ = asked(shelf, tmp_path)
    assert [one.label for one in days] == LABELS
    bad = days[LABELS.index("2026-03-02")]
    assert bad.unreadable
    assert not bad.whole
    assert [one.what for one in bad.skipped] == ["report"]
    assert asked(shelf, tmp_path)[1] == ["2026-03-02"]
    shelf.stored["2026-03-02"] = good
    assert all(one.whole for one in asked(shelf, tmp_path, anew=False)[0])


def test_a_report_under_the_name_of_another_day_is_not_that_days(shelf: Shelf, tmp_path: Path) -> None:
    shelf.stored["2026-03-03"] = shelf.stored["2026-03-02"]
    days, _ = asked(shelf, tmp_path)
    assert [(one.label, one.unreadable) for one in days if one.label > "2026-03-01"] == [
        ("2026-03-02", False),
        ("2026-03-03", True),
        ("2026-03-04", False),
    ]


def test_filtered_and_late_changes_are_in_none_but_their_own_numbers() -> None:
    told = repo(
        [commit(1, level="high", breaking=True, findings=(finding("env_removed", breaking=True),)),
         commit(2, level="high", breaking=True, filtered=True)],
        late=(commit(3, level="high", breaking=True),),
    )  # fmt: skip
    made = summary_of(day("2026-03-02", told)).repos[0]
    assert (made.commits, made.high, made.breaking, made.filtered, made.late) == (2, 1, 1, 1, 1)
    assert [(one.late, one.filtered) for one in made.changes] == [(False, False), (False, True), (True, False)]
    assert made.findings == made.findings_breaking == {"env_removed": 1}


def test_texts_of_strangers_are_one_bounded_line() -> None:
    hostile = "a\nb\x1b[31m\u202e" + "x" * 900
    pull = Pull(7, "https://x", hostile, hostile, NOON, "open", coming=("breaking",))
    told = repo(
        [commit(1, hostile, author=hostile, breaking=True, findings=(finding("x", hostile, breaking=True),))],
        pulls=(pull,),
    )
    made = summary_of(day("2026-03-02", told)).repos[0]
    texts = (made.changes[0].subject, made.changes[0].author, made.coming[0].title, made.broken[f"{1:040x}"][0].symbol)
    for text in texts:
        assert text.startswith("a b")
        assert len(text) <= 200
        assert text.isprintable()


def test_what_was_skipped_is_kept_with_its_reason() -> None:
    gone = Skipped("acme/engine", "git did not answer")
    told = day("2026-03-02", repo(skipped=(gone,), complete=False))
    assert summary_of(told).repos[0].skipped == (gone,)
