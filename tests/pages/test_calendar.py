"""The calendar: each reported day with its figures and a link, over all and for each repository; unknown days stay blank."""

from __future__ import annotations

import re
from datetime import date, timedelta
from pathlib import Path

import msgspec
import pytest

from daybreak.core.model.day import Coverage, Skipped
from daybreak.core.model.rollup import Rollup
from daybreak.site.pages.months import heat_days, heat_maps, months_of, trends, weeks_of
from daybreak.site.pages.repository import CalendarPages
from daybreak.site.pages.summaries import summary_of, unreadable_day
from daybreak.site.pages.templates import phrases
from pages.building import parsed
from pages.shelf import Shelf, commit, day, ground, repo, shown


def week() -> Shelf:
    shelf = Shelf()
    skipped = Coverage(2, 2, skipped=(Skipped("acme/kernels", "no answer"),))
    shelf.put(
        day("2026-02-27", repo([commit(1)]), repo(name="acme/kernels")),
        day("2026-03-02", repo([commit(2, breaking=True), commit(3)]), repo([commit(4)], "acme/kernels")),
        day("2026-03-04", repo([commit(5), commit(6)]), coverage=skipped),
    )
    return shelf


def cells(page: str) -> dict[str, str]:
    """Address of a day -> what is said of it."""
    return dict(re.findall(r'<a href="(days/[^"]+)" aria-label="([^"]+)"', page))


def test_every_day_is_a_link_with_its_figures(tmp_path: Path) -> None:
    page = shown(CalendarPages(ground(week(), tmp_path)), "en/calendar.html")
    assert cells(page) == {
        "days/2026-02-27.html": "2026-02-27: 1 commit, 0 breaking",
        "days/2026-03-02.html": "2026-03-02: 3 commits, 1 breaking",
        "days/2026-03-04.html": "2026-03-04: 2 commits, 0 breaking, data not complete",
    }
    assert "2026-03: 2 days with a report, 5 commits, 1 breaking" in page
    assert "3 days with a report: 6 commits, 1 breaking change" in page


def test_each_language_says_the_same(tmp_path: Path) -> None:
    pages = CalendarPages(ground(week(), tmp_path))
    numbers = [re.findall(r">(\d+)<", shown(pages, f"{language}/calendar.html")) for language in ("zh", "en")]
    assert numbers[0] == numbers[1]
    assert "2026-03-02：提交 3，破坏性变更 1" in shown(pages, "zh/calendar.html")


def test_each_repository_has_its_numbers_and_the_same_days_are_drawn_once(tmp_path: Path) -> None:
    page = shown(CalendarPages(ground(week(), tmp_path)), "en/calendar.html")
    assert "commits 5 · high 0 · breaking 1 · stories 0 · releases 0" in page
    assert "commits 1 · high 0 · breaking 0 · stories 0 · releases 0" in page
    assert 'href="repos/acme-engine.html"' in page
    assert 'role="img"' not in page  # the days stand in the table of their month; two weeks make no trend
    assert 'id="trends"' not in page


def test_a_day_on_which_nothing_is_known_of_a_repository_is_blank() -> None:
    days = [summary_of(day("2026-03-02", repo([commit(1)]))), summary_of(day("2026-03-03", repo(name="other/one")))]
    assert [one.label for one in heat_days(days, "acme/engine")] == ["2026-03-02"]
    assert [one.commits for one in heat_days(days)] == [1, 0]


def test_a_day_that_cannot_be_read_is_blank_and_not_zero() -> None:
    assert heat_days([unreadable_day("2026-03-02", "It is no report.")]) == ()


def test_the_months_table_holds_each_date_once() -> None:
    days = heat_days([summary_of(day(f"2026-{month:02}-01", repo([commit(month)]))) for month in range(1, 13)])
    months = months_of(days)
    assert [one.name for one in months] == [f"2026-{month:02}" for month in range(12, 0, -1)]
    for one in months:
        numbers = [cell.number for row in one.weeks for cell in row if cell is not None]
        assert numbers == list(range(1, len(numbers) + 1))
        assert 28 <= len(numbers) <= 31
        assert all(len(row) == 7 for row in one.weeks)
    february = months[10]
    assert february.weeks[0][6] is not None  # 2026-02-01 is a Sunday
    assert february.weeks[0][5] is None


