"""A day joined: with what GitHub has of it, asked once for all repositories, and with what runs between these.

It is done after git, in the run's own process. Nothing of it can cost the day: what could not be had or worked out is
a `Skipped` of its repository, and the next run asks again. Where no forge is asked, the links between the repositories
are there all the same.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from msgspec.structs import replace

from daybreak.collect.github.requests import Ask, Envelopes
from daybreak.core.checkpoint import Asked, Part
from daybreak.core.errors import DaybreakError
from daybreak.core.model.changes import Change, Repo, Skipped, Taken, Window
from daybreak.core.model.items import Activity, Envelope
from daybreak.core.model.links import (
    Bump,
    CrossForge,
    CrossStory,
    Earlier,
    ForgeDay,
    Link,
    PullReading,
    RepoForge,
    commit_id,
    issue_id,
    pull_id,
    release_id,
    title_of,
)
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Statement
from daybreak.core.projects import packages_of
from daybreak.core.words import say
from daybreak.core.words.grammar import MAX_CODE, NOTHING, alike, code, listing, small
from daybreak.judge.announcements import with_description
from daybreak.judge.links.across import across, numbers_of
from daybreak.judge.links.joins import Numbers
from daybreak.judge.links.pins import Side

COST = ("", "cost", "requests")
"""Where the number of requests of a day stands among its answers: repository, category, id."""
_VERSION = "requests/1"
_BUG = "This is a bug in Daybreak: please report it with --verbose."


class Source(Protocol):
    """A forge that can be asked."""

    @property
    def requests(self) -> int: ...

    def activities(self, asks: Sequence[Ask], force: bool = False) -> list[Activity]: ...


Found = tuple[Sequence[Side], Mapping[str, tuple[Skipped, ...]]]


class Mirrors(Protocol):
    """Who can look into the repositories themselves."""

    def into(self, reports: Sequence[RepoReport], sides: Sequence[Side], window: Window) -> Found:
        """The sides with what the mirrors add to them, and what could not be looked at, by repository."""
        ...


class Joining:
    """Asks one forge about the days of a run, and joins their repositories."""

    def __init__(
        self,
        source: Source | None,
        answers: Envelopes,
        asked: Callable[[Repo], bool],
        done: Callable[[Window, Asked], None],
        now: Callable[[], datetime],
        mirrors: Mirrors | None = None,
    ) -> None:
        self._source, self._answers, self._asked, self._done, self._now = source, answers, asked, done, now
        self._mirrors = mirrors

    def join(
        self, parts: Sequence[Part], window: Window, force: bool
    ) -> tuple[tuple[RepoReport, ...], ForgeDay | None]:
        """The parts with their pull requests, what those say, and what could not be had; and all else of the day."""
        wanted = [Ask(p.report.repo, window, _changes(p.report)) for p in parts if self._asked(p.report.repo)]
        day = self._day(wanted, window, force) if wanted else ForgeDay()
        reports = tuple(_with_skipped(part.report, day.activity(part.report.repo.name)) for part in parts)
        try:
            sides = [_side(part, day.activity(part.report.repo.name)) for part in parts]
            seen, reports = self._looked(sides, reports, window)
            reports, day = _joined(seen, reports, day, window)
        except (DaybreakError, OSError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001  a fault of ours costs the links, not the day
            return tuple(_unjoined(report, day, error) for report in reports), day if wanted else None
        return reports, day if wanted or day.across.links or day.across.stories else None

    def _day(self, asks: Sequence[Ask], window: Window, force: bool) -> ForgeDay:
        assert self._source is not None
        began, before = time.monotonic(), self._source.requests
        activities = self._activities(self._source, asks, force)
        spent = self._source.requests - before
        skipped = tuple(one for activity in activities.values() for one in activity.skipped)
        self._done(window, Asked(spent, time.monotonic() - began, skipped))
        return ForgeDay(tuple(activities.values()), requests=self._cost(window, spent, force))

    def _looked(
        self, sides: Sequence[Side], reports: tuple[RepoReport, ...], window: Window
    ) -> tuple[Sequence[Side], tuple[RepoReport, ...]]:
        """With what the mirrors add; a fault of ours there costs what they would have added."""
        if self._mirrors is None or (len(sides) < 2 and not any(side.activity.issues for side in sides)):
            return sides, reports
        try:
            seen, skipped = self._mirrors.into(reports, sides, window)
        except (DaybreakError, OSError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001  the same
            fault = _fault(f"{reports[0].repo.name} beside the others", "could not be looked into", error)
            return sides, (replace(reports[0], skipped=(*reports[0].skipped, fault)), *reports[1:])
        return seen, tuple(replace(r, skipped=(*r.skipped, *skipped.get(r.repo.name, ()))) for r in reports)

    @staticmethod
    def _activities(source: Source, asks: Sequence[Ask], force: bool) -> dict[str, Activity]:
        try:
            return {one.repo: one for one in source.activities(asks, force)}
        except (DaybreakError, OSError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001  the same: what git has is reported without it
            return {
                ask.repo.name: Activity(ask.repo.name, skipped=(_fault(_on(ask.repo), "could not be asked", error),))
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


def _unjoined(report: RepoReport, day: ForgeDay, error: Exception) -> RepoReport:
    asked = day.activity(report.repo.name) is not None
    if day.activities and not asked:
        return report
    what = _on(report.repo) if asked else f"{report.repo.name} beside the others"
    return replace(report, skipped=(*report.skipped, _fault(what, "could not be joined with the changes", error)))


def _on(repo: Repo) -> str:
    return f"{repo.name} on GitHub"


def _fault(what: str, reason: str, error: Exception) -> Skipped:
    told = "".join(traceback.format_exception(error))
    return Skipped(what, f"{reason} ({type(error).__name__})", _BUG, told)


# --- joining ---------------------------------------------------------------------------------------------------------


def _changes(report: RepoReport) -> tuple[Change, ...]:
    return tuple(entry.change for entry in (*report.entries, *report.late))


def _joined(
    sides: Sequence[Side], reports: Sequence[RepoReport], day: ForgeDay, window: Window
) -> tuple[tuple[RepoReport, ...], ForgeDay]:
    numbers = numbers_of(sides)
    asked = [side for side in sides if day.activity(side.repo) is not None]
    readings = _readings(asked, numbers) if asked else ()
    between = across(sides, numbers, window)
    day = replace(day, readings=readings, across=between, statements=tuple(_between(between, reports)))
    day = replace(day, earlier=tuple(_earlier(day, sides)))
    taken = {sha: found for side in sides for sha, found in side.taken.items()}
    pinned = {side.repo: side.pinned for side in sides}
    told = (replace(_with_takers(report, taken), pinned=pinned.get(report.repo.name, ())) for report in reports)
    return tuple(_enriched(report, day, numbers[report.repo.name.lower()]) for report in told), day


def _with_takers(report: RepoReport, taken: Mapping[str, tuple[Taken, ...]]) -> RepoReport:
    """Its fixes with who pins a version that has the fault."""

    def told(entry: Entry) -> Entry:
        found, exposure = taken.get(entry.change.sha), entry.exposure
        return replace(entry, exposure=replace(exposure, taken=found)) if found and exposure else entry

    return replace(report, entries=tuple(map(told, report.entries)))


def _readings(sides: Sequence[Side], numbers: Mapping[str, Numbers]) -> tuple[RepoForge, ...]:
    from daybreak.judge.links.repo_links import of_repository

    return tuple(of_repository(side, numbers) for side in sides)


def _earlier(day: ForgeDay, sides: Sequence[Side]) -> Iterator[Earlier]:
    """Changes that no entry tells and that something of the day names."""
    links = (*day.across.links, *(link for reading in day.readings for link in reading.links))
    named = {end for link in links for end in (link.source, link.target)}
    named |= {commit_id(sha) for story in day.across.stories for sha in story.commits}
    told = {entry.change.sha for side in sides for entry in side.entries}
    found = {change.sha: change for side in sides for change in side.changes if change.sha not in told}
    for one in sorted(found.values(), key=lambda change: (change.committed_at, change.sha)):
        if commit_id(one.sha) in named:
            yield Earlier(one.repo, one.sha, one.committed_at, title_of(one.subject, one.body), one.pr)


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
    bodies = {one.number: one.body for one in activity.pulls}
    causes = _causes(reading, activity)

    def enriched(entry: Entry) -> Entry:
        change = replace(entry.change, pr=numbers.of_change(entry.change))
        if change.filtered:
            return replace(entry, change=change)
        said = (*pulls.get(change.pr or 0, ()), *causes.get(commit_id(change.sha), ()))
        entry = with_description(entry, bodies.get(change.pr or 0, ""), pull_id(report.repo.name, change.pr or 0))
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
    titles = {c.sha: title_of(c.subject, c.body) for report in reports for c in _changes(report)}
    in_stories = {sha for story in between.stories for sha in story.commits}
    for one in between.bumps:
        if one.sha in titles and (one.sha not in in_stories or any(sha in titles for sha in one.between)):
            yield of_bump(one, titles)


# Sentences about forge items: what a pull request says for its change, what it claims, what may lie behind an issue.
_LINES = 4


def of_pull(reading: PullReading) -> Iterator[Statement]:
    """What a merged pull request adds to its change: the reason it gives, and its numbers as the author's claim."""
    where = (pull_id(reading.repo, reading.number),)
    if reading.why:
        yield Statement("why", say("judge.link.pull_why", quote=reading.why), where)
    for claim in reading.claims:
        lines = claim.lines[:_LINES]
        if all(len(line) <= MAX_CODE and line.strip() for line in lines):
            text = say("judge.link.pull_claim", lines=alike(" ".join(code(line) for line in lines)))
            yield Statement("impact", text, where, "performance")
            return


