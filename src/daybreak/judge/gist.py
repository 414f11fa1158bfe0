"""The one sentence of a change, by a fixed order of witnesses; nothing where none of them speaks.

Findings with their values, the body's first paragraph, the best quote, a text that the program says, the name of a test,
and of a small diff the changed lines themselves.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.quotes import Gist, Quote, QuoteSide, QuoteSource
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Kind, Text
from daybreak.core.words import term
from daybreak.core.words.grammar import alike, quoted
from daybreak.core.words.phrases import REFERENCE, chosen
from daybreak.findings.kinds import CAME, GONE, kind_of
from daybreak.findings.quotes import quotes
from daybreak.judge import phrases
from daybreak.judge.breaking import must_follow
from daybreak.judge.change_kinds import is_revert
from daybreak.judge.change_kinds import kind_of as kind_of_change
from daybreak.judge.changed_lines import changed_lines
from daybreak.judge.hazards import hazard
from daybreak.judge.message_quotes import message_quotes
from daybreak.judge.quote_rank import (
    LEAST,
    LEAST_SPOKEN,
    LEAST_TEST,
    REMOVED,
    Topic,
    most_telling,
    ranked,
    shortened,
    tells_more,
    topic,
    words,
)
from daybreak.judge.repair_lines import repaired_by_lines

MOST = 280
"""Characters of a quote."""
_VALUE = 80
"""Characters that can be read as one value."""
_LITERAL = re.compile(
    r"[\"'].*[\"']|[-+]?[\d.][\w.+-]*|None|True|False|null|true|false|[\[({].*[\])}]|[<>=~!^].*|v?\d[\w.+-]*",
    re.DOTALL,
)
_AS_CODE = frozenset({*CAME, "signature_changed", "passing_changed"})
"""Changes that are told by a piece of code, or by nothing but a name."""
_TYPED = frozenset({"cli", "environment", "server"})
"""What came there is a name that users type or send, which says more than words about it."""
_MARK = re.compile(r"^(?:[-*•+]|\(?\d{1,2}[.)])\s+|^NOTE:\s+", re.IGNORECASE)
"""What an item of a list, or a note, begins with."""
_WRITTEN: frozenset[QuoteSource] = frozenset({"comment", "docstring", "help", "docs", "changelog"})
_TESTS: frozenset[QuoteSource] = frozenset({"test"})
_SPOKEN: frozenset[QuoteSource] = frozenset({"error", "log"})


def gist(change: Change, reading: Reading) -> Gist | None:
    """What one change does, in one sentence."""
    if change.skipped is not None or change.filtered:
        return None
    about = topic(change, reading.hunks)
    kind = kind_of_change(change, reading)
    told = [finding for finding in reading.findings if not _is_beside(finding, about, kind)]
    resolved = [finding for finding in told if _resolved(finding, about)]
    resolved.sort(key=lambda finding: _nearness(finding, about))
    options = [finding for finding in told if _is_option(finding, about)]
    found_quotes = _of_quotes(change, about, options, kind)
    for witness in (_of_findings(resolved), found_quotes, _of_findings(told)):
        for found in witness:
            return found
    return None


def brief(entry: Entry, most: int) -> Text | None:
    """The same where there is less room: the most telling sentences; None for what cannot be cut and is longer."""
    found = entry.gist
    if found is None:
        return None
    if found.quotes and found.source not in ("line", "finding"):
        text = most_telling(found.quotes[0], topic(entry.change, entry.reading.hunks), most)
        return _quoting(replace(found.quotes[0], text=text)).text if text else None
    if found.source == "line" and len(chosen(found.text, REFERENCE)) > most + _FRAME:
        found = changed_lines(entry.change, 1) or found
    return found.text if len(chosen(found.text, REFERENCE)) <= most + _FRAME else None


_FRAME = 60
"""What a line has around a quote."""


def _nearness(finding: Finding, about: Topic) -> tuple[bool, bool, int]:
    """What breaks, then what users set and send, then what the title names."""
    return not finding.breaking, kind_of(finding.kind).surface == "python", -_shared(finding, about)


def _shared(finding: Finding, about: Topic) -> int:
    return len(words(f"{finding.symbol} {finding.after or ''}"[:_LOOKED_AT]) & about.title)


_LOOKED_AT = 400


def _is_beside(finding: Finding, about: Topic, does: Kind) -> bool:
    """Not what the change is about: a patch of a package, or in a fix a value inside that its title has nothing of."""
    kind = kind_of(finding.kind)
    if "pinned" in kind.traits or kind.family == "dependency":
        return does not in ("dependency", "build") and kind.change == "changed" and not must_follow(finding)
    return (
        does == "fix"
        and kind.surface in ("python", "behaviour")
        and not finding.breaking
        and not _shared(finding, about)
    )


def _of_findings(findings: Sequence[Finding]) -> Iterator[Gist]:
    for told in phrases.what(findings, 1):
        yield Gist(told.text, "finding", findings=tuple(f.id for f in told.findings))


def _resolved(finding: Finding, about: Topic) -> bool:
    """It is about names and values that a reader can use as they stand, not about a piece of code.

    What only insiders meet speaks first where the title names it: elsewhere it follows from what the change is about.
    """
    kind, values = kind_of(finding.kind), (finding.before or "", finding.after or "")
    kept = finding.alias is not None and finding.alias.status == "kept"
    if finding.inner or kept or kind.told != "always" or "condition" in kind.traits:
        return False
    if kind.change in _AS_CODE:
        return kind.change in CAME and kind.surface in _TYPED
    if kind.mark == "internals" and about.title.isdisjoint(words(finding.symbol)):
        return False
    if any(len(value) > _VALUE for value in values):
        return False
    if not finding.breaking and not (all(values) and (kind.surface != "python" or kind.change in GONE)):
        return False  # what only those meet who call it so
    return kind.change not in ("default_changed", "changed") or all(map(_LITERAL.fullmatch, filter(None, values)))


def _is_option(finding: Finding, about: Topic) -> bool:
    """A flag, a variable, a field of a configuration or of a request that comes, and that the title is about."""
    kind = kind_of(finding.kind)
    if finding.inner or kind.told != "always" or kind.change not in CAME or kind.surface == "python":
        return False
    return kind.surface in _OPTIONS and bool(_shared(finding, about))


_OPTIONS = frozenset({"cli", "environment", "config", "server"})


def _of_quotes(change: Change, about: Topic, options: Sequence[Finding], does: Kind) -> Iterator[Gist]:
    yield from _body(message_quotes(change.body), about)
    if does == "fix" and (repair := repaired_by_lines(change)):
        yield Gist(term("judge.repair", repair.hazard.name, what=repair.hazard.word), "line", (repair.quote,))
    found = [q for q in quotes(change) if _may_speak(q, about, does)]
    if is_revert(change.subject):  # what its lines said is what is taken back; what they say now stood there before
        yield from _best([q for q in found if q.source in _WRITTEN and q.side == "removed"], about, LEAST + REMOVED)
        yield from filter(None, [changed_lines(change)])
        return
    yield from _best([q for q in found if _opens(q, about)], about, -math.inf)
    if options:  # what it is for tells more than that it came
        yield from _best([q for q in found if q.source == "help" and _speaks(q, "added", about)], about, LEAST)
    yield from _of_findings(options)
    yield from (_quoting(replace(q, text=shortened(q.text, MOST))) for q in found if _announces(q, about))
    spoken, tests = (_SPOKEN, LEAST_SPOKEN), (_TESTS, LEAST_TEST)
    order = (tests, spoken) if hazard(change.subject[:_LOOKED_AT]) else (spoken, tests)
    for sources, least in ((_WRITTEN, LEAST), *order):  # what a program says from now on is not what was wrong
        for side in ("added", "removed"):
            yield from _best([q for q in found if q.source in sources and _speaks(q, side, about)], about, least)
    yield from filter(None, [changed_lines(change)])


def _best(found: Sequence[Quote], about: Topic, least: float) -> Iterator[Gist]:
    best = ranked(found, about, MOST)
    if best and best[0].score >= least:
        yield _quoting(best[0].quote)


def _speaks(quote: Quote, side: QuoteSide, about: Topic) -> bool:
    """What was said before speaks only of what the title is about: all else goes with the lines that it was about."""
    return quote.side == side and (side == "added" or _is_about(quote.text, about))


def _is_about(text: str, about: Topic) -> bool:
    """Whether a text shares a word with the title, whatever its ending."""
    return not {word[:_STEM] for word in about.title}.isdisjoint(word[:_STEM] for word in words(text))


_STEM = 6


def _may_speak(quote: Quote, about: Topic, does: Kind) -> bool:
    """Not the docstring of something that the title has no word of, nor in code that was put in order what it says: both
    stood somewhere before, or are beside the change.
    """
    if quote.source == "docstring":
        return _is_about(quote.text, about)
    ordinary = quote.source in _SPOKEN and quote.side == "added" and not _announces(quote, about)
    return not (does == "refactor" and ordinary)


def _announces(quote: Quote, about: Topic) -> bool:
    """A log line that tells users what is done for them from now on, and how to have it otherwise."""
    if quote.source != "log" or quote.side != "added":
        return False
    return bool(_CHOSEN.search(quote.text)) or (bool(_RESORTS.search(quote.text)) and _is_about(quote.text, about))


_CHOSEN = re.compile(
    r"\bauto(?:matically)?[- ](?:en|dis)abl|\bopt(?:ing)? (?:out|in)\b|\bdefault(?:s|ing) to\b", re.IGNORECASE
)
_RESORTS = re.compile(r"\bfall(?:s|ing)? back\b|\boverrid(?:es|ing|den)\b|\b(?:en|dis)abl(?:es|ing)\b", re.IGNORECASE)


def _opens(quote: Quote, about: Topic) -> bool:
    """An error that is gone and said that what the title is about cannot be done: it can from now on."""
    if quote.source != "error" or quote.side != "removed" or not _REFUSED.search(quote.text):
        return False
    return _is_about(quote.text, about)


_REFUSED = re.compile(
    r"\b(?:not|n't|cannot)\b.{0,40}\b(?:support|implement|allow|work)|unsupported|unimplemented", re.IGNORECASE
)


def _body(found: Iterable[Quote], about: Topic) -> Iterator[Gist]:
    """The first paragraph that says more than the title."""
    for quote in found:
        text = shortened(quote.text, MOST)
        if text and tells_more(quote.text, about) and not text.endswith(":"):
            yield _quoting(Quote("body", "", quote.line, "message", text))
            return


def _quoting(quote: Quote) -> Gist:
    side = "_gone" if quote.side == "removed" else ""
    text = term("judge.quote", f"{quote.source}{side}", quote=alike(quoted(_MARK.sub("", quote.text))))
    return Gist(text, quote.source, (quote,))
