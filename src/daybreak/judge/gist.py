"""The one sentence of a change, by a fixed order of witnesses; nothing where none of them speaks.

Findings with their values, the body's first paragraph, the best quote, a text that the program says, the name of a test,
and of a small diff the changed lines themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.quotes import Gist, Quote, QuoteSource
from daybreak.core.words import term
from daybreak.core.words.grammar import alike, quoted
from daybreak.findings.kinds import CAME, kind_of
from daybreak.findings.quotes import quotes
from daybreak.judge import phrases
from daybreak.judge.change_kinds import is_revert
from daybreak.judge.changed_lines import changed_lines
from daybreak.judge.quote_rank import FAINT, LEAST, LEAST_OF_TESTS, Topic, ranked, shortened, tells_more, topic

MOST = 280
"""Characters of a quote."""
_VALUE = 80
"""Characters that can be read as one value."""
_LITERAL = re.compile(
    r"[\"'].*[\"']|[-+]?[\d.][\w.+-]*|None|True|False|null|true|false|[\[({].*[\])}]|[<>=~!^].*|v?\d[\w.+-]*|\w+",
    re.DOTALL,
)
_AS_CODE = frozenset({*CAME, "signature_changed", "passing_changed"})
"""Changes that are told by a piece of code, or by nothing but a name."""
_MARK = re.compile(r"^(?:[-*•+]|\(?\d{1,2}[.)])\s+|^NOTE:\s+", re.IGNORECASE)
"""What an item of a list, or a note, begins with."""
_WRITTEN: frozenset[QuoteSource] = frozenset({"comment", "docstring", "help", "docs", "changelog"})
_TESTS: frozenset[QuoteSource] = frozenset({"test"})
_SPOKEN: frozenset[QuoteSource] = frozenset({"error", "log"})


def gist(change: Change, reading: Reading) -> Gist | None:
    """What one change does, in one sentence."""
    if change.skipped is not None or change.filtered:
        return None
    return _of_findings(reading.findings) or next(_of_quotes(change, reading), None)


def _of_findings(findings: Sequence[Finding]) -> Gist | None:
    """The first finding that names what was and what is, or that breaks."""
    for told in phrases.what([f for f in findings if _resolved(f)], 1):
        return Gist(told.text, "finding", findings=tuple(f.id for f in told.findings))
    return None


def _resolved(finding: Finding) -> bool:
    """It is about names and values that a reader can use as they stand, not about a piece of code."""
    kind, values = kind_of(finding.kind), (finding.before or "", finding.after or "")
    if finding.inner or kind.told != "always" or kind.change in _AS_CODE or "condition" in kind.traits:
        return False
    if finding.alias is not None and finding.alias.status == "kept":
        return False
    if any(len(value) > _VALUE for value in values) or not (finding.breaking or all(values)):
        return False
    return kind.change not in ("default_changed", "changed") or all(map(_LITERAL.fullmatch, filter(None, values)))


def _of_quotes(change: Change, reading: Reading) -> Iterator[Gist]:
    found = quotes(change)
    about = topic(change, reading.hunks)
    yield from _body(found, about)
    if is_revert(change.subject):
        return  # what its lines say is what is no more, and the change that it takes back tells that
    for sources, least in ((_WRITTEN, LEAST), (_SPOKEN, FAINT), (_TESTS, LEAST_OF_TESTS)):
        for side in ("added", "removed"):
            best = ranked([q for q in found if q.source in sources and q.side == side], about, MOST)
            if best and best[0].score >= least:
                yield _quoting(best[0].quote)
    lines = changed_lines(change)
    if lines is not None:
        yield lines
    faint = ranked([q for q in found if q.source in _WRITTEN], about, MOST)
    if faint and faint[0].score >= FAINT:
        yield _quoting(faint[0].quote)
    for told in phrases.what(reading.findings, 1):
        yield Gist(told.text, "finding", findings=tuple(f.id for f in told.findings))


def _body(found: Sequence[Quote], about: Topic) -> Iterator[Gist]:
    """The first paragraph that says more than the title."""
    for quote in found:
        if quote.source == "body" and tells_more(quote.text, about):
            yield _quoting(Quote("body", "", quote.line, "message", shortened(quote.text, MOST)))
            return


def _quoting(quote: Quote) -> Gist:
    side = "_gone" if quote.side == "removed" else ""
    text = term("judge.quote", f"{quote.source}{side}", quote=alike(quoted(_MARK.sub("", quote.text))))
    return Gist(text, quote.source, (quote,))
