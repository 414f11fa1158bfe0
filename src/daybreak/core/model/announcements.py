"""Announcements: what a maintainer tells users of a change, word for word, and whether its findings show it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from daybreak.core.model.quotes import Quote

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
