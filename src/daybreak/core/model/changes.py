"""What is watched and what was collected of it: repositories, windows, their changes and the files of those."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal
from urllib.parse import quote

from msgspec import Struct, field

from daybreak.core.model.part import Label, Only, Part, Time, unwritten

Status = Literal["A", "M", "D", "R", "C", "T"]
"""git's letter for what happened to a file: added, modified, deleted, renamed, copied, type changed."""


# --- what is watched ---------------------------------------------------------------------------------------------


_FORGES = (
    ("gitlab", "-/merge_requests"),
    ("gitee", "pulls"),
    ("gitea", "pulls"),
    ("forgejo", "pulls"),
    ("codeberg", "pulls"),
    ("bitbucket", "pull-requests"),
)
"""What the host's name says → where that forge has its pull requests."""
PULL_KINDS = frozenset({"pull", *(path.rpartition("/")[2] for _, path in _FORGES)})


def pull_path(home: str) -> str:
    """Where pull requests stand below a repository's web address; as on GitHub where the host says nothing."""
    host = home.partition("://")[2].partition("/")[0].lower()
    return next((path for sign, path in _FORGES if sign in host), "pull")


class Repo(Struct, frozen=True):
    """One repository of the watchlist."""

    name: str
    """OWNER/NAME, as in links and headings."""
    url: str
    """Web address that links start with."""
    git: str
    """Whatever git can fetch from: a URL or a path."""
    branch: str | None = None
    """Branch to follow; the default branch when None."""
    paths: tuple[str, ...] = ()
    """Globs: a commit that touches none of them is listed as filtered."""
    exclude: tuple[str, ...] = ()
    """Globs: a commit that touches only these is listed as filtered."""
    tags: str = ""
    """Glob of the tags that are its releases; empty: found out by their names and ages."""

    def commit_url(self, sha: str) -> str:
        return f"{self.url}/commit/{sha}"

    def pull_url(self, number: int) -> str:
        return f"{self.url}/{pull_path(self.url)}/{number}"

    def issue_url(self, number: int) -> str:
        return f"{self.url}/issues/{number}"

    def release_url(self, tag: str) -> str:
        """Made from the tag, never taken from an answer: no text of outside becomes an address."""
        return f"{self.url}/releases/tag/{quote(tag, safe='/', errors='replace')}"


class Window(Part, frozen=True):
    """The calendar day that is reported, `[since, until)`."""

    since: Time
    until: Time
    timezone: str
    label: Label
    open: Only = False
    """Only while the day is not over."""

    def holds(self, moment: datetime) -> bool:
        """By the clock that does not jump: Python compares times of one zone as its walls show them."""
        return self.since.timestamp() <= moment.timestamp() < self.until.timestamp()


# --- what was collected ------------------------------------------------------------------------------------------


NOT_UPDATED = "could not be updated"
"""How the reason begins where a repository is read as it was fetched before."""


class Skipped(Part, frozen=True, eq=False):
    """What could not be collected, read or analysed, and why."""

    what: str
    reason: str
    tip: str = ""
    """What the user can do about it."""
    detail: str = unwritten("detail", "")
    """For the terminal only: all that git said."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Skipped) and (self.what, self.reason) == (other.what, other.reason)

    def __hash__(self) -> int:
        return hash((self.what, self.reason))


class FileChange(Struct, frozen=True):
    """One file of a change, as git tells it."""

    path: str
    status: Status
    old_path: str | None = None
    added: int = 0
    deleted: int = 0
    binary: bool = False
    old_mode: str = "000000"
    new_mode: str = "000000"
    old_blob: str = ""
    new_blob: str = ""
    patch: str = ""
    """The hunks as git printed them, from the first `@@`; empty for binaries, pure renames and mode changes."""
    patch_cut: bool = False
    """The patch was larger than we keep: `patch` holds its first whole hunks, the counts hold all of it."""
    skipped: str | None = None
    """Why the content could not be read; counts are zero then."""

    @property
    def submodule(self) -> bool:
        return "160000" in (self.old_mode, self.new_mode)

    @property
    def symlink(self) -> bool:
        return "120000" in (self.old_mode, self.new_mode)

    @property
    def mode_changed(self) -> bool:
        return self.status in "MRC" and self.old_mode != self.new_mode


class Change(Struct, frozen=True):
    """One first-parent commit of the branch."""

    repo: str
    sha: str
    parents: tuple[str, ...]
    author: str
    authored_at: datetime
    committed_at: datetime
    """In the window's zone."""
    subject: str
    body: str
    trailers: tuple[tuple[str, str], ...] = ()
    pr: int | None = None
    files: tuple[FileChange, ...] = ()
    files_total: int = 0
    added: int = 0
    deleted: int = 0
    merged: tuple[str, ...] = ()
    """Commits that this merge brought in, newest first."""
    merged_by: str = ""
    """Who merged it, where the author is that of what it merges."""
    empty: bool = False
    """Its tree equals its first parent's."""
    filtered: bool = False
    """Left out of the text by `paths` or `exclude`; still counted and listed."""
    skipped: str | None = None
    """Why the commit could not be read; it is listed all the same."""

    @property
    def short(self) -> str:
        return self.sha[:9]


class Taken(Struct, frozen=True):
    """A version of a repository that another one pins."""

    repo: str
    """Who pins it."""
    version: str
    """As its manifest has it."""
    tag: str


