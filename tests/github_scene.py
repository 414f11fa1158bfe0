"""A GitHub source before the fake GitHub: envelopes in memory, the server's own clock, and questions about a made-up day."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any

from daybreak.collect.github.client import Bounds
from daybreak.collect.github.requests import Ask
from daybreak.collect.github.source import Credentials, GithubSource
from daybreak.core.http import Http, Secret
from daybreak.core.model.changes import Change, Repo, Window
from daybreak.core.model.items import Activity, Envelope
from fake_github import Day, Server, build_day

TOKEN = "ghp_" + "Zt9" * 12
OTHER = "github_pat_" + "Qx7" * 20
SMALL = Bounds(page=12, load=30)
"""Small pages, so that a small day has many of them."""
REPO = "acme/engine"


class Envelopes:
    """In memory."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str, str, str], Envelope] = {}

    def get(self, repo: str, label: str, category: str, name: str) -> Envelope | None:
        return self.kept.get((repo, label, category, name))

    def put(self, envelopes: Sequence[Envelope]) -> None:
        for one in envelopes:
            self.kept[one.repo, one.label, one.category, one.id] = one


@dataclass
class Scene:
    """The server, with what a run needs beside it."""

    github: Server
    envelopes: Envelopes = field(default_factory=Envelopes)
    said: list[str] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)
    sources: list[GithubSource] = field(default_factory=list)

    def source(self, *tokens: str, **options: Any) -> GithubSource:
        """One run's source; without tokens, nobody asks."""
        given: dict[str, Any] = {
            "now": lambda: self.github.now,
            "sleep": self._sleep,
            "chance": random.Random(1).random,
            "say": self.said.append,
            "api": self.github.url,
            "http": Http(),
        }
        given |= {"credentials": Credentials(tuple(Secret(one) for one in tokens))} | options
        self.sources.append(GithubSource(self.envelopes, **given))
        return self.sources[-1]

    def _sleep(self, seconds: float) -> None:
        self.waited.append(seconds)
        self.github.advance(seconds)

    def asked_since(self, count: int) -> int:
        return len(self.github.requests) - count


@contextmanager
def scene(**options: Any) -> Iterator[Scene]:
    """A server with a token named `ours` and one named `other`."""
    with Server(**options) as github:
        github.add_token(TOKEN, name="ours")
        github.add_token(OTHER, name="other")
        made = Scene(github)
        try:
            yield made
        finally:
            for source in made.sources:
                source.close()


def window_of(since: datetime, until: datetime) -> Window:
    return Window(since, until, str(since.tzinfo), since.date().isoformat())


def day_window(day: date = date(2026, 3, 9), zone: tzinfo = UTC) -> Window:
    since = datetime(day.year, day.month, day.day, tzinfo=zone)
    return window_of(since, since + timedelta(days=1))


def watched(name: str) -> Repo:
    return Repo(name, f"https://github.com/{name}", f"https://github.com/{name}.git")


def change(repo: str, sha: str, pr: int | None = None, subject: str = "Change") -> Change:
    at = datetime(2026, 3, 9, 12, tzinfo=UTC)
    return Change(repo, sha, (), "ada", at, at, subject, "", pr=pr)


def asks(day: Day, zone: tzinfo = UTC) -> list[Ask]:
    """One for each repository of the day, with its commits as changes."""
    window = window_of(day.since.astimezone(zone), day.until.astimezone(zone))
    return [
        Ask(watched(name), window, [change(name, sha, pr) for sha, pr in day.truth[name].commits]) for name in day.repos
    ]


def built(scene: Scene, items: int = 100, **options: Any) -> tuple[Day, list[Ask]]:
    day = build_day(scene.github, items=items, **options)
    return day, asks(day, options.get("zone", UTC))


def numbers(items: Sequence[Any], happened: str) -> tuple[int, ...]:
    return tuple(item.number for item in items if happened in item.happened)


def told(activity: Activity) -> dict[str, tuple[Any, ...]]:
    """In the words of the fake's truth."""
    return {
        "opened": numbers(activity.issues, "opened"),
        "closed": numbers(activity.issues, "closed"),
        "reopened": numbers(activity.issues, "reopened"),
        "pulls_opened": tuple(sorted(numbers(activity.pulls, "opened"))),
        "merged": tuple(sorted(numbers(activity.pulls, "merged"))),
        "unmerged": tuple(sorted(numbers(activity.pulls, "closed"))),
        "tags": tuple(sorted(release.tag for release in activity.releases)),
    }


def truth(day: Day, repo: str) -> dict[str, tuple[Any, ...]]:
    known = day.truth[repo]
    names = ("opened", "closed", "reopened", "pulls_opened", "merged", "unmerged", "tags")
    return {name: getattr(known, name) for name in names}


def bent(github: Any, change: Callable[[Any], None]) -> None:
    """Every answer of GraphQL goes through `change`."""
    asked = github._graphql.answer

    def answer(request: Any) -> Any:
        found = asked(request)
        found.body = json.loads(json.dumps(found.body))
        change(found.body)
        return found

    github._graphql.answer = answer
