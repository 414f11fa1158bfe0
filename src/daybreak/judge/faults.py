"""Faults: what a fix says went wrong, in its title, in the sentence that tells it, or in comments and tests it brings, and what
of the change bears that out.

The one place where a word of a title is asked for a fault. A title is no more than a claim: it lifts nothing unless lines of
the change, a test that comes with it or its author's words elsewhere show the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from daybreak.core.model.changes import Change
from daybreak.core.model.quotes import Gist, Quote, QuoteSource
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Kind, Text
from daybreak.core.words import say, term
from daybreak.core.words.grammar import alike, quoted
from daybreak.findings.quotes import quotes
from daybreak.judge.change_kinds import bare
from daybreak.judge.hazards import Hazard, hazard, is_noticed, names_fault, says_stop
from daybreak.judge.message_quotes import message_quotes
from daybreak.judge.repair_lines import (
    asserts_agreement,
    bears_out,
    confessed,
    corrected,
    hands_out_copy,
    repaired_by_lines,
    speaks_of_new_code,
)
from daybreak.judge.sayings import CONSEQUENCE, says, trouble
from daybreak.judge.telling_words import words

_SAID_IN: frozenset[QuoteSource] = frozenset({"body", "comment", "docstring", "changelog", "test"})
"""Where an author says what went wrong; what a program says when it refuses something is no fault of it."""
_SHARED = 2
"""Telling words that the title and a quote have in common that does not tell the change."""


class Fault(NamedTuple):
    """What a fix says went wrong."""

    hazard: Hazard
    titled: bool
    """The title says it."""
    quote: Quote | None
    """Where it is said besides the title."""
    shown: bool = True
    """Words or lines of the change speak of it: most titles alone claim nothing that anybody acts on."""


def fault(change: Change, kind: Kind, gist: Gist | None) -> Fault | None:
    """What a fix says went wrong: by its title, which another place may bear out, else by its lines, or by the sentence
    that tells it; a test that compares results says that they were wrong, unless the words say that it stopped. A title that names a cause
    alone, such as a race, says nothing of what was met: lines or words besides have to, and they say which it was.
    """
    if kind != "fix":
        return None
    subject = bare(change.subject)
    about, said = words(subject), hazard(subject)
    told = _first(_of_old_code(change, gist.quotes), about, 1) if gist else None
    if said is None:
        shown = repaired_by_lines(change) or confessed(change) or corrected(change)
        return Fault(shown.hazard, False, shown.quote) if shown else _as_tested(change, told) or _opening(change, about)
    new = [quote for quote in (*message_quotes(change.body), *quotes(change)) if quote.side != "removed"]
    found = told or _first(new, about, _SHARED)
    borne = found is not None or (any(_names(quote, said) for quote in new) and not _is_told_aloud(new, said))
    borne = borne or (_shown_by_cause(change, gist) if said.cause else gist is not None and bears_out(change, said))
    met = found.hazard if said.cause and found else said
    return Fault(met, True, found.quote if found else None, borne)


def as_said(code: str, found: Fault) -> Text:
    """Why a fault weighs: by what its author says, or by the author's own word where that says less; what no word of the
    author says is shown by lines.
    """
    word = found.hazard.word
    if not (found.titled or (found.quote is not None and _says(found.quote, found.hazard))):
        return say("judge.grade.by_lines") if code == "corrupts" else say("judge.grade.stopped_by_lines")
    if _MEANS[code].match(word):
        return term("judge.reason", code)
    return say("judge.grade.named", word=alike(quoted(word)))


def _says(quote: Quote, claimed: Hazard) -> bool:
    """The quote has words of its author, and they speak of such a fault."""
    found = hazard(quote.text, titled=False) if quote.source in _SAID_IN else None
    return found is not None and found.does == claimed.does and claimed.word in quote.text


_MEANS = {
    "corrupts": re.compile(
        r"(?:wrong|incorrect|inaccurate)(?:ly)?(?: \w{1,20}){0,3} (?:results?|outputs?|answers?|values?|logits|logprobs?|tokens?|scores?)$"
        r"|garbage|garbled|gibberish",
        re.IGNORECASE,
    ),
    "crash": re.compile(r"crash|segfault", re.IGNORECASE),
    "leak": re.compile(r"leak", re.IGNORECASE),
    "hang": re.compile(r"hang|hung|dead-?lock|livelock|stuck", re.IGNORECASE),
}
"""Words that mean what the sentence of a code says; of all others the word itself is told."""


def _names(quote: Quote, said: Hazard) -> bool:
    """It names the fault of the title, though it be only to say that it cannot be any more."""
    found = hazard(quote.text, titled=False) if quote.source in _SAID_IN else None
    return found is not None and found.name == said.name


def _is_told_aloud(quotes: Iterable[Quote], said: Hazard) -> bool:
    """The title names a cause alone, and the author says beside it that it ended in an error: no wrong value went out."""
    return said.cause and any(said.word.lower() in quote.text.lower() and is_noticed(quote.text) for quote in quotes)


def _shown_by_cause(change: Change, gist: Gist | None) -> bool:
    """Its own lines repair it, or it is told by a value of the code that the title is about and that is another now."""
    shown = hands_out_copy(change) or repaired_by_lines(change) is not None
    return shown or (gist is not None and gist.source == "finding" and not gist.quotes)


def _opening(change: Change, about: frozenset[str]) -> Fault | None:
    """What the message begins with: that it stopped or stood still; what else may be wrong is told further down."""
    found = _first(islice(message_quotes(change.body), 1), about, 1)
    return found if found is not None and found.hazard.does == "stops" else None


def _of_old_code(change: Change, quotes: Iterable[Quote]) -> Iterator[Quote]:
    """Without comments on what the change itself brings, and without those that it takes away: they say what the code that
    goes was for, not what was wrong with it.
    """
    for quote in quotes:
        if quote.side == "removed" and quote.source in _IN_CODE:
            continue
        if quote.source != "comment" or not speaks_of_new_code(change, quote.path, quote.line):
            yield quote


def _as_tested(change: Change, told: Fault | None) -> Fault | None:
    """What reads past an end may give a wrong value, as a test shows; what hung or crashed gave none, as is said."""
    if told is None or told.hazard.does != "stops" or (told.quote and says_stop(told.quote.text)):
        return told
    if not asserts_agreement(change):
        return told
    return told._replace(hazard=told.hazard._replace(does="corrupts", name="wrong_result"))


def _first(quotes: Iterable[Quote], about: frozenset[str], least: int) -> Fault | None:
    """Of quotes that speak of what the title speaks of, in so many words: a long change has comments on much else."""
    for quote in quotes:
        if quote.source in _SAID_IN and len(about & words(quote.text)) >= least:
            found = hazard(quote.text, titled=False)
            if found is not None and found.does != "regression" and not _is_of_now(quote, found.word):
                return Fault(found, False, quote)
    return None


def _is_of_now(quote: Quote, word: str) -> bool:
    """What stands in the code says that the fault cannot be, or what for it is as it is: not what happened before."""
    if quote.source not in _IN_CODE:
        return False
    said = next((one for one in _SENTENCE.split(quote.text) if word in one), "")
    return _SAFE.search(said) is not None and _BEFORE.search(said) is None


_SENTENCE = re.compile(r"(?<=[.;!?])\s")
_IN_CODE: frozenset[QuoteSource] = frozenset({"comment", "docstring", "test"})
_SAFE = re.compile(
    r"\b(?:never|no longer|cannot|can't|must not|mustn't|so that|so (?:any|no|nothing)|so (?:the|it)(?=[^.;]{0,80}\b(?:not|never|no|stays?|keeps?|remains?|holds?|match(?:es)?)\b)|instead of|rather than|without|ensures?"
    r"|guarantees?|safe(?:ly)?|avoid(?:s|ing)?|prevent(?:s|ing)?|(?:guard|protect)(?:s|ing)? (?:against|from)|in order (?:not )?to)\b",
    re.IGNORECASE,
)
"""How a comment says what cannot be, or what for the code is as it is."""
_BEFORE = re.compile(
    r"\b(?:was|were|would|could|previous(?:ly)?|used to|otherwise|else|caus(?:es?|ed|ing)|leaves?|left|lead(?:s|ing)? to|result(?:s|ed|ing)? in)\b",
    re.IGNORECASE,
)
"""How a comment tells what happened until now."""


# --- what else shows that somebody met a fault, or could ---


_REPORTED = re.compile(
    r"\b(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?):? (?:[\w./-]{1,80})?#\d|/issues/\d|^Traceback",
    re.IGNORECASE | re.MULTILINE,
)
"""Somebody else met it: an issue that is closed, or a traceback."""
_LONGEST = 4000


def has_symptom(entry: Entry) -> bool:
    """A test that comes with it, an issue, an error, or words or lines that say what went wrong."""
    if entry.kind == "security" or "test" in entry.reading.areas:
        return True
    told = f"{entry.change.subject}\n{entry.change.body}"[:_LONGEST]
    if _REPORTED.search(told) or is_noticed(told) or names_fault(told) or says(told, (CONSEQUENCE,)):
        return True
    quotes = entry.gist.quotes if entry.gist is not None else ()
    return any(map(trouble, quotes)) or fault(entry.change, entry.kind, entry.gist) is not None
