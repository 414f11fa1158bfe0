"""Whatever a report quotes, it takes no effect on GitHub; what it shows stays the same."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from daybreak.deliver.publish.folder import Links
from daybreak.deliver.publish.github_issue import post_of
from daybreak.deliver.publish.neutralise import JOINER, disarmed, title
from daybreak.report.render.escape import heading, statement, text
from publish.github_marks import found_in
from publish.payloads import PAYLOADS
from timing import beside

LINKS = Links("zh", "https://github.com/us/news/blob/reports")


@pytest.mark.parametrize("payload", PAYLOADS)
def test_hostile_text_takes_no_effect_even_when_nothing_escaped_it_before(payload: str) -> None:
    places = [
        payload,
        f"- {payload}",
        f"before {payload} after",
        f"### {payload}",
        f"| {payload} | x |",
        f"**{payload}**",
    ]
    for place in places:
        assert found_in(disarmed(f"A line.\n\n{place}\n\nThe end. @octocat", LINKS)) == [], place


@pytest.mark.parametrize("payload", PAYLOADS)
def test_hostile_text_on_a_page_as_we_write_it_takes_no_effect(payload: str) -> None:
    page = "\n\n".join(
        [
            "<!-- daybreak.report/1 -->",
            "# Day · 2026-01-19",
            f"## {heading(payload, keep_number=True)}",
            f"- {text(payload)} [{text(payload)}](https://github.com/octo/hello/pull/1)",
            statement(f"It says `{payload.replace('`', '')}` and {payload}."),
            f"```diff\n+{payload.splitlines()[0].replace('`', '')}\n```",
        ]
    )
    post = post_of("issue", "2026-01-19", page, "zh", LINKS)
    assert post.body.startswith("<!-- daybreak.issue/1 2026-01-19 -->\n\n")
    assert found_in(post.body.partition("\n")[2]) == []


def test_a_post_has_the_headline_of_its_day_in_its_title() -> None:
    post = post_of(
        "issue", "2026-01-19", "# Day · 2026-01-19\n\nText.", "zh", LINKS, "BREAKS · engine · `--old` is gone"
    )
    assert post.title == "Day · 2026-01-19 · BREAKS · engine · --old is gone"


def test_the_reading_of_the_tests_sees_what_is_live() -> None:
    """Else the tests above would say nothing."""
    for payload in PAYLOADS[:5] + PAYLOADS[10:20] + PAYLOADS[23:28]:
        assert found_in(payload), payload


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("`@bob #1`", "`@bob #1`"),
        ("<code>&#64;bob</code>", "<code>&#64;bob</code>"),
        ("12:31:45, a / b, 3 # 4", "12:31:45, a / b, 3 # 4"),
        ("<details><summary>x</summary>", "<details><summary>x</summary>"),
        ('- <a id="c-123"></a>x', "- x"),
        ("```diff\n+@bob #1 <b>\n```", "```diff\n+@bob #1 <b>\n```"),
        ("````\n```\n@bob\n````", "````\n```\n@bob\n````"),
        ("[`a1`](https://github.com/o/n/commit/a1)", "[`a1`](https://redirect.github.com/o/n/commit/a1)"),
        ("[other](2026-01-19.en.md)", "[other](https://github.com/us/news/blob/reports/reports/2026-01-19.en.md)"),
        ("[o/n](#on)", "o/n"),
        ("| [o/n](#on) | 1 / 1 |", "| o/n | 1 / 1 |"),
        ("a &lt; b &amp; c &#124;", "a &lt; b &amp; c &#124;"),
    ],
)
def test_what_is_ours_shows_as_it_was(before: str, after: str) -> None:
    assert disarmed(before, LINKS) == after


def test_a_number_in_a_heading_or_a_label_is_broken_and_shown() -> None:
    made = disarmed("### Tune (#2)\n\n[#2](https://github.com/o/n/pull/2)", LINKS)
    assert made == f"### Tune (#{JOINER}2)\n\n[#{JOINER}2](https://redirect.github.com/o/n/pull/2)"


def test_a_code_block_without_an_end_hides_nothing() -> None:
    assert found_in(disarmed("```\n@bob #1", LINKS)) == []


@pytest.mark.parametrize("payload", PAYLOADS)
def test_titles_are_one_line_in_which_nothing_is_live(payload: str) -> None:
    made = title(payload)
    assert "\n" not in made
    assert len(made) <= 250
    assert not [one for one in found_in(made.replace("<", "&lt;").replace("[", "\\[")) if not one.startswith("tag")]


@pytest.mark.parametrize(
    "piece", ["[", "`", "![](", "<code>", "&#", "\\", "@", "](", "```\n", "[a](b", "``a`", "```a\n", "a\n```"]
)
def test_time_grows_with_length_and_no_faster(piece: str) -> None:
    began = time.process_time()
    disarmed(piece * 8_000, LINKS)
    assert time.process_time() - began < beside(1)


def test_the_days_of_the_demo_take_no_effect(demo_week: Path) -> None:
    pages = sorted((demo_week / "reports").glob("????-??-??*.md"))
    assert len(pages) >= 10
    for page in pages[-4:]:
        post = post_of("discussion", page.name[:10], page.read_text(encoding="utf-8"), "zh", LINKS)
        assert found_in(post.body.partition("\n")[2]) == [], page.name
