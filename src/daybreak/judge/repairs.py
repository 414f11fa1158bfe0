"""Repairs: what a fix puts right, by the words of its title, and where that says nothing by the words that are quoted of it."""

from __future__ import annotations

import re
from typing import Literal

from daybreak.core.model.quotes import Gist, QuoteSource
from daybreak.core.model.report import Entry
from daybreak.judge.change_kinds import bare

Hazard = Literal["corrupts", "stops"]
"""Results are wrong and nobody is told; or the service ends, hangs or does not start."""

_B = r"(?<![A-Za-z])"
_CORRUPTS = re.compile(
    _B
    + r"(?:(?:wrong|incorrect|inaccurate)(?:ly)?(?: \w{1,20}){0,3} (?:results?|outputs?|answers?|values?|logits|logprobs?|tokens?|scores?|rows?|state)"
    r"|(?:accuracy|correctness) (?:issue|bug|problem|drop|loss|regression)s?|corrupt\w{0,5}|garbage|garbled|gibberish|NaNs?|data loss"
    r"|contaminat\w{1,4}|stale[ -](?:[\w-]{1,20} ){0,2}(?:blocks?|state|data|rows?|cache|values?|ids?|pointers?|KV|buffers?|index|indices|results?|tokens?|weights?|slots?|pages?|metadata|entry|entries)"
    r"|silently (?:\w{1,12}(?:ed|s)|wrong)|double[- ]\w{3,12}|(?:drop|los)(?:s|es|ing|t|ped|ping) (?:\w{1,12} )?(?:tokens?|data|requests?|outputs?|deltas?|chunks?))\b",
    re.IGNORECASE,
)
_STOPS = re.compile(
    _B
    + r"(?:hang(?:s|ing)?|hung|dead-?lock\w{0,3}|livelock\w{0,2}|race conditions?|stuck|infinite(?:ly)? loop\w{0,3}|orphan(?:s|ed)?"
    r"|crash\w{0,3}|segfault\w{0,2}|illegal (?:memory|instruction|address)|ILLEGAL_ADDRESS|out[- ]of[- ](?:memory|bounds?)|past the end|OOM|OOB|IMA"
    r"|(?:over|under)flow(?:s|ed|ing)?|leak(?:s|ed|ing)?|assertion (?:fail\w{0,4}|error))\b",
    re.IGNORECASE,
)
_RAISED = re.compile(r"\b[A-Z]\w{1,20}Error\b|\bNoneType\b")
"""What a title calls the fault by; a comment may speak of an error that is meant."""
_SAID: frozenset[QuoteSource] = frozenset({"body", "comment", "docstring", "changelog", "test"})
"""What an author says about the code; what the program says to users is no word on the fault."""


def repaired(entry: Entry) -> Hazard | None:
    """What a fix says that it repairs: in its title, or in what is quoted of it."""
    if entry.kind != "fix":
        return None
    title = bare(entry.change.subject)
    return hazard(title) or ("stops" if _RAISED.search(title) else _quoted(entry.gist))


def _quoted(gist: Gist | None) -> Hazard | None:
    told = (hazard(quote.text) for quote in gist.quotes if quote.source in _SAID) if gist else ()
    return next(filter(None, told), None)


def hazard(text: str) -> Hazard | None:
    """The fault that a text names first."""
    wrong, ends = _CORRUPTS.search(text), _STOPS.search(text)
    if wrong and ends:
        return "corrupts" if wrong.start() < ends.start() else "stops"
    return "corrupts" if wrong else "stops" if ends else None
