"""Issues, pull requests and releases of a reported day, what joins them, and what ran between repositories."""

from __future__ import annotations

from daybreak.core.model import day_fields as f
from daybreak.core.model.day_changes import Announced, Statement
from daybreak.core.model.links import Claim, CrossStory, Earlier, Fix, Link
from daybreak.core.model.part import Count, EvidenceId, Number, Part, Sha, Time, always, later


class Item(Part, frozen=True):
    """What issues and pull requests have in common."""

    number: Number
    url: str
    title: str
    author: str
    created_at: Time
    state: f.ItemState
    labels: tuple[str, ...] = always(())
    commits: tuple[Sha, ...] = always(())
    """Commits of the report that belong to it."""
    happened: tuple[f.Happened, ...] = always(())
    """What happened to it in the window."""
    milestone: str | None = always(None)
    comments: Count = always(0)
    reactions: Count = always(0)
    closed_at: Time | None = always(None)


class Issue(Item, frozen=True):
    """An issue of which something happened in the window."""

    state: f.IssueState
    reason: str | None = always(None)
    kind: f.IssueTopic | None = always(None)
    """Null for one that was not opened in the window."""
    components: tuple[str, ...] = always(())
    fixes: tuple[Fix, ...] = always(())
    causes: tuple[Link, ...] = always(())
    cut: bool = False
    """Its body is longer than what was looked at."""
    fixed_by: tuple[Fix, ...] = ()
    """Of one that was closed and is not new: merged pull requests that did it."""
    closing: tuple[Sha, ...] = ()
    """Commits that closed it without a pull request."""
    undone: tuple[int, ...] = ()
    """Pull requests that closed it, and after which it was opened again."""


class Closes(Part, frozen=True):
    """An issue that a pull request closes."""

    issue: EvidenceId
    likely: bool = always(False)


class Claimed(Part, frozen=True):
    """The author's own words, which nobody checked."""

    why: str = always("")
    test_plan: bool = always(False)
    numbers: tuple[Claim, ...] = always(())
    omitted: Count = always(0)
    cut: bool = always(False)


class Pull(Item, frozen=True):
    """A pull request of which something happened in the window, or that brought a change of it."""

    merged_at: Time | None = always(None)
    merge_sha: str | None = always(None)
    draft: bool = always(False)
    review: f.PullReview | None = always(None)
    """Null: not asked for."""
    files: Count | None = always(None)
    added: Count | None = always(None)
    deleted: Count | None = always(None)
    closes: tuple[Closes, ...] = always(())
    coming: tuple[f.Coming, ...] = always(())
    """Why an open one weighs; empty for all others."""
    claimed: Claimed | None = always(None)
    """What its author says, verbatim and not verified."""


class Release(Part, frozen=True):
    """A release, or a tag without one."""

    tag: str
    url: str
    title: str
    author: str
    created_at: Time
    state: f.ReleaseState
    labels: tuple[str, ...] = always(())
    commits: tuple[Sha, ...] = always(())
    """Known commits of which it is the first release, oldest first."""
    sha: str | None = always(None)
    pulls: tuple[Count, ...] = always(())
    """Pull requests that its notes name."""
    pulls_omitted: Count = always(0)
    cut: bool = always(False)
    notes: tuple[str, ...] = always(())
    """First lines of its notes in their author's words, without the marks of their form; nobody checked them."""
    notes_omitted: Count = always(0)
    announced: tuple[Announced, ...] = later(())
    """What its notes announce as breaking, removed, deprecated or changed, held against the changes of this report."""
    unannounced: tuple[Sha, ...] = ()
    """Commits of the report that it holds and that break existing use, and that its notes do not name."""
    tagged: f.TagTime = later("")
    """Where git alone knows of it, what its time is the time of; its notes are then those of its tree's changelog."""
    headings: tuple[bool, ...] = ()
    """Of each line of the notes, whether it is a heading."""


class Bump(Part, frozen=True):
    """A pin of one watched repository that moved in another one."""

    repo: str
    sha: Sha
    at: Time
    target: str
    package: str = always("")
    before: str = always("")
    after: str = always("")
    findings: tuple[str, ...] = always(())
    likely: bool = always(False)
    least: bool = always(False)
    """Newer versions than `after` are allowed too."""
    back: bool = always(False)
    """It goes back to what was pinned before."""
    release: str | None = always(None)
    """Evidence id release:REPO@TAG."""
    between: tuple[Sha, ...] = always(())
    """Known commits of the target that it brings, oldest first."""
    whole: bool = always(False)
    """`between` is all of them."""


class Across(Part, frozen=True):
    """What ran between the watched repositories."""

    bumps: tuple[Bump, ...] = always(())
    stories: tuple[CrossStory, ...] = always(())
    statements: tuple[Statement, ...] = always(())
    mentions_omitted: Count = always(0)
    earlier: tuple[Earlier, ...] = always(())
    """Changes of the days before that links, moved pins and stories of this day name, oldest first."""
