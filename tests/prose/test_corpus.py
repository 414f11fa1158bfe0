"""The frame by code alone: most lies in words are dropped, true sentences stand, and what stands is shown word for word."""

from __future__ import annotations

import pytest

from corpora.statements import Sample, samples
from daybreak.core.model.drafts import Fate
from daybreak.core.text import spans
from daybreak.prose.frame import Frame
from daybreak.prose.plain_sentence import REASONS

FILES = ("tuned", "heldout", "later")


def judged(name: str) -> list[tuple[Sample, Fate]]:
    return [(sample, Frame(sample.case).fate(sample.draft)) for sample in samples(name)]


@pytest.mark.parametrize("name", FILES)
def test_at_most_a_quarter_of_poisoned_statements_is_left_to_the_critic(name: str) -> None:
    poisoned = [(sample, fate) for sample, fate in judged(name) if sample.poison]
    kept = [sample.draft.text["en"] for sample, fate in poisoned if fate.statement]
    assert len(kept) <= 0.25 * len(poisoned), kept


def test_at_most_3_percent_of_true_statements_are_dropped() -> None:
    true = [pair for name in FILES for pair in judged(name) if not pair[0].poison]
    dropped = [(fate.reason, fate.detail, sample.draft.text["en"]) for sample, fate in true if fate.statement is None]
    assert len(true) >= 290
    assert len(dropped) <= 0.03 * len(true), dropped


def test_what_stands_is_shown_word_for_word_with_its_placeholders_rendered_and_its_proof() -> None:
    for sample, fate in (pair for name in FILES for pair in judged(name)):
        if fate.statement is None:
            continue
        assert fate.statement.author == "model"
        assert fate.statement.evidence
        assert fate.statement.proof
        for language, text in sample.draft.text.items():
            shown = fate.statement.text[language]
            if "{" not in text:
                assert shown == text
            else:
                assert "{" not in shown
                assert set(spans(shown)) & set(sample.case.names.values())


def test_a_dropped_statement_names_its_reason() -> None:
    for _, fate in judged("tuned"):
        assert (fate.statement is None) == bool(fate.reason)
        assert not fate.reason or fate.reason in REASONS
