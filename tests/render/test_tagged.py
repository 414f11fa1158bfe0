"""Releases that git alone knows: told with where they are from, and never beside what a forge says of releases."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from daybreak.core.model.changes import Tagged
from daybreak.core.model.items import Activity
from daybreak.core.model.links import ForgeDay
from daybreak.judge.day_value import day_of
from daybreak.judge.interface import Judgement
from daybreak.report.gate import problems
from daybreak.report.render.markdown import all_pages
from daybreak.upgrade.rollup import rollup, span_of
from daybreak.upgrade.rollup.pages import markdown
from pages import shelf
from render import factory, forge_factory

AT = datetime(2026, 1, 19, 3, 0, tzinfo=UTC)
TAGS = (
    Tagged("v1.2.0", AT, "tag", False, "b" * 40, (factory.sha(1),)),
    Tagged("v1.3.0rc1", AT, "commit", True, "a" * 40),
)


def report(forge: ForgeDay | None = None) -> Judgement:
    made = forge_factory.report(forge)
    return replace(made, forge=forge, repos=(replace(made.repos[0], tagged=TAGS), *made.repos[1:]))


def page(told: Judgement) -> str:
    day = day_of(told)
    found = all_pages(day)
    assert problems(found, day, lambda _: True) == ()
    return next(one.text for one in found if one.path == "reports/2026-01-19.en.md")


def test_the_data_says_of_a_release_that_git_alone_knows_what_its_time_is_the_time_of() -> None:
    day = day_of(report())
    told = [(one.tag, one.state, one.tagged, one.notes) for one in day.repos[0].releases]
    assert told == [("v1.2.0", "released", "tag", ()), ("v1.3.0rc1", "prerelease", "commit", ())]
    assert day.coverage.releases == 2
    assert day.repos[0].links is None, "its forge was not asked"


def test_what_the_changelog_of_its_tree_says_is_quoted() -> None:
    told = report()
    noted = replace(TAGS[0], notes="### Changed\n- The cache is asked by name.\n")
    text = page(replace(told, repos=(replace(told.repos[0], tagged=(noted,)), *told.repos[1:])))
    assert "its changelog (verbatim, not verified):" in text
    assert "  > - The cache is asked by name." in text


def test_the_summary_names_it_and_says_that_no_notes_were_read() -> None:
    text = page(report())
    line = next(
        row
        for row in text.split("\n")
        if row.startswith("- Tagged (known from git, the forge's notes were not read): engine ")
    )
    assert line.index("v1.3.0rc1") < line.index("v1.2.0"), "the newest first"
    assert line.count("(pre-release)") == 1
    assert "### Releases (2)" in text
    assert "known from the tag (the time is its commit's), the forge's notes were not read" in text


@pytest.mark.parametrize("asked", [("releases",), ()])
def test_where_a_forge_was_asked_for_releases_its_word_holds(asked: tuple[str, ...]) -> None:
    forge = ForgeDay((Activity(forge_factory.ENGINE, asked=asked),))
    assert [one.tag for one in day_of(report(forge)).repos[0].releases] == ([] if asked else ["v1.2.0", "v1.3.0rc1"])


def test_what_a_forge_has_of_a_release_is_not_told_twice() -> None:
    forge = ForgeDay(
        (Activity(forge_factory.ENGINE, releases=(forge_factory.release("v1.2.0"),), asked=("releases",)),)
    )
    assert [(one.tag, one.tagged) for one in day_of(report(forge)).repos[0].releases] == [("v1.2.0", "")]


def test_a_week_names_them_once_and_marks_what_is_no_release_yet() -> None:
    held = shelf.Shelf()
    held.put(day_of(report()))
    text = markdown(rollup(held, *span_of("2026-W04", None)), "en")
    rows = [row for row in text.split("\n") if "v1." in row and row.startswith("- **engine** `v1")]
    assert [row.split(" (")[0] for row in rows] == ["- **engine** `v1.2.0`", "- **engine** `v1.3.0rc1`"]
    assert ["pre-release" in row for row in rows] == [False, True]
