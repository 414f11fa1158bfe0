"""The feeds as files of the site."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from itertools import product

from daybreak.report.archive import addresses
from daybreak.site.feeds.feeds import FeedMaker
from daybreak.site.feeds.formats import ATOM_MEDIA_TYPE as ATOM_TYPE
from daybreak.site.feeds.formats import JSON_MEDIA_TYPE as JSON_TYPE
from daybreak.site.feeds.formats import atom, json_feed
from daybreak.site.feeds.values import Feed
from daybreak.site.pages.interface import Asset, Ground
from daybreak.site.pages.summaries import DaySummary, RepoSummary, Summaries

FORMS = ("xml", "json")


class FeedFiles:
    """Overall, per repository and for breaking changes only, in each language and both formats."""

    def __init__(self, ground: Ground) -> None:
        self._ground, self._summaries = ground, Summaries.of(ground)
        self._maker = FeedMaker(ground.archive, addresses)
        self._base = ground.settings.config.publish.site_url

    def keys(self) -> Iterable[tuple[str, str]]:
        """A feed changes with the days that it has an entry of, and with no other."""
        digests, days = self._maker.days(), {one.label: one for one in self._summaries.days()}
        looked_at = {label: days[label] for label in digests if label in days}
        overall = self._digest(digests, looked_at)
        broken = (label for label, day in looked_at.items() if _breaks(day))
        breaking = self._digest(digests, broken)
        of_repo = {
            name: self._digest(digests, (label for label, day in looked_at.items() if _told(day.repo(name))))
            for name in self._repos(days.values())
        }
        for language, form in product(self._ground.languages, FORMS):
            yield addresses.feed_path(language, form), overall
            yield addresses.breaking_feed_path(language, form), breaking
            for name, digest in of_repo.items():
                yield addresses.repo_feed_path(language, name, form), digest

    def page(self, path: str) -> Asset | None:
        for language, form in product(self._ground.languages, FORMS):
            feed = self._feed(language, form, path)
            if feed is not None and form == "xml":
                return Asset(path, atom(feed, self._base), ATOM_TYPE)
            if feed is not None:
                return Asset(path, json_feed(feed, self._base), JSON_TYPE)
        return None

    def _feed(self, language: str, form: str, path: str) -> Feed | None:
        home = addresses.home_path(language)
        if path == addresses.feed_path(language, form):
            return self._maker.overall(language, path, home)
        if path == addresses.breaking_feed_path(language, form):
            return self._maker.breaking(language, path, home)
        if not (path.startswith(f"{language}/feeds/") and path.endswith(f".{form}")):
            return None
        for name in self._repos(self._summaries.days()):
            if path == addresses.repo_feed_path(language, name, form):
                return self._maker.of_repo(language, name, path, addresses.repo_path(language, name))
        return None

    def _digest(self, digests: dict[str, str], labels: Iterable[str]) -> str:
        depends = [self._ground.look, self._base, *(f"{label} {digests[label]}" for label in labels)]
        return hashlib.sha256("\n".join(depends).encode()).hexdigest()

    @staticmethod
    def _repos(days: Iterable[DaySummary]) -> list[str]:
        return sorted({repo.name for day in days for repo in day.repos})


def _breaks(day: DaySummary) -> bool:
    return any(one.breaking and not one.filtered for repo in day.repos for one in repo.changes)


def _told(repo: RepoSummary | None) -> bool:
    return repo is not None and bool(
        repo.changes
        or repo.releases
        or repo.issues_opened
        or repo.issues_closed
        or repo.pulls_opened
        or repo.pulls_merged
    )
