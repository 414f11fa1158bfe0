"""The status page: coverage, what was skipped and why, costs and dropped statements, as the reports have them."""

from __future__ import annotations

import re
from pathlib import Path

from daybreak.core.model.day import Analyst, Cost, Coverage, Grounding, Skipped
from daybreak.site.pages.summaries import summary_of, unreadable_day
from daybreak.site.pages.templates import phrases
from daybreak.site.pages.views import DETAILED, StatusPages, status_view
from pages.building import parsed
from pages.shelf import Shelf, commit, day, ground, repo, shown


def shelf() -> Shelf:
    made = Shelf()
    made.put(
        day(
            "2026-03-02",
            repo([commit(1)]),
            grounding=Grounding(10, 8, 2, {"markup": 2}),
            cost=Cost(3, 100, 20, 0.25),
            analyst=Analyst("llm", "some-model"),
        ),
        day(
            "2026-03-04",
            repo(late=(commit(7),)),
            coverage=Coverage(
                5,
                4,
                1,
                skipped=(Skipped("acme/kernels", "git <b>did</b> not answer"),),
                left_out=(Skipped("issues of acme/engine", "no token"),),
            ),
            grounding=Grounding(6, 5, 1, {"no_evidence": 1}),
            cost=Cost(1, 0, 0),
        ),
    )
    return made


def test_all_sums_are_those_of_the_days(tmp_path: Path) -> None:
    text = parsed(shown(StatusPages(ground(shelf(), tmp_path)), "en/status.html")).text
    for words in (
        "2 days with a report",
        "5 / 6",
        "13 of 16 statements can be traced to the diff, which is not a proof of their conclusion; 3 could not and were removed.",
        "4 model requests, 100 prompt tokens, 20 completion tokens in all.",
        "0.2500 in all",
        "1 day is not complete",
        "Days in between without a report (1)",
        "2026-03-03",
        "1 repository unknown",
        "also: filtered 0, late 1",
        "some-model",
    ):
        assert words in text, words


def test_reasons_are_shown_as_text_with_the_day(tmp_path: Path) -> None:
    page = shown(StatusPages(ground(shelf(), tmp_path)), "zh/status.html")
    text = parsed(page).text
    reasons = [phrases("zh")(f"reason.{name}") for name in ("markup", "no_evidence")]
    for words in ("git <b>did</b> not answer", "no token", *reasons):
        assert words in text, words
    assert "<b>did" not in page
    assert re.search(r"<h3><a href=\"days/2026-03-04\.html\">", page)


def test_a_day_that_cannot_be_read_is_named() -> None:
    view = status_view(
        [summary_of(day("2026-03-02", repo([commit(1)]))), unreadable_day("2026-03-03", "It is no report.")]
    )
    assert [(one.label, one.whole, one.unreadable) for one in view.days] == [
        ("2026-03-03", False, True),
        ("2026-03-02", True, False),
    ]
    assert view.skipped[0][1][0].reason == "It is no report."


def test_older_faults_are_counted_and_not_dropped() -> None:
    fault = (Skipped("x", "y"),)
    days = [
        summary_of(day(f"2026-{at // 28 + 1:02}-{at % 28 + 1:02}", coverage=Coverage(skipped=fault)))
        for at in range(DETAILED + 9)
    ]
    view = status_view(days)
    assert (len(view.skipped), view.skipped_older) == (DETAILED, 9)
    assert len(view.days) == DETAILED + 9


def test_a_whole_archive_says_so_and_an_empty_one_too(tmp_path: Path) -> None:
    good = Shelf()
    good.put(day("2026-03-02", repo([commit(1)])))
    page = shown(StatusPages(ground(good, tmp_path / "a")), "en/status.html")
    for words in (
        "Every day that has a report is complete",
        "Nothing was skipped",
        "No statement was removed",
        "No cost was recorded",
    ):
        assert words in page
    assert "There is no report yet" in shown(StatusPages(ground(Shelf(), tmp_path / "b")), "en/status.html")
