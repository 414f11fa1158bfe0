"""Rows of the API: which are asked for, one page of them at a time, for days, changes, stories, releases and items."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from threading import Lock
from typing import Any, NamedTuple

from msgspec import Struct

from daybreak.core.errors import DaybreakError
from daybreak.core.model.day import Action, Commit, Day, Fix, Issue, Pull, RepoDay, Span, Story, Text, headline
from daybreak.judge.breaking import mark_of
from daybreak.judge.day_value import reader_finding
from daybreak.report.archive.interface import Archive

MARKS = {"breaks": "breaks", "deprecates": "deprecates", "breaks_internals": "internals"}
"""Marks of a change -> as they are asked for."""


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
    headline: Text
    more_actions: int
    """Changes that ask for action and stand in no list."""


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


class ActionRow(Struct, frozen=True):
    """What a day asks for, most urgent first, and what else it has to know; `detail` is the address of its change."""

    day: str
    repo: str
    tag: str
    text: Text
    commits: tuple[str, ...]
    findings: tuple[str, ...]
    also: bool
    """Not on the first screen, but the next one."""
    detail: str


class FindingRow(Struct, frozen=True):
    """A fact read from the diff of a change; `mark` says what it does to existing use, as far as it does."""

    day: str
    repo: str
    sha: str
    id: str
    kind: str
    symbol: str
    before: str | None
    after: str | None
    path: str
    line: int
    mark: str | None
    """`breaks`, `deprecates` or `internals` (plug-ins and forks)."""
    released: str | None
    detail: str


class SeriesRow(Struct, frozen=True):
    """One repository on one day in figures, for charts."""

    day: str
    repo: str
    commits: int
    high: int
    medium: int
    low: int
    breaks: int
    deprecates: int
    internals: int
    reverts: int
    added: int
    deleted: int


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
    tagged: str = ""
    """Where git alone knows of it: what its time is the time of."""


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
    actions: tuple[ActionRow, ...] = ()
    changes: tuple[ChangeRow, ...] = ()
    findings: tuple[FindingRow, ...] = ()
    series: tuple[SeriesRow, ...] = ()
    stories: tuple[StoryRow, ...] = ()
    releases: tuple[ReleaseRow, ...] = ()
    issues: tuple[ItemRow, ...] = ()
    pulls: tuple[ItemRow, ...] = ()
    repos: tuple[tuple[str, str], ...] = ()
    """Name and address of each."""


def rows_of(day: Day) -> Rows:
    return Rows(
        days=(_day(day),),
        actions=tuple(_action(day, one, one in day.also) for one in (*day.actions, *day.also)),
        changes=tuple(_changes(day)),
        findings=tuple(_findings(day)),
        series=tuple(_series(day, repo) for repo in day.repos),
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
    actions = tuple(one for one in day.actions if one.repo == repo.name and commit.sha in one.commits)
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
        headline={language: headline(day, language) for language in day.languages},
        more_actions=day.more_actions,
    )


def _detail(repo: str, sha: str) -> str:
    """Where one change has all that is known of it."""
    return f"/api/v1/changes/{repo}/{sha}"


def _action(day: Day, one: Action, also: bool) -> ActionRow:
    detail = _detail(one.repo, one.commits[0]) if one.commits else ""
    return ActionRow(day.label, one.repo, one.tag, one.text, one.commits, one.findings, also, detail)


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
                detail=_detail(repo.name, one.sha),
            )


def _findings(day: Day) -> Iterator[FindingRow]:
    for repo, commit in day.changes():
        for one in commit.findings:
            mark = mark_of(reader_finding(one))
            yield FindingRow(
                id=one.id,
                sha=commit.sha,
                repo=repo.name,
                day=day.label,
                kind=one.kind,
                symbol=one.symbol,
                before=one.before,
                after=one.after,
                path=one.path,
                line=one.line,
                mark=MARKS.get(mark) if mark else None,
                released=commit.released,
                detail=_detail(repo.name, commit.sha),
            )


def _series(day: Day, repo: RepoDay) -> SeriesRow:
    told = repo.told
    levels = Counter(one.importance.level for one in told)
    marks = Counter(mark for one in told for mark in one.marks)
    return SeriesRow(
        day=day.label,
        repo=repo.name,
        commits=len(repo.commits),
        high=levels["high"],
        medium=levels["medium"],
        low=levels["low"],
        breaks=marks["breaks"],
        deprecates=marks["deprecates"],
        internals=marks["breaks_internals"],
        reverts=sum(one.kind == "revert" for one in told),
        added=sum(one.added for one in told),
        deleted=sum(one.deleted for one in told),
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
                one.tagged,
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


# --- Lists of the API: which rows are asked for, and one page of them with where the next one begins ---

# --- Rows of every reported day, held by digest: a list over a year decodes each day once, and again when it changed ---


def unreadable(days: Sequence[tuple[str, Rows]]) -> tuple[str, ...]:
    """Those of them whose report cannot be read, oldest first."""
    return tuple(sorted(label for label, rows in days if not rows.days))


class Index:
    """Threads may ask; a day whose report cannot be read has no rows, not even its own."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self._held: dict[str, tuple[str, Rows]] = {}
        self._lock = Lock()

    def days(self, since: str = "", until: str = "9999-99-99") -> list[tuple[str, Rows]]:
        """Newest first, of labels from `since` to `until`."""
        # Asked first: a day that has no digest afterwards is one that cannot be read, and not one that came meanwhile.
        labels = self.archive.labels()
        digests = dict.fromkeys(labels, "") | self.archive.digests()
        with self._lock:
            for gone in self._held.keys() - digests.keys():
                del self._held[gone]
            wanted = [label for label in sorted(digests, reverse=True) if since <= label <= until]
            return [(label, self._rows(label, digests[label])) for label in wanted]

    def _rows(self, label: str, digest: str) -> Rows:
        held = self._held.get(label)
        if held is not None and held[0] == digest:
            return held[1]
        if not digest:
            return Rows()
        try:
            day = self.archive.day(label)
        except DaybreakError:
            day = None
        rows = rows_of(day) if day is not None else Rows()
        if day is not None:
            self._held[label] = (digest, rows)
        return rows


