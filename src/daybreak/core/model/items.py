"""What a forge knows beside git: issues, pull requests and releases of a window, as frozen values.

Texts (titles, bodies, labels, names) are as their authors wrote them: hostile data, quoted and never obeyed.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from msgspec import Struct

from daybreak.core.model.changes import Skipped

Happened = Literal["opened", "closed", "reopened", "merged"]
Review = Literal["approved", "changes_requested", "required", "none"]


class Closer(Struct, frozen=True):
    """What closed an issue, in the word of its timeline: a pull request by its number, or a commit."""

    at: datetime
    number: int | None = None
    sha: str | None = None
    repo: str | None = None
    """Where that is; None: in the issue's own repository."""
    reopened_at: datetime | None = None
    """When the issue was opened again after that; None: the closing stands."""


class Issue(Struct, frozen=True):
    """One issue of which something happened in the window."""

    number: int
    url: str
    title: str
    author: str
    created_at: datetime
    state: Literal["open", "closed"]
    happened: tuple[Happened, ...]
    """In the window, in this order; `reopened` only where events could be asked."""
    closed_at: datetime | None = None
    reason: str | None = None
    """Why it was closed, in the forge's word: completed, not_planned, duplicate."""
    labels: tuple[str, ...] = ()
    milestone: str | None = None
    comments: int = 0
    reactions: int = 0
    body: str = ""
    pulls: tuple[int, ...] = ()
    """Pull requests of the same repository that the forge itself has linked as closing it."""
    closers: tuple[Closer, ...] = ()
    """In the order of time; what a person closed by hand has none."""
    connected: tuple[int, ...] = ()
    """Pull requests of the same repository that somebody linked by hand, and nobody unlinked since."""
    disconnected: tuple[int, ...] = ()
    """Those that somebody unlinked by hand, and nobody linked again."""

    @property
    def undone(self) -> tuple[int, ...]:
        """Own pull requests that closed it, and after which it was opened again."""
        last = {c.number: c.reopened_at is not None for c in self.closers if c.number is not None and c.repo is None}
        return tuple(sorted(number for number, reopened in last.items() if reopened))


class Pull(Struct, frozen=True):
    """One pull request of which something happened in the window, or that brought a change of it."""

    number: int
    url: str
    title: str
    author: str
    created_at: datetime
    state: Literal["open", "closed", "merged"]
    happened: tuple[Happened, ...]
    """In the window; empty for one that is only here because a change names it."""
    merged_at: datetime | None = None
    closed_at: datetime | None = None
    merge_sha: str | None = None
    """The commit that it became."""
    draft: bool = False
    labels: tuple[str, ...] = ()
    milestone: str | None = None
    comments: int = 0
    reactions: int = 0
    body: str = ""
    closes: tuple[int, ...] = ()
    """Issues of the same repository that the forge itself has linked as closed by it."""
    connected: tuple[int, ...] = ()
    """Issues of the same repository that somebody linked by hand, and nobody unlinked since."""
    disconnected: tuple[int, ...] = ()
    review: Review | None = None
    """None: not asked for."""
    files: int | None = None
    added: int | None = None
    deleted: int | None = None


class Release(Struct, frozen=True):
    """A release, or a tag without one."""

    tag: str
    url: str
    name: str
    author: str
    created_at: datetime
    """When it was published; of a bare tag, the time of its commit."""
    prerelease: bool = False
    body: str = ""
    sha: str | None = None


class Activity(Struct, frozen=True):
    """What a forge has of one repository and window."""

    repo: str
    issues: tuple[Issue, ...] = ()
    """By number."""
    pulls: tuple[Pull, ...] = ()
    """By number: those of the window, then those that only changes name."""
    releases: tuple[Release, ...] = ()
    not_pulls: tuple[int, ...] = ()
    """Numbers that changes carry and that are no pull requests here."""
    skipped: tuple[Skipped, ...] = ()
    """Lists that could not be had; what of them came is above, and the next run asks for the rest."""
    asked: tuple[str, ...] = ()
    """Lists that were asked for, had or not: what is not here was never looked for."""
    left_out: tuple[Skipped, ...] = ()
    """What was not asked for at all, since a run without a token has few requests: no fault, and nothing that the next
    run would bring."""
    brought: tuple[tuple[str, int], ...] = ()
    """(sha, number): changes with the pull request that, in the forge's own word, they came by."""


class Envelope(Struct, frozen=True):
    """A raw answer, kept so that a day can be rebuilt without asking again."""

    repo: str
    label: str
    category: str
    """Which list it is a page of, such as `issues/opened`."""
    id: str
    """The page's own name: cursor or number."""
    origin: str
    """The address without secrets."""
    fetched_at: datetime
    version: str
    etag: str | None
    body: bytes
