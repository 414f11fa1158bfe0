"""What a program tells its users anew, or no longer: what it chooses for them, and what it does not refuse any more."""

from __future__ import annotations

import re
from collections.abc import Sequence

from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.quotes import Quote
from daybreak.findings.kinds import GONE, kind_of
from daybreak.findings.quotes.prose import split
from daybreak.judge.quote_rank import Topic, is_about
from daybreak.judge.telling_words import words


def announces(quote: Quote, about: Topic) -> bool:
    """A log line that tells users what is done for them from now on, and how to have it otherwise."""
    if quote.source != "log" or quote.side != "added":
        return False
    resorts = _RESORTS.search(quote.text) or _ADVISES.search(quote.text)
    return chooses(quote) or (resorts is not None and is_about(quote.text, about))


def chooses(quote: Quote) -> bool:
    """It says what is chosen for whoever sets nothing."""
    return quote.source == "log" and quote.side == "added" and _CHOSEN.search(quote.text) is not None


_CHOSEN = re.compile(
    r"\bauto(?:matically)?[- ](?:en|dis)abl|\bopt(?:ing)? (?:out|in)\b|\bdefault(?:s|ing) to\b", re.IGNORECASE
)
_RESORTS = re.compile(
    r"\bfall(?:s|ing)? back\b|\boverrid(?:es|ing|den)\b|\b(?:en|dis)abl(?:es|ing)\b|^\W*(?:en|dis)able\b.{1,80}\bfor\b"
    r"|\bskip(?:s|ping)\b.{1,120}\b(?:because|since)\b",
    re.IGNORECASE,
)
_ADVISES = re.compile(
    r"\b(?i:raise|increase|lower|reduce|set|pass|use|try|add|specify|consider)\b[^.;]{0,60}(?:(?<!\w)--[a-z][\w-]{3,}"
    r"|\b[A-Z][A-Z0-9]+_[A-Z0-9_]{3,}\b)|\bis deprecated\b"
)
"""What to set, by the name of an option or a variable, or what is to go."""


def says_what_to_set(quote: Quote) -> bool:
    """An error that came and asks for an option: whoever starts without it is refused, before what callers inside follow."""
    return quote.source == "error" and quote.side == "added" and _OPTION.search(quote.text) is not None


_OPTION = re.compile(r"(?i)\b(?:set|use|pass|enable|add|give|specify|start)\b[^.]{0,60}(?<![\w-])--[a-z][\w-]{2,60}")


def way_out(quote: Quote, most: int) -> str:
    """Of an error that asks for an option what is to be set, where the whole finds no room; nothing for all others."""
    said = [one for one in split(quote.text) if _OPTION.search(one)] if says_what_to_set(quote) else []
    return next((text for text in (quote.text, *said) if said and len(text) <= most), "")


def allowed(found: Sequence[Quote], reading: Reading, about: Topic) -> list[Quote]:
    """Errors that are no longer raised, of what can be done from now on."""
    refused = [words(q.text) for q in found if q.side == "added" and (q.source == "error" or _refuses(q))]
    lifted = [f for f in reading.findings if kind_of(f.kind).family == "guard" and kind_of(f.kind).change in GONE]
    return [q for q in found if _opens(q, about, lifted) and not _is_again(q, refused)]


def _opens(quote: Quote, about: Topic, lifted: Sequence[Finding]) -> bool:
    """An error that is gone and said that what the title is about cannot be done, or whose check is gone: it can from now on."""
    if quote.source != "error" or quote.side != "removed" or not is_about(quote.text, about):
        return False
    return _refuses(quote) or any(f.path == quote.path and 0 <= quote.line - f.line <= _OF_CHECK for f in lifted)


def _refuses(quote: Quote) -> bool:
    return _REFUSED.search(quote.text) is not None


def _is_again(quote: Quote, refused: Sequence[frozenset[str]]) -> bool:
    """The program still refuses something of the kind, in other words."""
    own = words(quote.text)
    return any(3 * len(own & other) >= len(own) for other in refused)


_REFUSED = re.compile(
    r"\b(?:not|n't|cannot|only)\b.{0,40}\b(?:support|implement|allow|work)|unsupported|unimplemented", re.IGNORECASE
)
_OF_CHECK = 5
"""Lines from a check to the error that it ends in."""
