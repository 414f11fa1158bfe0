"""Stage 3, analyse: what the changes mean, as graded entries, stories and statements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct

from daybreak.core.model.changes import Collected, Window
from daybreak.core.model.day import Action, Touches, WorkArea
from daybreak.core.model.drafts import Retelling
from daybreak.core.model.findings import Reading
from daybreak.core.model.links import ForgeDay
from daybreak.core.model.report import Entry, RepoReport, Story
from daybreak.core.model.statements import Grounding, Statement


class RepoAnalysis(Struct, frozen=True):
    """One repository's day, analysed: entries in the order of the changes."""

    entries: tuple[Entry, ...]
    late: tuple[Entry, ...]
    stories: tuple[Story, ...]
    assessment: tuple[Statement, ...]


class Judgement(Struct, frozen=True):
    """A day as judging has it, with the patches and texts that it rests on: prose may retell it, the checks sift it, and
    `day_of` makes the report of it. Nobody else sees it.
    """

    window: Window
    tool_version: str
    languages: tuple[str, ...]
    repos: tuple[RepoReport, ...]
    actions: tuple[Action, ...] = ()
    summary: tuple[Statement, ...] = ()
    conclusion: tuple[Statement, ...] = ()
    grounding: Grounding = Grounding()
    touches: Touches | None = None
    """None: no path of the reader's own code is configured."""
    forge: ForgeDay | None = None
    """None: no forge was asked."""
    retelling: Retelling | None = None
    """None: rules alone wrote it."""
    also: tuple[Action, ...] = ()
    """What else is worth knowing, one line each."""
    more_actions: int = 0
    """Changes that ask for action as well, and for which there is no room."""
    lead: Statement | None = None
    """What a model says of the first of them in one line; it is about that change alone."""
    asking: Mapping[tuple[str, str], str] | None = None
    """What asks for action, by repository and sha, with what kind of thing it is; None: to be found out anew."""
    worth: tuple[WorkArea, ...] = ()
    """What is worth knowing below that, by area of work."""
    title: str = ""
    """What the reader calls the report."""

    @property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(e for r in self.repos for e in r.entries)


class Analyst(Protocol):
    """Turns what was collected and read into graded entries and statements."""

    def repository(self, collected: Collected, readings: Mapping[str, Reading], window: Window) -> RepoAnalysis:
        """Grade the changes of one repository and say what they do; `readings` is by sha."""
        ...

    def day(self, day: Judgement) -> Judgement:
        """With what it is over all repositories, from entries whose statements were checked."""
        ...


class Checker(Protocol):
    """All checks together: what comes out may be shown."""

    def repository(self, repo: RepoReport) -> RepoReport:
        """The same repository without the statements that the evidence does not carry, and with their count."""
        ...

    def day(self, day: Judgement) -> Judgement:
        """The same day without such statements of its own; `grounding` counts those of all repositories too."""
        ...
