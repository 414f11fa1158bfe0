"""The bars: poisoned statements are dropped, true ones stand, on the half that was tuned on and on those that were not."""

from __future__ import annotations

import pytest

from corpora.statements import Sample, relational, samples
from daybreak.core.model.drafts import Fate
from daybreak.core.text import spans
from daybreak.prose.checks import judge
from daybreak.prose.glossary import load

FILES = ("tuned", "heldout", "later")


def judged(name: str) -> list[tuple[Sample, Fate]]:
    return [(sample, judge(sample.draft, sample.case, load())) for sample in samples(name)]


@pytest.mark.parametrize("name", FILES)
def test_at_least_97_percent_of_poisoned_statements_are_dropped(name: str) -> None:
    poisoned = [(sample, fate) for sample, fate in judged(name) if sample.poison]
    kept = [sample.draft.text["en"] for sample, fate in poisoned if fate.statement]
    assert len(kept) <= 0.03 * len(poisoned), kept


@pytest.mark.parametrize("name", FILES)
def test_at_most_3_percent_of_true_statements_are_dropped(name: str) -> None:
    true = [(sample, fate) for sample, fate in judged(name) if not sample.poison]
    dropped = [(fate.reason, fate.detail, sample.draft.text["en"]) for sample, fate in true if fate.statement is None]
    assert len(dropped) <= 0.03 * len(true), dropped


def test_of_lies_in_the_words_of_the_evidence_half_are_dropped() -> None:
    """What words cannot tell is left to the critic; this holds what is reached, and shows the limit."""
    kept = [sample.draft.text["en"] for sample in relational() if judge(sample.draft, sample.case, load()).statement]
    assert len(kept) <= len(relational()) // 2, kept


def test_the_corpus_is_as_large_as_it_says() -> None:
    every = [sample for name in FILES for sample in samples(name)]
    assert sum(not sample.poison for sample in every) >= 300
    assert sum(bool(sample.poison) for sample in every) >= 300
    assert len({sample.commit for sample in every}) >= 40


def test_what_stands_is_shown_word_for_word_with_its_placeholders_rendered() -> None:
    for sample, fate in (pair for name in FILES for pair in judged(name)):
        if fate.statement is None:
            continue
        assert fate.statement.author == "model"
        assert fate.statement.evidence
        for language, text in sample.draft.text.items():
            shown = fate.statement.text[language]
            if "{" not in text:
                assert shown == text
            else:
                assert "{" not in shown
                assert set(spans(shown)) & set(sample.case.names.values())


def test_a_dropped_statement_names_its_reason() -> None:
    from daybreak.prose.checks import REASONS

    for _, fate in judged("tuned"):
        assert (fate.statement is None) == bool(fate.reason)
        assert not fate.reason or fate.reason in REASONS
