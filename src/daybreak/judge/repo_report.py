"""Puts together what the stages made of one repository; also when analysing failed, so that no commit is lost."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from daybreak.core.checkpoint import Memory
from daybreak.core.model.changes import Change, Collected, Repo, Skipped
from daybreak.core.model.day import Day, RepoDay
from daybreak.core.model.findings import Reading
from daybreak.core.model.report import Entry, Note, RepoReport
from daybreak.core.model.statements import Importance
from daybreak.judge.interface import RepoAnalysis

_UNPARSED = "its content could not be parsed, or only in part"


def without_analysis(collected: Collected, error: Exception) -> RepoReport:
    """Every commit listed and none graded, with the fault named."""
    return together(_not_analysed(collected, error), _plain(collected), {})


def _not_analysed(collected: Collected, error: Exception) -> Collected:
    fault = Skipped(
        collected.repo.name,
        f"could not be analysed ({type(error).__name__})",
        "This is a bug in Daybreak: please report it with --verbose.",
        "".join(traceback.format_exception(error)),
    )
    return replace(collected, skipped=(*collected.skipped, fault))


def _plain(collected: Collected) -> RepoAnalysis:
    """Every commit listed, none graded."""

    def entry(change: Change) -> Entry:
        return Entry(change, Reading(change.sha), "other", Importance("low", 0.0))

    return RepoAnalysis(tuple(map(entry, collected.changes)), tuple(map(entry, collected.late)), (), ())


def together(collected: Collected, analysis: RepoAnalysis, readings: Mapping[str, Reading]) -> RepoReport:
    """What was collected, read and analysed of one repository, as one value."""
    name = collected.repo.name
    unread = [Skipped(f"{name} {sha[:9]}", r.skipped) for sha, r in readings.items() if r.skipped]
    unread += [Skipped(f"{name} {sha[:9]} {path}", _UNPARSED) for sha, r in readings.items() for path in r.unparsed]
    return RepoReport(
        repo=collected.repo,
        branch=collected.branch,
        head=collected.head,
        entries=analysis.entries,
        late=analysis.late,
        stories=analysis.stories,
        assessment=analysis.assessment,
        in_git=collected.in_git,
        asleep=collected.asleep,
        rewritten=collected.rewritten,
        revised=collected.revised,
        skipped=(*collected.skipped, *unread),
        tagged=collected.tagged,
    )


# --- What memory adds to a day: what an earlier report of it lacked, and what later reports learned of its changes ---


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


def notes_on(day: Day, memory: Memory) -> Iterator[Note]:
    """What later reports learned of the changes of a day that memory may not have yet."""
    for repo in day.repos:
        yield from _learned(repo, day.label, memory, {one.sha for one in repo.changes})


def later_notes(repo: Repo, label: str, memory: Memory) -> Iterator[Note]:
    """What later reports learned of the changes of a day that was reported."""
    today = memory.day(label, repo.name)
    return _learned(repo, label, memory, {*today.commits, *today.late} if today else set())


def _learned(repo: Repo | RepoDay, label: str, memory: Memory, told: set[str]) -> Iterator[Note]:
    for later in memory.later(label, repo.name) if told else ():
        for span in later.broken:
            if span.fault in told:
                yield Note(repo.name, repo.url, span.fault, span.repair, span.start, span.end, later.label)
