"""The analyst that needs no model: grades, stories and statements by rules alone."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from daybreak.core.config import ReaderConfig
from daybreak.core.model.changes import Change, Collected, Window
from daybreak.core.model.day import MOST_ACTIONS
from daybreak.core.model.findings import Reading
from daybreak.core.model.report import Entry, Story
from daybreak.core.model.statements import Importance, Reason
from daybreak.core.words import say
from daybreak.judge import announcements
from daybreak.judge import day as whole_day
from daybreak.judge.breaking import marks
from daybreak.judge.change_kinds import kind_of
from daybreak.judge.exposure import exposure_of
from daybreak.judge.first_screen import first_screen
from daybreak.judge.gist import gist
from daybreak.judge.importance import floored, importance, weights
from daybreak.judge.interface import Judgement, RepoAnalysis
from daybreak.judge.reader_grade import for_reader
from daybreak.judge.robots import is_bump, is_routine
from daybreak.judge.statements import statements
from daybreak.judge.stories import TreeFacts, stories

_ROUTINE = 0.05
NOBODY = ReaderConfig()
"""Grades for readers in general."""


class RuleAnalyst:
    """Turns readings into a graded, worded report; the same input gives the same words."""

    def __init__(self, reader: ReaderConfig = NOBODY) -> None:
        self._reader = reader

    def repository(self, collected: Collected, readings: Mapping[str, Reading], window: Window) -> RepoAnalysis:
        del window
        told = [c for c in (*collected.late[::-1], *collected.changes[::-1]) if not c.filtered]
        had = {sha for sha, found in collected.exposed.items() if found.has}
        trees = TreeFacts(collected.standing, collected.older, had, collected.younger)
        found = stories(told, readings, collected.recent[::-1], trees)
        of = {sha: story for story in found for sha in story.commits}
        entries = announcements.hold([_entry(c, readings, collected, of, self._reader) for c in collected.changes])
        late = tuple(_entry(c, readings, collected, of, self._reader) for c in collected.late)
        about = whole_day.assessment(collected.repo.name, entries, found, late)
        return RepoAnalysis(entries, late, found, about)

    def day(self, day: Judgement) -> Judgement:
        repos = day.repos
        actions, also, more = first_screen(repos)
        conclusion = whole_day.conclusion(repos, actions[:MOST_ACTIONS])
        summary = whole_day.summary(repos)
        return replace(day, actions=actions, also=also, more_actions=more, summary=summary, conclusion=conclusion)


def grade(change: Change, reading: Reading, reader: ReaderConfig = NOBODY) -> Entry:
    """One change alone: kind, importance, statements; what `daybreak grade` prints."""
    kind = kind_of(change, reading)
    kind = "dependency" if kind != "security" and is_bump(change) else kind
    rank = _outside() if change.filtered else importance(change, reading, kind)
    shown = marks(change, reading)
    rank = for_reader(floored(rank, change, reading, kind), change, reader)
    if is_routine(change, reading) and "breaks" not in shown:
        rank = Importance("low", min(rank.score, _ROUTINE), (Reason("robot", say("judge.grade.robot")),))
    said = gist(change, reading)
    entry = Entry(
        change=change,
        reading=reading,
        kind=kind,
        importance=rank,
        breaking="breaks" in shown,
        statements=statements(change, reading, rank.level, said),
        gist=said,
        marks=tuple(shown),
        announced=announcements.announcements(change, reading),
    )
    return replace(entry, statements=(*entry.statements, *announcements.statements(entry)))


def _outside() -> Importance:
    """The grade of what lies outside the watched paths."""
    return Importance("low", 0.0, (Reason("filtered", say("judge.grade.filtered")),))


def _entry(
    change: Change,
    readings: Mapping[str, Reading],
    collected: Collected,
    of: Mapping[str, Story],
    reader: ReaderConfig = NOBODY,
) -> Entry:
    """A change among others: what it repairs raises it, and its story tells the rest."""
    reading = readings.get(change.sha) or Reading(change.sha)
    graded = grade(change, reading, reader)
    story = of.get(change.sha)
    if story is not None and story.kind == "fixup" and change.sha == story.commits[-1]:
        graded = _raised(graded)
    if story is not None and story.cancels:
        graded = replace(graded, breaking=False, marks=())
    released = collected.released.get(change.sha)
    after = None if released else collected.newest.get(change.sha)
    exposure = exposure_of(graded, story, collected)
    return replace(graded, story=story.id if story else None, released=released, after=after, exposure=exposure)


def _raised(entry: Entry) -> Entry:
    """A repair of what landed in the last days is never low."""
    old = entry.importance
    if old.level != "low":
        return entry
    why = Reason("repair", say("judge.grade.repair"))
    rank = Importance("medium", max(old.score, weights().medium), (why, *old.reasons[:2]))
    said = statements(entry.change, entry.reading, "medium", entry.gist)
    return replace(entry, importance=rank, statements=(*said, *announcements.statements(entry)))