def test_a_year_has_two_maps_and_what_is_older_stands_in_the_months() -> None:
    days = heat_days(
        [summary_of(day(f"{year}-{month:02}-03", repo([commit(1)]))) for year in (2025, 2026) for month in range(1, 13)]
    )
    maps = heat_maps(phrases("en"), days, "m", "commits")
    assert len(maps) == 2
    assert "2025-12-08 to 2026-06-07" in maps[0]
    assert "2026-06-08 to 2026-12-03" in maps[1]
    assert len(months_of(days)) == 24


@pytest.mark.parametrize("last", range(1, 8))
def test_every_day_of_the_maps_stands_in_one_of_them(last: int) -> None:
    end = date(2026, 3, last)
    labels = sorted(f"{end - timedelta(days=at)}" for at in range(340))
    days = heat_days([summary_of(day(label, repo([commit(1)]))) for label in labels])
    maps = heat_maps(phrases("en"), days, "m", "commits")
    told = [re.findall(r"\d{4}-\d\d: (\d+)", one.partition("<desc")[2].partition("</desc>")[0]) for one in maps]
    assert sum(int(n) for one in told for n in one) == 340


def test_weeks_say_how_many_days_were_reported_and_one_without_days_stands_for_all_that_were_not_read() -> None:
    days = [
        summary_of(day("2026-03-01", repo([commit(1)]))),
        summary_of(day("2026-03-02", repo([commit(2, kind="revert", level="high", breaking=True), commit(3)]))),
        summary_of(day("2026-03-23", repo([commit(4)]))),
    ]
    weeks = weeks_of(days)
    assert [(one.name, one.days, one.commits) for one in weeks] == [
        ("2026-W09", 1, 1),
        ("2026-W10", 1, 2),
        ("2026-W11", 0, 0),
        ("2026-W13", 1, 1),
    ]
    assert (weeks[1].high, weeks[1].low, weeks[1].breaking, weeks[1].reverts) == (1, 1, 1, 1)
    assert weeks_of(days, "none/such") == ()
    commits = trends(phrases("en"), weeks, "t")[0]
    assert [one.label for one in weeks] == ["02-23", "03-02", "…", "03-23"]
    assert "W11" not in commits.table
    assert "…:" not in commits.picture, "what was not read is no nought"


def test_before_the_first_report_the_page_says_so(tmp_path: Path) -> None:
    pages = CalendarPages(ground(Shelf(), tmp_path))
    assert "还没有报告" in shown(pages, "zh/calendar.html")
    assert parsed(shown(pages, "en/calendar.html")).wrong == []


@pytest.mark.parametrize(
    "path", ["fr/calendar.html", "calendar.html", "zh/calendar.html/x", "zh/status.html", "", "zh"]
)
def test_what_is_no_page_of_the_calendar_is_none(tmp_path: Path, path: str) -> None:
    assert CalendarPages(ground(week(), tmp_path)).page(path) is None


def test_the_digest_changes_exactly_when_the_page_does(tmp_path: Path) -> None:
    shelf = week()
    pages = CalendarPages(ground(shelf, tmp_path))
    before = dict(pages.keys())
    assert dict(pages.keys()) == before
    shelf.put(day("2026-03-04", repo([commit(5), commit(6)]), coverage=Coverage(2, 2, skipped=(Skipped("x", "y"),))))
    assert dict(pages.keys()) == before  # the calendar does not say what was skipped
    shelf.put(day("2026-03-05", repo([commit(7)])))
    assert all(before[path] != digest for path, digest in pages.keys())  # noqa: SIM118 no dict


def test_weeks_and_upgrades_have_a_place_that_every_page_leads_to(tmp_path: Path) -> None:
    for label in ("2026-W09", "2026-03"):
        made = Rollup(label=label, first="2026-03-02", last="2026-03-08", digest="")
        place = tmp_path / "reports" / f"{label}.json"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(msgspec.json.encode(made))
    page = shown(CalendarPages(ground(week(), tmp_path)), "en/calendar.html")
    assert "sums" in parsed(page).ids
    assert any(one.endswith("#sums") for one in parsed(page).links)
    assert {"rollups/2026-W09.html", "rollups/2026-03.html"} <= set(parsed(page).links)
    assert "sums" in parsed(shown(CalendarPages(ground(Shelf(), tmp_path)), "en/calendar.html")).ids
