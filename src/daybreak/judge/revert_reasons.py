"""Reasons of reverts: what the message of one says beside what it takes back.

That something was taken back does not show that it had a fault: only its author's words do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from daybreak.core.model.changes import Change
from daybreak.judge.change_kinds import MAX_SUBJECT, bare
from daybreak.judge.hazards import hazard
from daybreak.judge.message_quotes import message_quotes

_TAKEN = re.compile(r"[\"'“].{3,300}?(?:[\"'”](?!\w)|…|$)")
"""The title that a revert quotes: it speaks of what came, not of why it goes."""
_FOR_NOW = r"until|pending|temporar\w{2,4}|for now|in favou?r of"
_WHY = re.compile(rf"\b(?:because|due to|since|as it|causes?|caused|to unblock|{_FOR_NOW})\b", re.IGNORECASE)
_BLAMES = re.compile(
    r"\b(?:br(?:eak|oke)\w{0,6}|fail\w{0,5}|errors?|bugs?|wrong\w{0,2}|incorrect\w{0,2}|regress\w{0,4}|faults?|faulty|flaky)\b",
    re.IGNORECASE,
)
_NEUTRAL = re.compile(
    rf"\b(?:{_FOR_NOW}|revert(?:s|ed|ing)?|un-?block\w{{0,3}}|discuss\w{{0,4}}|duplicates?|redundant|superseded|replaced|instead"
    r"|no longer needed|not needed|(?:re-?)?land\w{0,3}|by mistake|accident\w{0,4}|conflict\w{0,3}|too early|wait\w{0,3})\b",
    re.IGNORECASE,
)
"""Reasons that say nothing against what is taken back."""
_PARAGRAPHS = 12


def is_explained(change: Change) -> bool:
    """It says more than what it takes back."""
    own = _own_title(change)
    return bool(_WHY.search(own)) or _names_fault(own) or next(_body(change), None) is not None


def blames(change: Change) -> bool:
    """It says that what it takes back had a fault: by a word for one, or by what happened, told as nothing but that."""
    if _names_fault(_own_title(change)):
        return True
    return any(_names_fault(text) or _NEUTRAL.search(text) is None for text in _body(change))


def _own_title(change: Change) -> str:
    return _TAKEN.sub(" ", bare(change.subject[:MAX_SUBJECT]))


def _body(change: Change) -> Iterator[str]:
    return (quote.text for quote in islice(message_quotes(change.body), _PARAGRAPHS))


def _names_fault(text: str) -> bool:
    return _BLAMES.search(text) is not None or hazard(text, titled=False) is not None