class Held(Struct, frozen=True):
    """What a repository pins of another watched one."""

    target: str
    package: str
    version: str
    """As its manifest has it; with `>=` where newer ones do too."""
    release: str = ""
    """The release whose tag has it; empty: the head of its branch."""
    fork: bool = False
    """Somebody's own copy of it, whose versions and commits are not the watched one's."""


class Exposure(Struct, frozen=True):
    """Who runs the code that a change puts right, by the lines that it replaces."""

    release: str
    """Highest release of what the change touches that does not hold it."""
    has: bool | None = None
    """Whether those lines stand in it, at whatever path; None where that cannot be told."""
    candidates: tuple[str, ...] = ()
    """Candidates of the next release that have them, oldest first."""
    picked: bool = False
    """The release has what the change adds: it was picked onto its branch."""
    applies: bool | None = False
    """A pick merges into the release, and what it leaves there finds its names; None where that cannot be told."""
    cause: str | None = None
    """How the change is named that brought what this one puts right, where the release lacks it."""
    absent: tuple[str, ...] = ()
    """Names that the change takes away and that the release never had."""
    back: tuple[str, ...] = ()
    """`path:line` of what the change puts back to what the release has there."""
    needs: tuple[str, ...] = ()
    """Names that its added lines read and neither it nor the release defines: it merges, and stops where they are read."""
    foreign: tuple[str, ...] = ()
    """Methods that its added lines call of an object of another package, and that nothing in the tree defines."""
    without: tuple[str, ...] = ()
    """Paths of its tests and pages that do not merge; without them a pick does."""
    switch: str = ""
    """The environment variable or the flag (`--name`), off by default, without which the release runs none of it."""
    pin: str = ""
    """How the release, which has the lines, takes a dependency with other versions of which the fault comes."""
    option: str = ""
    """What the fix's own test starts the program with and the release, which has the lines, does not know."""
    lost: str = ""
    """A name that what a revert takes away called, and that nobody defined any more; `cause` took it away."""
    unsaid: bool = False
    """It has the lines, and nobody says what went wrong with them."""
    doubted: bool = False
    """It has the lines, and something says that the fault may be younger."""
    in_part: bool = False
    """That doubt is only which of the lines that the change takes away are at fault: the release lacks some of them."""
    some: bool = False
    """It has some of the places that the change replaces as they were, and lacks others."""
    older: bool = False
    """It lacks the lines, and had others in their place that a change after it only reworded or moved."""
    never: bool = False
    """The release never had what a revert takes back."""
    after_fix: bool = False
    """`cause` is a fix itself, which the release lacks: it may have the fault that came before that."""
    taken: tuple[Taken, ...] = ()
    """Who of the watched repositories pins a version that has the fault."""


class Tagged(Struct, frozen=True):
    """A release as git alone knows it: a tag of a living family."""

    tag: str
    created_at: datetime
    """When the tag was made; of a plain one, the time of its commit."""
    tagged: Literal["tag", "commit"]
    """Which of both."""
    prerelease: bool
    sha: str
    commits: tuple[str, ...] = ()
    """Known changes that are new in it, oldest first."""
    notes: str = ""
    """What the changelog of its own tree says below its version."""


class Collected(Struct, frozen=True):
    """One repository's part of the window."""

    repo: Repo
    branch: str | None = None
    head: str | None = None
    """Newest first-parent commit before `until`: nothing newer exists for the report."""
    changes: tuple[Change, ...] = ()
    """Newest first, as `git log --first-parent` lists them."""
    late: tuple[Change, ...] = ()
    in_git: int | None = None
    """How many commits git has in the window; None when it could not be asked."""
    asleep: datetime | None = None
    """When its newest commit was made, where that was more than a week before the window: a copy of long ago looks like quiet days."""
    released: Mapping[str, str] = field(default_factory=dict)
    """sha -> first tag that holds it, as of the window."""
    newest: Mapping[str, str] = field(default_factory=dict)
    """sha -> highest release made before the window's end of what the change touches: what is not in it is on the branch
    only."""
    rewritten: str | None = None
    """Head of an earlier report that is no longer on the branch."""
    revised: tuple[str, ...] = ()
    """Commits that a forced rebuild added to a day that was reported without them."""
    skipped: tuple[Skipped, ...] = ()
    mirror: str | None = None
    """Folder of the mirror on this machine: where blobs are read from."""
    recent: tuple[Change, ...] = ()
    """First-parent commits of the 14 days before the window as of its head, newest first; patches only where a
    story may need them."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Tag -> its commit, of tags made before the window's end, newest first."""
    holds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Tag made in the window -> those of `changes`, `late` and `recent` that are new in it, oldest first."""
    tagged: tuple[Tagged, ...] = ()
    """Those of them that are releases, or candidates of one, oldest first."""
    exposed: Mapping[str, Exposure] = field(default_factory=dict)
    """sha -> whether the newest release has what a change replaces; of changes that may be fixes."""
    absent: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Change -> names that it takes away and that the newest release, which lacks the change, never had."""
    back: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Change -> `path:line` of what it puts back to what the newest release, which lacks the change, has there."""
    younger: tuple[str, ...] = ()
    """Those of `changes`, `late` and `recent` that the project's highest release does not hold."""
    standing: Mapping[str, float] = field(default_factory=dict)
    """sha of a revert -> how much of what it did (0 to 1) stands in the tree at the head."""
    older: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """sha -> lines that it seems to have added and a change of the window takes away, but that it moved, or that stood
    somewhere in the tree before the fortnight."""
    forgotten: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Fix or revert -> change of the last days that took away what it still found called, and calls otherwise or not at
    all now; and the name that was called."""
