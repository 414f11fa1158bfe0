"""Views of pages, and the plain ones: home, stories, releases, and the status of each day."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from threading import Lock
from typing import Any, Generic, TypeVar

import msgspec
from markupsafe import Markup
from msgspec import Struct

from daybreak.core.errors import DaybreakError
from daybreak.core.model.day import Cost, Day, Grounding, Skipped
from daybreak.core.windows import stretches
from daybreak.core.words.phrases import Phrases
from daybreak.report.archive import addresses
from daybreak.report.archive.addresses import release_path, status_path, story_path
from daybreak.report.render.escape import clean
from daybreak.site.charts import size_bar, sparkline
from daybreak.site.pages import Asset, Ground, aged
from daybreak.site.pages.across_days import Joined, JoinedRelease, JoinedStory
from daybreak.site.pages.broken_names import forks_break
from daybreak.site.pages.day_lookup import Book, subject
from daybreak.site.pages.kept_summaries import Summaries
from daybreak.site.pages.ranges import range_names
from daybreak.site.pages.rollups import newest_rollups
from daybreak.site.pages.summaries import DaySummary
from daybreak.site.pages.templates import phrases, render

# --- Pages made from summaries: each has a view, a value that holds all it shows; its digest says when to write it anew ---


View = TypeVar("View")
_ENCODER = msgspec.json.Encoder()


class ViewPages(Generic[View]):
    """A `Section` over views; a kind of page says which views there are, where each stands, and what its template gets."""

    template = ""
    section = ""
    beginning = ""
    """Of the addresses, after the language: what does not begin so is not ours, and nothing is made to find out."""

    def __init__(self, ground: Ground) -> None:
        self._ground, self._summaries = ground, Summaries.of(ground)
        self._lock, self._days = Lock(), list[DaySummary]()
        self._found: tuple[dict[str, View], dict[str, str]] | None = None

    def views(self, days: Sequence[DaySummary]) -> Mapping[str, View]:
        """Address without the language -> view."""
        raise NotImplementedError

    def values(self, view: View, t: Phrases) -> Mapping[str, Any]:
        """What the template is given besides the view."""
        del view, t
        return {}

    def keys(self) -> Iterable[tuple[str, str]]:
        _, digests = self._now()
        return [
            (f"{language}/{rest}", digest) for language in self._ground.languages for rest, digest in digests.items()
        ]

    def page(self, path: str) -> Asset | None:
        language, _, rest = path.partition("/")
        if language not in self._ground.languages or not rest.startswith(self.beginning):
            return None
        views, _ = self._now()
        if rest not in views:
            return None
        view = views[rest]
        shown = {"section": self.section, "view": view, **self.values(view, phrases(language))}
        return render(self._ground, self.template_of(view), path, language, shown)

    def template_of(self, view: View) -> str:
        """Where views are of several sorts, each has its own."""
        del view
        return self.template

    def _now(self) -> tuple[dict[str, View], dict[str, str]]:
        """Made anew only when a day changed."""
        days = self._summaries.days()
        with self._lock:
            if self._found is None or (days is not self._days and days != self._days):
                views = dict(self.views(days))
                self._days, self._found = days, (views, {rest: self._digest(view) for rest, view in views.items()})
            return self._found

    def _digest(self, view: View) -> str:
        main = ",".join(self._ground.languages)
        total = hashlib.sha256(f"{self._ground.look}\0{main}\0{self.template}\0".encode())
        total.update(_ENCODER.encode(view))
        return total.hexdigest()


def without_language(path: str) -> str:
    """The part of an address that all languages share."""
    return path.partition("/")[2]


# --- The page of a story: its changes over the days, what each report said of it, and how long the branch was affected ---


class LedOn(Struct, frozen=True, tag=True):
    """A story that old days alone tell: its address leads to the page of their month."""

    repo: str
    kind: str
    name: str
    place: str


class OldStories(Struct, frozen=True, tag=True):
    """Such stories of one repository, those that ended in one month, each with its anchor."""

    repo: str
    month: str
    stories: tuple[tuple[str, JoinedStory], ...]


class StoryPages(ViewPages[JoinedStory | LedOn | OldStories]):
    """One page for each story, whether it runs in one repository or across several; of old days one for each month."""

    template = "story.html"
    section = "story"
    beginning = "stories/"

    def views(self, days: Sequence[DaySummary]) -> Mapping[str, JoinedStory | LedOn | OldStories]:
        out: dict[str, JoinedStory | LedOn | OldStories] = {}
        months: dict[tuple[str, str], dict[str, JoinedStory]] = {}
        old = aged(self._ground.archive)
        for (repo, name), one in Joined(days).stories.items():
            path, month = without_language(story_path("-", repo, name)), one.last[:7]
            out[path] = one
            if one.last in old:
                anchor = PurePosixPath(path).stem
                months.setdefault((repo, month), {})[anchor] = one
                led = PurePosixPath(addresses.old_stories_path("-", repo, month)).name
                out[path] = LedOn(repo, one.kind, name, f"{led}#{anchor}")
        for (repo, month), some in months.items():
            path = without_language(addresses.old_stories_path("-", repo, month))
            out[path] = OldStories(repo, month, tuple(some.items()))
        return out

    def values(self, view: JoinedStory | LedOn | OldStories, t: Phrases) -> Mapping[str, Any]:
        if not isinstance(view, LedOn):
            return {}
        kind = t.get(f"story.{view.kind}", view.kind)
        return {"title": clean(f"{kind} · {view.repo}"), "place": view.place, "name": clean(view.name)}

    def template_of(self, view: JoinedStory | LedOn | OldStories) -> str:
        others = {LedOn: "moved.html", OldStories: "old_stories.html"}
        return others.get(type(view), self.template)


# --- The page of a release: its notes as quoted text, the changes that it holds, and who took it ---


class ReleasePages(ViewPages[JoinedRelease]):
    """One page for each release that a report names."""

    template = "release.html"
    section = "release"
    beginning = "releases/"

    def views(self, days: Sequence[DaySummary]) -> Mapping[str, JoinedRelease]:
        releases = Joined(days).releases
        return {without_language(release_path("-", repo, tag)): one for (repo, tag), one in releases.items()}


# --- The home page: the newest day's headline and first screen, recent days, repositories, and where to subscribe ---

ROOT = "index.html"
RECENT = 14
ACTIONS = 8
RANGES = 4


class Card(Struct, frozen=True):
    """A repository over recent days."""

    name: str
    commits: int
    breaking: int
    days: int
    release: str | None
    """The newest that any day tells of."""
    line: Markup


class HomePages:
    """One for each language, and the main one at the root."""

    def __init__(self, ground: Ground) -> None:
        self._ground, self._summaries = ground, Summaries.of(ground)

    def keys(self) -> Iterable[tuple[str, str]]:
        digests = self._ground.archive.digests()
        days = self._summaries.days()
        recent = [f"{label}={digest}" for label, digest in list(digests.items())[-RECENT:]]
        busy = self._busy_label(days) or ""
        recent += [*newest_rollups(self._ground), *(one.stem for one in range_names(self._ground)[:RANGES])]
        recent += [
            f"{busy}={digests.get(busy, '')}",
            *(f"{name}={tag}" for name, tag in _newest_releases(days).items()),
        ]
        told = "\0".join((self._ground.look, *self._ground.languages, str(len(digests)), *recent, *self._repos()))
        digest = hashlib.sha256(told.encode()).hexdigest()
        return [(path, digest) for path in self._paths()]

    def page(self, path: str) -> Asset | None:
        language = self._paths().get(path)
        if language is None:
            return None
        days = self._summaries.days()
        newest = self._newest(days)
        busy = None if newest is None or newest.actions else self._busy(days)
        recent = days[::-1][:RECENT]
        most = max((one.commits_reported for one in recent), default=0)
        say = phrases(language)
        values = {
            "section": "home",
            "newest": newest,
            "book": Book(newest, language, path) if newest else None,
            "busy": busy,
            "busy_book": Book(busy, language, path) if busy else None,
            "recent": recent,
            "size_of": lambda one: Markup(size_bar(one.commits_reported, one.total("breaking"), most)),  # noqa: S704  figures
            "days": len(days),
            "rollups": newest_rollups(self._ground),
            "ranges": range_names(self._ground)[:RANGES],
            "cards": _cards(self._repos(), days, recent[::-1], say),
            "breaking_in": lambda repo: sum(one.breaking and not one.filtered for one in repo.commits),
            "forks_in": lambda repo: sum(bool(forks_break(one)) for one in repo.commits),
            "most": ACTIONS,
            "subject": subject,
            "hunk_html": None,
        }
        return render(self._ground, "home.html", path, language, values)

    def _paths(self) -> dict[str, str]:
        return {ROOT: self._ground.languages[0]} | {addresses.home_path(x): x for x in self._ground.languages}

    def _newest(self, days: list[DaySummary]) -> Day | None:
        """The newest day that can be read."""
        for one in reversed(days):
            try:
                return self._ground.archive.day(one.label)
            except DaybreakError:
                continue
        return None

    def _busy_label(self, days: Sequence[DaySummary]) -> str | None:
        """The newest day with something to act on."""
        return next((one.label for one in reversed(days) if one.actions), None)

    def _busy(self, days: Sequence[DaySummary]) -> Day | None:
        label = self._busy_label(days)
        try:
            return self._ground.archive.day(label) if label else None
        except DaybreakError:
            return None

    def _repos(self) -> list[str]:
        """Those of the newest day, then others that were watched before; in the order of the watchlist."""
        found = [repo.name for day in reversed(self._summaries.days()) for repo in day.repos]
        return list(dict.fromkeys(found))


def _newest_releases(days: Sequence[DaySummary]) -> dict[str, str]:
    return {repo.name: repo.releases[-1].tag for day in days for repo in day.repos if repo.releases}


def _cards(names: Sequence[str], days: Sequence[DaySummary], recent: Sequence[DaySummary], say: Phrases) -> list[Card]:
    releases = _newest_releases(days)
    found = []
    for name in names:
        rows = [next((repo for repo in day.repos if repo.name == name), None) for day in recent]
        commits = tuple(row.commits if row else 0 for row in rows)
        breaking = tuple(row.breaking if row else 0 for row in rows)
        told = say("home.spark", name=name, figures=", ".join(map(str, commits)))
        line = Markup(sparkline(commits, breaking, told))  # noqa: S704  its texts are escaped
        found.append(Card(name, sum(commits), sum(breaking), len(recent), releases.get(name), line))
    return found


# --- The status page: how much of each day was had, what was skipped and why, what it cost, and what a check dropped ---

DETAILED = 31
"""Days whose skipped items are named here; the pages of older days name theirs."""


class StatusDay(Struct, frozen=True):
    label: str
    open: bool
    whole: bool
    unreadable: bool
    in_git: int
    reported: int
    unknown: int
    filtered: int
    late: int
    issues: int
    pulls: int
    releases: int
    skipped: int
    left_out: int
    cost: Cost
    grounding: Grounding
    analyst: str
    model: str | None
    revised: int
    completed: int


class StatusView(Struct, frozen=True):
    days: tuple[StatusDay, ...]
    """Newest first."""
    skipped: tuple[tuple[str, tuple[Skipped, ...]], ...]
    """By day, newest first, of the newest days."""
    skipped_older: int
    left_out: tuple[tuple[str, tuple[Skipped, ...]], ...]
    left_out_older: int
    grounding: Grounding
    cost: Cost
    repos: int
    zone: str
    missing: tuple[str, ...]
    """Days between the first and the last without a report."""
    stretches: tuple[str, ...]
    """The same, those that follow one another as one."""


class StatusPages(ViewPages[StatusView]):
    """One page in each language."""

    template = "status.html"
    section = "status"
    beginning = "status.html"

    def views(self, days: Sequence[DaySummary]) -> Mapping[str, StatusView]:
        return {without_language(status_path("-")): status_view(days)}


def status_view(days: Sequence[DaySummary]) -> StatusView:
    """All days; single faults of the newest ones."""
    newest = list(reversed(days))
    detailed, older = newest[:DETAILED], newest[DETAILED:]
    last = newest[0] if newest else DaySummary("")
    return StatusView(
        days=tuple(_day(day) for day in newest),
        skipped=tuple((day.label, day.skipped) for day in detailed if day.skipped),
        skipped_older=sum(len(day.skipped) for day in older),
        left_out=tuple((day.label, day.left_out) for day in detailed if day.left_out),
        left_out_older=sum(len(day.left_out) for day in older),
        grounding=_grounding(days),
        cost=_cost(days),
        repos=len(last.repos),
        zone=last.zone,
        missing=(gone := _missing([day.label for day in days])),
        stretches=tuple(stretches(gone, "–")),
    )


def _day(day: DaySummary) -> StatusDay:
    return StatusDay(
        label=day.label,
        open=day.open,
        whole=day.whole,
        unreadable=day.unreadable,
        in_git=day.commits_in_git,
        reported=day.commits_reported,
        unknown=day.repos_unknown,
        filtered=day.total("filtered"),
        late=day.total("late"),
        issues=day.issues,
        pulls=day.pulls,
        releases=day.releases,
        skipped=len(day.skipped),
        left_out=len(day.left_out),
        cost=day.cost,
        grounding=day.grounding,
        analyst=day.analyst,
        model=day.model,
        revised=day.revised,
        completed=day.completed,
    )


def _grounding(days: Sequence[DaySummary]) -> Grounding:
    reasons = Counter[str]()
    for day in days:
        reasons.update(day.grounding.by_reason)
    return Grounding(
        statements=sum(day.grounding.statements for day in days),
        kept=sum(day.grounding.kept for day in days),
        dropped=sum(day.grounding.dropped for day in days),
        by_reason=dict(sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))),
    )


def _cost(days: Sequence[DaySummary]) -> Cost:
    """Money is known only as far as some day knows it."""
    money = [day.cost.money for day in days if day.cost.money is not None]
    return Cost(
        requests=sum(day.cost.requests for day in days),
        prompt_tokens=sum(day.cost.prompt_tokens for day in days),
        completion_tokens=sum(day.cost.completion_tokens for day in days),
        money=sum(money) if money else None,
    )


def _missing(labels: Sequence[str]) -> tuple[str, ...]:
    from datetime import date, timedelta

    if not labels:
        return ()
    first, last = date.fromisoformat(labels[0]), date.fromisoformat(labels[-1])
    reported = set(labels)
    every = (f"{first + timedelta(days=at)}" for at in range((last - first).days))
    return tuple(label for label in every if label not in reported)