DEFAULT, MOST = 50, 200
"""Rows of a page."""


class Found(NamedTuple):
    """One page; `cursor`: of the last row, where there are more."""

    rows: tuple[Any, ...]
    cursor: str | None
    total: int
    unreadable: tuple[str, ...]
    """Days that were asked for and whose rows are not among them."""


def found(index: Index, pick: Callable[[Rows], Sequence[Any]], asked: Mapping[str, Any]) -> Found:
    """Newest day first; a cursor names a row by its day and its place there, so that a new day moves nothing."""
    limit, after = asked.get("limit", DEFAULT), _place(asked.get("cursor"))
    page: list[tuple[str, Any]] = []
    total, more = 0, False
    days = index.days(asked.get("since", ""), asked.get("until", "9999-99-99"))
    for label, at, row in _matching(days, pick, asked):
        total += 1
        if after is not None and not (label < after[0] or (label == after[0] and at > after[1])):
            continue
        if len(page) < limit:
            page.append((f"{label}.{at}", row))
        else:
            more = True
    return Found(tuple(row for _, row in page), page[-1][0] if more else None, total, unreadable(days))


def _place(cursor: str | None) -> tuple[str, int] | None:
    if cursor is None:
        return None
    label, _, at = cursor.partition(".")
    return label, int(at)


def _matching(
    days: Sequence[tuple[str, Rows]], pick: Callable[[Rows], Sequence[Any]], asked: Mapping[str, Any]
) -> Iterator[tuple[str, int, Any]]:
    tests = [(TESTS[name], value) for name, value in asked.items() if name in TESTS]
    for label, rows in days:
        for at, row in enumerate(pick(rows)):
            if all(test(row, value) for test, value in tests):
                yield label, at, row


def _has_component(row: Any, wanted: str) -> bool:
    """The component or one below it."""
    return any(one == wanted or one.startswith(f"{wanted}/") for one in row.components)


def is_called(name: str, asked: str) -> bool:
    """A repository by its whole name or its last part."""
    name, asked = name.lower(), asked.lower()
    return asked in (name, name.rpartition("/")[2])


def _has_symbol(row: Any, wanted: str) -> bool:
    """The symbol as it is written, or its last part, or one that holds it: `AttentionBackend` has its methods."""
    symbol, wanted = row.symbol.lower(), wanted.lower()
    return symbol == wanted or wanted in re.split(r"[.:(/]+", symbol.rstrip(")"))


TESTS: Mapping[str, Callable[[Any, Any], bool]] = {
    "repo": lambda row, value: is_called(row.repo, value),
    "symbol": _has_symbol,
    "mark": lambda row, value: row.mark == value,
    "level": lambda row, value: row.level == value,
    "kind": lambda row, value: row.kind == value,
    "breaking": lambda row, value: row.breaking == value,
    "state": lambda row, value: row.state == value,
    "tag": lambda row, value: row.tag == value,
    "component": _has_component,
}
"""Filter -> whether a row passes it."""
