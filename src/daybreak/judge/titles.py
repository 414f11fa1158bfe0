"""What a commit's subject says, whatever the project's habit of writing titles is.

Tags (`[Bugfix]`, `feat(x):`, `(#12)`) are taken off: whether a project tags its titles must not change a grade.
"""

from __future__ import annotations

import re

from daybreak.core.model.changes import Change

_TAGS = re.compile(r"^\s{0,4}(?:(?:\[[^\]\n]{0,80}\]|【[^】\n]{0,80}】)\s{0,8}(?:[:：]\s{0,8})?){1,6}")
"""Only one place can take each blank: where two can, a title of blanks between tags is tried in every way."""
_PREFIX = re.compile(r"^\s{0,4}[A-Za-z][\w/ .-]{0,30}(?:\([^)\n]{0,60}\))?!?:\s")
_NUMBER = re.compile(r"\s*\(#\d{1,9}\)")
_TRAILER = re.compile(
    r"^(?:Signed-off-by|Co-authored-by|Reviewed-by|Acked-by|Cc|Change-Id|Closes|Fixes|Refs?):.*$",
    re.MULTILINE | re.IGNORECASE,
)
MAX_SUBJECT, MAX_BODY = 400, 3000


def bare(subject: str) -> str:
    """The subject without tags, prefix and pull request number."""
    text = untagged(_NUMBER.sub("", subject[:MAX_SUBJECT]))
    shorter = _PREFIX.sub("", text)
    return (shorter if len(shorter) > 8 else text).strip()


def untagged(subject: str) -> str:
    """The subject without the tags in brackets before it."""
    return _TAGS.sub("", subject[:MAX_SUBJECT])


def tags(subject: str) -> str:
    """What `bare` took off, for those who ask what kind of change the author says it is."""
    text = subject[:MAX_SUBJECT]
    rest = bare(text)
    return text[: text.find(rest)] if rest and rest in text else ""


def body(change: Change) -> str:
    """The body without sign-offs."""
    return _TRAILER.sub("", change.body[:MAX_BODY])
