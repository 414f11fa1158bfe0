"""The frozen values that pass between the stages, named as in the contract.

Only the standard library and `changes.py`, the part about what was collected, are imported here: every stage may
depend on this file, and this file on none of them.

Text for readers is a mapping from language code to a string in which `code` stands in backticks and everything
else is literal: renderers escape it, so nothing that came from outside can become markup.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from msgspec import Struct, field

from daybreak.changes import Change, Collected, FileChange, Repo, Skipped, Status, Window

if TYPE_CHECKING:
    from daybreak.drafts import Retelling
    from daybreak.links import ForgeDay

__all__ = [
    "MOST_ACTIONS",
    "Action",
    "Alias",
    "Area",
    "Change",
    "Collected",
    "Dimension",
    "Entry",
    "FileChange",
    "Finding",
    "Grounding",
    "Hunk",
    "Importance",
    "Kind",
    "Level",
    "Note",
    "Page",
    "Reading",
    "Reason",
    "Receipt",
    "Repo",
    "RepoReport",
    "Report",
    "Role",
    "Skipped",
    "Statement",
    "Status",
    "Story",
    "Text",
    "Touch",
    "Touches",
    "Verdict",
    "Window",
]  # fmt: skip

Text = Mapping[str, str]
"""One sentence in each report language."""

Level = Literal["high", "medium", "low"]
Kind = Literal[
    "feature", "fix", "perf", "refactor", "revert", "docs", "test", "ci", "build", "dependency", "security", "other"
]
Role = Literal["what", "why", "impact", "risk", "action"]
Dimension = Literal["architecture", "performance", "security", "compatibility", "maintainability"]
Area = Literal[
    "code", "kernel", "api", "test", "docs", "ci", "build", "dependency", "generated", "vendored", "lock", "data"
]


# --- what was read -----------------------------------------------------------------------------------------------


class Alias(Struct, frozen=True):
    """Whether the old name still works after a rename or removal."""

    status: Literal["none", "deprecated", "kept"]
    where: str | None = None


class Finding(Struct, frozen=True):
    """A typed fact read from a diff."""

    id: str
    """`<first 12 of the sha>/<number>`, unique in a report."""
    kind: str
    path: str
    line: int
    """Line in the new file; in the old one for what was removed."""
    symbol: str
    before: str | None = None
    after: str | None = None
    breaking: bool = False
    alias: Alias | None = None
    effective: str | None = None
    """What must happen before it takes effect (for example a pin that must be bumped); None: at once."""
    inner: bool = False
    """Inside the project: kept for those whose code uses the very name, and never told to others."""


class Hunk(Struct, frozen=True):
    """A piece of a patch, verbatim."""

    path: str
    text: str
    """From `@@` to its last line, as git printed it."""


class Reading(Struct, frozen=True):
    """What one change really does, as far as code can tell."""

    sha: str
    areas: Mapping[Area, int] = field(default_factory=dict)
    """How many of its files lie in each area."""
    components: tuple[str, ...] = ()
    """Parts of the project it touches, most touched first (folder names such as `vllm/v1/core`)."""
    findings: tuple[Finding, ...] = ()
    hunks: tuple[Hunk, ...] = ()
    """One to three hunks that show the change, most telling first."""
    skipped: str | None = None
    """Why the change could not be read beyond its files."""
    unparsed: tuple[str, ...] = ()
    """Paths whose content could not be understood, in whole or in part."""
    omitted: int = 0
    """Findings beyond those kept."""
    partly: int = 0
    """Files with more changed lines than are looked at; their first hunks were read."""


# --- what was analysed -------------------------------------------------------------------------------------------


class Reason(Struct, frozen=True):
    """Why a grade is what it is, in words."""

    code: str
    text: Text


class Importance(Struct, frozen=True):
    level: Level
    score: float
    reasons: tuple[Reason, ...] = ()


class Statement(Struct, frozen=True):
    """One sentence of a report with the evidence it rests on.

    Evidence ids: `commit:SHA`, `file:SHA:PATH`, `finding:ID`, `story:ID`, `repo:NAME` (its counts), `window`; of what a
    forge has, `pull:NAME#N`, `issue:NAME#N`, `release:NAME@TAG`.
    """

    role: Role
    text: Text
    evidence: tuple[str, ...]
    dimension: Dimension | None = None
    author: Literal["rules", "model"] = "rules"


class Verdict(Struct, frozen=True):
    """What a check says of a statement; `reason` is a short code such as `unknown_evidence`."""

    ok: bool
    reason: str = ""
    detail: str = ""


class Story(Struct, frozen=True):
    """Changes that are one event."""

    id: str
    kind: Literal["revert", "reland", "series", "fixup", "bump", "port"]
    commits: tuple[str, ...]
    """Oldest first; those of earlier days included when they are known."""
    net: Text
    """What is true at the end of the window."""
    broken: tuple[datetime, datetime] | None = None
    """From the commit that was at fault to the one that repaired or reverted it."""
    earlier: Mapping[str, datetime] = field(default_factory=dict)
    """sha -> commit time of those of `commits` that no entry of this report tells."""


class Entry(Struct, frozen=True):
    """One change as the report tells it."""

    change: Change
    reading: Reading
    kind: Kind
    importance: Importance
    breaking: bool = False
    statements: tuple[Statement, ...] = ()
    story: str | None = None
    released: str | None = None
    after: str | None = None
    """Newest release as of the window, which does not hold the change yet."""


MOST_ACTIONS = 8
"""What fits a first screen; an analyst may offer more, since a check may drop some."""


class ActionPart(Struct, frozen=True):
    """One change of a line that joins several."""

    commits: tuple[str, ...]
    text: Text
    findings: tuple[str, ...] = ()


class Action(Struct, frozen=True):
    """Something a reader must act on."""

    repo: str
    commits: tuple[str, ...]
    text: Text
    """All of it, as one sentence or a few."""
    findings: tuple[str, ...] = ()
    lead: Text | None = None
    """What a list of the parts begins with."""
    parts: tuple[ActionPart, ...] = ()
    """Of a line that joins several changes: each by itself, the gravest first."""

    @property
    def headline(self) -> Text:
        """The gravest of it, with what holds for all of it: the remedy of repairs, and the release."""
        if not self.parts or self.lead is None:
            return self.text
        first, lead = self.parts[0].text, self.lead
        return {name: first[name] + ("" if name == "zh" else " ") + lead[name] for name in first}


class Touch(Struct, frozen=True):
    """A place of the reader's own code that a change of the window touches."""

    certainty: Literal["certain", "likely", "look"]
    path: str
    """Of the reader's file: the configured path, then the way below it."""
    line: int
    repo: str
    commits: tuple[str, ...]
    """Changes that did it, oldest first."""
    why: Text
    action: Text
    findings: tuple[str, ...] = ()
    pinned: str | None = None
    """The version the reader runs according to a pin, and where that stands."""
    pin_at: str | None = None
    id: str = ""
    """`DB-3f9a2c11`: by it the finding can be acknowledged."""


