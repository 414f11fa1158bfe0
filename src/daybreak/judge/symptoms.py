"""Symptoms of a fault: what shows that somebody met it, or could. A title that says "fix" is no more than a claim."""

from __future__ import annotations

import re

from daybreak.core.model.report import Entry
from daybreak.judge.faults import fault
from daybreak.judge.hazards import is_noticed, names_fault
from daybreak.judge.quote_rank import CONSEQUENCE, says, trouble

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
