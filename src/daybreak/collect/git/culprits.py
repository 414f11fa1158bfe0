"""Culprits: the changes that a message names as what brought the fault which it mends."""

from __future__ import annotations

import re
from collections.abc import Iterator

from daybreak.core.model.changes import Change

MENTION = re.compile(
    r"(?<![\w/#.-])(?:(?P<there>[\w.-]{1,40}/[\w.-]{1,60})?#(?P<number>\d{2,9})|PRs?\s?#?(?P<bare>\d{3,9})|(?P<sha>[0-9a-f]{7,40}))\b"
    r"|https?://github\.com/(?P<where>[\w.-]{1,40}/[\w.-]{1,60})/(?:pull/(?P<pull>\d{2,9})|commit/(?P<commit>[0-9a-f]{7,40}))\b"
)
"""A change as texts name it."""
REFERENCE = (
    r"(?:the\s)?(?:(?:PRs?|pull requests?|commits?|changes?(?:\s(?:in|of|from|by))?|merge of)\s?)?[\[(:`#]{0,2}$"
)
"""What may stand between words and the mention that they speak of."""
BROUGHT = re.compile(
    r"\b(?:culprit(?:\s(?:PR|commit|change))?(?:\sis|\swas|:){0,2}|regress(?:ed|ions?)(?:\s(?:introduced|caused|brought))?\s(?:by|in|from|of|since|after)"
    r"|(?:broken|caused)\sby)\s" + REFERENCE,
    re.IGNORECASE,
)
"""Words before a mention that leave no doubt: what is named brought the fault."""
_BODY = 4000
_BEFORE = 90


def culprits(change: Change) -> Iterator[str]:
    """How its text names them: `#12`, or the beginning of a sha."""
    text = " ".join(change.body[:_BODY].split())
    for found in MENTION.finditer(text):
        where = found["there"] or found["where"]
        elsewhere = bool(where) and where.lower() != change.repo.lower()
        if not elsewhere and BROUGHT.search(text[max(0, found.start() - _BEFORE) : found.start()]):
            number = found["number"] or found["bare"] or found["pull"]
            yield f"#{int(number)}" if number else found["sha"] or found["commit"]
