"""Judges a draft: every check in turn, the first objection counts; what stands is rendered for readers."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from daybreak.core.model.drafts import Case, Draft, Fate
from daybreak.core.model.statements import Statement
from daybreak.core.text import numbers, outside, plain, spans
from daybreak.prose.checks import tokens
from daybreak.prose.checks.before_after import BeforeAfter, WhenTold
from daybreak.prose.checks.contradiction import NoContrary, QuoteAgrees, Quotes
from daybreak.prose.checks.direction import AddedOrRemoved, NothingMeasured, without_absent
from daybreak.prose.checks.evidence_index import Grounds, names_of, prepared
from daybreak.prose.checks.form import CitedPieces, EditionsAgree, LanguageAsked, LiteralText, NoOrders, Shape
from daybreak.prose.checks.interface import LANGUAGES, Claim, ClaimCheck, Fault
from daybreak.prose.checks.names import LongForms, NumbersStand, taken_apart
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


# --- The optional second model: judges whether the evidence entails a statement that every offline check let stand ---
# It can only take away. What it answers is read as yes or no; nothing it writes reaches a reader.

FILE = Path(__file__).with_name("critic.txt")
MOST = 24_000
"""Characters of evidence in one question; each piece has the same share, and what is cut is cut from its middle and marked."""
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"entailed": {"type": "boolean"}, "why": {"type": "string", "maxLength": 300}},
    "required": ["entailed", "why"],
    "additionalProperties": False,
}
_SLOT = re.compile(r"\{(zh|en|quote|evidence)\}")
Ask = Callable[[str, Mapping[str, Any]], Awaitable[Mapping[str, Any] | None]]
"""Takes the question and the schema of its answer; None when there is no answer."""


@lru_cache(maxsize=1)
def _template() -> str:
    return FILE.read_text(encoding="utf-8")


def question(fate: Fate, case: Case) -> str:
    """What the second model is asked: the cited pieces, the statement in both languages, its quote."""
    draft = fate.draft
    pieces = [piece for piece in case.pieces if piece.ref in draft.refs]
    share = MOST // max(len(pieces), 1)
    evidence = "\n\n".join(f"[{piece.ref}]\n{_shortened(_tame(piece.text), share)}" for piece in pieces)
    text = fate.statement.text if fate.statement else draft.text
    values = {"zh": _tame(text.get("zh", "")), "en": _tame(text.get("en", "")), "quote": _tame(draft.quote)}
    values["evidence"] = evidence
    return _SLOT.sub(lambda found: values[found[1]], _template())


def _tame(text: str) -> str:
    """Outside text cannot close the marks it stands between."""
    return text.replace("</", "<\\/").replace("<evidence", "<\\evidence").replace("<sentence", "<\\sentence")


def _shortened(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters left out …]\n{text[-half:]}"


async def entailed(fate: Fate, case: Case, ask: Ask) -> Fate:
    """The same fate, or a dropped one when the second model says no. Without its answer the offline checks stand."""
    if fate.statement is None:
        return fate
    answer = await ask(question(fate, case), SCHEMA)
    if answer is None or answer.get("entailed") is True:
        return fate
    why = answer.get("why")
    return replace(fate, statement=None, reason="not_entailed", detail=why[:200] if isinstance(why, str) else "")
