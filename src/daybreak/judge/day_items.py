"""The forge's half of the reported day: issues, pull requests, releases, and the links between everything.

Bodies are not in it: they are kept with the raw answers, and what a page quotes of them stands here as it is quoted.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from types import SimpleNamespace
from typing import Any, TypeVar

from msgspec import Struct, convert

from daybreak.core.model import day
from daybreak.core.model.changes import Repo, Tagged
from daybreak.core.model.items import Issue, Pull, Release
from daybreak.core.model.links import (
    Bump,
    ForgeDay,
    IssueReading,
    Link,
    PullReading,
    ReleaseReading,
    RepoForge,
    commit_id,
    issue_id,
    pull_id,
    release_id,
)
from daybreak.core.model.part import Part
from daybreak.core.model.quotes import Announcement
from daybreak.core.model.report import RepoReport
from daybreak.core.text import faithful
from daybreak.findings.quotes.announced import numbers
from daybreak.judge.announcements import of_release
from daybreak.judge.interface import Judgement

Made = TypeVar("Made", bound=Part)


def part_of(kind: type[Made], /, *sources: object, **own: Any) -> Made:
    """A part of the day: fields as given here, all others as the first source has them that knows the name.

    What stands in a source is made a part of the day by the names of its own fields.
    """
    for name in kind.__struct_fields__:
        source = next((one for one in sources if hasattr(one, name)), None)
        if name not in own and source is not None:
            own[name] = getattr(source, name)
    return convert(SimpleNamespace(**own), kind, from_attributes=True)


def announced_of(one: Announcement) -> day.Announced:
    """An announcement as reports have it."""
    return part_of(day.Announced, one, one.quote)


class ForgeItems:
    """What a forge adds to each repository and to the day, made from links that are looked up by their ends."""

    def __init__(self, report: Judgement) -> None:
        self._report, self._forge = report, report.forge or ForgeDay()
        self._leaving: dict[str, list[Link]] = defaultdict(list)
        self._arriving: dict[str, list[Link]] = defaultdict(list)
        for link in (one for reading in self._forge.readings for one in reading.links):
            self._leaving[link.source].append(link)
            self._arriving[link.target].append(link)

    def of_repository(self, report: RepoReport) -> dict[str, Any]:
        """Fields of one repository; when its forge was not asked, the releases that git knows."""
        repo = report.repo
        activity = self._forge.activity(repo.name)
        if activity is None:
            return {"releases": _tagged(report)}
        reading = self._forge.reading(repo.name) or RepoForge(repo.name)
        read = {one.number: one for one in reading.issues}
        said = {one.number: one for one in reading.pulls}
        coming = {one.number: one.reasons for one in reading.coming}
        held = {one.tag: one for one in reading.releases}
        pulls = {one.number: one for one in activity.pulls}
        return {
            "issues": tuple(self._issue(repo, x, read.get(x.number), pulls) for x in activity.issues),
            "pulls": tuple(self._pull(repo, x, coming.get(x.number, ()), said.get(x.number)) for x in activity.pulls),
            "releases": tuple(
                self._release(repo, x, held.get(x.tag) or ReleaseReading(repo.name, x.tag)) for x in activity.releases
            )
            or (() if "releases" in activity.asked else _tagged(report)),
            "links": reading.links,
            "pressing": tuple(number for number in read if any(x.number == number for x in activity.issues)),
            "coming": tuple(number for number in coming if number in pulls),
            "partly": bool(activity.skipped or activity.left_out),
            "left_out": activity.left_out,
        }

    def _issue(self, repo: Repo, issue: Issue, reading: IssueReading | None, pulls: dict[int, Pull]) -> day.Issue:
        own = issue_id(repo.name, issue.number)
        arriving = self._arriving[own]
        fixes = [link for link in arriving if link.kind == "fixes"]
        return part_of(
            day.Issue,
            issue,
            reading,
            url=repo.issue_url(issue.number),
            commits=self._commits(link.source for link in fixes),
            causes=tuple(x for x in self._leaving[own] if x.kind == "caused_by"),
            fixed_by=() if reading else tuple(_fixed_by(repo, issue, fixes, pulls)),
            closing=reading.commits if reading else _closing(issue, arriving),
        )

    def _commits(self, names: Iterable[str]) -> tuple[str, ...]:
        """Shas of changes, and of those that pull requests became."""
        found: list[str] = []
        for name in names:
            brought = [link.target for link in self._leaving[name] if link.kind == "brings"]
            found += [name] if name.startswith("commit:") else brought
        return tuple(dict.fromkeys(name.partition(":")[2] for name in found))

    def _pull(self, repo: Repo, pull: Pull, coming: Sequence[str], said: PullReading | None) -> day.Pull:
        own = pull_id(repo.name, pull.number)
        fixes = [link for link in self._leaving[own] if link.kind == "fixes"]
        return part_of(
            day.Pull,
            pull,
            url=repo.pull_url(pull.number),
            commits=self._commits((own,)),
            closes=tuple(day.Closes(link.target, link.likely) for link in fixes),
            coming=tuple(coming),
            claimed=part_of(day.Claimed, said, numbers=said.claims) if said else None,
        )

    def _release(self, repo: Repo, release: Release, held: ReleaseReading) -> day.Release:
        """With what its notes announce, beside what this report found in the changes that it holds."""
        report = next((one for one in self._report.repos if one.repo.name == repo.name), None)
        entries = (*report.entries, *report.late) if report else ()
        notes = notes_of(release.body)
        named = {*held.pulls, *numbers(release.body[:LOOKED_AT])}
        broken = [e.change for e in entries if e.breaking and e.change.sha in held.commits]
        found = of_release(release.body[:LOOKED_AT], {e.change.pr: e for e in entries if e.change.pr})
        cut = held.cut or notes.cut
        return part_of(
            day.Release,
            release,
            held,
            url=repo.release_url(release.tag),
            title=release.name,
            state=_state(release),
            pulls_omitted=held.omitted,
            cut=cut,
            notes=tuple(line for line, _ in notes.lines),
            notes_omitted=notes.omitted,
            headings=tuple(heading for _, heading in notes.lines),
            announced=tuple(announced_of(one) for one in found),
            unannounced=tuple(c.sha for c in broken if found and not cut and c.pr not in named),
        )

    # --- across -------------------------------------------------------------------------------------------------------

    @property
    def crossing(self) -> tuple[Link, ...]:
        """Links from one repository to another, of whatever part of the analysis."""
        own = [link for reading in self._forge.readings for link in reading.links if self._crosses(link)]
        found = {(x.kind, x.source, x.target): x for x in (*self._forge.across.links, *own)}
        return tuple(found.values())

    def _crosses(self, link: Link) -> bool:
        ends = [self._home(x) for x in (link.source, link.target)]
        return None not in ends and ends[0] != ends[1]

    def _home(self, name: str) -> str | None:
        """The repository that an evidence id belongs to; None when the report does not know."""
        kind, _, rest = name.partition(":")
        if kind in ("commit", "finding"):
            return self._homes.get(name)
        return rest.rpartition("@" if kind == "release" else "#")[0] if kind != "repo" else rest

    @cached_property
    def _homes(self) -> dict[str, str]:
        names = {repo.repo.name for repo in self._report.repos}
        found = {commit_id(one.sha): one.repo for one in self._forge.earlier if one.repo in names}
        for repo in self._report.repos:
            for entry in (*repo.entries, *repo.late):
                found[commit_id(entry.change.sha)] = repo.repo.name
                found |= {f"finding:{one.id}": repo.repo.name for one in entry.reading.findings}
        return found

    @property
    def across(self) -> day.Across:
        """Pins that moved and stories over several repositories."""
        across = self._forge.across
        return part_of(
            day.Across,
            self._forge,
            bumps=tuple(_bump(one) for one in across.bumps),
            stories=across.stories,
            mentions_omitted=across.omitted,
        )


def _tagged(report: RepoReport) -> tuple[day.Release, ...]:
    """What git knows of the releases of the day, with what the changelogs of their trees say."""
    entries = {e.change.pr: e for e in (*report.entries, *report.late) if e.change.pr}
    return tuple(
        part_of(
            day.Release,
            one,
            url=report.repo.release_url(one.tag),
            title=one.tag,
            author="",
            state=_state(one),
            cut=(notes := notes_of(one.notes)).cut,
            notes=tuple(line for line, _ in notes.lines),
            notes_omitted=notes.omitted,
            headings=tuple(heading for _, heading in notes.lines),
            announced=tuple(map(announced_of, of_release(one.notes[:LOOKED_AT], entries))),
        )
        for one in report.tagged
    )


def _state(release: Release | Tagged) -> str:
    return "prerelease" if release.prerelease else "released"


def _fixed_by(repo: Repo, issue: Issue, fixes: Iterable[Link], pulls: dict[int, Pull]) -> Iterable[day.Fix]:
    """Merged pull requests that closed an issue, with what is known of each."""
    own = {pull_id(repo.name, number): pull for number, pull in pulls.items()}
    for link in fixes:
        pull = own.get(link.source)
        if pull is not None and pull.state == "merged":
            by_hand, undone = pull.number in issue.connected, pull.number in issue.undone
            yield day.Fix(pull.number, "merged", link.likely, by_hand, undone)


def _closing(issue: Issue, arriving: Iterable[Link]) -> tuple[str, ...]:
    """Commits that closed an issue for good, in the word of its timeline."""
    known = {link.source for link in arriving}
    shas = (one.sha for one in issue.closers if one.sha and one.repo is None and not one.reopened_at)
    return tuple(sha for sha in shas if commit_id(sha) in known)


def _bump(one: Bump) -> day.Bump:
    release = release_id(one.target, one.release) if one.release else None
    return part_of(day.Bump, one, likely=not one.sure, release=release)


# --- The notes of a release as a page can quote them: a few lines, word for word, without marks that point or hide ---
# A line that could only be shown changed or cut is not shown: it is counted. Machine-made lines (`… by @name in ADDRESS`)
# are quoted up to the name.


LOOKED_AT = 40_000
"""Characters of the notes; what follows is not counted line by line, and `cut` says so."""
LONGEST = 240
NOTES = 16
"""Lines of the notes that are quoted."""
_MOST_LINES = 2_000
_HEAD = re.compile(r" {0,3}#{1,6}[ \t]+(.*?)[ \t#]*")
_ITEM = re.compile(r"[ \t]{0,20}(?:[-*+•]|\d{1,3}[.)])[ \t]+(.*)")
_MADE = re.compile(r"(.{3,}?)[ \t]+by[ \t]+@\S{1,60}[ \t]+in[ \t]+https?://\S{1,200}")
_POINTS = re.compile(r"https?:|www\.|\]\(|\]\[|!\[|<[/!a-zA-Z]")
_FENCE = re.compile(r"[ \t]{0,20}(?:```|~~~)")
_EMPTY = re.compile(r"[\s|:+=*_~`-]*")
_MARKS = re.compile(r"\*\*|`")


class Notes(Struct, frozen=True):
    """Lines of a release's notes."""

    lines: tuple[tuple[str, bool], ...] = ()
    """Each with whether it is a heading."""
    omitted: int = 0
    """Lines beyond these, or that cannot be quoted."""
    cut: bool = False
    """There is more than was looked at."""


