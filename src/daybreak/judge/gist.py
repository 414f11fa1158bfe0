"""The one sentence of a change, by a fixed order of witnesses; nothing where none of them speaks.

Findings with their values, the body's first paragraph, the best quote, a text that the program says, the name of a test,
and of a small diff the changed lines themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.quotes import Gist, Quote, QuoteSource
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Text
from daybreak.core.words import term
from daybreak.core.words.grammar import alike, quoted
from daybreak.core.words.phrases import REFERENCE, chosen
from daybreak.findings.kinds import CAME, GONE, kind_of
from daybreak.findings.quotes import quotes
from daybreak.judge import phrases
from daybreak.judge.change_kinds import is_revert
from daybreak.judge.changed_lines import changed_lines
from daybreak.judge.message_quotes import message_quotes
from daybreak.judge.quote_rank import (
    LEAST,
    LEAST_SPOKEN,
    LEAST_TEST,
    LONGER,
    Topic,
    ranked,
    shortened,
    tells_more,
    topic,
    whole_sentences,
    words,
)

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
_MARK = re.compile(r"^(?:[-*•+]|\(?\d{1,2}[.)])\s+|^NOTE:\s+", re.IGNORECASE)
"""What an item of a list, or a note, begins with."""
_WRITTEN: frozenset[QuoteSource] = frozenset({"comment", "docstring", "help", "docs", "changelog"})
_TESTS: frozenset[QuoteSource] = frozenset({"test"})
_SPOKEN: frozenset[QuoteSource] = frozenset({"error", "log"})


def gist(change: Change, reading: Reading, described: str = "") -> Gist | None:
    """What one change does, in one sentence; `described`: its pull request's description, where a forge was asked."""
    if change.skipped is not None or change.filtered:
        return None
    about = topic(change, reading.hunks)
    resolved = [finding for finding in reading.findings if _resolved(finding, about)]
    resolved.sort(key=lambda finding: _nearness(finding, about))
    for witness in (_of_findings(resolved), _of_quotes(change, about, described), _of_findings(reading.findings)):
        for found in witness:
            return found
    return None


def brief(entry: Entry, most: int) -> Text | None:
    """The same where there is less room: the most telling sentences; None for what cannot be cut and is longer."""
    found = entry.gist
    if found is None:
        return None
    if found.quotes and found.source not in ("line", "finding"):
        about = topic(entry.change, entry.reading.hunks)
        best = ranked(found.quotes[:1], about, round(most * LONGER))
        text = whole_sentences(best[0].quote.text, most) if best else ""
        text = text or whole_sentences(found.quotes[0].text, most)
        return _quoting(replace(found.quotes[0], text=text)).text if text else None
    return found.text if len(chosen(found.text, REFERENCE)) <= most + _FRAME else None


_FRAME = 60
"""What a line has around a quote."""


def _nearness(finding: Finding, about: Topic) -> tuple[bool, bool, int]:
    """What breaks, then what users set and send, then what the title names."""
    shared = len(words(finding.symbol) & about.title)
    return not finding.breaking, kind_of(finding.kind).surface == "python", -shared


def _of_findings(findings: Sequence[Finding]) -> Iterator[Gist]:
    for told in phrases.what(findings, 1):
        yield Gist(told.text, "finding", findings=tuple(f.id for f in told.findings))


def _resolved(finding: Finding, about: Topic) -> bool:
    """It is about names and values that a reader can use as they stand, not about a piece of code.

    What only insiders meet speaks first where the title names it: elsewhere it follows from what the change is about.
    """
    kind, values = kind_of(finding.kind), (finding.before or "", finding.after or "")
    if finding.inner or kind.told != "always" or kind.change in _AS_CODE or "condition" in kind.traits:
        return False
    if finding.alias is not None and finding.alias.status == "kept":
        return False
    if kind.mark == "internals" and about.title.isdisjoint(words(finding.symbol)):
        return False
    if any(len(value) > _VALUE for value in values):
        return False
    if not finding.breaking and not (all(values) and (kind.surface != "python" or kind.change in GONE)):
        return False  # what only those meet who call it so
    return kind.change not in ("default_changed", "changed") or all(map(_LITERAL.fullmatch, filter(None, values)))


def _of_quotes(change: Change, about: Topic, described: str) -> Iterator[Gist]:
    yield from _body((*message_quotes(change.body), *message_quotes(described)), about)
    if is_revert(change.subject):
        return  # what its lines say is what is no more, and the change that it takes back tells that
    found = quotes(change)
    for sources, least in ((_WRITTEN, LEAST), (_SPOKEN, LEAST_SPOKEN), (_TESTS, LEAST_TEST)):
        for side in ("added", "removed"):
            best = ranked([q for q in found if q.source in sources and q.side == side], about, MOST)
            if best and best[0].score >= least:
                yield _quoting(best[0].quote)
    lines = changed_lines(change)
    if lines is not None:
        yield lines


def _body(found: Sequence[Quote], about: Topic) -> Iterator[Gist]:
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
