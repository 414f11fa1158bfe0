"""Check: a statement does not say the contrary of the very words that it quotes."""

from __future__ import annotations

import re

from daybreak.core.plain_words import plain
from daybreak.prose.checks.consequences import on_removed_side
from daybreak.prose.checks.interface import Claim, Fault

_ADDS = re.compile(r"\b(?:adds|added|gains|introduces|now has)\b", re.IGNORECASE)
_REMOVES = re.compile(r"\b(?:remov|delet|drop|eliminat|strip|retir)\w*|\bno longer\b|\bgone\b", re.IGNORECASE)
_TURNS = re.compile(
    r"\b(?:renam|replac|chang|switch|mov|instead|rather|before|previous|old|former|used to|from|fix|revert)\w*",
    re.IGNORECASE,
)
_ADDED = re.compile(r"\b(?:add|new|introduc|support|enabl|creat|fix)\w*", re.IGNORECASE)
_PAIRS = (
    (r"\bno longer\b", r"\b(?:still|remains?|continues? to)\b"),
    (r"\b(?:is|are|turned|switched) on\b|\b(?:is|are) enabled\b", r"\b(?:is|are|turned|switched) off\b|\b(?:is|are) disabled\b"),
)  # fmt: skip
_AMOUNT = re.compile(r"\b([a-z]\w*(?:[ _][a-z]\w*)?)\s(?:of|is|at|=)\s`?(\d+)`?(?![\w.])", re.IGNORECASE)
_DEVICE = re.compile(r"(?<![A-Za-z0-9])SM_?\d{2,3}(?!\d)", re.IGNORECASE)
_DENIES = re.compile(r"\b(?:not|never|unless|without|but|except|while|instead|before|until|if)\b|n't\b", re.IGNORECASE)


class QuoteAgrees:
    """Whoever quotes a line says what the line says."""

    def fault(self, claim: Claim) -> Fault | None:
        quote, said = plain(claim.draft.quote or ""), claim.bare["en"]
        if not quote:
            return None
        if _ADDS.search(said) and not _REMOVES.search(said) and not _TURNS.search(said):
            gone = on_removed_side(quote, claim.cited, claim.grounds)
            if gone or (_REMOVES.search(quote) and not _ADDED.search(quote)):
                return Fault("added_removed", quote[:80])
        if other := _other_amount(quote, said) or _other_device(quote, said):
            return Fault("opposite", other[:80])
        for one, two in _PAIRS:
            for mine, other in ((one, two), (two, one)):
                if _only(mine, other, said) and _only(other, mine, quote):
                    return Fault("opposite", quote[:80])
        return None


def _other_amount(quote: str, said: str) -> str:
    """`A head_dim of 64`, where the quote has `head_dim 128` and no other."""
    for found in _AMOUNT.finditer(said):
        given = re.findall(rf"\b{re.escape(found[1])}s?\s?(?:is|of|=|==|:)?\s?(\d+)(?![\w.])", quote, re.IGNORECASE)
        if given and found[2] not in given:
            return found[0]
    return ""


def _other_device(quote: str, said: str) -> str:
    """Which architectures it is for, where the quote names others only."""
    theirs, mine = (set(map(str.lower, _DEVICE.findall(text))) for text in (quote, said))
    if not theirs or not mine or theirs & mine or _DENIES.search(said):
        return ""  # that the others are left out follows from the quote
    return min(mine)


def _only(wanted: str, contrary: str, text: str) -> bool:
    """It says the one, nothing of the other, and nothing that turns a meaning round."""
    has, lacks = re.search(wanted, text, re.IGNORECASE), re.search(contrary, text, re.IGNORECASE)
    return bool(has) and not lacks and not _DENIES.search(text)
