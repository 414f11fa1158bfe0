"""What judging works with: entries, stories, actions and one repository's part of a day; and the files that come of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from msgspec import Struct, field

from daybreak.core.model.changes import Change, Exposure, Held, Repo, Skipped, Tagged
from daybreak.core.model.findings import Reading
from daybreak.core.model.quotes import Announcement, Gist
from daybreak.core.model.statements import Grounding, Importance, Kind, Mark, ModelReading, Statement, Text

FaultEvidence = Literal["", "named", "reverted", "symbol", "blame", "lines", "ci", "skipped"]
"""By what a change is known to be at fault; `lines`: only by what the repair touches, which shows none."""


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
    cancels: bool = False
    """Of reverts and re-lands: what the window's changes leave is what was there before them."""
    broken_by: FaultEvidence = ""


class Entry(Struct, frozen=True):
    """One change as the report tells it."""

    change: Change
    reading: Reading
    kind: Kind
    importance: Importance
    breaking: bool = False
    """The first of its marks: existing use breaks."""
    statements: tuple[Statement, ...] = ()
    gist: Gist | None = None
    """What it does in one sentence; None where nothing of it can be told so."""
    story: str | None = None
    released: str | None = None
    unmended: str = ""
    """How the repair is named that the change needed and `released` lacks."""
    after: str | None = None
    """Newest release as of the window, which does not hold the change yet."""
    exposure: Exposure | None = None
    """Whether that release has what the change puts right."""
    marks: tuple[Mark, ...] = ()
    """What its findings show, the gravest first."""
    by_model: ModelReading | None = None
    """None: no model read it, or nothing it said stood."""
    announced: tuple[Announcement, ...] = ()
    """What its author tells users of it."""


class Note(Struct, frozen=True):
    """What a later report learned of a change that this page told: added to the page, which is never rewritten."""

    repo: str
    url: str
    """Web address of the repository."""
    fault: str
    """sha of the change that was at fault."""
    repair: str
    """sha of the change that repaired or reverted it."""
    start: datetime
    end: datetime
    label: str
    """Day of the report that says so."""


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
    asleep: datetime | None = None
    rewritten: str | None = None
    revised: tuple[str, ...] = ()
    completed: tuple[str, ...] = ()
    """What an earlier report of the day had to skip, and this one has."""
    skipped: tuple[Skipped, ...] = ()
    grounding: Grounding = Grounding()
    pinned: tuple[Held, ...] = ()
    """What it pins of the other watched ones."""
    tagged: tuple[Tagged, ...] = ()
    """Releases of the window as git knows them; told where no forge was asked for releases."""

    @property
    def complete(self) -> bool:
        return self.in_git is not None and not self.skipped

    def story_of(self, entry: Entry) -> Story | None:
        return next((story for story in self.stories if story.id == entry.story), None)

    def find(self, sha: str) -> Entry | None:
        return next((e for e in (*self.entries, *self.late) if e.change.sha == sha), None)


class Page(Struct, frozen=True):
    """One file to publish; `path` is relative to the output folder, with forward slashes."""

    path: str
    text: str


class Receipt(Struct, frozen=True):
    """What a publisher did."""

    publisher: str
    written: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