def of_cause(link: Link, activity: Activity) -> Statement | None:
    """What may lie behind an issue; always told as a guess with its words."""
    title = next((i.title for i in activity.issues if link.source == issue_id(activity.repo, i.number)), None)
    if link.kind != "caused_by" or link.why is None or title is None:
        return None
    text = say("judge.link.cause", title=title, why=small(link.why))
    return Statement("risk", text, link.evidence, "compatibility")


def of_bump(one: Bump, titles: Mapping[str, str]) -> Statement:
    """A pin that moved, with the changes that it brings as far as they are known; `titles` is by sha."""
    evidence = [commit_id(one.sha), *one.findings, f"repo:{one.target}"]
    brought = [sha for sha in one.between if sha in titles]
    by_name = NOTHING if one.sure else say("judge.link.bump_by_name")
    known = say("judge.link.bump_known", titles=listing((titles[x] for x in brought), 3)) if brought else NOTHING
    if one.release:
        evidence.append(release_id(one.target, one.release))
        text = say(
            "judge.link.bump_release",
            package=one.package,
            repo=one.target,
            tag=one.release,
            by_name=by_name,
            known=known,
        )
    else:
        text = say("judge.link.bump", package=one.package, repo=one.target, by_name=by_name, known=known)
    return Statement("what", text, (*evidence, *(commit_id(sha) for sha in brought[:3])))


def of_stories(stories: Sequence[CrossStory]) -> tuple[Statement, ...]:
    """One sentence a story."""
    return tuple(Statement("what", story.net, (f"story:{story.id}",)) for story in stories)
