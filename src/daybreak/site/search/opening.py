"""Opens the search of a config: over the store's index, or over one in memory where there are only written files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext, suppress
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Literal, Self, cast

from msgspec import Struct

from daybreak.core.config import Settings
from daybreak.core.errors import DaybreakError, UsageError, WriteError
from daybreak.report.archive.interface import Archive
from daybreak.site.search.documents import day_number, documents, page_of
from daybreak.site.search.query import Query, parse
from daybreak.site.search.tokens import VERSION, snippet, terms
from daybreak.store import Document, IndexedDay, SearchIndex, Wanted
from daybreak.store.database import StoreDamaged

# --- What a search gives: how many were found, and each of them with where it stands ---


HitKind = Literal["change", "issue", "pull", "release"]


class Hit(Struct, frozen=True):
    """One change, issue, pull request or release of one reported day; its words are a stranger's."""

    kind: HitKind
    repo: str
    """`owner/name`."""
    label: str
    """The day that tells of it."""
    id: str
    """The whole sha, the number without `#`, or the tag."""
    title: str
    level: str
    """`high`, `medium` or `low` of a change; empty for all others."""
    breaking: bool
    at: datetime
    author: str
    topic: str
    """The kind of a change (`fix`, `perf` …) or of an issue (`bug` …); empty for all else."""
    url: str
    """Of the forge."""
    url_path: str
    """The page's address without its language: `changes/acme-engine/0123456789ab.html`, `days/2026-03-06.html#r-…`."""
    snippet: str
    """One line of what matched, in the language that was asked for; plain text."""


class Found(Struct, frozen=True):
    """One page of results, best first: what was named exactly, then by importance, then the newest."""

    total: int
    """How many there are in all."""
    hits: tuple[Hit, ...]
    terms: tuple[str, ...] = ()
    """Tokens that were looked for, so that they can be marked in a title (`snippets.marked`)."""
    missing: tuple[str, ...] = ()
    """Days that could not be looked through, since their report cannot be read or the index cannot be written."""


MOST = 100
"""Results that are given at once."""
DEEPEST = 100_000
"""How far down the list anybody may look."""


