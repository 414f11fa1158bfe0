"""The things that the fake GitHub keeps: repositories, issues, pull requests, releases, tags, commits, events."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

REACTIONS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")


@dataclass(slots=True)
class User:
    id: int
    login: str
    kind: str = "User"
    """User, Organization or Bot."""


@dataclass(slots=True)
class Comment:
    id: int
    author: str | None
    body: str
    at: datetime


@dataclass(slots=True)
class Event:
    """Something that happened to an issue or pull request."""

    id: int
    kind: str
    """closed, reopened, merged, labeled, cross-referenced, connected, disconnected."""
    at: datetime
    actor: str | None
    sha: str | None = None
    label: str | None = None
    source: tuple[str, int] | None = None
    reason: str | None = None
    by_pull: int | None = None
    other: int | None = None
    """What it was linked with, or unlinked from, by hand."""


@dataclass(slots=True)
class Milestone:
    id: int
    number: int
    title: str
    at: datetime


@dataclass(slots=True)
class Work:
    """What a pull request has beside an issue."""

    head: str
    head_sha: str
    draft: bool = False
    merged_at: datetime | None = None
    merged_by: str | None = None
    merge_sha: str | None = None
    closes: tuple[int, ...] = ()
    review: str | None = None
    """APPROVED, CHANGES_REQUESTED, REVIEW_REQUIRED or none."""
    files: int = 1
    added: int = 1
    deleted: int = 0


@dataclass(slots=True)
class Item:
    """An issue; with `work`, a pull request."""

    repo: Repo
    id: int
    number: int
    title: str
    body: str | None
    author: str | None
    """None: the user was deleted."""
    created_at: datetime
    updated_at: datetime
    labels: list[str] = field(default_factory=list)
    milestone: str | None = None
    comments: list[Comment] = field(default_factory=list)
    reactions: dict[str, int] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    closed_at: datetime | None = None
    closed_by: str | None = None
    reason: str | None = None
    work: Work | None = None

    @property
    def merged(self) -> bool:
        return self.work is not None and self.work.merged_at is not None


@dataclass(slots=True)
class Commit:
    sha: str
    message: str
    at: datetime
    pulls: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Tag:
    name: str
    sha: str
    at: datetime
    annotated: bool = False


@dataclass(slots=True)
class Release:
    id: int
    tag: str
    name: str | None
    body: str
    author: str
    created_at: datetime
    published_at: datetime | None
    prerelease: bool
    draft: bool


@dataclass(slots=True)
class Repo:
    id: int
    name: str
    branch: str
    private: bool
    archived: bool
    created_at: datetime
    items: dict[int, Item] = field(default_factory=dict)
    milestones: dict[str, Milestone] = field(default_factory=dict)
    labels: dict[str, int] = field(default_factory=dict)
    commits: dict[str, Commit] = field(default_factory=dict)
    tags: dict[str, Tag] = field(default_factory=dict)
    releases: list[Release] = field(default_factory=list)
    issues_off: bool = False
    blocked: bool = False
    """Taken down for legal reasons."""
    sso: frozenset[str] | None = None
    """Names of the tokens that are authorized for its organization; None: it does not ask for that."""
    moved: dict[int, tuple[str, int]] = field(default_factory=dict)
    """Issues transferred to another repository, with their numbers there."""

    @property
    def issues(self) -> list[Item]:
        return [item for item in self.items.values() if item.work is None]

    @property
    def pulls(self) -> list[Item]:
        return [item for item in self.items.values() if item.work is not None]
