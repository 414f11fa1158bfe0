"""What lists of the API give: one row for each day, change, story, release, issue and pull request that was reported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.model.day import Action, Commit, Day, Fix, Issue, Pull, RepoDay, Span, Story, Text


class DayRow(Struct, frozen=True):
    """A reported day in numbers; `report` is the address of the whole report."""

    day: str
    since: datetime
    until: datetime
    timezone: str
    open: bool
    repos: int
    commits_in_git: int
    commits_reported: int
    high: int
    medium: int
    low: int
    breaking: int
    late: int
    issues: int
    pulls: int
    releases: int
    actions: int
    skipped: int
    languages: tuple[str, ...]
    report: str


class ChangeRow(Struct, frozen=True):
    """A change as a list tells it; `detail` is the address of all that is known of it."""

    day: str
    repo: str
    sha: str
    subject: str
    author: str
    committed_at: datetime
    level: str
    score: float
    kind: str
    breaking: bool
    components: tuple[str, ...]
    pr: int | None
    story: str | None
    late: bool
    filtered: bool
    url: str
    detail: str


class StoryRow(Struct, frozen=True):
    """Changes that belong together, as one day tells them."""

    day: str
    repo: str
    id: str
    kind: str
    commits: tuple[str, ...]
    net: Text
    broken: Span | None


class ReleaseRow(Struct, frozen=True):
    """A release that a day tells of."""

    day: str
    repo: str
    tag: str
    title: str
    author: str
    created_at: datetime
    state: str
    sha: str | None
    commits: tuple[str, ...]
    url: str


class ItemRow(Struct, frozen=True):
    """An issue or a pull request that a day tells of."""

    day: str
    repo: str
    number: int
    title: str
    author: str
    state: str
    kind: str | None
    happened: tuple[str, ...]
    labels: tuple[str, ...]
    commits: tuple[str, ...]
    created_at: datetime
    closed_at: datetime | None
    url: str
    fixes: tuple[Fix, ...] = ()
    """Of an issue: pull requests that would close it, or did."""


class ChangeDetail(Struct, frozen=True):
    """All that a report says of one change, with the story it belongs to and what it asks for."""

    day: str
    repo: str
    repo_url: str
    late: bool
    change: Commit
    story: Story | None
    actions: tuple[Action, ...]


class Rows(Struct, frozen=True):
    """One day's rows, in the order of its report."""

    days: tuple[DayRow, ...] = ()
    changes: tuple[ChangeRow, ...] = ()
    stories: tuple[StoryRow, ...] = ()
    releases: tuple[ReleaseRow, ...] = ()
    issues: tuple[ItemRow, ...] = ()
    pulls: tuple[ItemRow, ...] = ()
    repos: tuple[tuple[str, str], ...] = ()
    """Name and address of each."""


def rows_of(day: Day) -> Rows:
    return Rows(
        days=(_day(day),),
        changes=tuple(_changes(day)),
        stories=tuple(
            StoryRow(day.label, repo.name, one.id, one.kind, one.commits, one.net, one.broken)
            for repo in day.repos
            for one in repo.stories
        ),
        releases=tuple(_releases(day)),
        issues=tuple(_issues(day)),
        pulls=tuple(_pulls(day)),
        repos=tuple((repo.name, repo.url) for repo in day.repos),
    )


def detail_of(day: Day, repo: RepoDay, commit: Commit) -> ChangeDetail:
    story = next((one for one in repo.stories if one.id == commit.story), None)
    actions = tuple(
        replace(one, commits=(commit.sha,), text=one.about(commit.sha), lead=None, parts=()) if one.listed else one
        for one in day.actions
        if one.repo == repo.name and commit.sha in one.commits
    )
    return ChangeDetail(day.label, repo.name, repo.url, commit in repo.late, commit, story, actions)


def _day(day: Day) -> DayRow:
    told = [one for repo in day.repos for one in repo.commits if not one.filtered]
    levels = Counter(one.importance.level for one in told)
    coverage = day.coverage
    return DayRow(
        day=day.label,
        since=day.window.since,
        until=day.window.until,
        timezone=day.window.timezone,
        open=day.window.open,
        repos=len(day.repos),
        commits_in_git=coverage.commits_in_git,
        commits_reported=coverage.commits_reported,
        high=levels["high"],
        medium=levels["medium"],
        low=levels["low"],
        breaking=sum(one.breaking for one in told),
        late=sum(len(repo.late) for repo in day.repos),
        issues=coverage.issues,
        pulls=coverage.pulls,
        releases=coverage.releases,
        actions=len(day.actions),
        skipped=len(coverage.skipped),
        languages=day.languages,
        report=f"/api/v1/days/{day.label}",
    )


def _changes(day: Day) -> Iterator[ChangeRow]:
    for repo in day.repos:
        for at, one in enumerate(repo.changes):
            yield ChangeRow(
                day=day.label,
                repo=repo.name,
                sha=one.sha,
                subject=one.subject,
                author=one.author,
                committed_at=one.committed_at,
                level=one.importance.level,
                score=one.importance.score,
                kind=one.kind,
                breaking=one.breaking,
                components=one.components,
                pr=one.pr.number if one.pr else None,
                story=one.story,
                late=at >= len(repo.commits),
                filtered=one.filtered,
                url=one.url,
                detail=f"/api/v1/changes/{repo.name}/{one.sha}",
            )


def _releases(day: Day) -> Iterator[ReleaseRow]:
    for repo in day.repos:
        for one in repo.releases:
            yield ReleaseRow(
                day.label,
                repo.name,
                one.tag,
                one.title,
                one.author,
                one.created_at,
                one.state,
                one.sha,
                one.commits,
                one.url,
            )


def _issues(day: Day) -> Iterator[ItemRow]:
    return (_item(day, repo, one, one.kind) for repo in day.repos for one in repo.issues)


def _pulls(day: Day) -> Iterator[ItemRow]:
    return (_item(day, repo, one) for repo in day.repos for one in repo.pulls)


def _item(day: Day, repo: RepoDay, one: Issue | Pull, kind: str | None = None) -> ItemRow:
    return ItemRow(
        day=day.label,
        repo=repo.name,
        number=one.number,
        title=one.title,
        author=one.author,
        state=one.state,
        kind=kind,
        happened=one.happened,
        labels=one.labels,
        commits=one.commits,
        created_at=one.created_at,
        closed_at=one.closed_at,
        url=one.url,
        fixes=one.fixes if isinstance(one, Issue) else (),
    )
