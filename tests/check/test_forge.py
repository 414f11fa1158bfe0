"""Sentences, quotes and links about a forge's items are held against those items."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from daybreak.core.model.links import CrossStory, ForgeDay, Link
from daybreak.core.model.statements import Statement
from daybreak.judge.checks.day import AllChecks, forge_evidence
from daybreak.judge.day_value import day_of
from daybreak.judge.interface import Judgement
from daybreak.report.gate import problems
from daybreak.report.render.markdown import markdown_pages
from read_back import rules_read_back  # noqa: F401  a fixture
from render import forge_factory
from render.factory import both, sha
from render.forge_factory import ENGINE, KERNELS, NUMBERS, WHY


def said(text: str, *evidence: str) -> Statement:
    return Statement("what", both(text, text), evidence)


def with_forge(edit: Callable[[ForgeDay], ForgeDay]) -> Judgement:
    return forge_factory.report(edit(forge_factory.forge_day()))


def on_entry(statement: Statement) -> Judgement:
    base = forge_factory.report()
    busy = base.repos[0]
    first = replace(busy.entries[0], statements=(*busy.entries[0].statements, statement))
    return replace(base, repos=(replace(busy, entries=(first, *busy.entries[1:])), *base.repos[1:]))


# --- evidence ----------------------------------------------------------------------------------------------------


def test_every_item_and_story_is_evidence_by_its_id() -> None:
    found = forge_evidence(forge_factory.forge_day())
    assert NUMBERS in found[f"pull:{ENGINE}#101"]
    assert "wrong tokens" in found[f"issue:{ENGINE}#11"]
    assert "Rename #101" in found[f"release:{ENGINE}@v1.2.0"]
    assert "v0.2.0" in found["story:across-1"]
    assert "→" not in found["story:across-1"], "a sentence is no evidence of itself"


def test_a_tag_that_only_git_has_is_known_by_its_name() -> None:
    base = forge_factory.forge_day()
    bump = replace(base.across.bumps[0], release="v9.9")
    found = forge_evidence(replace(base, across=replace(base.across, bumps=(bump,))))
    assert found[f"release:{KERNELS}@v9.9"] == "v9.9"


@pytest.mark.parametrize(
    ("statement", "kept"),
    [
        (said("The pull request says `stale backend name`.", f"pull:{ENGINE}#101"), True),
        (said("The pull request says `fresh backend name`.", f"pull:{ENGINE}#101"), False),
        (said("The issue says `wrong tokens`.", f"issue:{ENGINE}#11"), True),
        (said("The issue says `wrong tokens`.", f"issue:{ENGINE}#12"), False),
        (said("The issue says `wrong tokens`.", f"issue:{ENGINE}#999"), False),
        (said("`v1.2.0` is out.", f"release:{ENGINE}@v1.2.0"), True),
        (said("`v1.2.0` is out.", f"release:{ENGINE}@v1.3.0"), False),
        (said("It is 77 times faster.", f"pull:{ENGINE}#101"), False),
        (said("See https://evil.example now.", f"pull:{ENGINE}#101"), False),
        (said("It concerns `acme/quiet`.", f"repo:{KERNELS}", f"commit:{sha(1)}"), True),
        (said("It concerns `acme/other`.", f"repo:{KERNELS}", f"commit:{sha(1)}"), False),
    ],
)
def test_a_sentence_of_an_entry_about_items_is_judged_with_the_day(statement: Statement, kept: bool) -> None:
    report = on_entry(statement)
    checked = AllChecks().day(report)
    first = checked.repos[0].entries[0]
    assert (statement in first.statements) == kept
    assert first.statements[0] == report.repos[0].entries[0].statements[0], "what was judged before is left alone"
    before, after = report.repos[0].grounding, checked.repos[0].grounding
    assert (after.kept - before.kept, after.dropped - before.dropped) == ((1, 0) if kept else (0, 1))
    assert checked.grounding.statements >= after.statements


def test_a_false_sentence_of_the_day_is_dropped_and_counted() -> None:
    good, bad = said("`acme/quiet` is named.", f"repo:{KERNELS}"), said("`acme/nobody` is named.", f"repo:{KERNELS}")
    checked = AllChecks().day(with_forge(lambda day: replace(day, statements=(good, bad))))
    assert checked.forge is not None
    assert checked.forge.statements == (good,)
    assert checked.grounding.by_reason["word_not_in_evidence"] == 1


def test_a_story_whose_sentence_says_more_than_its_steps_is_dropped() -> None:
    def edit(day: ForgeDay) -> ForgeDay:
        story: CrossStory = replace(day.across.stories[0], net=both("`v9` 发布。", "`v9` released."))
        return replace(day, across=replace(day.across, stories=(story,)))

    checked = AllChecks().day(with_forge(edit))
    assert checked.forge is not None
    assert checked.forge.across.stories == ()


@pytest.mark.parametrize("likely", [True, False])
def test_words_that_do_not_stand_go_and_a_guess_goes_with_them(likely: bool) -> None:
    link = Link(
        "mentions", f"issue:{ENGINE}#11", f"repo:{KERNELS}", (f"issue:{ENGINE}#11",), likely, both("`x1y`。", "`x1y`.")
    )
    checked = AllChecks().day(with_forge(lambda day: replace(day, across=replace(day.across, links=(link,)))))
    assert checked.forge is not None
    assert checked.forge.across.links == (() if likely else (replace(link, why=None),))


def test_without_a_forge_nothing_is_judged_again() -> None:
    report = replace(on_entry(said("It names `x`.", "pull:a/b#1")), forge=None)
    assert AllChecks().day(report).repos == report.repos


# --- pages -------------------------------------------------------------------------------------------------------


REPORT = forge_factory.report()


def check(old: str, new: str) -> tuple[str, ...]:
    """What the gate says of the first page that holds the words, with others in their place."""
    pages = list(markdown_pages(day_of(REPORT)))
    at = next(n for n, page in enumerate(pages) if old in page.text)
    pages[at] = replace(pages[at], text=pages[at].text.replace(old, new, 1))
    return problems(tuple(pages), day_of(REPORT), lambda _: True)


def test_true_pages_have_no_problem() -> None:
    assert problems(markdown_pages(day_of(REPORT)), day_of(REPORT), lambda _: True) == ()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("/engine/issues/11)", "/engine/issues/19)", "which is no commit or pull request"),
        ("/engine/issues/11)", "/other/issues/11)", "which is no commit or pull request"),
        ("[#11](", "[#12](", "labels https://github.com/acme/engine/issues/11 as #12"),
        ("/pull/120)", "/pull/119)", "links to pull request 119"),
        ("/releases/tag/v0.2.0)", "/releases/tag/v0.3.0)", "which is no commit or pull request"),
        ("[<code>v0.2.0</code>](", "[<code>v0.1.0</code>](", "as v0.1.0"),
        (f"> {WHY}", f"> {WHY} It is great.", "quotes words that are not in"),
        (f"```text\n{NUMBERS}", f"```text\n{NUMBERS.replace('2.1', '1.1')}", "quotes words that are not in"),
        ("| 1 | 4.2 ms | 2.1 ms |", "| 1 | 4.2 ms | 0.1 ms |", "quotes words that are not in"),
    ],
)
def test_a_false_page_is_found(old: str, new: str, words: str) -> None:
    found = check(old, new)
    assert any(words in one for one in found), found
    assert len({one.partition(":")[0] for one in found}) == 1
