"""A day joined with what GitHub has of it: asked once for all repositories, after git, in the run's own process.

Nothing of it can cost the day: what could not be had or worked out is a `Skipped` of its repository, and the next run
asks again.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from daybreak.analyse.forge.joins import Numbers
from daybreak.analyse.forge.pins import Side
from daybreak.analyse.forge.says import of_bump, of_cause, of_pull, of_stories
from daybreak.analyse.forge.whole import across, numbers_of, of_repository
from daybreak.collect.forge.asks import Ask, Envelopes
from daybreak.errors import DaybreakError
from daybreak.items import Activity, Envelope
from daybreak.links import CrossForge, ForgeDay, RepoForge, commit_id
from daybreak.model import Change, Entry, Repo, RepoReport, Skipped, Statement, Window
from daybreak.parts import Asked, Part
from daybreak.uses.projects import packages_of

COST = ("", "cost", "requests")
"""Where the number of requests of a day stands among its answers: repository, category, id."""
_VERSION = "requests/1"
_BUG = "This is a bug in Daybreak: please report it with --verbose."


class Source(Protocol):
    """A forge that can be asked."""

    @property
    def requests(self) -> int: ...

    def activities(self, asks: Sequence[Ask], force: bool = False) -> list[Activity]: ...


class Joining:
    """Asks one forge about the days of a run."""

    def __init__(
        self,
        source: Source,
        answers: Envelopes,
        asked: Callable[[Repo], bool],
        done: Callable[[Window, Asked], None],
        now: Callable[[], datetime],
    ) -> None:
        self._source, self._answers, self._asked, self._done, self._now = source, answers, asked, done, now

    def join(
        self, parts: Sequence[Part], window: Window, force: bool
    ) -> tuple[tuple[RepoReport, ...], ForgeDay | None]:
        """The parts with their pull requests, what those say, and what could not be had; and all else of the day."""
        reports = tuple(part.report for part in parts)
        wanted = [Ask(p.report.repo, window, _changes(p.report)) for p in parts if self._asked(p.report.repo)]
        if not wanted:
            return reports, None
        began, before = time.monotonic(), self._source.requests
        activities = self._activities(wanted, force)
        spent = self._source.requests - before
        skipped = tuple(one for activity in activities.values() for one in activity.skipped)
        self._done(window, Asked(spent, time.monotonic() - began, skipped))
        day = ForgeDay(tuple(activities.values()), requests=self._cost(window, spent, force))
        reports = tuple(_with_skipped(report, activities.get(report.repo.name)) for report in reports)
        try:
            return _joined(parts, reports, day, window)
        except (DaybreakError, OSError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001  a fault of ours costs the links, not the day
            return tuple(
                _unjoined(report, error) if day.activity(report.repo.name) else report for report in reports
            ), day

    def _activities(self, asks: Sequence[Ask], force: bool) -> dict[str, Activity]:
        try:
            return {one.repo: one for one in self._source.activities(asks, force)}
        except (DaybreakError, OSError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001  the same: what git has is reported without it
            return {
                ask.repo.name: Activity(ask.repo.name, skipped=(_fault(ask.repo, "could not be asked", error),))
                for ask in asks
            }

    def _cost(self, window: Window, spent: int, force: bool) -> int:
        """What the answers cost when they were first made: it stands with them, so that a rebuild says the same."""
        repo, category, name = COST
        found = None if force else self._answers.get(repo, window.label, category, name)
        before = int(found.body) if found is not None and found.version == _VERSION and found.body.isdigit() else 0
        if spent:
            body = str(before + spent).encode()
            kept = Envelope(repo, window.label, category, name, "", self._now(), _VERSION, None, body)
            self._answers.put([kept])
        return before + spent


# --- what could not be had -------------------------------------------------------------------------------------------


def _with_skipped(report: RepoReport, activity: Activity | None) -> RepoReport:
    return report if activity is None else replace(report, skipped=(*report.skipped, *activity.skipped))


def _unjoined(report: RepoReport, error: Exception) -> RepoReport:
    fault = _fault(report.repo, "could not be joined with the changes", error)
    return replace(report, skipped=(*report.skipped, fault))


def _fault(repo: Repo, what: str, error: Exception) -> Skipped:
    told = "".join(traceback.format_exception(error))
    return Skipped(f"{repo.name} on GitHub", f"{what} ({type(error).__name__})", _BUG, told)


# --- joining ---------------------------------------------------------------------------------------------------------


def _changes(report: RepoReport) -> tuple[Change, ...]:
    return tuple(entry.change for entry in (*report.entries, *report.late))


def _joined(
    parts: Sequence[Part], reports: Sequence[RepoReport], day: ForgeDay, window: Window
) -> tuple[tuple[RepoReport, ...], ForgeDay]:
    sides = [_side(part, day.activity(part.report.repo.name)) for part in parts]
    numbers = numbers_of(sides)
    readings = [of_repository(side, numbers) for side in sides if day.activity(side.repo) is not None]
    between = across(sides, numbers, window)
    day = replace(day, readings=tuple(readings), across=between, statements=tuple(_between(between, reports)))
    return tuple(_enriched(report, day, numbers[report.repo.name.lower()]) for report in reports), day


def _side(part: Part, activity: Activity | None) -> Side:
    """A repository that is not asked about takes part with its changes."""
    report, collected = part.report, part.collected
    return Side(
        activity or Activity(report.repo.name),
        (*report.entries, *report.late),
        recent=part.recent,
        tags=collected.tags,
        released=collected.released,
        holds=collected.holds,
        packages=packages_of(report.repo.name),
    )


def _enriched(report: RepoReport, day: ForgeDay, numbers: Numbers) -> RepoReport:
    """Its changes with the pull requests that brought them, and with what those and new issues say of them."""
    activity, reading = day.activity(report.repo.name), day.reading(report.repo.name)
    if activity is None or reading is None:
        return report
    pulls = {one.number: tuple(of_pull(one)) for one in reading.pulls}
    causes = _causes(reading, activity)

    def enriched(entry: Entry) -> Entry:
        change = replace(entry.change, pr=numbers.of_change(entry.change))
        if change.filtered:
            return replace(entry, change=change)
        said = (*pulls.get(change.pr or 0, ()), *causes.get(commit_id(change.sha), ()))
        return replace(entry, change=change, statements=(*entry.statements, *said))

    return replace(report, entries=tuple(map(enriched, report.entries)), late=tuple(map(enriched, report.late)))


def _causes(reading: RepoForge, activity: Activity) -> dict[str, list[Statement]]:
    """Changes that may lie behind issues, with the sentences that say so."""
    found: dict[str, list[Statement]] = {}
    for link in reading.links:
        said = of_cause(link, activity)
        if said is not None and link.target in link.evidence:
            found.setdefault(link.target, []).append(said)
    return found


def _between(between: CrossForge, reports: Iterable[RepoReport]) -> Iterator[Statement]:
    """Stories first; a pin that moved in none of them, or with changes that are known, has its own sentence."""
    yield from of_stories(between.stories)
    titles = {change.sha: change.subject for report in reports for change in _changes(report)}
    in_stories = {sha for story in between.stories for sha in story.commits}
    for one in between.bumps:
        if one.sha in titles and (one.sha not in in_stories or any(sha in titles for sha in one.between)):
            yield of_bump(one, titles)
