"""The static site's search index as files of the site; `search/shards.py` says what is in them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from threading import Lock

from daybreak.core.errors import DaybreakError
from daybreak.report.archive import addresses
from daybreak.site.pages.interface import Asset, Ground
from daybreak.site.pages.summary_cache import Summaries
from daybreak.site.search import open_search
from daybreak.site.search.documents import documents
from daybreak.site.search.shards import day_script, days_script, index_script, part_scripts, parts_of
from daybreak.store.interface import Document

SCRIPT = "text/javascript; charset=utf-8"
_DAY = re.compile(r"search/days/(\d{4}-\d{2}-\d{2})\.([a-z]{2})\.js")
_MONTH = re.compile(r"search/(\d{4}-\d{2})/(days|[0-9a-f]{2})\.js")


class SearchFiles:
    """A month is read when one of its files is asked for, and held until another one is."""

    def __init__(self, ground: Ground) -> None:
        self._ground, self._summaries = ground, Summaries.of(ground)
        self._turn = Lock()
        self._held = _Month("", "", {})

    def keys(self) -> Iterable[tuple[str, str]]:
        months = self._months()
        yield "search/index.js", self._digest(*(f"{month}={digest}" for month, (_, digest) in months.items()))
        for month, (days, digest) in months.items():
            yield f"search/{month}/days.js", digest
            for part in range(parts_of(len(days))):
                yield _part_path(month, part), digest
            for label, of_day in days.items():
                for language in self._ground.languages:
                    yield f"search/days/{label}.{language}.js", self._digest(label, of_day, language)

    def page(self, path: str) -> Asset | None:
        body = self._body(path) if path.startswith("search/") else None
        return None if body is None else Asset(path, body, SCRIPT)

    def _body(self, path: str) -> bytes | None:
        if path == "search/index.js":
            return self._index()
        if found := _MONTH.fullmatch(path):
            return self._of_month(found[1]).files().get(path)
        found = _DAY.fullmatch(path)
        if not found or found[2] not in self._ground.languages:
            return None
        documents = self._of_month(found[1][:7]).documents.get(found[1])
        return None if documents is None else day_script(found[1], found[2], documents)

    # --- months ------------------------------------------------------------------------------------------------------

    def _months(self) -> dict[str, tuple[dict[str, str], str]]:
        """Month -> its days with their digests, and the digest of all of them; newest first."""
        months: dict[str, dict[str, str]] = {}
        for label, digest in self._ground.archive.digests().items():
            if addresses.is_label(label):
                months.setdefault(label[:7], {})[label] = digest
        return {
            month: (months[month], self._digest(month, *(f"{x}={y}" for x, y in months[month].items())))
            for month in sorted(months, reverse=True)
        }

    def _digest(self, *depends: str) -> str:
        return hashlib.sha256("\0".join((self._ground.look, *depends)).encode()).hexdigest()

    def _index(self) -> bytes:
        months = [(month, parts_of(len(days)), digest[:8]) for month, (days, digest) in self._months().items()]
        return index_script(months, {repo.name for day in self._summaries.days() for repo in day.repos})

    def _of_month(self, month: str) -> _Month:
        days, digest = self._months().get(month, ({}, ""))
        with self._turn:
            if self._held.digest != digest:
                self._held = _Month(month, digest, self._documents(days))
            return self._held

    def _documents(self, days: Mapping[str, str]) -> dict[str, Sequence[Document]]:
        """From the index of the store, where that has them, which is quick; a site that is built writes no store."""
        found: dict[str, Sequence[Document]] = {}
        with open_search(self._ground.settings) as search:
            for label, digest in days.items():
                indexed = search.documents(label, digest)
                found[label] = self._read(label) if indexed is None else indexed
        return found

    def _read(self, label: str) -> Sequence[Document]:
        """A report that cannot be read has none; the status page tells of it."""
        try:
            day = self._ground.archive.day(label)
        except DaybreakError:
            return ()
        return () if day is None else documents(day)


class _Month:
    """The documents of a month, and the files made of them."""

    def __init__(self, name: str, digest: str, of_days: Mapping[str, Sequence[Document]]) -> None:
        self.digest, self.documents = digest, of_days
        self._name = name
        self._turn = Lock()
        self._files: dict[str, bytes] = {}

    def files(self) -> Mapping[str, bytes]:
        with self._turn:
            if not self._files and self.documents:
                parts = part_scripts(self._name, self.documents)
                self._files = {_part_path(self._name, part): body for part, body in parts.items()}
                self._files[f"search/{self._name}/days.js"] = days_script(self._name, self.documents)
            return self._files


def _part_path(month: str, part: int) -> str:
    return f"search/{month}/{part:02x}.js"
