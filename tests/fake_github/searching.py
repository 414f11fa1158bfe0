"""GitHub's search for issues and pull requests, as far as qualifiers and dates go."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from fake_github.records import Item, Repo

MOST = 1000
WORD = re.compile(r'(-?)(?:([a-z]+):)?("[^"]*"|\S+)')
DATED: dict[str, Callable[[Item], datetime | None]] = {
    "created": lambda item: item.created_at,
    "updated": lambda item: item.updated_at,
    "closed": lambda item: item.closed_at,
    "merged": lambda item: item.work.merged_at if item.work else None,
}
IS: dict[str, Callable[[Item], bool]] = {
    "issue": lambda item: item.work is None,
    "pr": lambda item: item.work is not None,
    "pull-request": lambda item: item.work is not None,
    "open": lambda item: item.closed_at is None,
    "closed": lambda item: item.closed_at is not None,
    "merged": lambda item: item.merged,
    "unmerged": lambda item: item.work is not None and not item.merged,
    "draft": lambda item: item.work is not None and item.work.draft,
    "public": lambda item: not item.repo.private,
    "private": lambda item: item.repo.private,
}
SORTS: dict[str, Callable[[Item], tuple[float, int]]] = {
    "created": lambda item: (item.created_at.timestamp(), item.id),
    "updated": lambda item: (item.updated_at.timestamp(), item.id),
    "comments": lambda item: (len(item.comments), item.id),
    "reactions": lambda item: (sum(item.reactions.values()), item.id),
}


class BadSearch(Exception):
    """A 422 of REST, with its sentence."""


@dataclass(slots=True)
class Search:
    repos: list[str] = field(default_factory=list)
    tests: list[Callable[[Item], bool]] = field(default_factory=list)
    typed: bool = False
    sort: str = "created"
    descending: bool = True


def moment(text: str, *, end: bool) -> datetime:
    """A point in time; a bare date is its first moment, or with `end` its last second, in UTC."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise BadSearch(
            f'"{text}" is not a recognized date/time format. Please provide an ISO 8601 date/time value.'
        ) from None
    found = found.replace(tzinfo=UTC) if found.tzinfo is None else found
    return found + timedelta(days=1, seconds=-1) if end and len(text) == 10 else found


def between(text: str) -> tuple[datetime | None, datetime | None]:
    """Both ends belong to it; moments are whole seconds."""
    second = timedelta(seconds=1)
    if ".." in text:
        first, last = text.split("..", 1)
        return (None if first == "*" else moment(first, end=False)), (None if last == "*" else moment(last, end=True))
    for sign, low, high in ((">=", 0, None), ("<=", None, 0), (">", 1, None), ("<", None, -1)):
        if text.startswith(sign):
            rest = text[len(sign) :]
            if high is None:
                return moment(rest, end=low == 1) + second * (low or 0), None
            return None, moment(rest, end=high == 0) + second * high
    return moment(text, end=False), moment(text, end=True)


def dated(read: Callable[[Item], datetime | None], text: str) -> Callable[[Item], bool]:
    first, last = between(text)

    def test(item: Item) -> bool:
        at = read(item)
        return at is not None and (first is None or at >= first) and (last is None or at <= last)

    return test


def parsed(query: str) -> Search:
    search = Search()
    for minus, key, quoted in WORD.findall(query):
        value = quoted.strip('"')
        test = qualifier(search, key, value)
        if test is None:
            continue
        search.tests.append(negated(test) if minus else test)
    return search


def negated(test: Callable[[Item], bool]) -> Callable[[Item], bool]:
    return lambda item: not test(item)


def qualifier(search: Search, key: str, value: str) -> Callable[[Item], bool] | None:
    if key == "repo":
        search.repos.append(value.lower())
        return None
    if key == "sort":
        name, _, direction = value.partition("-")
        search.sort, search.descending = name, direction != "asc"
        return None
    if key in DATED:
        return dated(DATED[key], value)
    if key in ("is", "type", "state"):
        if value not in IS:
            raise BadSearch(f"The value {value} of {key}: is not known to the fake.")
        search.typed = search.typed or value in ("issue", "pr", "pull-request")
        return IS[value]
    tests: dict[str, Callable[[Item], bool]] = {
        "author": lambda item: (item.author or "ghost").lower() == value.lower(),
        "label": lambda item: value.lower() in (one.lower() for one in item.labels),
        "milestone": lambda item: (item.milestone or "").lower() == value.lower(),
        "org": lambda item: item.repo.name.lower().startswith(f"{value.lower()}/"),
        "user": lambda item: item.repo.name.lower().startswith(f"{value.lower()}/"),
        "": lambda item: value.lower() in f"{item.title}\n{item.body or ''}".lower(),
    }
    if key not in tests:
        raise BadSearch(f"The qualifier {key}: is not known to the fake.")
    return tests[key]


def results(search: Search, repos: Iterable[Repo], sort: str | None = None, order: str | None = None) -> list[Item]:
    """All that match, in order; the caller keeps to the first thousand."""
    chosen = [repo for repo in repos if not search.repos or repo.name.lower() in search.repos]
    found = [item for repo in chosen for item in repo.items.values() if all(test(item) for test in search.tests)]
    descending = order != "asc" if order else search.descending
    name = sort or search.sort
    if name not in SORTS:
        raise BadSearch(f"The sort {name} is not known to the fake.")
    return sorted(found, key=SORTS[name], reverse=descending)
