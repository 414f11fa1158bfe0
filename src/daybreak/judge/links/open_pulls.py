"""Open pull requests of weight: what will break something, asks for comments, or is large."""

from __future__ import annotations

import re
from collections.abc import Iterator

from daybreak.core.model.items import Activity, Pull
from daybreak.core.model.links import Coming, ComingReason
from daybreak.judge.links.prose import shown

LINES, FILES = 1500, 40
"""From these on a pull request is large."""
_BREAKING = re.compile(
    r"\bbreaking\b(?! down| ties)|\bBC[- ]?break|\bbackwards?[- ]incompatible|^\s{0,4}\w{2,20}(?:\([^)\n]{0,40}\))?!:|\[deprecat\w{0,6}\]|\bdrop(?:s|ping)? support\b"
    r"|\bremov(?:e|es|ing) (?:the )?deprecated\b",
    re.IGNORECASE,
)
_NOT_BREAKING = re.compile(r"\bnon?[- ]breaking\b", re.IGNORECASE)
_RFC = re.compile(r"\brfc\b", re.IGNORECASE)


def coming(activity: Activity) -> tuple[Coming, ...]:
    """Those of the window that are still open: breaking ones first, then by what else they are and how large."""
    found = [(pull, reasons) for pull in activity.pulls if pull.state == "open" and (reasons := tuple(_reasons(pull)))]
    found.sort(key=lambda x: (*(r not in x[1] for r in ("breaking", "rfc")), -_size(x[0]), x[0].number))
    return tuple(Coming(activity.repo, pull.number, reasons) for pull, reasons in found)


def _size(pull: Pull) -> int:
    return (pull.added or 0) + (pull.deleted or 0)


def _reasons(pull: Pull) -> Iterator[ComingReason]:
    title = shown(pull.title[:400])
    labels = [shown(label[:80]) for label in pull.labels[:30]]
    told = any(_BREAKING.search(x) and not _NOT_BREAKING.search(x) for x in (title, *labels))
    if told:
        yield "breaking"
    if _RFC.search(title) or any(_RFC.fullmatch(label) for label in labels):
        yield "rfc"
    if _size(pull) >= LINES or (pull.files or 0) >= FILES:
        yield "large"
