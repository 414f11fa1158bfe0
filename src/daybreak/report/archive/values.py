"""A reported day as values: `reports/DATE.json` (`daybreak.report/1`) decoded, with nothing added and nothing left off.

Fields have the names of the JSON. What a report of an earlier version does not have stands at its default. All text
of commits, issues and people is a stranger's: whoever shows it escapes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import msgspec
from msgspec import Struct

from daybreak.report.archive.across import Across, Bump, CrossStory, Earlier, Step
from daybreak.report.archive.actions import Action, ActionPart
from daybreak.report.archive.texts import Skipped, Statement, Text

__all__ = [
    "LEVELS", "SCHEMA", "Across", "Action", "ActionPart", "Alias", "Analyst", "Bump", "Claim", "Claimed", "Closes", "Commit",
    "Cost", "Coverage", "CrossStory", "Day", "Earlier", "Effective", "File", "Finding", "Fix", "Grounding",
    "Hunk", "Importance", "Issue", "Item", "Link", "Place", "Pull", "PullRef", "Reason", "Release", "RepoDay",
    "Skipped", "Span", "Statement", "Step", "Story", "Text", "Tool", "Touch", "Touches", "Window", "decode",
]  # fmt: skip

SCHEMA = "daybreak.report/1"
LEVELS = ("high", "medium", "low")


class Alias(Struct, frozen=True):
    status: str
    where: str | None = None


class Effective(Struct, frozen=True, rename={"when": "with"}):
    when: str


class Finding(Struct, frozen=True):
    id: str
    kind: str
    path: str
    line: int
    symbol: str
    before: str | None = None
    after: str | None = None
    breaking: bool = False
    alias: Alias | None = None
    effective: Effective | None = None


class Hunk(Struct, frozen=True):
    """A piece of the patch that shows the change."""

    path: str
    text: str | None
    """From `@@` on, as git printed it; None where it holds characters that cannot be shown safely."""


class File(Struct, frozen=True):
    path: str
    status: str
    old_path: str | None = None
    added: int = 0
    deleted: int = 0
    binary: bool = False
    skipped: str | None = None


class PullRef(Struct, frozen=True):
    number: int
    url: str


class Reason(Struct, frozen=True):
    code: str
    text: Text


class Importance(Struct, frozen=True):
    level: str
    score: float
    reasons: tuple[Reason, ...] = ()


class Commit(Struct, frozen=True):
    """One change with what was read and said of it."""

    sha: str
    url: str
    subject: str
    author: str
    committed_at: datetime
    importance: Importance
    kind: str
    body: str = ""
    authored_at: datetime | None = None
    pr: PullRef | None = None
    files: tuple[File, ...] = ()
    files_total: int = 0
    added: int = 0
    deleted: int = 0
    merged: tuple[str, ...] = ()
    empty: bool = False
    filtered: bool = False
    breaking: bool = False
    findings: tuple[Finding, ...] = ()
    components: tuple[str, ...] = ()
    hunks: tuple[Hunk, ...] = ()
    released: str | None = None
    story: str | None = None
    statements: tuple[Statement, ...] = ()
    skipped: str | None = None

    @property
    def short(self) -> str:
        """Twelve digits: enough to name it in an address that stays."""
        return self.sha[:12]


class Span(Struct, frozen=True, rename={"start": "from", "end": "to"}):
    start: datetime
    end: datetime


class Story(Struct, frozen=True):
    id: str
    kind: str
    commits: tuple[str, ...]
    net: Text
    broken: Span | None = None
    earlier: dict[str, datetime] = {}


class Place(Struct, frozen=True):
    repo: str
    path: str
    line: int


class Link(Struct, frozen=True, rename={"source": "from", "target": "to"}):
    kind: str
    source: str
    target: str
    evidence: tuple[str, ...] = ()
    likely: bool = False
    why: Text | None = None
    places: tuple[Place, ...] = ()
    places_omitted: int = 0


class Fix(Struct, frozen=True):
    number: int
    state: str = ""
    likely: bool = False


class Item(Struct, frozen=True):
    """What issues and pull requests have in common."""

    number: int
    url: str
    title: str
    author: str
    created_at: datetime
    state: str
    labels: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    happened: tuple[str, ...] = ()
    milestone: str | None = None
    comments: int = 0
    reactions: int = 0
    closed_at: datetime | None = None


class Issue(Item, frozen=True):
    reason: str | None = None
    kind: str | None = None
    components: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()
    causes: tuple[Link, ...] = ()


class Closes(Struct, frozen=True):
    issue: str
    likely: bool = False


class Claim(Struct, frozen=True):
    lines: tuple[str, ...]
    omitted: int = 0


class Claimed(Struct, frozen=True):
    """The author's own words, which nobody checked."""

    why: str = ""
    test_plan: bool = False
    numbers: tuple[Claim, ...] = ()
    omitted: int = 0
    cut: bool = False


