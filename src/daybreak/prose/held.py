"""Last check of a model's sentence: as a reader would see it, held against the report's own facts."""

from __future__ import annotations

from msgspec.structs import replace

from daybreak.core.model.drafts import Draft, Fate
from daybreak.core.model.statements import Statement
from daybreak.core.text import named
from daybreak.judge.checks.evidence import FactEvidence
from daybreak.judge.checks.statements import judge
from daybreak.judge.measured_claims import as_claim, states_performance
from daybreak.prose.batch import apart
from daybreak.prose.questions import Question

UNMARKED = "performance_not_as_claim"
ONE_PROJECT = "one_project_only"


def held(fate: Fate, question: Question, section: str, facts: FactEvidence) -> Fate:
    """What the frame let stand stays where the facts bear it, and a number of performance is told as its author's."""
    draft = fate.draft
    if fate.statement is None:
        return fate
    if section == "across" and len({question.homes[ref] for ref in draft.refs if ref in question.homes}) < 2:
        return Fate(draft, None, ONE_PROJECT)
    statement = _claimed(widened(fate, question), draft, question)
    if statement is None:
        return Fate(draft, None, UNMARKED, states_performance(fate.statement)[0])
    verdict = judge(statement, facts)
    return replace(fate, statement=statement) if verdict.ok else Fate(draft, None, verdict.reason, verdict.detail)


def widened(fate: Fate, question: Question) -> Statement:
    """The sentence with what the statements that it sums up rest on, and with their lines that hold a name of it."""
    assert fate.statement is not None
    said, refs = fate.statement, fate.draft.refs
    rests = (name for ref in refs for name in question.rests.get(ref, ()))
    words = [word for name in named(said.text["en"]) for word in name.split()]
    lines = (one for ref in refs for one in question.proofs.get(ref, ()) if any(word in one.line for word in words))
    evidence, proof = dict.fromkeys((*said.evidence, *rests)), dict.fromkeys((*said.proof, *lines))
    return replace(said, evidence=tuple(evidence), proof=tuple(proof))


def _claimed(statement: Statement, draft: Draft, question: Question) -> Statement | None:
    """A number of performance as its author's claim; a summary repeats the claim as it was told."""
    if not question.rests:
        return as_claim(statement, question.cases[draft.home], apart(draft).cited)
    if not states_performance(statement):
        return statement
    claim = next((question.claims[ref] for ref in draft.refs if ref in question.claims), None)
    return replace(claim, author="model") if claim is not None else None
