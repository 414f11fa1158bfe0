"""The feeds of an archive: overall, per repository, and of breaking changes, from its newest days."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from threading import Lock

from daybreak.core.errors import DaybreakError
from daybreak.core.words.phrases import phrases
from daybreak.report.archive.interface import Archive
from daybreak.site.feeds.entries import Addresses, DayNews, Teller, tag
from daybreak.site.feeds.values import EPOCH, Entry, Feed, shown

DAYS = 30
"""Newest days with a report that a feed looks at."""
MOST = 100
"""Entries of one feed: a day may have many breaking changes."""


class FeedMaker:
    """Each day is told once per language and content; threads may ask."""

    def __init__(self, archive: Archive, addresses: Addresses) -> None:
        self._archive, self._addresses = archive, addresses
        self._told: OrderedDict[tuple[str, str, str], DayNews] = OrderedDict()
        self._lock = Lock()

    def days(self) -> dict[str, str]:
        """The days that feeds look at, newest first, with the digest of each."""
        return dict(list(self._archive.digests().items())[: -DAYS - 1 : -1])

    def overall(self, language: str, path: str, home: str) -> Feed:
        entries = [one.day for one in self._news(language)]
        return self._feed(language, ("overall",), path, home, entries, "overall")

    def of_repo(self, language: str, repo: str, path: str, home: str) -> Feed:
        entries = [one.repos[repo] for one in self._news(language) if repo in one.repos]
        return self._feed(language, ("repo", repo), path, home, entries, "repo", repo)

    def breaking(self, language: str, path: str, home: str) -> Feed:
        entries = (entry for one in self._news(language) for entry in one.breaking)
        return self._feed(language, ("breaking",), path, home, entries, "breaking")

    def _feed(
        self,
        language: str,
        key: Sequence[str],
        path: str,
        home: str,
        entries: Iterable[Entry],
        words: str,
        repo: str = "",
    ) -> Feed:
        t, unique = phrases(language, "feeds"), {entry.id: entry for entry in entries}
        kept = tuple(unique.values())[:MOST]
        values = {"days": DAYS, "most": MOST, "repo": shown(repo)}
        return Feed(
            tag(language, "feed", *key),
            t(words, **values),
            t(f"{words}_about", **values),
            language,
            path,
            home,
            max((entry.updated for entry in kept), default=EPOCH),
            kept,
        )

    def _news(self, language: str) -> Iterator[DayNews]:
        teller = Teller(language, self._addresses)
        for label, digest in self.days().items():
            yield self._of(teller, language, label, digest)

    def _of(self, teller: Teller, language: str, label: str, digest: str) -> DayNews:
        key = (language, label, digest)
        with self._lock:
            if key in self._told:
                self._told.move_to_end(key)
                return self._told[key]
        try:
            day = self._archive.day(label)
        except DaybreakError:
            day = None
        if day is None:  # not kept: it may be mended under the same digest
            return teller.unreadable(label)
        news = teller.news(day)
        with self._lock:
            self._told[key] = news
            while len(self._told) > 4 * DAYS:
                self._told.popitem(last=False)
        return news
