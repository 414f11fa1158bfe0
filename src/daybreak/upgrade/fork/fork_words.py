"""Phrases of the fork report, and its parts in the order in which every form shows them."""

from __future__ import annotations

from collections.abc import Iterator

from daybreak.core.model.changes import Repo
from daybreak.core.model.upgrade import ForkReport, ForkTouch, Overlap
from daybreak.core.words.catalogue import REFERENCE, languages
from daybreak.core.words.phrases import Phrases, phrases

ORDER: tuple[Overlap, ...] = ("conflict", "hunk", "symbol", "file")
FILES_SHOWN = 20
"""Changes that merely touch the same file; the rest is counted."""


class ForkWords(Phrases):
    """The phrases of one language."""

    def __init__(self, language: str) -> None:
        known = language if language in languages() else REFERENCE
        super().__init__(known, phrases(known, "upgrade.fork").table)

    def verdict(self, report: ForkReport, upstream: str) -> str:
        """Whether it still merges."""
        if report.merges is None:
            return self("untried", upstream=upstream)
        return self("merges" if report.merges else "conflicts", upstream=upstream, n=len(report.conflicts))


def by_overlap(report: ForkReport) -> Iterator[tuple[Overlap, list[ForkTouch]]]:
    """Strongest first; kinds that nothing has are left out."""
    for overlap in ORDER:
        found = [touch for touch in report.touches if touch.overlap == overlap]
        if found:
            yield overlap, found


def shown(overlap: Overlap, found: list[ForkTouch]) -> list[ForkTouch]:
    """All of them, but only the newest of those that merely share a file."""
    return found[:FILES_SHOWN] if overlap == "file" else found


def subjects(report: ForkReport) -> dict[str, str]:
    """First lines of messages by sha, of both sides."""
    return {entry.change.sha: entry.change.subject for entry in report.theirs} | dict(report.subjects)


def upstream_repo(report: ForkReport) -> Repo:
    return report.repo or Repo("upstream", "", "")
