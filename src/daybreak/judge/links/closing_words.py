"""References in a text, and the closing keywords before them, by GitHub's rules.

A keyword (close, fix, resolve and their forms, any case, a colon allowed) stands on the same line before one
reference; `fixes #1, #2` closes the first only. What stands in code, in a quotation or in a comment closes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Literal, NamedTuple

from daybreak.judge.links.prose import prose, without_code

MOST = 60
"""References of one text that are looked at: a list of hundreds says nothing of one of them."""
_PLACE = r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[\w.-]{1,100}"
_REFERENCE = (
    rf"(?:https?://(?:www\.)?github\.com/(?P<where>{_PLACE})/(?:(?P<page>pull|issues)/(?P<there>[1-9]\d{{0,8}})|commit/(?P<sha>[0-9a-f]{{7,40}}))"
    rf"|(?P<near>{_PLACE})?#(?P<number>[1-9]\d{{0,8}})|[Gg][Hh]-(?P<gh>[1-9]\d{{0,8}}))(?![\w])"
)
_KEYWORD = r"(?<![\w-])(?P<word>close[sd]?|fix(?:e[sd])?|resolve[sd]?)(?P<colon>:?)[ \t]{1,4}"
_CLOSES = re.compile(f"{_KEYWORD}{_REFERENCE}", re.IGNORECASE)
_MENTIONS = re.compile(rf"(?<![\w/#.@&-]){_REFERENCE}")
_CODE_TAG = re.compile(r"<(code|kbd|samp)>[^<\n]{0,400}</\1>", re.IGNORECASE)


class Reference(NamedTuple):
    """One thing of a repository that a text names."""

    repo: str | None
    """OWNER/NAME as written; None: the text's own."""
    number: int | None
    sha: str | None
    page: Literal["pull", "issues", "commit"] | None
    """What an address says it is; None for `#12`, which may be either."""
    words: str
    """As written, a closing keyword included."""


def prose_texts(text: str) -> Iterator[str]:
    """The paragraphs of a body in which references count: no code, quotations and comments."""
    for block in prose(text).blocks:
        if block.kind not in ("code", "quote"):
            plain = without_code(block.text)
            yield _CODE_TAG.sub(lambda m: " " * len(m[0]), plain) if "<" in plain else plain


def message(subject: str, body: str) -> str:
    """A commit's message as such a body: headings and lists do not begin a subject, so it is no Markdown of its own."""
    return f"{subject.lstrip('#>- ')}\n\n{body}"


def closing(text: str) -> tuple[Reference, ...]:
    """What a body says it closes, each once, in its order; commits cannot be closed."""
    found = (m for plain in prose_texts(text) for m in _CLOSES.finditer(plain))
    return _once(_reference(m) for m in islice(found, MOST) if not m["sha"])


def mentioned(text: str, most: int = MOST) -> tuple[Reference, ...]:
    """Everything a body refers to, each once, in its order."""
    found = (m for plain in prose_texts(text) for m in _MENTIONS.finditer(plain))
    return _once(_reference(m) for m in islice(found, most))


def _reference(m: re.Match[str]) -> Reference:
    number = m["there"] or m["number"] or m["gh"]
    page: Literal["pull", "issues", "commit"] | None = None
    if m["where"]:
        page = "commit" if m["sha"] else "pull" if m["page"].lower() == "pull" else "issues"
    where = (m["where"] or m["near"] or "").removesuffix(".git")
    return Reference(where or None, int(number) if number else None, m["sha"], page, m[0])


def _once(found: Iterator[Reference]) -> tuple[Reference, ...]:
    out: dict[tuple[str, int | None, str | None], Reference] = {}
    for one in found:
        out.setdefault(((one.repo or "").lower(), one.number, one.sha), one)
    return tuple(out.values())
