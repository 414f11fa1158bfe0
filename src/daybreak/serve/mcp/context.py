"""What every tool works with: the config, the reported days, and questions to them that several tools have."""

from __future__ import annotations

import difflib
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import NamedTuple

from daybreak.core.config import Settings
from daybreak.core.errors import DaybreakError, UsageError
from daybreak.core.model.day import Commit, Day, RepoDay
from daybreak.report.archive.interface import Archive

MOST_DAYS = 400
"""Reported days that one question looks at."""
_SHA = re.compile(r"[0-9a-f]{7,64}")
_PULL = re.compile(r"([\w.-]{1,100}(?:/[\w.-]{1,100})?)?#(\d{1,9})")
_ADDRESS = re.compile(
    r"(https?://[^\s#?]{1,300}?)/(?:commit/([0-9a-f]{7,64})|(?:pull|issues)/(\d{1,9}))(?:[/?#].{0,300})?"
)
_AT = re.compile(r"([\w.-]{1,100}(?:/[\w.-]{1,100})?)@([0-9a-f]{7,64})")


class Told(NamedTuple):
    """A change in the day that told it."""

    label: str
    repo: RepoDay
    commit: Commit


class Wanted(NamedTuple):
    """A change by what names it: its sha or its number."""

    sha: str | None
    number: int | None
    repo: str | None


@dataclass(slots=True)
class Desk:
    """Given to every tool; may be used by several threads."""

    settings: Settings
    archive: Archive
    _one: threading.Lock = field(default_factory=threading.Lock)

    def language(self, asked: str | None) -> str:
        return asked or self.settings.languages[0]

    def names(self) -> list[str]:
        """Repositories of the watchlist."""
        return [repo.name for repo in self.settings.repos()]

    def repo(self, asked: str | None) -> str | None:
        """The full name of a repository, given whole or by its last part."""
        if asked is None:
            return None
        low = asked.strip().lower().removesuffix("/")
        names = self.names()
        found = [n for n in names if low == n.lower()] or [n for n in names if low == n.rpartition("/")[2].lower()]
        if len(found) == 1:
            return found[0]
        near = difflib.get_close_matches(low, [n.lower() for n in names], n=1)
        meant = next((n for n in names if near and n.lower() == near[0]), None)
        tip = f"Did you mean {meant}?" if meant else f"There are {', '.join(names[:20])}."
        raise UsageError(f"{asked[:80]!r} is not on the watchlist.", tip if names else "It has no repository.")

    def labels(self, since: str | None = None, until: str | None = None) -> list[str]:
        """Reported days from `since` to `until`, both included, newest first."""
        first, last = day_of(since, "since"), day_of(until, "until")
        if first and last and first > last:
            raise UsageError(f"since {first} is after until {last}.", "Swap the two.")
        return [x for x in reversed(self.archive.labels()) if (first or "") <= x and (last is None or x <= last)]

    def day(self, asked: str) -> Day:
        """The report of a date, or of `latest`."""
        labels = self.archive.labels()
        if not labels:
            raise DaybreakError(
                "There is no reported day yet.", "Make one with `daybreak run`, or try `daybreak demo`."
            )
        label = labels[-1] if asked == "latest" else day_of(asked, "date") or ""
        day = self.archive.day(label)
        if day is None:
            wanted = date.fromisoformat(label)
            near = min(labels, key=lambda one: abs(date.fromisoformat(one) - wanted))
            raise DaybreakError(f"There is no report of {label}.", f"The nearest is {near}; list_days has all.")
        return day

    def days(self, labels: list[str]) -> Iterator[Day]:
        """Reports one after the other; a day that cannot be read is an error, since its silence would be taken for peace."""
        for label in labels[:MOST_DAYS]:
            day = self.archive.day(label)
            if day is not None:
                yield day

    def wanted(self, text: str, repo: str | None) -> Wanted:
        """What a reference names: a sha, `owner/name@sha`, `#12`, `owner/name#12`, or an address of either."""
        text = text.strip()
        repo = self.repo(repo)
        if found := _ADDRESS.fullmatch(text):
            return Wanted(found[2], int(found[3]) if found[3] else None, self._at(found[1]))
        if found := _AT.fullmatch(text):
            return Wanted(found[2], None, self.repo(found[1]))
        if found := _PULL.fullmatch(text):
            return Wanted(None, int(found[2]), self.repo(found[1]) if found[1] else repo)
        if _SHA.fullmatch(text.lower()):
            return Wanted(text.lower(), None, repo)
        raise UsageError(
            f"{text[:80]!r} names no change.", "Give a sha of at least 7 digits, OWNER/NAME#NUMBER, or its address."
        )

    def _at(self, address: str) -> str:
        for repo in self.settings.repos():
            if repo.url.lower() == address.lower():
                return repo.name
        raise UsageError(
            "This address is of no repository on the watchlist.", f"There are {', '.join(self.names()[:20])}."
        )

    def told(self, wanted: Wanted) -> list[Told]:
        """The changes that are meant, from reported days, each from the first day that told it."""
        found: dict[str, Told] = {}
        mark = re.compile(
            rf'"{wanted.sha}'.encode() if wanted.sha else rf'"number":\s{{0,2}}{wanted.number}\b'.encode()
        )
        for label in self.labels()[:MOST_DAYS]:
            data = self.archive.data(label)
            day = self.archive.day(label) if data is not None and mark.search(data) else None
            for repo, commit in day.changes() if day else ():
                if _is(repo, commit, wanted):
                    found[commit.sha] = Told(label, repo, commit)
        return list(found.values())

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Reading histories takes all cores: one question at a time."""
        with self._one:
            yield


def _is(repo: RepoDay, commit: Commit, wanted: Wanted) -> bool:
    if wanted.repo is not None and repo.name != wanted.repo:
        return False
    if wanted.sha is not None:
        return commit.sha.startswith(wanted.sha)
    return commit.pr is not None and commit.pr.number == wanted.number


def day_of(text: str | None, name: str) -> str | None:
    """A date as days are called."""
    if text is None:
        return None
    try:
        return date.fromisoformat(text.strip()).isoformat()
    except ValueError:
        raise UsageError(f"{name}: {text[:40]!r} is not a date.", "Write it as 2026-01-31.") from None


def days_before(label: str, number: int) -> str:
    """So many days earlier."""
    return (date.fromisoformat(label) - timedelta(days=number)).isoformat()
