"""What the service reads, put together from a config: archive, site, rows and search, each opened when it is needed."""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from urllib.parse import parse_qsl

from daybreak.core.config import Settings
from daybreak.core.model.day import Day
from daybreak.report.archive.addresses import search_path
from daybreak.report.archive.interface import Archive
from daybreak.report.archive.opening import FolderArchive, open_archive
from daybreak.serve.web.endpoints import Sources
from daybreak.serve.web.listing import Index
from daybreak.site.pages.interface import Asset, Ground
from daybreak.site.pages.search_page import answer
from daybreak.site.pages.site import Site
from daybreak.site.pages.templates import look_digest
from daybreak.site.search import Search, open_search

# --- Pages as the server takes them from the site: by clean addresses only, and made again only when a day changed ---


_PLAIN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)*")
_LONGEST = 300
_HELD = 32 << 20
"""Bytes of pages that are held."""

AskedPage = Callable[[str, str], Asset | None]
"""A page that depends on a question, by path and query; None: it does not."""


class Shelf:
    """Nothing of an address ever becomes a path of this machine: the site knows its pages by name."""

    def __init__(self, site: Site, archive: Archive, asked: AskedPage | None = None) -> None:
        self._site, self._archive, self._asked = site, archive, asked
        self._held: OrderedDict[tuple[str, str], Asset] = OrderedDict()
        self._size, self._lock = 0, Lock()

    def page(self, path: str, query: bytes = b"") -> Asset | None:
        """None: there is no such page."""
        path = f"{path}index.html" if not path or path.endswith("/") else path
        if len(path) > _LONGEST or not _PLAIN.fullmatch(path):
            return None
        found = self._asked(path, query.decode("ascii", "replace")) if self._asked is not None else None
        return found or self._made(path)

    def _made(self, path: str) -> Asset | None:
        state = repr(sorted(self._archive.digests().items())).encode()
        key = (path, hashlib.sha256(state).hexdigest())
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                return self._held[key]
        asset = self._site.page(path)
        if asset is not None:
            self._hold(key, asset)
        return asset

    def _hold(self, key: tuple[str, str], asset: Asset) -> None:
        with self._lock:
            old = self._held.pop(key, None)
            self._size += len(asset.body) - (len(old.body) if old else 0)
            self._held[key] = asset
            while self._size > _HELD and len(self._held) > 1:
                self._size -= len(self._held.popitem(last=False)[1].body)


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
