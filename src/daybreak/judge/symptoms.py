"""Symptoms of a fault: what shows that somebody met it, or could. A title that says "fix" is no more than a claim."""

from __future__ import annotations

import re

from daybreak.core.model.report import Entry
from daybreak.judge.faults import fault
from daybreak.judge.hazards import is_noticed, names_fault
from daybreak.judge.quote_rank import trouble

_SAID = re.compile(
    r"\b(?:(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?):? (?:[\w./-]{1,80})?#\d|broken?\b|breaks?\b|bugs? (?:when|where|that|in which)\b"
    r"|(?:does|do|did|is|are|was|were|can|could) ?n(?:o|')t\b|cannot\b|no longer\b|never\b|missing\b|lost\b|ignored\b|dropped\b"
    r"|unsupported\b|unexpected(?:ly)?\b|invalid\b|wrong(?:ly)?\b|incorrect(?:ly)?\b|outdated\b|stale\b|exceed(?:s|ed|ing)?\b"
    r"|overwr\w{1,6}\b|duplicate[sd]?\b|regress\w{0,4}\b|(?:un|mis)\w{2,20}ed\b|[45]\d\d\b)|/issues/\d|Traceback",
    re.IGNORECASE,
)
"""An issue that is closed, a traceback, an answer of HTTP, or plain words of what was not as it should be."""
_LONGEST = 4000


def has_symptom(entry: Entry) -> bool:
    """A test that comes with it, an issue, an error, or words or lines that say what went wrong."""
    if entry.kind == "security" or "test" in entry.reading.areas:
        return True
    told = f"{entry.change.subject}\n{entry.change.body}"[:_LONGEST]
    if _SAID.search(told) or is_noticed(told) or names_fault(told):
        return True
    quotes = entry.gist.quotes if entry.gist is not None else ()
    return any(map(trouble, quotes)) or fault(entry.change, entry.kind, entry.gist) is not None
