"""Judges a draft: every check in turn, the first objection counts; what stands is rendered for readers."""

from __future__ import annotations

from collections.abc import Mapping

from daybreak.core.model.drafts import Case, Draft, Fate
from daybreak.core.model.statements import Statement
from daybreak.core.text import numbers, outside, plain, spans
from daybreak.prose.checks import tokens
from daybreak.prose.checks.before_after import BeforeAfter, WhenTold
from daybreak.prose.checks.contradiction import NoContrary, QuoteAgrees, Quotes
from daybreak.prose.checks.direction import AddedOrRemoved, NothingMeasured, without_absent
from daybreak.prose.checks.evidence_index import Grounds, names_of, prepared
from daybreak.prose.checks.form import CitedPieces, LanguageAsked, LiteralText, NoOrders, Shape
from daybreak.prose.checks.interface import LANGUAGES, Claim, ClaimCheck, Fault
from daybreak.prose.checks.languages_agree import EditionsAgree
from daybreak.prose.checks.names import LongForms, taken_apart
from daybreak.prose.checks.numbers import NumbersStand
from daybreak.prose.checks.pairs import PairsAgree
from daybreak.prose.checks.safety import SafetyProved
from daybreak.prose.checks.sentences import Sentence
from daybreak.prose.checks.words import PlainWords, WordsStand
from daybreak.prose.glossary import Glossary

CHECKS: dict[str, ClaimCheck] = {
    "shape": Shape(),
    "literal": LiteralText(),
    "orders": NoOrders(),
    "cited": CitedPieces(),
    "quotes": Quotes(),
    "language": LanguageAsked(),
    "long_forms": LongForms(),
    "words": WordsStand(),
    "numbers": NumbersStand(),
    "direction": AddedOrRemoved(),
    "turns": BeforeAfter(),
    "eras": WhenTold(),
    "pairs": PairsAgree(),
    "safety": SafetyProved(),
    "absent": NothingMeasured(),
    "editions": EditionsAgree(),
    "support": PlainWords(),
    "aligned": NoContrary(),
    "quoted": QuoteAgrees(),
}
"""In this order: cheap ones first, and what a model can mend most easily before what it cannot."""


def judge(draft: Draft, case: Case, glossary: Glossary) -> Fate:
    """The draft's fate: a rendered statement, or the first reason against it."""
    fault = _fault_of_texts(draft, case)
    if fault is None:
        claim = claim_of(draft, case, glossary)
        fault = next((found for check in CHECKS.values() if (found := check.fault(claim))), None)
        if fault is None:
            return Fate(draft, _statement(claim, case))
    return Fate(draft, None, fault.reason, fault.detail)


def _fault_of_texts(draft: Draft, case: Case) -> Fault | None:
    """What must hold before a claim can be taken apart: both languages, and placeholders that exist."""
    names = case.names
    for language in LANGUAGES:
        text = draft.text.get(language, "")
        if not text.strip():
            return Fault("language_missing", language)
        if wrong := tokens.unknown(text[:4000], names):
            return Fault("unknown_placeholder", wrong)
        if len(text) > 4000:
            return Fault("too_long", language)
    return None


def claim_of(draft: Draft, case: Case, glossary: Glossary) -> Claim:
    """The draft taken apart, with its evidence; its texts are there and all its placeholders are known."""
    grounds, names = prepared(case), case.names
    bare = {x: tokens.blanked(draft.text[x]) for x in LANGUAGES}
    return Claim(
        draft,
        bare,
        {x: tokens.rendered(draft.text[x], names) for x in LANGUAGES},
        {x: Sentence(without_absent(bare[x]), x) for x in LANGUAGES},
        tuple(grounds.pieces[ref] for ref in dict.fromkeys(draft.refs) if ref in grounds.pieces),
        grounds,
        glossary,
    )


def _statement(claim: Claim, case: Case) -> Statement:
    shown = (*claim.grounds.pieces.values(), *claim.grounds.findings)
    told = {x: taken_apart(claim.draft.text[x], shown) for x in LANGUAGES}
    text = {x: tokens.rendered(told[x], case.names).strip() for x in LANGUAGES}
    return Statement(claim.draft.role, text, _evidence(claim, case, told), claim.draft.dimension, author="model")


def _evidence(claim: Claim, case: Case, told: Mapping[str, str]) -> tuple[str, ...]:
    """Ids of the cited pieces, of those that list its placeholders, and of those that hold its words and numbers."""
    owners = {**names_of(case.pieces), **names_of(p for p in case.pieces if p.ref in claim.draft.refs)}
    ids = [ground.id for ground in claim.cited]
    for text in claim.draft.text.values():
        ids += [owners[found[1]].id for found in tokens.PLACEHOLDER.finditer(text)]
    kept = list(dict.fromkeys(ids))
    for text in told.values():
        kept += _holding(tokens.blanked(text), claim.grounds, kept)
    return tuple(dict.fromkeys(kept))


def _holding(text: str, grounds: Grounds, ids: list[str]) -> list[str]:
    """Ids of evidence that holds a word in backticks or a number which the cited evidence has not."""
    every = [*grounds.pieces.values(), *grounds.findings]
    mine = [g for g in every if g.id in ids]
    more: list[str] = []
    for word in map(plain, spans(text)):
        if not any(word in g.plain for g in mine):
            more += [g.id for g in every if word in g.plain][:1]
    stated = numbers(outside(text))
    if stated:
        known = set().union(*(g.digits for g in mine))
        for number in sorted(stated - known):
            more += [g.id for g in every if number in g.digits][:1]
    return more
