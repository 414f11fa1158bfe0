"""Tools `list_days` and `get_report`: which days there are, and one of them, part by part."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from daybreak.core.errors import UsageError
from daybreak.core.model.day import (
    Action,
    Commit,
    Day,
    Issue,
    Item,
    Link,
    Pull,
    Release,
    RepoDay,
    Skipped,
    Story,
    Touch,
    headline,
    in_language,
)
from daybreak.serve.mcp import answers
from daybreak.serve.mcp.context import (
    LEVELS,
    Desk,
    address,
    change_row,
    evidence,
    left_off,
    plain_word,
    quoted,
    sentence_row,
    shas,
    skipped_row,
    without_nothing,
)

# --- Answers of bounded size: so many rows, so many characters; what is left off is counted, with a cursor to go on ---


ROOM = 24_000
"""Bytes of one answer's rows: some six thousand tokens, which a model can take between two thoughts."""
_CURSOR = re.compile(r"([a-z_]{1,20}):(\d{1,7})")
T = TypeVar("T")


def start_of(cursor: str | None) -> tuple[str | None, int]:
    """Which list to go on with, and from which row."""
    if cursor is None:
        return None, 0
    found = _CURSOR.fullmatch(cursor)
    if found is None:
        raise UsageError("The cursor is none of ours.", "Pass on `next` of an earlier answer as it is.")
    return found[1], int(found[2])


@dataclass(slots=True)
class Room:
    """What is left of an answer's size; several lists may share it."""

    left: int = ROOM
    omitted: dict[str, Any] = field(default_factory=dict)
    """Name of a list -> how many rows were left off, and the cursor to go on."""

    def fill(self, name: str, items: Sequence[T], row: Callable[[T], Any], most: int, start: int = 0) -> list[Any]:
        """Rows from `start` on, as many as fit; the first one always does, so that a cursor gets on.

        Several lists of one name have one cursor: it goes on where the shortest of them ended, so none skips a row.
        """
        rows: list[Any] = []
        for item in items[start : start + most]:
            made = row(item)
            size = len(msgspec.json.encode(made))
            if rows and size > self.left:
                break
            rows.append(made)
            self.left -= size
        after = len(items) - start - len(rows)
        if after > 0:
            place, known = start + len(rows), self.omitted.get(name)
            if known is not None:
                after, place = after + known["count"], min(place, start_of(known["next"])[1])
            self.omitted[name] = {"count": after, "next": f"{name}:{place}"}
        return rows


SECTIONS = (
    "summary", "actions", "also", "touches", "changes", "stories", "issues", "pulls", "releases", "links", "skipped",
)  # fmt: skip
USUAL = ("summary", "actions", "also", "touches", "changes", "skipped")


def list_days(
    desk: Desk, since: str | None = None, until: str | None = None, limit: int = 14, cursor: str | None = None
) -> answers.Days:
    """Newest first, with counts."""
    labels = desk.labels(since, until)
    _, start = start_of(cursor)
    room = Room()

    def row(label: str) -> answers.DayRow | dict[str, str]:
        day = desk.archive.day(label)
        return day_row(day, desk.language(None)) if day else {"date": label}

    rows = room.fill("days", labels, row, limit, start)
    return {
        "timezone": desk.settings.config.timezone,
        "languages": list(desk.settings.languages),
        "repos": desk.names(),
        "days": rows,
        "omitted": room.omitted,
    }


def day_row(day: Day, language: str) -> answers.DayRow:
    """A day in one line and in numbers."""
    changes = [commit for _, commit in day.changes()]
    levels = Counter(commit.importance.level for commit in changes)
    return {
        "date": day.label,
        "open": day.window.open,
        "changes": len(changes),
        "high": levels["high"],
        "medium": levels["medium"],
        "low": levels["low"],
        "breaking": sum(commit.breaking for commit in changes),
        "actions": len(day.actions),
        "issues": sum(len(repo.issues) for repo in day.repos),
        "pulls": sum(len(repo.pulls) for repo in day.repos),
        "releases": sum(len(repo.releases) for repo in day.repos),
        "skipped": len(day.coverage.skipped),
        "by_repo": {repo.name: len(repo.changes) for repo in day.repos if repo.changes},
        "untrusted": quoted(300, headline=headline(day, language)),
    }


