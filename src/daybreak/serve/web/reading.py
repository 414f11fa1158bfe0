"""What the service reads, put together from a config: archive, site, rows and search, each opened when it is needed."""

from __future__ import annotations

from threading import Lock
from urllib.parse import parse_qsl

from daybreak.core.config import Settings
from daybreak.core.model.day import Day
from daybreak.report.archive.addresses import search_path
from daybreak.report.archive.days import FolderArchive
from daybreak.report.archive.interface import Archive
from daybreak.report.archive.opening import open_archive
from daybreak.serve.web.endpoints import Sources
from daybreak.serve.web.index import Index
from daybreak.serve.web.site_pages import Shelf
from daybreak.site.pages.interface import Asset, Ground
from daybreak.site.pages.search_page import answer
from daybreak.site.pages.site import Site
from daybreak.site.pages.templates import look_digest
from daybreak.site.search import Search, open_search


class CurrentArchive:
    """The archive as it is now: a service that began with an empty folder goes over to the store with its first report."""

    def __init__(self, settings: Settings) -> None:
        self._settings, self._lock = settings, Lock()
        self._found: Archive | None = None

    def labels(self) -> list[str]:
        return self._now().labels()

    def digest(self, label: str) -> str | None:
        return self._now().digest(label)

    def digests(self) -> dict[str, str]:
        return self._now().digests()

    def day(self, label: str) -> Day | None:
        return self._now().day(label)

    def data(self, label: str) -> bytes | None:
        return self._now().data(label)

    def _now(self) -> Archive:
        with self._lock:
            if self._found is None or isinstance(self._found, FolderArchive):
                found = open_archive(self._settings)
                if self._found is None or type(found) is not type(self._found):
                    self._found = found
            return self._found


class Reading:
    """Everything there is to read."""

    def __init__(self, settings: Settings) -> None:
        self._settings, self._lock = settings, Lock()
        self._search: Search | None = None
        archive = CurrentArchive(settings)
        self._ground = Ground(archive, settings, look_digest())
        self.shelf = Shelf(Site(archive, settings), archive, self._results)
        self.sources = Sources(Index(archive), self.search)

    def search(self) -> Search:
        """Opened by the first question."""
        with self._lock:
            if self._search is None:
                self._search = open_search(self._settings)
            return self._search

    def _results(self, path: str, query: str) -> Asset | None:
        """The search page, which here comes with its results."""
        language = next((one for one in self._ground.languages if path == search_path(one)), None)
        if language is None:
            return None
        try:
            asked = dict(parse_qsl(query, max_num_fields=16))
        except ValueError:
            asked = {}
        start = asked.get("from", "0")
        at = int(start) if start.isascii() and start.isdecimal() and len(start) <= 6 else 0
        return answer(self._ground, self.search(), language, asked.get("q", ""), at)

    def close(self) -> None:
        with self._lock:
            if self._search is not None:
                self._search.close()
                self._search = None
