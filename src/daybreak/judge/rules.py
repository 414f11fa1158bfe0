"""The analyst that needs no model: grades, stories and statements by rules alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec.structs import replace

from daybreak.core.config import ReaderConfig
from daybreak.core.model.changes import Change, Collected, Window
from daybreak.core.model.day import MOST_ACTIONS
from daybreak.core.model.findings import Reading
from daybreak.core.model.report import Entry, Story
from daybreak.core.model.statements import Importance, Reason
from daybreak.core.words import term
from daybreak.judge import announcements
from daybreak.judge import day as whole_day
from daybreak.judge.breaking import marks
from daybreak.judge.change_kinds import kind_of
from daybreak.judge.exposure import exposure_of, released_part
from daybreak.judge.first_screen import first_screen
from daybreak.judge.gist import gist
from daybreak.judge.importance import NOTHING, importance
from daybreak.judge.interface import Judgement, RepoAnalysis
from daybreak.judge.reach import EVERYBODY
from daybreak.judge.robots import is_bump
from daybreak.judge.statements import statements
from daybreak.judge.stories import TreeFacts, stories
from daybreak.judge.story_outcome import settled


class RuleAnalyst:
    """Turns readings into a graded, worded report; the same input gives the same words."""

    def __init__(self, reader: ReaderConfig = EVERYBODY) -> None:
        self._reader = reader

    def repository(self, collected: Collected, readings: Mapping[str, Reading], window: Window) -> RepoAnalysis:
        del window
        told = [c for c in (*collected.late[::-1], *collected.changes[::-1]) if not c.filtered]
        had = {sha for sha, found in collected.exposed.items() if found.has}
        trees = TreeFacts(collected.standing, collected.older, had, collected.younger)
        found = stories(told, readings, collected.recent[::-1], trees)
        undone = settled(found)
        of = {sha: story for story in found for sha in story.commits}

        def entry(change: Change) -> Entry:
            made = _entry(change, readings, collected, of, self._reader)
            return _netted(made) if change.sha in undone and not _does_more(made, of) else made

        entries = announcements.hold(list(map(entry, collected.changes)))
        late = tuple(map(entry, collected.late))
        about = whole_day.assessment(collected.repo.name, entries, found, late)
        return RepoAnalysis(entries, late, found, about)

    def day(self, day: Judgement) -> Judgement:
        repos = day.repos
        actions, also, more = first_screen(repos)
        conclusion = whole_day.conclusion(repos, actions[:MOST_ACTIONS])
        summary = whole_day.summary(repos)
        return replace(day, actions=actions, also=also, more_actions=more, summary=summary, conclusion=conclusion)


def grade(change: Change, reading: Reading, reader: ReaderConfig = EVERYBODY, absent: Collection[str] = ()) -> Entry:
    """One change alone: kind, importance, statements; what `daybreak grade` prints. `absent`: names that it takes away
    and that no release had.
    """
    kind = kind_of(change, reading)
    kind = "dependency" if kind != "security" and is_bump(change) else kind
    had, said = released_part(reading, absent), gist(change, reading)
    shown, rank = marks(change, had), importance(change, had, kind, said, reader)
    if had != reading and rank.level == "low":
        rank = replace(rank, reasons=(_reason("unreleased"),))
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


def _entry(
    change: Change,
    readings: Mapping[str, Reading],
    collected: Collected,
    of: Mapping[str, Story],
    reader: ReaderConfig = EVERYBODY,
) -> Entry:
    """A change among others: its story tells the rest."""
    reading = readings.get(change.sha) or Reading(change.sha)
    graded = grade(change, reading, reader, collected.absent.get(change.sha, ()))
    story = of.get(change.sha)
    released = collected.released.get(change.sha)
    after = None if released else collected.newest.get(change.sha)
    exposure = exposure_of(graded, story, collected)
    return replace(graded, story=story.id if story else None, released=released, after=after, exposure=exposure)


def _netted(entry: Entry) -> Entry:
    """What was undone within the window is nothing at its end, whatever it did."""
    return replace(entry, importance=Importance("low", NOTHING, (_reason("undone"),)), breaking=False, marks=())


def _does_more(entry: Entry, of: Mapping[str, Story]) -> bool:
    """It takes lines of another change back, and does not say that this is all it does."""
    return (
        entry.kind != "revert"
        and of[entry.change.sha].kind == "revert"
        and entry.change.sha == of[entry.change.sha].commits[-1]
    )


def _reason(code: str) -> Reason:
    return Reason(code, term("judge.reason", code))
