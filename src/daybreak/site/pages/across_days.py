"""What runs over several days, put together from their summaries: stories by their id, releases with who took them.

Nothing is decided anew: what stands here was said by the report of some day, which is named beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from msgspec import Struct

from daybreak.core.model.day import Bump, CrossStory, Release, Span, Step, Story, Text, in_language
from daybreak.site.pages.summaries import ChangeLine, DaySummary

_PART = re.compile(r"`(?:[^`\d]{1,12} )?\d{1,4}/\d{1,4}`")
"""A part of a series whose length is known, as its net sentence names it."""
RELATED = 12
"""Related stories that a page names; a change that is repaired again and again has many."""
_ENDED = ("; it is complete.", "；至此全部合入。")


class Told(Struct, frozen=True):
    """A change that a story, release or pin names."""

    repo: str
    sha: str
    subject: str = ""
    committed_at: datetime | None = None
    level: str = ""
    kind: str = ""
    breaking: bool = False
    label: str | None = None
    """Day whose report tells it; None: none that is stored."""
    url: str = ""


class Telling(Struct, frozen=True):
    """What the report of one day says of a story."""

    label: str
    net: Text
    broken: Span | None = None


class JoinedStory(Struct, frozen=True):
    """A story over all days that tell it."""

    repo: str
    """Of a story across repositories: the one whose releases are taken."""
    id: str
    kind: str
    """As in the report; `across` for one over several repositories."""
    changes: tuple[Told, ...]
    """Oldest first, as far as the time is known."""
    tellings: tuple[Telling, ...]
    """Newest first."""
    open: bool = False
    """A revert without a re-land, or a series of known length with parts to come."""
    repos: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    related: tuple[tuple[str, str, str, str], ...] = ()
    """Repository, id, kind and first title of the newest stories that share a change with this one."""
    related_more: int = 0
    goes_on: str = ""
    """The story of a later day that tells all of it and more."""

    @property
    def net(self) -> Text:
        return self.tellings[0].net

    @property
    def last(self) -> str:
        return self.tellings[0].label

    @property
    def broken(self) -> Span | None:
        return next((one.broken for one in self.tellings if one.broken), None)


class JoinedRelease(Struct, frozen=True):
    """A release with what it holds and who took it."""

    repo: str
    release: Release
    label: str
    changes: tuple[Told, ...] = ()
    takers: tuple[tuple[Bump, Told], ...] = ()
    stories: tuple[tuple[str, str], ...] = ()
    """Repository and id of stories across repositories in which it takes part."""
    url: str = ""


class Joined:
    """Stories and releases of all days."""

    def __init__(self, days: Sequence[DaySummary]) -> None:
        self.urls = {repo.name: repo.url for day in days for repo in day.repos}
        self._told = _index(days, _named(days))
        self.stories = self._stories(days)
        self.releases = self._releases(days)

    def told(self, repo: str, sha: str) -> Told:
        """What is known of a change; at least its name."""
        url = f"{self.urls[repo]}/commit/{sha}" if repo in self.urls else ""
        found = self._told.get((repo, sha))
        return found if found is not None else Told(repo, sha, url=url)

    def _stories(self, days: Sequence[DaySummary]) -> dict[tuple[str, str], JoinedStory]:
        single: dict[tuple[str, str], list[tuple[str, Story]]] = {}
        crossing: dict[tuple[str, str], list[tuple[str, CrossStory]]] = {}
        for day in days:
            for repo in day.repos:
                for story in repo.stories:
                    single.setdefault((repo.name, story.id), []).append((day.label, story))
            for across in day.across:
                crossing.setdefault((across.target, across.id), []).append((day.label, across))
        made = {key: self._single(key[0], found) for key, found in single.items()}
        made |= {key: self._crossing(found) for key, found in crossing.items()}
        return _with_related(made)

    def _single(self, repo: str, found: list[tuple[str, Story]]) -> JoinedStory:
        _, newest = found[-1]
        shas = dict.fromkeys(sha for _, story in found for sha in story.commits)
        moments = {sha: at for _, story in found for sha, at in story.earlier.items()}
        changes = [_dated(self.told(repo, sha), moments.get(sha)) for sha in shas]
        tellings = tuple(Telling(label, story.net, story.broken) for label, story in reversed(found))
        return JoinedStory(
            repo, newest.id, newest.kind, _by_time(changes), tellings, _is_open(newest.kind, newest.net), (repo,)
        )

    def _crossing(self, found: list[tuple[str, CrossStory]]) -> JoinedStory:
        _, newest = found[-1]
        homes = {
            name.partition(":")[2]: step.repo
            for _, story in found
            for step in story.steps
            for name in step.evidence
            if name.startswith("commit:")
        }
        shas = dict.fromkeys(sha for _, story in found for sha in story.commits)
        changes = [self.told(homes.get(sha, newest.target), sha) for sha in shas]
        tellings = tuple(Telling(label, story.net) for label, story in reversed(found))
        return JoinedStory(
            newest.target, newest.id, "across", _by_time(changes), tellings, False, newest.repos, newest.steps
        )

    def _releases(self, days: Sequence[DaySummary]) -> dict[tuple[str, str], JoinedRelease]:
        takers, parts = _takers(days), self._taking_part()
        made: dict[tuple[str, str], JoinedRelease] = {}
        for day in days:
            for repo in day.repos:
                for one in repo.releases:
                    name = f"release:{repo.name}@{one.tag}"
                    made[repo.name, one.tag] = JoinedRelease(
                        repo.name,
                        one,
                        day.label,
                        tuple(self.told(repo.name, sha) for sha in one.commits),
                        tuple((bump, self.told(bump.repo, bump.sha)) for bump in takers.get(name, ())),
                        tuple(parts.get(name, ())),
                        repo.url,
                    )
        return made

    def _taking_part(self) -> dict[str, list[tuple[str, str]]]:
        """Release -> stories across repositories in which it takes part."""
        found: dict[str, list[tuple[str, str]]] = {}
        for key, story in self.stories.items():
            for name in dict.fromkeys(name for step in story.steps for name in step.evidence):
                found.setdefault(name, []).append(key)
        return found


def _named(days: Iterable[DaySummary]) -> set[str]:
    """Shas that something names: only these are looked up, so that the index stays small."""
    named: set[str] = set()
    for day in days:
        for repo in day.repos:
            named.update(sha for story in repo.stories for sha in story.commits)
            named.update(sha for release in repo.releases for sha in release.commits)
        named.update(sha for across in day.across for sha in across.commits)
        named.update(bump.sha for bump in day.bumps)
    return named


def _index(days: Iterable[DaySummary], named: set[str]) -> dict[tuple[str, str], Told]:
    """A change that its day tells stands before one that is only named as an earlier one."""
    found: dict[tuple[str, str], Told] = {}
    for day in days:
        for repo in day.repos:
            for line in repo.changes:
                if line.sha in named:
                    found[repo.name, line.sha] = _told(repo.name, repo.url, day.label, line)
    urls = {repo.name: repo.url for day in days for repo in day.repos}
    for day in days:
        for one in day.earlier:
            if one.sha in named and one.repo in urls:
                url = f"{urls[one.repo]}/commit/{one.sha}"
                found.setdefault((one.repo, one.sha), Told(one.repo, one.sha, one.subject, one.committed_at, url=url))
    return found


def _told(repo: str, url: str, label: str, line: ChangeLine) -> Told:
    return Told(
        repo,
        line.sha,
        line.subject,
        line.committed_at,
        line.level,
        line.kind,
        line.breaking,
        label,
        f"{url}/commit/{line.sha}",
    )


def _dated(told: Told, moment: datetime | None) -> Told:
    from msgspec.structs import replace

    return replace(told, committed_at=moment) if told.committed_at is None and moment is not None else told


def _by_time(changes: Sequence[Told]) -> tuple[Told, ...]:
    """Those without a time first: they are older than what the reports tell."""
    return tuple(sorted(changes, key=lambda one: one.committed_at.timestamp() if one.committed_at else 0.0))


def _is_open(kind: str, net: Text) -> bool:
    """As far as the report says; who shares a change with a later re-land is closed by `_with_related`."""
    if kind == "revert":
        return True
    said = in_language(net, "en")
    return kind == "series" and bool(_PART.search(said)) and not said.endswith(_ENDED)


def _with_related(made: dict[tuple[str, str], JoinedStory]) -> dict[tuple[str, str], JoinedStory]:
    from msgspec.structs import replace

    by_sha: dict[str, list[tuple[str, str]]] = {}
    for key, story in made.items():
        for change in story.changes:
            by_sha.setdefault(change.sha, []).append(key)
    out = {}
    for key, story in made.items():
        near = dict.fromkeys(other for change in story.changes for other in by_sha[change.sha] if other != key)
        landed = any(made[other].kind == "reland" and made[other].last >= story.last for other in near)
        newest = sorted(near, key=lambda other: (made[other].last, other), reverse=True)[:RELATED]
        related = tuple((*other, made[other].kind, _begun(made[other])) for other in newest)
        still = story.open and not (story.kind == "revert" and landed)
        own = {change.sha for change in story.changes}
        longer = (other for other in newest if other[0] == key[0] and own < {one.sha for one in made[other].changes})
        goes_on = next(longer, ("", ""))[1]
        more = len(near) - len(related)
        out[key] = replace(story, related=related, related_more=more, open=still, goes_on=goes_on)
    return out


def _begun(story: JoinedStory) -> str:
    """The title of its first change."""
    return story.changes[0].subject if story.changes else ""


def _takers(days: Iterable[DaySummary]) -> dict[str, tuple[Bump, ...]]:
    """Release -> pins that moved to it, oldest first; the same one may be told by several days."""
    found: dict[str, dict[tuple[str, str, str], Bump]] = {}
    for day in days:
        for bump in day.bumps:
            if bump.release:
                found.setdefault(bump.release, {})[bump.repo, bump.sha, bump.package] = bump
    return {name: tuple(sorted(bumps.values(), key=lambda one: one.at)) for name, bumps in found.items()}
