"""Views of pages, and the plain ones: stories and releases."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from threading import Lock
from typing import Any, Generic, TypeVar

import msgspec

from daybreak.core.words.phrases import Phrases
from daybreak.report.archive.addresses import release_path, story_path
from daybreak.site.pages.across_days import Joined, JoinedRelease, JoinedStory
from daybreak.site.pages.interface import Asset, Ground
from daybreak.site.pages.summaries import DaySummary, Summaries
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
        return render(self._ground, self.template, path, language, shown)

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


class StoryPages(ViewPages[JoinedStory]):
    """One page for each story, whether it runs in one repository or across several."""

    template = "story.html"
    section = "story"
    beginning = "stories/"

    def views(self, days: Sequence[DaySummary]) -> Mapping[str, JoinedStory]:
        stories = Joined(days).stories
        return {without_language(story_path("-", repo, name)): one for (repo, name), one in stories.items()}


# --- The page of a release: its notes as quoted text, the changes that it holds, and who took it ---


class ReleasePages(ViewPages[JoinedRelease]):
    """One page for each release that a report names."""

    template = "release.html"
    section = "release"
    beginning = "releases/"

    def views(self, days: Sequence[DaySummary]) -> Mapping[str, JoinedRelease]:
        releases = Joined(days).releases
        return {without_language(release_path("-", repo, tag)): one for (repo, tag), one in releases.items()}