class Pull(Item, frozen=True):
    merged_at: datetime | None = None
    merge_sha: str | None = None
    draft: bool = False
    review: str | None = None
    files: int | None = None
    added: int | None = None
    deleted: int | None = None
    closes: tuple[Closes, ...] = ()
    coming: tuple[str, ...] = ()
    claimed: Claimed | None = None


class Release(Struct, frozen=True):
    tag: str
    url: str
    title: str
    author: str
    created_at: datetime
    state: str
    labels: tuple[str, ...] = ()
    commits: tuple[str, ...] = ()
    sha: str | None = None
    pulls: tuple[int, ...] = ()
    pulls_omitted: int = 0
    cut: bool = False
    notes: tuple[str, ...] = ()
    notes_omitted: int = 0


class Grounding(Struct, frozen=True):
    statements: int = 0
    kept: int = 0
    dropped: int = 0
    by_reason: dict[str, int] = {}


class RepoDay(Struct, frozen=True):
    """One repository's part of a day."""

    name: str
    url: str
    branch: str | None = None
    head: str | None = None
    updated: bool | None = None
    in_git: int | None = None
    complete: bool = True
    rewritten: str | None = None
    revised: tuple[str, ...] = ()
    completed: tuple[str, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    commits: tuple[Commit, ...] = ()
    late: tuple[Commit, ...] = ()
    stories: tuple[Story, ...] = ()
    issues: tuple[Issue, ...] = ()
    pulls: tuple[Pull, ...] = ()
    releases: tuple[Release, ...] = ()
    links: tuple[Link, ...] = ()
    assessment: tuple[Statement, ...] = ()
    grounding: Grounding = Grounding()

    @property
    def slug(self) -> str:
        """`owner-name`, as in the names of files; the config lets no two repositories share one."""
        return self.name.replace("/", "-")

    @property
    def changes(self) -> tuple[Commit, ...]:
        """All that the day tells: its own, then those that arrived late."""
        return (*self.commits, *self.late)


class Window(Struct, frozen=True):
    since: datetime
    until: datetime
    timezone: str
    label: str
    open: bool = False


class Tool(Struct, frozen=True):
    name: str = "daybreak"
    version: str = ""


class Analyst(Struct, frozen=True):
    kind: str = "rules"
    model: str | None = None
    prompt_version: str | None = None


class Coverage(Struct, frozen=True):
    commits_in_git: int = 0
    commits_reported: int = 0
    repos_unknown: int = 0
    issues: int = 0
    pulls: int = 0
    releases: int = 0
    skipped: tuple[Skipped, ...] = ()
    left_out: tuple[Skipped, ...] = ()


class Touch(Struct, frozen=True):
    """A place of the reader's own code that the day touches."""

    id: str
    certainty: str
    path: str
    line: int
    repo: str
    commits: tuple[str, ...]
    why: Text
    action: Text
    findings: tuple[str, ...] = ()
    pinned: str | None = None
    pin_at: str | None = None


class Touches(Struct, frozen=True):
    paths: tuple[str, ...] = ()
    files: int = 0
    found: tuple[Touch, ...] = ()
    acknowledged: int = 0
    skipped: tuple[Skipped, ...] = ()


class Cost(Struct, frozen=True):
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    money: float | None = None


class Day(Struct, frozen=True):
    """The whole report."""

    schema: str
    window: Window
    coverage: Coverage
    repos: tuple[RepoDay, ...]
    languages: tuple[str, ...] = ("zh", "en")
    tool: Tool = Tool()
    analyst: Analyst = Analyst()
    actions: tuple[Action, ...] = ()
    touches: Touches | None = None
    links: tuple[Link, ...] = ()
    across: Across = Across()
    summary: tuple[Statement, ...] = ()
    conclusion: tuple[Statement, ...] = ()
    grounding: Grounding = Grounding()
    cost: Cost = Cost()
    revised: tuple[str, ...] = ()
    completed: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return self.window.label

    def changes(self) -> Iterator[tuple[RepoDay, Commit]]:
        """Every change of the day with its repository, late arrivals after the day's own."""
        for repo in self.repos:
            for commit in repo.changes:
                yield repo, commit

    def find(self, sha: str) -> tuple[RepoDay, Commit] | None:
        """The change whose sha begins so; no guess where several do."""
        found = [(repo, commit) for repo, commit in self.changes() if commit.sha.startswith(sha)]
        return found[0] if len(found) == 1 else None


_DECODER = msgspec.json.Decoder(Day)
"""Made once, before there are threads: two that find out about a type at the same time crash msgspec."""


def decode(data: bytes) -> Day:
    """A stored report; raises what msgspec raises when it is none."""
    day = _DECODER.decode(data)
    if day.schema != SCHEMA:
        raise msgspec.ValidationError(f"schema {day.schema!r}")
    return day
