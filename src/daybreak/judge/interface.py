"""Stage 3, analyse: what the changes mean, as graded entries, stories and statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from daybreak.core.model.changes import Collected, Window
from daybreak.core.model.findings import Reading
from daybreak.core.model.report import Action, Entry, RepoReport, Report, Story
from daybreak.core.model.statements import Statement


class RepoAnalysis(Struct, frozen=True):
    """One repository's day, analysed: entries in the order of the changes."""

    entries: tuple[Entry, ...]
    late: tuple[Entry, ...]
    stories: tuple[Story, ...]
    assessment: tuple[Statement, ...]


class DayAnalysis(Struct, frozen=True):
    """The day over all repositories."""

    actions: tuple[Action, ...]
    summary: tuple[Statement, ...]
    conclusion: tuple[Statement, ...]


class Analyst(Protocol):
    """Turns what was collected and read into graded entries and statements."""

    def repository(self, collected: Collected, readings: Mapping[str, Reading], window: Window) -> RepoAnalysis:
        """Grade the changes of one repository and say what they do; `readings` is by sha."""
        ...

    def day(self, repos: Sequence[RepoReport], window: Window) -> DayAnalysis:
        """What the day is over all repositories, from entries whose statements were checked."""
        ...


class Checker(Protocol):
    """All checks together: what comes out may be shown."""

    def repository(self, repo: RepoReport) -> RepoReport:
        """The same repository without the statements that the evidence does not carry, and with their count."""
        ...

    def day(self, report: Report) -> Report:
        """The same report without such statements of its own; `grounding` counts those of all repositories too."""
        ...