def get_report(
    desk: Desk,
    date: str = "latest",
    sections: Sequence[str] | None = None,
    repo: str | None = None,
    level: str = "medium",
    language: str | None = None,
    limit: int = 25,
    cursor: str | None = None,
) -> answers.Report:
    """One day; with a cursor only the list that it goes on with."""
    day, lang, wanted = desk.day(date), desk.language(language), desk.repo(repo)
    name, start = start_of(cursor)
    asked = (name,) if name else tuple(sections or USUAL)
    for one in asked:
        if one not in SECTIONS:
            raise UsageError(f"{one[:40]!r} is no section of a report.", f"There are {', '.join(SECTIONS)}.")
    answer = _head(day, lang)
    room = Room()
    for one in SECTIONS:
        if one in asked:
            items, row = _PARTS[one](day, wanted, level, lang)
            rows = room.fill(one, items, row, limit, start if name else 0)
            answer[one] = rows  # type: ignore[literal-required]
    if "changes" in asked:
        every = sum(len(one.changes) for one in _repos(day, wanted))
        answer["below_level"] = every - len(_changes(day, wanted, level, lang)[0])
    answer["omitted"] = room.omitted
    return answer


def _head(day: Day, language: str) -> answers.Report:
    coverage = day.coverage
    return {
        "date": day.label,
        "language": language,
        "since": day.window.since.isoformat(),
        "until": day.window.until.isoformat(),
        "timezone": day.window.timezone,
        "open": day.window.open,
        "analyst": "model" if day.analyst.kind != "rules" else "rules",
        "coverage": {
            "commits_in_git": coverage.commits_in_git,
            "commits_reported": coverage.commits_reported,
            "repos_unknown": coverage.repos_unknown,
            "skipped": len(coverage.skipped),
        },
        "more_actions": day.more_actions,
        "untrusted": quoted(300, headline=headline(day, language)),
        "omitted": {},
    }


# --- parts: what there is of each, and how one of it is told ----------------------------------------------------------

Part = Callable[[Day, str | None, str, str], tuple[Sequence[Any], Callable[[Any], Any]]]


def _repos(day: Day, wanted: str | None) -> list[RepoDay]:
    return [repo for repo in day.repos if wanted in (None, repo.name)]


def _summary(day: Day, wanted: str | None, _level: str, language: str) -> tuple[Sequence[Any], Callable[[Any], Any]]:
    """The day's own sentences, or those on one repository."""
    if wanted is None:
        return (*day.summary, *day.conclusion), lambda one: sentence_row(one, language)
    return [s for repo in _repos(day, wanted) for s in repo.assessment], lambda one: sentence_row(one, language)


def _actions(day: Day, wanted: str | None, _level: str, language: str) -> tuple[Sequence[Any], Callable[[Any], Any]]:
    return _entries(day, day.actions, wanted, language)


def _also(day: Day, wanted: str | None, _level: str, language: str) -> tuple[Sequence[Any], Callable[[Any], Any]]:
    return _entries(day, day.also, wanted, language)


def _entries(
    day: Day, entries: Sequence[Action], wanted: str | None, language: str
) -> tuple[Sequence[Any], Callable[[Any], Any]]:
    """What a reader must act on, or know of, as the first screen has it."""
    bases = {repo.name: repo.url for repo in day.repos}

    def row(action: Action) -> dict[str, Any]:
        return without_nothing({
            "repo": action.repo,
            "tag": plain_word(action.tag) if action.tag else None,
            "commits": shas(action.commits),
            "url": address(f"{bases.get(action.repo)}/commit/{action.commits[0]}") if action.commits else None,
            "findings": list(action.findings[:10]),
            "untrusted": quoted(600, text=in_language(action.text, language)),
        })  # fmt: skip

    return [action for action in entries if wanted in (None, action.repo)], row


def _touches(day: Day, wanted: str | None, _level: str, language: str) -> tuple[Sequence[Any], Callable[[Any], Any]]:
    """Places of the reader's own code."""

    def row(touch: Touch) -> dict[str, Any]:
        return without_nothing({
            "id": plain_word(touch.id),
            "certainty": touch.certainty,
            "repo": touch.repo,
            "commits": shas(touch.commits),
            "findings": list(touch.findings[:10]),
            "line": touch.line,
            "untrusted": quoted(400, path=touch.path, why=in_language(touch.why, language), action=in_language(touch.action, language)),
        })  # fmt: skip

    found = day.touches.found if day.touches else ()
    return [touch for touch in found if wanted in (None, touch.repo)], row


def _changes(day: Day, wanted: str | None, level: str, language: str) -> tuple[Sequence[Any], Callable[[Any], Any]]:
    """The gravest first; within a level those that break something."""
    least = LEVELS[level]
    found = [
        (repo, commit)
        for repo in _repos(day, wanted)
        for commit in repo.changes
        if LEVELS.get(commit.importance.level, 2) <= least or commit.breaking
    ]

    def grave(one: tuple[RepoDay, Commit]) -> tuple[int, bool, float]:
        return LEVELS.get(one[1].importance.level, 2), not one[1].breaking, -one[1].importance.score

    return sorted(found, key=grave), lambda one: change_row(one[0], one[1], language)


