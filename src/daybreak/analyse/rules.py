"""The analyst that needs no model: grades, stories and statements by rules alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from daybreak.analyse import day as whole_day
from daybreak.analyse.actions import actions
from daybreak.analyse.importance import importance, weights
from daybreak.analyse.interface import DayAnalysis, RepoAnalysis
from daybreak.analyse.kinds import kind_of
from daybreak.analyse.statements import statements
from daybreak.analyse.stories import stories
from daybreak.analyse.wording import say
from daybreak.model import Change, Collected, Entry, Importance, Reading, Reason, RepoReport, Story, Window

_REPAIR = Reason("repair", say("接续或修正本窗口内刚合入的改动", "follows up on a change that landed in this window"))
_FILTERED = Reason("filtered", say("不在关注的路径内", "outside the watched paths"))


class RuleAnalyst:
    """Turns readings into a graded, worded report; the same input gives the same words."""

    def repository(self, collected: Collected, readings: Mapping[str, Reading], window: Window) -> RepoAnalysis:
        del window
        told = [c for c in (*collected.late[::-1], *collected.changes[::-1]) if not c.filtered]
        found = stories(told, readings)
        of = {sha: story for story in found for sha in story.commits}
        entries = tuple(_entry(c, readings, collected, of) for c in collected.changes)
        late = tuple(_entry(c, readings, collected, of) for c in collected.late)
        about = whole_day.assessment(collected.repo.name, entries, found, late)
        return RepoAnalysis(entries, late, found, about)

    def day(self, repos: Sequence[RepoReport], window: Window) -> DayAnalysis:
        del window
        return DayAnalysis(actions(repos), whole_day.summary(repos), whole_day.conclusion(repos))


def grade(change: Change, reading: Reading) -> Entry:
    """One change alone: kind, importance, statements; what `daybreak grade` prints."""
    kind = kind_of(change, reading)
    rank = Importance("low", 0.0, (_FILTERED,)) if change.filtered else importance(change, reading, kind)
    return Entry(
        change=change,
        reading=reading,
        kind=kind,
        importance=rank,
        breaking=any(f.breaking for f in reading.findings) and not change.filtered,
        statements=statements(change, reading, rank.level),
    )


def _entry(change: Change, readings: Mapping[str, Reading], collected: Collected, of: Mapping[str, Story]) -> Entry:
    """A change among others: what it repairs raises it, and its story tells the rest."""
    graded = grade(change, readings.get(change.sha) or Reading(change.sha))
    story = of.get(change.sha)
    if story is not None and story.kind == "fixup" and change.sha == story.commits[-1]:
        graded = _raised(graded)
    return replace(graded, story=story.id if story else None, released=collected.released.get(change.sha))


def _raised(entry: Entry) -> Entry:
    """A repair of what landed in the same window is never low."""
    old = entry.importance
    if old.level != "low":
        return entry
    rank = Importance("medium", max(old.score, weights().medium), (_REPAIR, *old.reasons[:2]))
    return replace(entry, importance=rank, statements=statements(entry.change, entry.reading, "medium"))
