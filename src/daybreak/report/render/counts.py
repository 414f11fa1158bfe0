"""The numbers of a page's head, counted from the same values that the page lists."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Level

MARKS: dict[Level, str] = {"high": "🔴", "medium": "🟡", "low": "🟢"}
LEVELS: tuple[Level, ...] = ("high", "medium", "low")


class Counts(Struct, frozen=True):
    """What a head line says of one or several repositories."""

    repos: int
    reported: int
    known: int
    """Commits that git has in the window, of the repositories that could be asked."""
    unknown: int
    """Repositories that could not be asked."""
    high: int
    medium: int
    low: int
    breaking: int
    filtered: int
    late: int
    skipped: int

    @property
    def in_git(self) -> str:
        """The number git has; "≥" when a repository could not be asked, since then nobody knows it."""
        if not self.unknown:
            return str(self.known)
        return "?" if self.unknown == self.repos else f"≥ {self.known}"

    @property
    def marks(self) -> str:
        return f"🔴 {self.high} 🟡 {self.medium} 🟢 {self.low}"


def count(repos: Sequence[RepoReport]) -> Counts:
    """Count over repositories; filtered commits are reported but have no grade."""
    told = [e for r in repos for e in told_entries(r)]
    levels = [e.importance.level for e in told]
    return Counts(
        repos=len(repos),
        reported=sum(len(r.entries) for r in repos),
        known=sum(r.in_git or 0 for r in repos),
        unknown=sum(r.in_git is None for r in repos),
        high=levels.count("high"),
        medium=levels.count("medium"),
        low=levels.count("low"),
        breaking=sum(e.breaking for e in told),
        filtered=sum(e.change.filtered for r in repos for e in r.entries),
        late=sum(len(r.late) for r in repos),
        skipped=sum(len(r.skipped) for r in repos),
    )


def told_entries(repo: RepoReport) -> tuple[Entry, ...]:
    """The entries that are told and graded: all but the filtered ones."""
    return tuple(e for e in repo.entries if not e.change.filtered)


def of_level(repo: RepoReport, level: Level) -> tuple[Entry, ...]:
    """Most important first; equals stay newest first."""
    chosen = [e for e in told_entries(repo) if e.importance.level == level]
    return tuple(sorted(chosen, key=lambda e: -e.importance.score))
