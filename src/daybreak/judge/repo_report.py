"""Puts together what the stages made of one repository; also when analysing failed, so that no commit is lost."""

from __future__ import annotations

import traceback
from collections.abc import Mapping

from msgspec.structs import replace

from daybreak.core.model.changes import Change, Collected, Skipped
from daybreak.core.model.findings import Reading
from daybreak.core.model.report import Entry, RepoReport
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
        rewritten=collected.rewritten,
        revised=collected.revised,
        skipped=(*collected.skipped, *unread),
    )
