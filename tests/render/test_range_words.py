"""What a page of a range says in so many words: its zone, its counts, your files, two folders, one and not many."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from msgspec.structs import replace

from daybreak.core.model.changes import Skipped
from daybreak.core.model.findings import Alias
from daybreak.core.model.upgrade import Net, RangeReport
from daybreak.deliver.publish.folder import FolderPublisher
from daybreak.upgrade.range.check_ranges import check_pages
from daybreak.upgrade.range.range_page import RangePages, range_summary, worded
from render import factory, range_factory


def pages(report: RangeReport) -> dict[str, str]:
    return {page.path: page.text for page in RangePages().pages(report)}


def main(report: RangeReport) -> str:
    return next(iter(pages(report).values()))


def english(report: RangeReport) -> str:
    return next(text for path, text in pages(report).items() if path.endswith(".en.md"))


def test_pages_of_ranges_are_known_as_ours_when_they_are_written_again(tmp_path: Path) -> None:
    first = RangePages().pages(range_factory.report())
    second = RangePages().pages(range_factory.report(outages=()))
    assert all(page.text.startswith("<!-- daybreak.range/1 -->") for page in first[:-1])
    FolderPublisher(tmp_path).publish(first)
    assert len(FolderPublisher(tmp_path).publish(second).written) == len(second)


def test_times_are_told_with_their_zone() -> None:
    first = range_factory.report().outages[0]
    east = timezone(timedelta(hours=8))
    moved = replace(
        first, start=datetime(2026, 1, 19, 2, 30, tzinfo=east), end=datetime(2026, 1, 20, 1, 5, tzinfo=east)
    )
    for told in (english, main):
        part = told(range_factory.report(outages=(moved,)))
        assert "2026-01-18 18:30 UTC" in part
        assert "2026-01-19 17:05 UTC" in part


def test_what_is_judged_by_the_commit_is_no_certainty() -> None:
    part = english(range_factory.report()).split("## Breaking, judged by the commit")[1].split("## ")[0]
    assert "These commits may break existing use" in part
    assert "no name" not in part


def test_everything_else_says_that_internal_names_do_not_count() -> None:
    assert "names that are internal to the project are not counted" in english(range_factory.report())
    assert "## 其他改动\n\n新增的内容" in main(range_factory.report())


def test_a_fold_counts_what_its_heading_counts() -> None:
    """Twenty defaults, two by each of ten changes: both numbers are of defaults."""
    changed = [
        Net(
            range_factory.finding(n, "field_default_changed", f"C.f{n}{at}", at, before="1", after="2"),
            (factory.sha(n),),
        )
        for n in range(30, 41)
        for at in (1, 2)
    ]
    told = tuple(range_factory.graded(n, f"Change {n}") for n in range(30, 41))
    text = english(range_factory.report(nets=tuple(map(worded, changed)), entries=told, hits=()))
    assert "### Defaults (22)\n\n<details><summary>Show (22)</summary>" in text
    text = english(range_factory.report(nets=tuple(map(worded, changed)), entries=told))
    assert "<details><summary>The rest (14)</summary>" in text.split("### Defaults (22)")[1]


def test_what_upstream_says_to_use_may_stand_on_the_page() -> None:
    """Nine variables that one change drops: all but the first are named in a fold with what takes their place."""
    gone = [
        Net(
            range_factory.finding(
                30,
                "env_removed",
                f"OLD_{at}",
                at,
                before=f"OLD_{at}",
                breaking=True,
                alias=Alias("none", f"Use --new-{at} instead"),
            ),
            (factory.sha(30),),
        )
        for at in range(1, 10)
    ]
    report = range_factory.report(
        nets=tuple(map(worded, gone)), entries=(range_factory.graded(30, "Drop variables"),), hits=()
    )
    assert "Use --new-9 instead" in english(report)
    assert not [one for one in check_pages(RangePages().pages(report), report) if "not in the data" in one]


def test_one_statement_is_one() -> None:
    assert "- 1 of 1 statement can be traced to the diff" in english(range_factory.small())


def test_files_of_yours_that_could_not_be_read_are_named_and_are_no_gap_of_the_range() -> None:
    unread = (Skipped("svc/bad.py", "it is no Python"),)
    report = range_factory.report(hits=(), ignored=11, unread=unread, skipped=())
    assert "1 of your files could not be read: `svc/bad.py` (it is no Python)." in english(report)
    assert "你的代码中未能读取 1 项：`svc/bad.py`（it is no Python）。" in main(report)
    assert "not processed 0" in english(report)
    data = json.loads(list(pages(report).values())[-1])
    assert data["unread"] == [{"what": "svc/bad.py", "reason": "it is no Python"}]
    assert not check_pages(RangePages().pages(report), report)


def test_two_folders_have_no_commits_to_tell() -> None:
    bounds = range_factory.span(10, 0)
    report = range_factory.report(span=replace(bounds, repo=replace(bounds.repo, url="")), left_behind=(), outages=())
    for told, words in ((english, "Two source trees compared, `v1.1.0` and `v1.2.0`"), (main, "两份源码的比较")):
        text = told(report)
        assert words in text
        assert "first-parent" not in text
        assert not re.search(r"00000[0-9a-f]{4}", text.replace("acme/engine 0000000aa", ""))
        assert "`--swap`" in text
    assert "commits" not in english(report).split("> Two")[1].split("\n")[0]
    assert not check_pages(RangePages().pages(report), report)


@pytest.mark.parametrize(("places", "words"), [((0,), "at fault 1 time and"), ((0, 1), "at fault 1 more time and")])
def test_more_times_are_more_than_others(places: tuple[int, ...], words: str) -> None:
    """The first outage holds no end of the range, the second its start."""
    report = range_factory.report()
    outages = [report.outages[at] for at in places]
    said = [s.text["en"] for s in range_summary(report.span, report.entries, (), (), outages, ())]
    assert any(words in one for one in said)


def test_the_summary_of_two_folders_counts_no_commits() -> None:
    report = range_factory.report()
    bare = replace(report.span, repo=replace(report.span.repo, url=""))
    first, other = (range_summary(span, report.entries, (), (), (), ())[0].text["en"] for span in (report.span, bare))
    assert "10 commits" in first
    assert "commit" not in other
