"""A release's notes on a page: quoted word for word, bounded, and whatever cannot be quoted is counted."""

from __future__ import annotations

import re
import time

import pytest
from msgspec.structs import replace

from daybreak.core.model.links import ForgeDay, ReleaseReading, RepoForge
from daybreak.core.model.report import Page
from daybreak.judge.day_items import NOTES as NOTES_IN_DEPTH
from daybreak.judge.day_items import notes_of
from daybreak.judge.day_value import day_of
from daybreak.judge.interface import Judgement
from daybreak.report.gate import problems
from daybreak.report.render.forge import NOTES
from daybreak.report.render.markdown import markdown_pages
from render import forge_factory
from render.forge_factory import ENGINE
from timing import beside


def lines(body: str, most: int = 20) -> list[str]:
    return [line for line, _ in notes_of(body, most).lines]


def report(body: str) -> Judgement:
    base = forge_factory.forge_day()
    activity = replace(base.activities[0], releases=(forge_factory.release("v1.2.0", body=body),))
    reading = RepoForge(ENGINE, releases=(ReleaseReading(ENGINE, "v1.2.0"),))
    return forge_factory.report(ForgeDay((activity,), (reading,)))


def day(told: Judgement) -> Page:
    return next(page for page in markdown_pages(day_of(told)) if page.path == "reports/2026-01-19.en.md")


@pytest.mark.parametrize(
    ("body", "quoted", "omitted"),
    [
        ("", [], 0),
        ("One line.", ["One line."], 0),
        ("## Highlights\n\n* First (#1)\n1. Second\n  - third", ["Highlights", "First (#1)", "Second", "third"], 0),
        ("**Bold** and `code` stay words", ["Bold and code stay words"], 0),
        ("`__init__` keeps its name", ["__init__ keeps its name"], 0),
        ("* Fix it by @ada in https://github.com/a/b/pull/1", ["Fix it"], 0),
        ("**Full Changelog**: https://github.com/a/b/compare/v1...v2", [], 1),
        ("See [the docs](https://x.example) first.", [], 1),
        ("<img src=x onerror=alert(1)>\n![b](c.png)", [], 2),
        ("```sh\npip install it\n```\nThen start it.", ["Then start it."], 1),
        ("# Only a heading", [], 0),
        ("# One\n# Two\ntext", ["Two", "text"], 0),
        ("| a | b |\n| - | - |", ["| a | b |"], 0),
        ("x" * 241, [], 1),
        ("turned \u202earound", [], 1),
    ],
)
def test_lines_are_quoted_as_they_stand_or_counted(body: str, quoted: list[str], omitted: int) -> None:
    assert lines(body) == quoted
    assert notes_of(body, 20).omitted == omitted


def test_beyond_the_bound_lines_are_counted() -> None:
    notes = notes_of("\n".join(f"- line {n}" for n in range(30)), 4)
    assert len(notes.lines) == 4
    assert notes.omitted == 26


@pytest.mark.parametrize(
    ("body", "cut"),
    [("- a\n" * 2_000, False), ("- a\n" * 2_001, True), ("- " + "a" * 39_998, False), ("- " + "a" * 39_999, True)],
)
def test_what_is_not_looked_at_is_said(body: str, cut: bool) -> None:
    assert notes_of(body, 4).cut == cut
    told = day(report(body))
    assert ("the notes are long, only their beginning was looked at" in told.text) == cut


@pytest.mark.parametrize("piece", ["- a ", "#", "`" * 9, "by @", "[](", "> ", "* * ", "\n", "<!--"])
def test_a_megabyte_takes_no_time(piece: str) -> None:
    body = piece * (1_000_000 // len(piece))
    began = time.process_time()
    notes_of(body, 20)
    assert time.process_time() - began < beside(1)


def test_a_page_shows_a_few_lines_as_the_authors_and_the_repositorys_page_more() -> None:
    told = report("\n".join(f"- line {n}" for n in range(30)))
    pages = {page.path: page.text for page in markdown_pages(day_of(told))}
    assert problems([Page(*x) for x in pages.items()], day_of(told), lambda _: True) == ()
    found = pages["reports/2026-01-19.en.md"]
    assert f"release notes (verbatim, not verified, {30 - NOTES} more lines not quoted):\n  > - line 0\n" in found
    assert len(re.findall(r"^  > - line", found, re.MULTILINE)) == NOTES
    own = pages["reports/2026-01-19/acme-engine.en.md"]
    assert len(re.findall(r"^  > - line", own, re.MULTILINE)) == NOTES_IN_DEPTH


def test_the_gate_objects_to_a_quotation_that_the_notes_do_not_have() -> None:
    told = report("- It is **twice** as fast.")
    page = day(told)
    assert "  > - It is twice as fast." in page.text
    pages = [page if x.path == page.path else x for x in markdown_pages(day_of(told))]
    assert problems(pages, day_of(told), lambda _: True) == ()
    false = [replace(x, text=x.text.replace("twice", "thrice")) if x is page else x for x in pages]
    assert any("quotes words" in problem for problem in problems(false, day_of(told), lambda _: True))
