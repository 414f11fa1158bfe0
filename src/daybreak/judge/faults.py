"""Faults: what a fix says went wrong, in its title, in the commit's body, or in comments, docstrings and tests it brings.

No more than a claim: it counts where the fix alters what users run.
"""

from __future__ import annotations

from typing import NamedTuple

from daybreak.core.model.changes import Change
from daybreak.core.model.quotes import Quote, QuoteSource
from daybreak.core.model.statements import Kind
from daybreak.findings.quotes import quotes
from daybreak.judge.change_kinds import bare
from daybreak.judge.message_quotes import message_quotes
from daybreak.judge.quote_rank import words
from daybreak.judge.vocabulary import VAGUE, WORDS

KINDS = ("wrong_result", "hang", "crash", "regression")
_SAID_IN: frozenset[QuoteSource] = frozenset({"body", "comment", "docstring", "test"})
"""Where an author says what went wrong; what a program says when it refuses something is no fault of it."""
_SHARED = 2
"""Telling words that a quote and the title have in common."""


class Fault(NamedTuple):
    """What a fix says went wrong."""

    kind: str
    word: str
    """The word that says it."""
    titled: bool
    """The title says it."""
    quote: Quote | None = None
    """Where it is said besides the title."""


def fault(change: Change, kind: Kind) -> Fault | None:
    """What a fix says went wrong, in words that mean nothing else; where the title and another place do, the title's."""
    if kind != "fix":
        return None
    subject = bare(change.subject)
    titled, quoted = _in_title(subject), _in_quotes(change, words(subject))
    return titled._replace(quote=quoted.quote) if titled and quoted else titled or quoted


def _in_title(subject: str) -> Fault | None:
    for name, pattern in WORDS:
        if name in KINDS and (match := pattern.search(subject)):
            return Fault(name, match[0], titled=True)
    return None


def _in_quotes(change: Change, about: frozenset[str]) -> Fault | None:
    """Of quotes that speak of what the title speaks of: a long change has comments on much else."""
    said = (*message_quotes(change.body), *quotes(change))
    found = [q for q in said if q.source in _SAID_IN and q.side != "removed" and len(about & words(q.text)) >= _SHARED]
    for name, pattern in WORDS:
        for quote in found if name in KINDS else ():
            for match in pattern.finditer(quote.text):
                if not VAGUE.fullmatch(match[0]):
                    return Fault(name, match[0], titled=False, quote=quote)
    return None
