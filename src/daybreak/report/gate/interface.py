"""Stage 4, check: a statement stands only if the evidence carries it, a page only if it agrees with the data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from daybreak.core.model.report import Page, RepoReport, Report
from daybreak.core.model.statements import Statement, Verdict

Evidence = Mapping[str, str]
"""Evidence id -> everything that evidence says, as plain text."""


class Check(Protocol):
    """One reason for which a statement may be dropped."""

    def verdict(self, statement: Statement, evidence: Evidence) -> Verdict: ...


class Checker(Protocol):
    """All checks together: what comes out may be shown."""

    def repository(self, repo: RepoReport) -> RepoReport:
        """The same repository without the statements that the evidence does not carry, and with their count."""
        ...

    def day(self, report: Report) -> Report:
        """The same report without such statements of its own; `grounding` counts those of all repositories too."""
        ...

    def pages(self, pages: Sequence[Page], report: Report, existing: Callable[[str], bool]) -> tuple[str, ...]:
        """What the finished pages say that the data does not; empty when they may be published."""
        ...
