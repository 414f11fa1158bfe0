"""Opens the search of a config: over the store's index, or over one in memory where there are only written files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext, suppress
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Any, Literal, Self, TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.config import Settings
from daybreak.core.errors import DaybreakError, UsageError, WriteError
from daybreak.report.archive.interface import Archive
from daybreak.site.search.documents import day_number, documents
from daybreak.site.search.query import KINDS, Query, parse
from daybreak.site.search.shards import page_of
from daybreak.site.search.spelling import loosened, parted, respelt, vocabulary
from daybreak.site.search.tokens import VERSION, effect, first_line, snippet, terms
from daybreak.store import Document, IndexedDay, SearchIndex, Traits, Wanted
from daybreak.store.database import StoreDamaged

# --- What a search gives: how many were found, and each of them with where it stands ---


T = TypeVar("T")
HitKind = Literal["change", "issue", "pull", "release"]


class Later(Struct, frozen=True):
    """What a later report says became of a change."""

    what: Literal["revert", "reland", "fixup"]
    """It was taken back, landed again, or repaired."""
    label: str
    """The day that says so."""
    sha: str
    """The change that did it."""


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
    breaks: str = ""
    """Of a change that breaks, what does, where the line of what matched says something else."""
    effect: str = ""
    """What it does to the name that was asked for: `default: --max-len 4096 → 8192 (args.py)`."""
    later: Later | None = None


class Facet(Struct, frozen=True):
    """A filter that would leave so many of the results."""

    key: str
    """`month`, `repo`, `kind`, `level`, `breaking` or `in`."""
    value: str
    count: int
    breaking: int = 0
    """How many of them break."""


class Found(Struct, frozen=True):
    """One page of results, best first: by name, then by title and symbols, then the rest; each by importance and day."""

    total: int
    """How many there are in all."""
    hits: tuple[Hit, ...]
    terms: tuple[str, ...] = ()
    """Tokens that were looked for, so that they can be marked in a title (`snippets.marked`)."""
    also: tuple[str, ...] = ()
    """English words that were looked for beside Chinese ones."""
    facets: tuple[Facet, ...] = ()
    """Filters that divide the results, of each key the commonest first."""
    suggestion: str = ""
    """Where nothing was found: a query near to it that finds something."""
    missing: tuple[str, ...] = ()
    """Days that could not be looked through, since their report cannot be read or the index cannot be written."""
    span: tuple[str, ...] = ()
    """Days that the query names in words: how, and the first and last of them."""
    idle: tuple[str, ...] = ()
    """Words of the query that only ask, and were not looked for."""
    bare: str = ""
    """The query without either."""
    called: int = 0
    """How many of all are called so or say so in title, symbols or changed lines; the others only mention it."""


MOST = 100
"""Results that are given at once."""
FACETS = ("month", "repo", "kind", "level", "breaking", "in")
TOGETHER = 16
"""Days that are taken in as one change: each change is sealed, and to seal is to read all of the index."""
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
        later: Callable[[str, str], Later | None] = lambda *_: None,
    ) -> None:
        self._archive, self._index, self._rows, self._later, self._closing = archive, index, rows, later, closing
        self._turn = Lock()
        self._seen: Mapping[str, str] | None = None
        """Rows of the reports when the index was last brought up to date."""
        self._held: dict[str, tuple[Mapping[str, str] | None, Any]] = {}
        """What is read of the whole index, for the state of the reports it was read in."""
        self._unread: dict[str, str] = {}
        """Days that could not be read, with the row of their report then: they are not tried again until it changes."""

    def find(self, query: str, limit: int = 20, offset: int = 0, language: str = "en", facets: bool = False) -> Found:
        """The results from `offset` on, at most `limit` (1 to 100), if wished with facets; a mistake is a UsageError."""
        if not (1 <= limit <= MOST and 0 <= offset <= DEEPEST):
            raise UsageError("That many results cannot be given.", f"Ask for 1 to {MOST} at a time.")
        try:
            return self._found(query, limit, offset, language, facets)
        except StoreDamaged:  # all of the index can be made again; what else is damaged is told the second time
            self._index.clear()
            self._seen = None
            return self._found(query, limit, offset, language, facets)

    def _found(self, query: str, limit: int, offset: int, language: str, facets: bool) -> Found:
        missing = self._refreshed()[1]
        asked = self._parsed(query)
        total = self._index.count(asked.wanted)
        found = self._index.documents(self._numbers(asked, total, limit, offset))
        hits = tuple(self._hit(one, asked, language) for one in found)
        some = self._facets(asked.wanted) if facets and total else ()
        meant = "" if total else self._meant(asked.plain or query)
        said = asked.span, asked.idle, asked.bare
        called = total - self._index.count(_rank(asked, len(asked.first))) if facets and total and asked.first else 0
        return Found(total, hits, terms(asked.shown), asked.also, some, meant, missing, *said, called)

    def _hit(self, one: Document, asked: Query, language: str) -> Hit:
        hit = _hit(one, asked, language)
        return replace(hit, later=self._later(hit.repo, hit.id)) if hit.kind == "change" else hit

    def _facets(self, wanted: Wanted) -> tuple[Facet, ...]:
        traits = self._once("traits", self._index.traits)
        return _facets(Counter(traits[one] for one in self._index.numbers(wanted, None, 0) if one in traits))

    def _meant(self, query: str) -> str:
        """The nearest query that finds something: with words that titles have, then with names in their parts."""
        other = respelt(query, self._once("words", lambda: vocabulary(self._index.titles())))
        some = (*((other,) if other != " ".join(query.split()) else ()), *loosened(query), *parted(query))
        return next((text for text in some if self._index.count(self._parsed(text).wanted)), "")

    def _parsed(self, query: str) -> Query:
        return parse(query, self.repos, max(self._seen or (), default=""))

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
        return self._once("repos", self._index.repos)

    def _once(self, name: str, read: Callable[[], T]) -> T:
        """What is read again only after another day was reported."""
        seen = self._seen
        of, value = self._held.get(name, (None, None))
        if seen is None or of is not seen:
            value = read()
            self._held[name] = (seen, value)
        return cast("T", value)

    def close(self) -> None:
        """What was opened; a closed search is of no more use."""
        self._closing()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- asking ------------------------------------------------------------------------------------------------------

    def _numbers(self, asked: Query, total: int, limit: int, offset: int) -> list[int]:
        """Those of each rank in turn; the last rank is everything else."""
        found: list[int] = []
        passed = 0
        for groups, rank in zip((*asked.first, ()), (*_ranks(asked), _rank(asked, len(asked.first))), strict=True):
            if passed >= total or len(found) >= limit:
                break
            here = self._index.numbers(rank, limit - len(found), max(0, offset - passed))
            found += here
            # Of a rank that begins before the page it must be known how long it is; of others, only what is shown.
            passed += self._index.count(rank) if groups and offset > passed else len(here)
        return found

    # --- keeping up --------------------------------------------------------------------------------------------------

    def _refreshed(self) -> tuple[int, tuple[str, ...]]:
        """Days are taken in a few at a time, each as a whole: whoever is killed meanwhile goes on from there."""
        with self._turn:
            rows = self._rows()
            if rows == self._seen:
                return 0, tuple(sorted(self._unread))
            self._drop_altered()
            known = {label: day for label, day in self._index.days().items() if day.version == VERSION}
            stale = [label for label in rows if label not in known or known[label].report != rows[label]]
            stale = [label for label in stale if self._unread.get(label) != rows[label]]
            try:
                if len(known) < len(self._index.days()):  # tokens of another version mean something else
                    self._index.clear()
                    known, stale = {}, list(rows)
                gone, read = set(known) - set(rows), 0
                for place in range(0, len(stale) or min(len(gone), 1), TOGETHER):
                    with self._index.change():
                        for label in gone:
                            self._index.drop(label)
                        some = stale[place : place + TOGETHER]
                        read += sum(self._take(label, rows[label], known.get(label)) for label in some)
                    gone = set()
            except WriteError:  # nobody may write here: what is in the index is still good
                return 0, tuple(sorted({*stale, *self._unread}))
            self._unread = {label: row for label, row in self._unread.items() if rows.get(label) == row}
            self._seen = rows
            return read, tuple(sorted(self._unread))

    def _drop_altered(self) -> None:
        """An index that is not as it was sealed, or has no seal, answers otherwise in silence: it is made again."""
        left, found = self._index.seal()
        if left != found and (left is not None or self._index.days()):
            self._index.clear()

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


def _facets(shares: Mapping[Traits, int]) -> tuple[Facet, ...]:
    counts: dict[str, Counter[str]] = {key: Counter() for key in FACETS}
    breaks: dict[str, Counter[str]] = {key: Counter() for key in FACETS}
    for one, times in shares.items():
        topic = one.topic if one.topic in KINDS else ""
        breaking = "yes" if one.breaking else ""
        for key, value in zip(FACETS, (one.month, one.repo, topic, one.level, breaking, one.kind), strict=True):
            counts[key][value] += times
            breaks[key][value] += times if one.breaking else 0
    return tuple(
        Facet(key, value, count, breaks[key][value])
        for key, some in counts.items()
        for value, count in sorted(some.items(), key=lambda pair: (-pair[1], pair[0]))
        if value
    )


def _ranks(asked: Query) -> list[Wanted]:
    """What is called so, what says so, and so on, each without those before it."""
    return [_rank(asked, place) for place in range(len(asked.first))]


def _rank(asked: Query, place: int) -> Wanted:
    wanted, groups = asked.wanted, (*asked.first, ())[place]
    return Wanted((*wanted.each, *groups), wanted.without, wanted.days, asked.first[:place])


def _hit(one: Document, asked: Query, language: str) -> Hit:
    shown = snippet(one.text, one.title, asked.wanted.each, language)
    done = effect(one.text, asked.names, language)
    breaks = first_line(one.text, language) if one.breaking or done else ""
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
        snippet=done or shown,
        breaks="" if breaks == (done or shown) else breaks,
        effect=done,
    )


def open_search(settings: Settings) -> Search:
    """Nothing is read yet. Without a store that has reports, an index in memory is made of the written files."""
    from daybreak.report.archive.opening import FolderArchive, StoreArchive, open_archive
    from daybreak.store import open_store
    from daybreak.store.search import in_memory

    archive = open_archive(settings)

    def later(repo: str, sha: str) -> Later | None:
        return _later(archive, settings.state, repo, sha)

    if isinstance(archive, StoreArchive):
        try:
            store = open_store(settings.config.store, settings.base)
        except WriteError:  # a folder that may only be read
            archive = FolderArchive(settings.out)
        else:
            # The archive of its own: one that opens the store for each question would do so for every day.
            same = StoreArchive(lambda: nullcontext(store))
            return Search(same, store.search, store.report_digests, store.close, later)
    index = in_memory()
    return Search(archive, index, lambda: _written(settings.out, archive.labels()), index.close, later)


def _later(archive: Archive, state: Path, repo: str, sha: str) -> Later | None:
    from daybreak.site.pages.aftermath import aftermath
    from daybreak.site.pages.kept_summaries import FOLDER, Summaries

    after = aftermath(Summaries(archive, state / FOLDER).days()).get((repo, sha))
    return Later(cast("Any", after.kind), after.label, after.by.sha) if after else None


def _written(out: Path, labels: Iterable[str]) -> dict[str, str]:
    """Each report's file as it is now, without reading it."""
    found = {}
    for label in labels:
        with suppress(OSError):
            stat = (out / "reports" / f"{label}.json").stat()
            found[label] = f"{stat.st_mtime_ns} {stat.st_size} {stat.st_ino}"
    return found