def notes_of(body: str, most: int = NOTES) -> Notes:
    """The first lines that can be quoted; a heading counts only with a line under it."""
    found: list[tuple[str, bool]] = []
    omitted, fenced = 0, False
    rows = body[:LOOKED_AT].splitlines()
    for raw in rows[:_MOST_LINES]:
        if _FENCE.match(raw[:30]):
            fenced = not fenced
            continue
        if _EMPTY.fullmatch(raw[: LONGEST * 4]):
            continue
        line, heading = ("", False) if fenced else _quoted(raw)
        if not line or len(found) >= most:
            omitted += not heading
        elif heading and found and found[-1][1]:
            found[-1] = (line, True)
        else:
            found.append((line, heading))
    while found and found[-1][1]:
        found.pop()
    return Notes(tuple(found), omitted, len(body) > LOOKED_AT or len(rows) > _MOST_LINES)


def _quoted(raw: str) -> tuple[str, bool]:
    """One line without the marks of its form, and whether it is a heading; empty for one that cannot be quoted."""
    if len(raw) > LONGEST * 4:
        return "", False
    head = _HEAD.fullmatch(raw)
    item = _ITEM.fullmatch(raw)
    line = (head or item)[1] if head or item else raw  # type: ignore[index]
    made = _MADE.fullmatch(line.strip())
    line = _MARKS.sub("", made[1] if made else line).strip()
    good = 0 < len(line) <= LONGEST and not _POINTS.search(line) and faithful(line)
    return (line if good else ""), head is not None
