"""Days on which something is unusual: the reader's own code is touched, something is missing, the day is not over."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from both_languages import both
from daybreak.core.model.day import Day, Skipped, Touch, Touches, Unread
from daybreak.report.archive.opening import FolderArchive
from daybreak.site.pages import Ground
from daybreak.site.pages.days import DayPages
from daybreak.site.pages.templates import look_digest, static_files
from pages.building import Page, parsed, settings_of

LABEL = "2026-03-06"


class OneDay:
    """An archive that holds a single day."""

    def __init__(self, day: Day) -> None:
        self._day = day

    def labels(self) -> list[str]:
        return [LABEL]

    def digest(self, label: str) -> str | None:
        return "1"

    def digests(self) -> dict[str, str]:
        return {LABEL: "1"}

    def day(self, label: str) -> Day | None:
        return self._day

    def data(self, label: str) -> bytes | None:
        return None


@pytest.fixture(scope="module")
def usual(demo_week: Path) -> Day:
    day = FolderArchive(demo_week).day(LABEL)
    assert day is not None
    return day


def page_of(demo_week: Path, day: Day, language: str = "en") -> Page:
    ground = Ground(OneDay(day), settings_of(demo_week), look_digest())
    asset = DayPages(ground).page(f"{language}/days/{LABEL}.html")
    assert asset is not None
    return parsed(asset.body.decode("utf-8"))


def test_what_touches_the_readers_own_code_stands_before_everything(demo_week: Path, usual: Day) -> None:
    sha = usual.repos[0].commits[0].sha
    touch = Touch(
        id="T1", certainty="certain", path="deploy/start.sh", line=7, repo=usual.repos[0].name, commits=(sha,),
        why=both("启动命令用了旧名", "the launch command uses the old name"), action=both("换掉", "replace it"), pinned="0.7.0",
    )  # fmt: skip
    page = page_of(
        demo_week, replace(usual, touches=Touches(("deploy",), 1, (touch,), 2, (Skipped("a.bin", "binary"),)))
    )
    order = [one for one in page.ids if one in ("touches", "actions", "summary")]
    assert order == ["touches", "actions", "summary"]
    for words in ("deploy/start.sh:7", "the launch command uses the old name", "replace it", "0.7.0", "a.bin"):
        assert words in page.text
    assert page.links.count(f"#c-{sha[:12]}") >= 1


def test_what_could_not_be_had_stands_at_the_top_with_its_reason(demo_week: Path, usual: Day) -> None:
    missing = (Skipped("daybreak-demo/wick", "the server did not answer"),)
    wick = next(repo for repo in usual.repos if repo.name.endswith("wick"))
    gone = replace(wick, in_git=None, commits=(), late=(), issues=(), pulls=(), releases=(), skipped=missing)
    repos = tuple(gone if repo is wick else repo for repo in usual.repos)
    page = page_of(
        demo_week, replace(usual, repos=repos, coverage=replace(usual.coverage, skipped=missing, repos_unknown=1))
    )
    assert page.text.count("the server did not answer") >= 2
    assert page.text.index("the server did not answer") < page.text.index("Act on", page.text.index("2026-03-06"))
    assert "r-daybreak-demo-wick" in page.ids
    day = replace(usual, repos=repos, actions=(), coverage=replace(usual.coverage, skipped=missing, repos_unknown=1))
    text = page_of(demo_week, replace(day, touches=Touches(("deploy",), 1, (), 0, ()))).text
    assert text.count("Nothing is known of 1 repository.") == 2


def test_what_was_not_read_stands_with_what_to_act_on(demo_week: Path, usual: Day) -> None:
    page = page_of(demo_week, replace(usual, unread=(Unread("Java", 2, 0.4), Unread("Lua", 1, 0.001))))
    assert "Not read: Java (2 files, 40 %), Lua (1 file, 1 %) of the changed sources." in page.text
    assert "Not read" not in page_of(demo_week, usual).text


def test_where_nothing_could_be_had_nothing_is_known(demo_week: Path, usual: Day) -> None:
    repos = tuple(replace(repo, in_git=None, updated=None, commits=(), late=(), stories=()) for repo in usual.repos)
    coverage = replace(usual.coverage, repos_unknown=len(repos))
    day = replace(usual, repos=repos, coverage=coverage, actions=(), summary=())
    text = page_of(demo_week, replace(day, touches=Touches(("deploy",), 1, (), 0, ()))).text
    assert text.count("Not known: no repository could be had.") == 3
    assert "was detected" not in text
    assert "uses nothing" not in text


def test_a_day_that_is_not_over_or_was_completed_says_so(demo_week: Path, usual: Day) -> None:
    page = page_of(
        demo_week, replace(usual, window=replace(usual.window, open=True), revised=("a",), completed=("b", "c")), "zh"
    )
    assert "窗口尚未结束" in page.text
    assert "补入了首次报告之后才出现的 1 个提交" in page.text
    assert "没有取到或没有读成的 2 项已经补入" in page.text


def test_filtered_unread_and_empty_changes_are_listed_with_their_state(demo_week: Path, usual: Day) -> None:
    repo = usual.repos[0]
    first, second, third, *rest = repo.commits
    changed = (
        replace(first, filtered=True),
        replace(second, skipped="the patch is too large"),
        replace(third, empty=True),
    )
    page = page_of(demo_week, replace(usual, repos=(replace(repo, commits=(*changed, *rest)), *usual.repos[1:])), "zh")
    assert f"c-{first.short}" in page.ids
    assert "已过滤" in page.text
    assert "the patch is too large" in page.text
    assert "空提交" in page.text
    own = [one for one in page.ids if one.startswith("c-")]
    assert own.index(f"c-{first.short}") == len(repo.commits) - 1


def test_a_day_without_changes_is_a_page_too(demo_week: Path, usual: Day) -> None:
    empty = tuple(
        replace(r, commits=(), late=(), issues=(), pulls=(), releases=(), stories=(), links=(), in_git=0, assessment=())
        for r in usual.repos
    )
    day = replace(usual, repos=empty, actions=(), summary=(), conclusion=(), links=(), across=type(usual.across)())
    page = page_of(demo_week, day)
    assert page.tags["form"] == 1  # the search: there is nothing to filter
    assert page.wrong == []


@pytest.mark.parametrize(
    "path", ["en/days/2026-03-06", "fr/days/2026-03-06.html", "en/days/../x.html", "en/days/.html", ""]
)
def test_an_address_that_is_no_page_is_none(demo_week: Path, usual: Day, path: str) -> None:
    assert DayPages(Ground(OneDay(usual), settings_of(demo_week), "1")).page(path) is None


def test_a_day_of_a_hundred_and_fifty_changes_is_light(demo_week: Path, usual: Day) -> None:
    """With the fullest changes of the demo; a real day's are lighter on average."""
    repo = usual.repos[0]
    full = [replace(repo.commits[n % 8], sha=f"{n:040x}"[::-1]) for n in range(150)]
    ground = Ground(OneDay(replace(usual, repos=(replace(repo, commits=tuple(full)),))), settings_of(demo_week), "1")
    asset = DayPages(ground).page(f"zh/days/{LABEL}.html")
    assert asset is not None
    assert asset.body.count(b'<details class="change"') == 150 + len(repo.late)
    assert len(asset.body) < 150 * 3_500
    assert sum(map(len, static_files().values())) < 118_000
    read_at_once = re.sub(r"<noscript>.*?</noscript>", "", asset.body.decode(), flags=re.DOTALL)
    elements = sum(parsed(read_at_once).tags.values())
    assert elements < 400, (
        "none of a change: each costs time on a slow machine before the page can be used: scripts/interactive.py"
    )


def test_a_report_under_the_name_of_another_day_is_not_taken_for_it(demo_week: Path, usual: Day) -> None:
    page = page_of(demo_week, replace(usual, window=replace(usual.window, label="2026-13-99")))
    assert "It is the report of 2026-13-99." in page.text
    assert page.tags["details"] == 0
