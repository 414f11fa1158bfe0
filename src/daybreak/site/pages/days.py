"""Pages of a day and of a change: what to act on first, then all that was read and said, under addresses that stay."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterable
from datetime import date
from typing import Any

from msgspec import Struct

from daybreak.core.errors import DaybreakError
from daybreak.core.model.day import LEVELS, Commit, Day, Link, RepoDay, Statement
from daybreak.report.archive import addresses
from daybreak.report.render.escape import clean
from daybreak.report.render.tags import break_tag
from daybreak.site.pages import Asset, Ground, aged
from daybreak.site.pages.aftermath import After, By, aftermath
from daybreak.site.pages.day_lookup import GIST, Book, Index, Told, subject
from daybreak.site.pages.hunks import folded_hunk_html, hunk_html
from daybreak.site.pages.kept_summaries import Summaries
from daybreak.site.pages.templates import phrases, render

_PRESSING = ("regression", "accuracy")
COMPONENTS = 12
"""Those with most changes, that can be chosen: a longer list is not looked through, and words find the others."""


class DayPages:
    """One page for each day and language."""

    def __init__(self, ground: Ground) -> None:
        self._ground, self._summaries = ground, Summaries.of(ground)

    def keys(self) -> Iterable[tuple[str, str]]:
        """A page also depends on its neighbours: the newest day gets its link to the next one when that comes. And on what
        later days say of its changes.
        """
        digests, later = self._ground.archive.digests(), self._later()
        labels, old = list(digests), aged(self._ground.archive)
        for label, before, after in zip(labels, ["", *labels], [*labels[1:], ""], strict=False):
            told = "\0".join(
                (
                    self._ground.look,
                    *self._ground.languages,
                    digests[label],
                    before,
                    after,
                    str(label in old),
                    repr(later.get(label)),
                )
            )
            digest = hashlib.sha256(told.encode()).hexdigest()
            for language in self._ground.languages:
                yield addresses.day_path(language, label), digest

    def page(self, path: str) -> Asset | None:
        for language in self._ground.languages:
            label = path.removeprefix(f"{language}/days/").removesuffix(".html")
            if addresses.is_label(label) and path == addresses.day_path(language, label):
                return self._page(path, language, label)
        return None

    def _page(self, path: str, language: str, label: str) -> Asset | None:
        try:
            day = self._ground.archive.day(label)
        except DaybreakError as error:
            return self._unreadable(path, language, label, error.message)
        if day is None:
            return None
        if day.label != label:
            return self._unreadable(path, language, label, f"It is the report of {day.label}.")
        labels = self._ground.archive.labels()
        at = bisect(labels, label)
        around = {"before": labels[at - 2] if at > 1 else "", "after": labels[at] if at < len(labels) else ""}
        values = {**day_values(day, language, path), **around, "aged": label in aged(self._ground.archive)}
        values["later"] = self._later().get(label, {})
        return render(self._ground, "day.html", path, language, values)

    def _later(self) -> dict[str, dict[str, After]]:
        """Day -> sha -> what a later day says of it."""
        days, found = self._summaries.days(), dict[str, dict[str, After]]()
        said = aftermath(days)
        for day in days:
            for repo in day.repos:
                for one in repo.changes:
                    after = said.get((repo.name, one.sha))
                    if after and after.label > day.label:
                        found.setdefault(day.label, {})[one.sha] = after
        return found

    def _unreadable(self, path: str, language: str, label: str, reason: str) -> Asset:
        return render(self._ground, "unreadable.html", path, language, {"label": label, "reason": reason})


# --- what the template is given --------------------------------------------------------------------------------------


class RepoView(Struct, frozen=True):
    """A repository on the page."""

    index: int
    repo: RepoDay
    changes: tuple[Told, ...]
    counts: Counts
    unknown: bool
    quiet: bool


class Counts(Struct, frozen=True):
    """How many of each, filtered and late ones beside."""

    high: int
    medium: int
    low: int
    breaking: int
    filtered: int
    late: int
    added: int
    deleted: int


def day_values(day: Day, language: str, path: str) -> dict[str, Any]:
    """Everything but the neighbours."""
    book = Book(day, language, path)
    repos = [_repo(index, repo) for index, repo in enumerate(day.repos)]
    found = Counter(name for _, commit in day.changes() for name in commit.components)
    several = (name for name in found if found[name] > 1)
    components = sorted(several, key=lambda name: (-found[name], name))[:COMPONENTS]
    return {
        "day": day,
        "book": book,
        "weekday": _weekday(day.label, language),
        "repos": sorted(repos, key=lambda one: one.quiet),
        "total": _counts(day.repos),
        "all": sum(len(one.changes) for one in repos),
        "graded": Counter(told.commit.importance.level for one in repos for told in one.changes),
        "components": components,
        "component_at": {name: at for at, name in enumerate(components)},
        "component_count": found,
        "kinds": Counter(commit.kind for _, commit in day.changes()).most_common(),
        "crossing": _crossing(day, book),
        "news": _news(day),
        "bumps": [one for one in day.across.bumps if one.sha in book.changes],
        "across_said": _across_said(day),
        "break_tag": break_tag,
        "hunk_html": folded_hunk_html,
        "gist": GIST,
        "subject": subject,
    }


def _weekday(label: str, language: str) -> str:
    try:
        at = date.fromisoformat(label).weekday()
    except ValueError:  # a file that only looks like a day
        return ""
    return phrases(language)("day.weekdays").split()[at]


def _repo(index: int, repo: RepoDay) -> RepoView:
    """Its changes by importance, those that break something first; filtered ones last."""
    own = sorted((Told(repo, one) for one in repo.commits), key=lambda told: _rank(told.commit))
    late = [Told(repo, one, late=True) for one in repo.late]
    unknown = repo.in_git is None
    news = (repo.commits, repo.late, repo.issues, repo.pulls, repo.releases, repo.skipped)
    return RepoView(index, repo, (*own, *late), _counts([repo]), unknown, not any(news) and not unknown)


def _rank(commit: Commit) -> tuple[bool, int, bool, float]:
    level = commit.importance.level
    at = LEVELS.index(level) if level in LEVELS else len(LEVELS)
    return commit.filtered, at, not commit.breaking, -commit.importance.score


def _counts(repos: Iterable[RepoDay]) -> Counts:
    repos = tuple(repos)
    commits = [one for repo in repos for one in repo.commits]
    told = [one for one in commits if not one.filtered]
    high, medium, low = (sum(one.importance.level == level for one in told) for level in LEVELS)
    return Counts(
        high,
        medium,
        low,
        breaking=sum(one.breaking for one in told),
        filtered=len(commits) - len(told),
        late=sum(len(repo.late) for repo in repos),
        added=sum(one.added for one in commits),
        deleted=sum(one.deleted for one in commits),
    )


def _news(day: Day) -> dict[str, Any]:
    """What the forge has of the day in few numbers, and by name what presses most."""
    fresh = [(repo, one) for repo in day.repos for one in repo.issues if one.kind]
    return {
        "issues": len(fresh),
        "merged": sum("merged" in one.happened for repo in day.repos for one in repo.pulls),
        "releases": sum(not one.tagged for repo in day.repos for one in repo.releases),
        "tagged": [(repo, one) for repo in day.repos for one in repo.releases if one.tagged],
        "pressing": [told for kind in _PRESSING for told in fresh if told[1].kind == kind],
    }


def _crossing(day: Day, book: Book) -> dict[str, list[Link]]:
    """Links from one repository to another: what runs between them, and who only names whom."""
    own = (link for repo in day.repos for link in repo.links or () if _apart(book, link))
    links = {(x.kind, x.source, x.target): x for x in (*day.links, *own)}.values()
    moved = {f"commit:{one.sha}" for one in day.across.bumps}
    told = [x for x in links if x.kind != "mentions" and not (x.kind == "takes" and x.source in moved)]
    return {"told": told, "mentions": [x for x in links if x.kind == "mentions"]}


def _across_said(day: Day) -> list[Statement]:
    """Sentences that the stories and moves do not say already."""
    told = {f"story:{story.id}" for story in day.across.stories}
    moves = [{f"commit:{one.sha}", f"repo:{one.target}"} for one in day.across.bumps]
    return [
        said
        for said in day.across.statements
        if not told & set(said.evidence) and not any(move <= set(said.evidence) for move in moves)
    ]


def _apart(book: Book, link: Link) -> bool:
    homes = [book.ref(end).repo for end in (link.source, link.target)]
    return all(homes) and homes[0] != homes[1]


# --- The permanent page of a change: all that was read and said of it, under an address that stays ---

_PATH = re.compile(r"([a-z]+)/changes/([A-Za-z0-9._-]+)/([0-9a-f]{12})\.html")


class ChangePages:
    """One page for each reported change and language; one that several days tell has it from the newest of them."""

    def __init__(self, ground: Ground) -> None:
        self._ground, self._summaries = ground, Summaries.of(ground)
        self._known: tuple[dict[str, str], dict[tuple[str, str], str]] = ({}, {})
        self._last: tuple[Day, Index] | None = None

    def has(self, repo: str, sha: str) -> bool:
        """Whether a day tells of it, so that it has a page."""
        return (addresses.repo_slug(repo), sha[: addresses.SHORT]) in self._labels()

    def keys(self) -> Iterable[tuple[str, str]]:
        """Days in order, so that each of them is decoded once."""
        digests = self._ground.archive.digests()
        old = aged(self._ground.archive)
        of_day = {label: self._digest(f"{digest} {label in old}") for label, digest in digests.items()}
        later = {(addresses.repo_slug(repo), sha[: addresses.SHORT]): one for (repo, sha), one in self._said().items()}
        for place, label in self._labels().items():
            digest = self._digest(f"{of_day[label]} {later[place]!r}") if place in later else of_day[label]
            for language in self._ground.languages:
                yield f"{language}/changes/{place[0]}/{place[1]}.html", digest

    def _said(self) -> By:
        return aftermath(self._summaries.days())

    def page(self, path: str) -> Asset | None:
        found = _PATH.fullmatch(path)
        if found is None or found[1] not in self._ground.languages:
            return None
        label = self._labels().get((found[2], found[3]))
        day = self._ground.archive.day(label) if label else None
        if day is None:
            return None
        book = Book(day, found[1], path, self._index(day))
        told = book.changes.get(found[3])
        if told is None or addresses.repo_slug(told.repo.name) != found[2]:
            return None
        if label in aged(self._ground.archive):
            sha = found[3]
            led = {"title": clean(subject(told.commit)) or sha, "name": sha, "place": book.here(sha)}
            return render(self._ground, "moved.html", path, found[1], led)
        values = {"day": day, "book": book, "told": told, "subject": subject, "hunk_html": hunk_html}
        values["after"] = self._said().get((told.repo.name, told.commit.sha))
        return render(self._ground, "change.html", path, found[1], values)

    def _index(self, day: Day) -> Index:
        """Changes of one day are mostly asked for one after the other."""
        if self._last is None or self._last[0] is not day:
            self._last = (day, Index(day))
        return self._last[1]

    def _labels(self) -> dict[tuple[str, str], str]:
        """Repository and sha, as in the address -> the day that tells it."""
        digests = self._ground.archive.digests()
        if self._known[0] is not digests and self._known[0] != digests:
            found = {
                (addresses.repo_slug(repo.name), change.sha[: addresses.SHORT]): day.label
                for day in self._summaries.days()
                if day.label in digests
                for repo in day.repos
                for change in repo.changes
            }
            self._known = (digests, dict(sorted(found.items(), key=lambda pair: (pair[1], pair[0]))))
        return self._known[1]

    def _digest(self, day: str) -> str:
        told = "\0".join((self._ground.look, *self._ground.languages, day))
        return hashlib.sha256(told.encode()).hexdigest()