class Touches(Struct, frozen=True):
    """What of the window touches the reader's own code."""

    paths: tuple[str, ...]
    """As the config names them."""
    files: int = 0
    found: tuple[Touch, ...] = ()
    """Surest first; what is acknowledged is not among them."""
    acknowledged: int = 0
    skipped: tuple[Skipped, ...] = ()
    """Files of the reader that could not be read."""


# --- the report --------------------------------------------------------------------------------------------------


class Note(Struct, frozen=True):
    """What a later report learned of a change that this page told: added to the page, which is never rewritten."""

    repo: Repo
    fault: str
    """sha of the change that was at fault."""
    repair: str
    """sha of the change that repaired or reverted it."""
    start: datetime
    end: datetime
    label: str
    """Day of the report that says so."""


class Grounding(Struct, frozen=True):
    """How many statements were made, kept and dropped, and why."""

    statements: int = 0
    kept: int = 0
    dropped: int = 0
    by_reason: Mapping[str, int] = field(default_factory=dict)


class RepoReport(Struct, frozen=True):
    """One repository's part of the report."""

    repo: Repo
    branch: str | None
    head: str | None
    entries: tuple[Entry, ...] = ()
    late: tuple[Entry, ...] = ()
    stories: tuple[Story, ...] = ()
    assessment: tuple[Statement, ...] = ()
    in_git: int | None = None
    rewritten: str | None = None
    revised: tuple[str, ...] = ()
    completed: tuple[str, ...] = ()
    """What an earlier report of the day had to skip, and this one has."""
    skipped: tuple[Skipped, ...] = ()
    grounding: Grounding = Grounding()

    @property
    def complete(self) -> bool:
        return self.in_git is not None and not self.skipped

    def find(self, sha: str) -> Entry | None:
        return next((e for e in (*self.entries, *self.late) if e.change.sha == sha), None)


class Report(Struct, frozen=True):
    """Everything a renderer needs; the same data gives the same bytes."""

    window: Window
    tool_version: str
    languages: tuple[str, ...]
    repos: tuple[RepoReport, ...]
    actions: tuple[Action, ...] = ()
    summary: tuple[Statement, ...] = ()
    conclusion: tuple[Statement, ...] = ()
    grounding: Grounding = Grounding()
    notes: tuple[Note, ...] = ()
    touches: Touches | None = None
    """None: no path of the reader's own code is configured."""
    forge: ForgeDay | None = None
    """None: no forge was asked."""
    retelling: Retelling | None = None
    """None: rules alone wrote it."""

    @property
    def revised(self) -> tuple[str, ...]:
        """Shas that a forced rebuild added to a day that was reported without them."""
        return tuple(sha for r in self.repos for sha in r.revised)

    @property
    def completed(self) -> tuple[str, ...]:
        """What an earlier report of the day had to skip, and this one has."""
        return tuple(what for r in self.repos for what in r.completed)

    @property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(e for r in self.repos for e in r.entries)

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        return tuple(s for r in self.repos for s in r.skipped)


class Page(Struct, frozen=True):
    """One file to publish; `path` is relative to the output folder, with forward slashes."""

    path: str
    text: str


class Receipt(Struct, frozen=True):
    """What a publisher did."""

    publisher: str
    written: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