def _stories(day: Day, wanted: str | None, _level: str, language: str) -> tuple[Sequence[Any], Callable[[Any], Any]]:
    def row(one: tuple[RepoDay, Story]) -> dict[str, Any]:
        repo, story = one
        return without_nothing({
            "repo": repo.name,
            "id": plain_word(story.id),
            "kind": story.kind,
            "commits": shas(story.commits),
            "broken_from": story.broken.start.isoformat() if story.broken else None,
            "broken_to": story.broken.end.isoformat() if story.broken else None,
            "untrusted": quoted(600, net=in_language(story.net, language)),
        })  # fmt: skip

    return [(repo, story) for repo in _repos(day, wanted) for story in repo.stories], row


def item_row(repo: str, item: Item) -> dict[str, Any]:
    """An issue or a pull request."""
    row: dict[str, Any] = {
        "repo": repo,
        "kind": "pull" if isinstance(item, Pull) else "issue",
        "number": item.number,
        "url": address(item.url),
        "state": item.state,
        "happened": list(item.happened),
        "commits": shas(item.commits),
        "comments": item.comments or None,
        "reactions": item.reactions or None,
        "untrusted": quoted(300, title=item.title, author=item.author, labels=", ".join(item.labels)),
    }
    if isinstance(item, Issue):
        row |= {"topic": plain_word(item.kind), "fixed_by": [fix.number for fix in item.fixes]}
        row |= {"fixes_linked_by_hand": [fix.number for fix in item.fixes if fix.by_hand]}
        row |= {"reopened_after": [fix.number for fix in item.fixes if fix.reopened]}
        causes = [link.source for link in item.causes]
        row |= {"likely_causes": evidence(causes, 4), "likely_causes_omitted": left_off(causes, 4) or None}
    if isinstance(item, Pull):
        merged = item.merged_at.isoformat() if item.merged_at else None
        row |= {"merged_at": merged, "draft": item.draft or None, "coming": list(item.coming)}
    return without_nothing(row)


def _items(name: str) -> Part:
    def part(day: Day, wanted: str | None, _level: str, _language: str) -> tuple[Sequence[Any], Callable[[Any], Any]]:
        found = [(repo.name, item) for repo in _repos(day, wanted) for item in getattr(repo, name)]
        return found, lambda one: item_row(*one)

    return part


def _releases(day: Day, wanted: str | None, _level: str, _language: str) -> tuple[Sequence[Any], Callable[[Any], Any]]:
    def row(one: tuple[RepoDay, Release]) -> dict[str, Any]:
        repo, release = one
        notes = "\n".join(release.notes)
        return without_nothing({
            "repo": repo.name,
            "tag": plain_word(release.tag),
            "sha": (release.sha or "")[:12],
            "state": release.state,
            "tagged": plain_word(release.tagged) or None,
            "created_at": release.created_at.isoformat(),
            "pulls": list(release.pulls[:40]),
            "pulls_omitted": release.pulls_omitted + max(0, len(release.pulls) - 40) or None,
            "notes_omitted": release.notes_omitted or None,
            "untrusted": quoted(1200, title=release.title, author=release.author, url=release.url, notes=notes),
        })  # fmt: skip

    return [(repo, release) for repo in _repos(day, wanted) for release in repo.releases], row


def _places(link: Link) -> str:
    left = max(0, len(link.places) - 5) + (link.places_omitted or 0)
    told = ", ".join(f"{place.repo}/{place.path}:{place.line}" for place in link.places[:5])
    return f"{told} (+{left})" if left else told


def link_row(link: Link, language: str) -> dict[str, Any]:
    """What connects two things; of different repositories too."""
    return without_nothing({
        "kind": link.kind,
        "likely": link.likely or None,
        "evidence": evidence(link.evidence),
        "evidence_omitted": left_off(link.evidence) or None,
        "untrusted": quoted(
            400,
            source=link.source,
            target=link.target,
            why=in_language(link.why, language) if link.why else None,
            places=_places(link),
        ),
    })  # fmt: skip


def _links(day: Day, wanted: str | None, _level: str, language: str) -> tuple[Sequence[Any], Callable[[Any], Any]]:
    own = [link for repo in _repos(day, wanted) for link in repo.links or ()]
    return [*(day.links if wanted is None else ()), *own], lambda one: link_row(one, language)


def _skipped(day: Day, wanted: str | None, _level: str, _language: str) -> tuple[Sequence[Any], Callable[[Any], Any]]:
    found: list[Skipped] = [s for repo in _repos(day, wanted) for s in repo.skipped]
    return found if wanted else list(day.coverage.skipped), skipped_row


_PARTS: dict[str, Part] = {
    "summary": _summary,
    "actions": _actions,
    "also": _also,
    "touches": _touches,
    "changes": _changes,
    "stories": _stories,
    "issues": _items("issues"),
    "pulls": _items("pulls"),
    "releases": _releases,
    "links": _links,
    "skipped": _skipped,
}
