"""Sayings: what a sentence says of a change: a cause, a condition, a consequence, what was before, what could happen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from daybreak.core.model.quotes import Quote
from daybreak.judge.empty_words import is_guarded, is_later
from daybreak.judge.hazards import hazard
from daybreak.judge.telling_words import stem


class Say(NamedTuple):
    """Something that a sentence may say: what it is worth, and the words (whatever their ending) and phrases of it."""

    name: str
    worth: float
    words: str
    phrases: tuple[str, ...]


CONSEQUENCE = Say(
    "consequence",
    1.5,
    "would crash hang hung deadlock corrupt wrong wrongly incorrect incorrectly fail failure error oob overflow underflow"
    " silent silently leak nan garbage stale duplicate lost lose mismatch illegal race break broken regress regression"
    " assert faster slower overhead saturate force redundant redundantly unnecessary twice expensive contaminate",
    (" raises ", " raised ", "out of bounds", "out-of-bounds", "导致", "错误", "崩溃"),
)
CAUSE = Say(
    "cause",
    1.5,
    "because since otherwise so avoid prevent due therefore thus hence ensure cause",
    (
        *("to keep ", "to match ", "to allow ", "which means", "which makes"),
        *("which causes", "as it ", "因为", "避免", "防止"),
    ),
)
BEFORE = Say(
    "before",
    1.4,
    "instead previous previously formerly unlike now was were old legacy opt-in replace replaced supersede",
    (
        *("no longer", "before this", "used to ", "rather than", "by default"),
        *("defaults to", "不再", "改为", "之前", "默认"),
    ),
)
CONDITION = Say(
    "condition",
    0.8,
    "if when whenever unless only never until require required must cannot can't need except without",
    ("as long as", "even though", "not support", "必须", "仅", "只有", "如果"),
)
POSSIBLE = Say("possible", 0.1, "may might could would otherwise previous previously unlike", (" used to ",))
"""What could happen, or happened until now."""
SAYS = (CONSEQUENCE, CAUSE, BEFORE, CONDITION, POSSIBLE)
FAULT = 1.4
"""In a change that mends something it says what went wrong, or what could."""
_PLAIN = re.compile(r"[a-z][a-z0-9'-]*")
SNAKE = re.compile(r"\b[a-z][a-z0-9]{0,40}_\w{1,80}")
"""A name of the sources, whose parts say nothing."""
_STEMS = {say.name: frozenset(map(stem, say.words.split())) for say in SAYS}


def says(sentence: str, some: Sequence[Say] = SAYS) -> float:
    """How much a sentence says of some things: a cause, a condition, a consequence."""
    lowered = sentence.lower()
    own = frozenset(map(stem, _PLAIN.findall(SNAKE.sub(" ", sentence).lower())))
    return sum(
        say.worth for say in some if not own.isdisjoint(_STEMS[say.name]) or any(p in lowered for p in say.phrases)
    )


def effect(text: str) -> float:
    """How much a text says of what goes wrong, or would."""
    return says(text, (CONSEQUENCE,)) + (FAULT if hazard(text, titled=False) else 0.0)


def tells_fault(text: str) -> bool:
    """Whether a text says what goes wrong, or what would."""
    return hazard(text, titled=False) is not None or bool(says(text, (CONSEQUENCE,)) and says(text, (POSSIBLE,)))


def trouble(quote: Quote) -> float:
    """How far words say what went wrong, or would; what was, against what is now, says half of it. All others describe how the new
    code works: none.
    """
    text = quote.text
    if quote.source in ("error", "log"):
        return 1.0 if quote.side == "removed" and quote.source == "error" else 0.0
    if is_later(text) or (quote.source == "test" and is_guarded(text)):
        return 0.0
    if tells_fault(text) or _OR_ELSE.search(text):
        return 2.0
    if quote.source == "test" and _MUST_NOT.search(text):
        return 1.0
    if not says(text, (CAUSE, CONDITION)):
        return 0.0
    return 1.0 if says(text, (CONSEQUENCE, POSSIBLE)) else 0.5 if says(text, (BEFORE,)) else 0.0


_MUST_NOT = re.compile(r"\b(?:must|should|may) (?:not|never|no longer)\b|\b(?:never|no longer)\b", re.IGNORECASE)
"""What a test of a fix forbids is what went wrong."""
_OR_ELSE = re.compile(
    r"^\W*regression (?:for|of|where)\b|\b(?:otherwise|would|could|previously|used to|without (?:it|this|that|them))\b",
    re.IGNORECASE,
)
