"""True statements of the corpus through all that telling adds to the checks: none is lost, and numbers are claims."""

from __future__ import annotations

import pytest

from corpora.statements import Sample, samples
from daybreak.core.model.statements import Statement
from daybreak.core.text import plain
from daybreak.judge.checks.statements import judge as judge_statement
from daybreak.judge.measured_claims import as_claim, is_claim, states_performance
from daybreak.prose.checks import judge
from daybreak.prose.glossary import load

FILES = ("tuned", "heldout", "later")


def standing(name: str) -> list[tuple[Sample, Statement]]:
    found = [(sample, judge(sample.draft, sample.case, load())) for sample in samples(name) if not sample.poison]
    return [(sample, fate.statement) for sample, fate in found if fate.statement is not None]


def evidence(sample: Sample) -> dict[str, str]:
    """The report's own facts as far as the case has them."""
    found: dict[str, str] = {}
    for piece in sample.case.pieces:
        told = "\n".join((piece.text, *piece.names.values()))
        found[piece.id] = plain(f"{found.get(piece.id, '')}\n{told}")
    for one in sample.case.findings:
        found[f"finding:{one.id}"] = plain(f"{one.kind} {one.path} {one.line} {one.symbol} {one.before} {one.after}")
    return found


@pytest.mark.parametrize("name", FILES)
def test_the_second_gate_drops_no_true_statement(name: str) -> None:
    lost = []
    for sample, statement in standing(name):
        told = as_claim(statement, sample.case, sample.draft.refs)
        verdict = None if told is None else judge_statement(told, evidence(sample))
        if verdict is None or not verdict.ok:
            lost.append((verdict, statement.text["en"]))
    assert lost == []


def test_every_number_of_performance_is_shown_in_its_authors_words() -> None:
    seen = 0
    for sample, statement in (pair for name in FILES for pair in standing(name)):
        told = as_claim(statement, sample.case, sample.draft.refs)
        assert told is not None
        if told is statement:
            continue
        seen += 1
        assert is_claim(told)
        assert all(number in told.text["en"] for number in states_performance(statement))
    assert seen >= 4
