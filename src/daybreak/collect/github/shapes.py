"""The forms of GitHub's answers, as far as we read them; an answer of another form counts as broken."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Generic, Literal, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

Moment = Annotated[datetime, msgspec.Meta(tz=True)]
Node = TypeVar("Node")


class PageInfo(Struct, frozen=True, rename="camel"):
    has_next_page: bool
    end_cursor: str | None


class Page(Struct, Generic[Node], frozen=True, rename="camel"):
    """One page of a connection."""

    rows: Sequence[Node | None] = field(name="nodes")
    """A row that the token may not see is null."""
    page_info: PageInfo
    issue_count: int | None = None
    """Of a search: how many it has found."""

    @property
    def nodes(self) -> list[Node]:
        return [row for row in self.rows if row is not None]

    @property
    def hidden(self) -> int:
        return self.rows.count(None)


# --- light: what happened when -----------------------------------------------------------------------------------


class Event(Struct, frozen=True, rename="camel"):
    typename: Literal["ClosedEvent", "ReopenedEvent"] = field(name="__typename")
    created_at: Moment


class Light(Struct, frozen=True, rename="camel"):
    """An issue or pull request, only as far as its times go."""

    typename: Literal["Issue", "PullRequest"] = field(name="__typename")
    number: int
    created_at: Moment
    updated_at: Moment
    closed_at: Moment | None
    timeline_items: Page[Event]
    merged_at: Moment | None = None


class WithEvents(Struct, frozen=True, rename="camel"):
    timeline_items: Page[Event]


class LightRelease(Struct, frozen=True, rename="camel"):
    tag_name: str
    created_at: Moment
    published_at: Moment | None
    is_draft: bool


class TagTarget(Struct, frozen=True, rename="camel"):
    """A commit, or a tag that points at one."""

    typename: str = field(name="__typename")
    oid: str
    committed_date: Moment | None = None
    target: TagTarget | None = None


class LightTag(Struct, frozen=True, rename="camel"):
    name: str
    target: TagTarget | None

    @property
    def commit(self) -> TagTarget | None:
        """None for tags of files and trees, and for tags of tags of tags."""
        found = self.target
        if found is not None and found.target is not None:
            found = found.target
        return found if found is not None and found.committed_date is not None else None


# --- whole: all we keep of one -----------------------------------------------------------------------------------


class Login(Struct, frozen=True):
    login: str

    @property
    def name(self) -> str:
        return self.login


class Actor(Struct, frozen=True):
    """Somebody as GraphQL tells it, which leaves out the `[bot]` that REST has."""

    typename: str = field(name="__typename")
    login: str

    @property
    def name(self) -> str:
        return f"{self.login}[bot]" if self.typename == "Bot" and not self.login.endswith("[bot]") else self.login


class Title(Struct, frozen=True):
    title: str


class Name(Struct, frozen=True):
    name: str


class Count(Struct, frozen=True, rename="camel"):
    total_count: int


class Names(Struct, frozen=True):
    nodes: list[Name | None]


class Home(Struct, frozen=True, rename="camel"):
    name_with_owner: str


class Link(Struct, frozen=True):
    number: int
    repository: Home


class Links(Struct, frozen=True, rename="camel"):
    total_count: int
    nodes: list[Link | None]


class Commit(Struct, frozen=True):
    oid: str


class End(Struct, frozen=True, rename="camel"):
    """What closed an item, or what it was linked with: a pull request, an issue or a commit."""

    typename: str = field(name="__typename")
    number: int | None = None
    oid: str | None = None
    repository: Home | None = None


class Turn(Struct, frozen=True, rename="camel"):
    """One event of a timeline that closes, reopens, links or unlinks."""

    typename: str = field(name="__typename")
    created_at: Moment | None = None
    closer: End | None = None
    """None: a person closed it, or something that the token may not see."""
    source: End | None = None
    subject: End | None = None


class WithTurns(Struct, frozen=True):
    turns: Page[Turn]


class Whole(Struct, frozen=True, rename="camel"):
    """An issue or pull request as GraphQL tells it."""

    typename: Literal["Issue", "PullRequest"] = field(name="__typename")
    number: int
    url: str
    title: str
    body: str
    created_at: Moment
    updated_at: Moment
    closed_at: Moment | None
    author: Actor | None
    repository: Home
    """Its name of today, which may be another than the one we asked by."""
    milestone: Title | None
    labels: Names | None
    comments: Count
    reactions: Count
    linked: Links | None
    issue_state: Literal["OPEN", "CLOSED"] = "OPEN"
    state_reason: str | None = None
    pull_state: Literal["OPEN", "CLOSED", "MERGED"] = "OPEN"
    merged_at: Moment | None = None
    is_draft: bool = False
    merge_commit: Commit | None = None
    review_decision: str | None = None
    changed_files: int | None = None
    additions: int | None = None
    deletions: int | None = None
    turns: Page[Turn] | None = None
    """None: kept by a version that did not ask for them."""


class WholeRelease(Struct, frozen=True, rename="camel"):
    tag_name: str
    url: str
    name: str | None
    description: str | None
    created_at: Moment
    published_at: Moment | None
    is_prerelease: bool
    author: Actor | None
    tag_commit: Commit | None


class Associated(Struct, frozen=True, rename="camel"):
    number: int
    merged_at: Moment | None
    merge_commit: Commit | None
    repository: Home


class AssociatedNodes(Struct, frozen=True):
    nodes: list[Associated | None]


class Brought(Struct, frozen=True, rename="camel"):
    """A commit with the pull requests it came by."""

    repository: Home | None = None
    associated_pull_requests: AssociatedNodes | None = None


# --- REST --------------------------------------------------------------------------------------------------------


class RestReactions(Struct, frozen=True):
    total_count: int = 0


class RestPull(Struct, frozen=True):
    merged_at: Moment | None = None


class RestItem(Struct, frozen=True):
    """An issue as REST lists it; a pull request has `pull_request`."""

    number: int
    html_url: str
    title: str
    state: Literal["open", "closed"]
    created_at: Moment
    updated_at: Moment
    closed_at: Moment | None
    user: Login | None = None
    body: str | None = None
    labels: list[Name | str] = []
    milestone: Title | None = None
    comments: int = 0
    reactions: RestReactions | None = None
    state_reason: str | None = None
    draft: bool = False
    pull_request: RestPull | None = None
    merged_at: Moment | None = None
    """Of one from the list of pull requests, as the next."""
    merge_commit_sha: str | UnsetType | None = UNSET

    @property
    def is_pull(self) -> bool:
        return self.pull_request is not None or self.merge_commit_sha is not UNSET

    @property
    def merged(self) -> datetime | None:
        return self.merged_at or (self.pull_request.merged_at if self.pull_request else None)


class RestFound(Struct, Generic[Node], frozen=True):
    """A page of a search."""

    total_count: int
    incomplete_results: bool
    items: list[Node]


class RestNumber(Struct, frozen=True):
    number: int


class RestEvent(Struct, frozen=True):
    event: str
    created_at: Moment
    id: int = 0
    issue: RestNumber | None = None
    commit_id: str | None = None
    """Of one that closes: the commit that did."""
    commit_url: str | None = None


class RestRelease(Struct, frozen=True):
    """The same as `WholeRelease`, under the names that it has there."""

    tag_name: str
    url: str = field(name="html_url")
    created_at: Moment
    published_at: Moment | None
    is_draft: bool = field(name="draft")
    is_prerelease: bool = field(name="prerelease")
    name: str | None = None
    description: str | None = field(default=None, name="body")
    author: Login | None = None
    target_commitish: str = ""

    @property
    def tag_commit(self) -> Commit | None:
        """What it was made from, where that is a commit and no branch."""
        return Commit(self.target_commitish) if re.fullmatch(r"[0-9a-f]{40}", self.target_commitish) else None


class RestSha(Struct, frozen=True):
    sha: str


class RestTag(Struct, frozen=True):
    """Without a time: REST does not tell when."""

    name: str
    commit: RestSha


class RestHome(Struct, frozen=True):
    full_name: str


class RestAssociated(Struct, frozen=True):
    number: int
    merged_at: Moment | None = None
    merge_commit_sha: str | None = None
