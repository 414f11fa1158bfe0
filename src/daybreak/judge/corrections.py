"""What memory adds to a day: what an earlier report of it lacked, and what later reports learned of its changes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec.structs import replace

from daybreak.core.memory import Memory
from daybreak.core.model.changes import Repo
from daybreak.core.model.report import Note, RepoReport

_COMMIT = re.compile(r" ([0-9a-f]{7,40})(?: |$)")


def completed(part: RepoReport, label: str, memory: Memory) -> RepoReport:
    """The part, with what an earlier report of the closed day lacked and this one has."""
    before = memory.day(label, part.repo.name)
    if before is None or before.open:
        return part
    lacking = {skipped.what for skipped in part.skipped}
    had = dict.fromkeys((*before.completed, *before.skipped))
    told = _told(part)

    def is_here(what: str) -> bool:
        """The repository or a list of its forge, or a commit of the day: a rewritten branch may have lost that."""
        sha = _COMMIT.match(what.removeprefix(part.repo.name))
        return not sha or any(one.startswith(sha[1]) for one in told)

    return replace(part, completed=tuple(what for what in had if what not in lacking and is_here(what)))


def _told(part: RepoReport) -> set[str]:
    return {entry.change.sha for entry in (*part.entries, *part.late)}


def notes_on(part: RepoReport, label: str, memory: Memory) -> Iterator[Note]:
    """What later reports learned of the changes of a part that memory may not have yet."""
    return _learned(part.repo, label, memory, _told(part))


def later_notes(repo: Repo, label: str, memory: Memory) -> Iterator[Note]:
    """What later reports learned of the changes of a day that was reported."""
    today = memory.day(label, repo.name)
    return _learned(repo, label, memory, {*today.commits, *today.late} if today else set())


def _learned(repo: Repo, label: str, memory: Memory, told: set[str]) -> Iterator[Note]:
    for later in memory.later(label, repo.name) if told else ():
        for span in later.broken:
            if span.fault in told:
                yield Note(repo, span.fault, span.repair, span.start, span.end, later.label)