class Search:
    """Questions to the index, which follows the archive; several threads may ask."""

    def __init__(
        self,
        archive: Archive,
        index: SearchIndex,
        rows: Callable[[], Mapping[str, str]],
        closing: Callable[[], None] = lambda: None,
    ) -> None:
        self._archive, self._index, self._rows, self._closing = archive, index, rows, closing
        self._turn = Lock()
        self._seen: Mapping[str, str] | None = None
        """Rows of the reports when the index was last brought up to date."""
        self._named: tuple[Mapping[str, str] | None, list[str]] = (None, [])
        """The repositories, for the state of the reports they were read in."""
        self._unread: dict[str, str] = {}
        """Days that could not be read, with the row of their report then: they are not tried again until it changes."""

    def find(self, query: str, limit: int = 20, offset: int = 0, language: str = "en") -> Found:
        """The results from `offset` on, at most `limit` (1 to 100); raises UsageError for a query with a mistake."""
        if not (1 <= limit <= MOST and 0 <= offset <= DEEPEST):
            raise UsageError("That many results cannot be given.", f"Ask for 1 to {MOST} at a time.")
        try:
            return self._found(query, limit, offset, language)
        except StoreDamaged:  # all of the index can be made again; what else is damaged is told the second time
            self._index.clear()
            self._seen = None
            return self._found(query, limit, offset, language)

    def _found(self, query: str, limit: int, offset: int, language: str) -> Found:
        missing = self._refreshed()[1]
        asked = parse(query, self.repos)
        total = self._index.count(asked.wanted)
        found = self._index.documents(self._numbers(asked, total, limit, offset))
        hits = tuple(_hit(one, asked, language) for one in found)
        return Found(total, hits, terms(asked.shown), missing)

    def refresh(self) -> int:
        """Bring the index up to date now, and not with the next question; how many days were read."""
        return self._refreshed()[0]

    def documents(self, label: str, digest: str) -> list[Document] | None:
        """All of a day with their tokens, as the index has them; None when it does not have this very report."""
        known = self._index.days().get(label)
        if known is None or (known.digest, known.version) != (digest, VERSION):
            return None
        return self._index.of_day(label)

    def repos(self) -> list[str]:
        """Repositories that something was reported of."""
        seen = self._seen
        if seen is None or self._named[0] is not seen:
            self._named = (seen, self._index.repos())
        return self._named[1]

    def close(self) -> None:
        """What was opened; a closed search is of no more use."""
        self._closing()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- asking ------------------------------------------------------------------------------------------------------

    def _numbers(self, asked: Query, total: int, limit: int, offset: int) -> list[int]:
        """What is called so comes first, then everything else."""
        wanted = asked.wanted
        if not total or not asked.named:
            return self._index.numbers(wanted, limit, offset) if total else []
        first = Wanted((*wanted.each, asked.named), wanted.without, wanted.days)
        named = self._index.count(first)
        found = self._index.numbers(first, limit, offset) if offset < named else []
        if len(found) < limit and named < total:
            rest = Wanted(wanted.each, (*wanted.without, asked.named), wanted.days) if named else wanted
            found += self._index.numbers(rest, limit - len(found), max(0, offset - named))
        return found

    # --- keeping up --------------------------------------------------------------------------------------------------

    def _refreshed(self) -> tuple[int, tuple[str, ...]]:
        """Days are taken in one by one, each as a whole: whoever is killed meanwhile goes on from there."""
        with self._turn:
            rows = self._rows()
            if rows == self._seen:
                return 0, tuple(sorted(self._unread))
            known = {label: day for label, day in self._index.days().items() if day.version == VERSION}
            stale = [label for label in rows if label not in known or known[label].report != rows[label]]
            stale = [label for label in stale if self._unread.get(label) != rows[label]]
            try:
                if len(known) < len(self._index.days()):  # tokens of another version mean something else
                    self._index.clear()
                    known, stale = {}, list(rows)
                for label in set(known) - set(rows):
                    self._index.drop(label)
                read = sum(self._take(label, rows[label], known.get(label)) for label in stale)
            except WriteError:  # nobody may write here: what is in the index is still good
                return 0, tuple(sorted({*stale, *self._unread}))
            self._unread = {label: row for label, row in self._unread.items() if rows.get(label) == row}
            self._seen = rows
            return read, tuple(sorted(self._unread))

    def _take(self, label: str, row: str, known: IndexedDay | None) -> bool:
        digest = self._archive.digest(label)
        if digest is None:
            return False
        day = IndexedDay(label, row, digest, VERSION)
        if known is not None and known.digest == digest:
            self._index.confirm(day)
            return False
        try:
            told = self._archive.day(label)
        except WriteError:
            raise
        except DaybreakError:
            told = None
        if told is None or day_number(label) is None:
            self._index.drop(label)
            self._unread[label] = row
            return False
        self._index.put(day, documents(told))
        return True


def _hit(one: Document, asked: Query, language: str) -> Hit:
    return Hit(
        kind=cast("HitKind", one.kind),
        repo=one.repo,
        label=one.label,
        id=one.key,
        title=one.title,
        level=one.level,
        breaking=one.breaking,
        at=datetime.fromisoformat(one.at),
        author=one.author,
        topic=one.topic,
        url=one.url,
        url_path=page_of(one.kind, one.repo, one.key, one.label),
        snippet=snippet(one.text, one.title, asked.shown, language),
    )


def open_search(settings: Settings) -> Search:
    """Nothing is read yet. Without a store that has reports, an index in memory is made of the written files."""
    from daybreak.report.archive.opening import FolderArchive, StoreArchive, open_archive
    from daybreak.store import open_store
    from daybreak.store.search import in_memory

    archive = open_archive(settings)
    if isinstance(archive, StoreArchive):
        try:
            store = open_store(settings.config.store, settings.base)
        except WriteError:  # a folder that may only be read
            archive = FolderArchive(settings.out)
        else:
            # The archive of its own: one that opens the store for each question would do so for every day.
            same = StoreArchive(lambda: nullcontext(store))
            return Search(same, store.search, store.report_digests, store.close)
    index = in_memory()
    return Search(archive, index, lambda: _written(settings.out, archive.labels()), index.close)


def _written(out: Path, labels: Iterable[str]) -> dict[str, str]:
    """Each report's file as it is now, without reading it."""
    found = {}
    for label in labels:
        with suppress(OSError):
            stat = (out / "reports" / f"{label}.json").stat()
            found[label] = f"{stat.st_mtime_ns} {stat.st_size} {stat.st_ino}"
    return found


def search_over(archive: Archive) -> Search:
    """Over any archive, with an index in memory."""
    from daybreak.store.search import in_memory

    index = in_memory()
    return Search(archive, index, archive.digests, index.close)
