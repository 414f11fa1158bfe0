"""Quotes: the author's own words in a change, with the place where they stand, and the one sentence made of them."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from daybreak.core.model.statements import Text

QuoteSource = Literal[
    "title", "body", "pull", "release", "comment", "docstring", "error", "log", "help", "docs", "changelog", "test", "line"
]  # fmt: skip
"""Where words stand: the commit's message, its pull request, the notes of a release, code, what a program says, pages for
readers, tests; `line`: code itself."""

QuoteSide = Literal["added", "removed", "message"]


class Quote(Struct, frozen=True):
    """Words of the author, whole sentences, as they stand but for line breaks and indentation."""

    source: QuoteSource
    path: str
    """Empty for a message."""
    line: int
    """First line of them, in the new file, or in the old one for what was removed; in the body of a message, 0 for its title."""
    side: QuoteSide
    text: str


class Gist(Struct, frozen=True):
    """One sentence of a change: what it does, by the best witness that it has."""

    text: Text
    source: QuoteSource | Literal["finding", "model"]
    quotes: tuple[Quote, ...] = ()
    """What it quotes; none where findings tell it."""
    findings: tuple[str, ...] = ()
    """Ids of those that it tells."""
    lead: Text | None = None
    """What stands before the quote, told by code: the names that came."""


# Announcements: what a maintainer tells users of a change, word for word, and whether its findings show it.
Claim = Literal["breaks", "removes", "deprecates", "changes"]
"""What is said to be done to users; `changes`: something that they are told of, without more."""

Form = Literal["title", "message", "release_note", "changelog", "fragment", "changeset", "pull", "release"]
"""Where a project announces: a sign of the title, the message, a `release-note` block, a changelog, a file that becomes a
line of it, a changeset, the pull request's description, the notes of a release."""

State = Literal["found", "not_found", "not_read", "elsewhere"]
"""Held against findings: one shows it; none does; its sources have no reader; it is about a change that is not here."""


class Announcement(Struct, frozen=True):
    """A claim of the author: quoted, and never a mark by itself."""

    claim: Claim
    form: Form
    quote: Quote
    state: State = "not_found"
    findings: tuple[str, ...] = ()
    """Ids of those that show it."""
    pulls: tuple[int, ...] = ()
    """Pull requests and issues that it names."""
