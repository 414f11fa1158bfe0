"""Lists of GraphQL, read page by page to the window's edge, all lists of all repositories side by side.

While a long list is read, its items move: what is touched goes to the front. So a list of more than one page is read
again, from the front down to where nothing was touched, until a pass brings nothing new of the window; one page alone
is of one moment. Items are told apart by number, so that reading one twice does no harm.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from daybreak.collect.github.client import Forge
from daybreak.collect.github.queries import HOME, ISSUES, PULLS, RELEASES, SEARCH, TAGS, Part, fetch
from daybreak.collect.github.requests import Ask, ForgeFault, Unavailable, stamp
from daybreak.collect.github.shapes import Light, LightRelease, LightTag, Page
from daybreak.collect.github.values import happened

MOST_PASSES = 6
MOST_PAGES = 400
SMALLEST_PAGE = 10
DRAFTED = timedelta(days=366)
"""Releases are listed by the time they were begun; one may lie as a draft for so long before it is published. Only a
project with more than a page of releases a year, of every night mostly, costs a request more for it."""
SEARCH_SHOWS = 1000
"""Of more results than these, a search shows none: the time is halved until they fit."""


class Kind(Struct, frozen=True):
    """What is special about a list."""

    name: str
    text: str
    node: type
    key: Callable[[Any], Hashable]
    telling: Callable[[Any, Ask], object]
    """What of a node matters to the window; empty for one that does not."""
    order: Callable[[Any], datetime | None]
    """The time by which the list is sorted, newest first."""
    edge: timedelta = timedelta()
    """So long before the window the reading may end."""
    weight: int = 10
    steady: bool = False
    """Nothing moves or goes in it: new ones come in front, and one pass is enough."""


def _tag_time(tag: LightTag) -> datetime | None:
    return tag.commit.committed_date if tag.commit else None


def _in_window(moment: datetime | None, ask: Ask) -> bool:
    return moment is not None and ask.window.holds(moment)


KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "issues", ISSUES, Light, lambda n: n.number, lambda n, ask: happened(n, ask.window), lambda n: n.updated_at
        ),
        Kind("pulls", PULLS, Light, lambda n: n.number, lambda n, ask: happened(n, ask.window), lambda n: n.updated_at),
        Kind(
            "releases",
            RELEASES,
            LightRelease,
            lambda n: n.tag_name,
            lambda n, ask: not n.is_draft and _in_window(n.published_at, ask),
            lambda n: n.created_at,
            edge=DRAFTED,
            weight=5,
        ),
        Kind(
            "tags", TAGS, LightTag, lambda n: n.name, lambda n, ask: _in_window(_tag_time(n), ask), _tag_time, weight=5
        ),
    )
}


@dataclass(slots=True)
class Listing:
    """One list while it is read."""

    ask: Ask
    kind: Kind
    known: dict[Hashable, Any] = field(default_factory=dict)
    fault: ForgeFault | None = None
    done: bool = False
    rows: int = 100
    """Of a page."""
    keyed: bool = True
    """A page follows the last row of the one before, wherever that stands by now; REST merely counts rows."""
    hidden: int = 0
    """Rows of this pass that the token may not see."""
    _cursor: str | None = None
    _pages: int = 0
    _passes: int = 0
    _news: bool = False
    _ordered: bool = True

    def part(self) -> Part:
        """The next page."""
        values: dict[str, Any] = {"first": self.rows, "after": self._cursor}
        if self.kind.node is Light:
            values["since"] = self.ask.since
        return Part(self.ask.repo.name, self.kind.text, dict[str, Page[self.kind.node]], values, self.kind.weight)  # type: ignore[name-defined]

    def take(self, found: Any) -> Sequence[Listing]:
        """A page, or the fault in its place; lists that must be read in place of this one."""
        if isinstance(found, ForgeFault):
            self._failed(found)
            return ()
        page: Page[Any] = next(iter(found.values()))
        times = [time for time in map(self.kind.order, page.nodes) if time is not None]
        ordered = all(one >= other for one, other in pairwise(times))
        # Where a row was hidden, the next pass must not stop above it: it may be shown by then, or else it is counted.
        self._ordered = self._ordered and ordered and not page.hidden
        settled = self._settled(page)
        self._note(page)
        if settled or not page.page_info.has_next_page or self._edge_passed(times, ordered):
            self._end_pass()
        elif page.page_info.end_cursor in (None, self._cursor):
            self.end(Unavailable("gives the same page again and again"))
        elif self._pages >= MOST_PAGES:
            self.end(Unavailable(f"has more than the {MOST_PAGES} pages that are read"))
        else:
            self._cursor = page.page_info.end_cursor
        return ()

    @property
    def cursor(self) -> str | None:
        """Where the next page is; None: at the beginning."""
        return self._cursor

    @property
    def telling(self) -> list[Any]:
        """Nodes that matter to the window."""
        return [node for node in self.known.values() if self.kind.telling(node, self.ask)]

    def _failed(self, fault: ForgeFault) -> None:
        """Less at a time where that may help, from the page that failed."""
        if isinstance(fault, Unavailable) and fault.heavy and self.rows > SMALLEST_PAGE:
            self.rows = max(self.rows // 2, SMALLEST_PAGE)
        else:
            self.end(fault)

    def _note(self, page: Page[Any]) -> None:
        self._pages += 1
        self.hidden += page.hidden
        for node in page.nodes:
            key, telling = self.kind.key(node), self.kind.telling(node, self.ask)
            before = self.known.get(key)
            if telling and (before is None or self.kind.telling(before, self.ask) != telling):
                self._news = True
            self.known[key] = node

    def _edge_passed(self, times: Sequence[datetime], ordered: bool) -> bool:
        """Whether all that follows lies before the window; of a page out of order, only when all of it does."""
        before = [time < self.ask.window.since - self.kind.edge for time in times]
        return bool(before) and (any(before) if ordered else all(before))

    def _settled(self, page: Page[Any]) -> bool:
        """Whether all that follows is as the pass before saw it: whatever was touched since stands above."""
        if not (self.keyed and self._passes and self._ordered and page.nodes):
            return False
        last = page.nodes[-1]
        before = self.known.get(self.kind.key(last))
        return (
            before is not None
            and self.kind.order(last) is not None
            and self.kind.order(before) == self.kind.order(last)
        )

    def _end_pass(self) -> None:
        alone = self.kind.steady or (self._pages == 1 and self._passes == 0 and self._ordered)
        if alone or (self._passes > 0 and not self._news):
            self.end(self._unseen())
        elif self._passes + 1 >= MOST_PASSES:
            self.end(Unavailable("changed too fast to be read whole"))
        else:
            self._begin_again()

    def _begin_again(self) -> None:
        self._passes += 1
        self._cursor, self._pages, self._news, self.hidden = None, 0, False, 0

    def _unseen(self) -> ForgeFault | None:
        """What is null in place of a row may be of the window: nobody but its owner knows."""
        if not self.hidden:
            return None
        return Unavailable(f"hides {self.hidden} of them from this token", "Give the token the right to read them.")

    def end(self, fault: ForgeFault | None = None) -> None:
        self.done, self.fault = True, fault


class Search(Listing):
    """An older day's items by search: `created:` or `closed:` in a span of time, halved where it finds too many."""

    __slots__ = ("_count", "home", "since", "until", "what")

    def __init__(self, ask: Ask, what: str, since: datetime, until: datetime, kind: Kind | None = None) -> None:
        Listing.__init__(self, ask, kind or replace(KINDS["issues"], name=f"search/{what}", order=lambda _: None))
        self.what, self.since, self.until = what, since, until
        self.home = ask.repo.name
        """The repository's name of today: a search for an older one finds nothing, and does not say so."""
        self._count = 0

    @property
    def question(self) -> str:
        """Both ends of a span belong to it, so it ends a second before the window does."""
        last = stamp(self.until - timedelta(seconds=1))
        return f"repo:{self.home} {self.what}:{stamp(self.since)}..{last}"

    def part(self) -> Part:
        values = {
            "query": f"{self.question} sort:created-asc",
            "first": self.rows,
            "after": self._cursor,
            "since": self.ask.since,
        }
        return Part(self.ask.repo.name, SEARCH, Page[Light], values, self.kind.weight)

    def take(self, found: Any) -> Sequence[Listing]:
        if isinstance(found, ForgeFault):
            self._failed(found)
            return ()
        page: Page[Any] = found
        self._count = page.issue_count or 0
        if self._count > SEARCH_SHOWS and self.until - self.since > timedelta(seconds=1):
            self.done = True
            middle = halfway(self.since, self.until)
            halves = ((self.since, middle), (middle, self.until))
            parts = [Search(self.ask, self.what, since, until, self.kind) for since, until in halves]
            for one in parts:
                one.rows, one.home = self.rows, self.home
            return parts
        return Listing.take(self, {"search": page})

    def _end_pass(self) -> None:
        """A search says how many it has found: fewer than those are not all."""
        if len(self.known) + self.hidden >= self._count:
            self.end(self._unseen())
        elif self._passes + 1 >= MOST_PASSES:
            self.end(Unavailable(f"found {self._count} by search and showed {len(self.known)} of them"))
        else:
            self._begin_again()


def halfway(since: datetime, until: datetime) -> datetime:
    """The whole second in the middle."""
    seconds = int((until - since).total_seconds()) // 2
    return datetime.fromtimestamp(int(since.timestamp()) + seconds, since.tzinfo)


def read_lists(forge: Forge, listings: Iterable[Listing]) -> list[Listing]:
    """Read them all to their ends, a page of each at a time; with those that took the place of others."""
    known = list(listings)
    for listing in known:
        listing.rows = forge.bounds.page
    _find_homes(forge, [listing for listing in known if isinstance(listing, Search)])
    active = [listing for listing in known if not listing.done]
    while active:
        spawned: list[Listing] = []
        for answered in fetch(forge, [listing.part() for listing in active]):
            for place, found in answered:
                spawned += active[place].take(found)
        known += spawned
        active = [listing for listing in (*active, *spawned) if not listing.done]
    return known


def _find_homes(forge: Forge, searches: Sequence[Search]) -> None:
    """The names of today; a repository that the token does not see is not searched for, since nothing would be found."""
    asks = list({id(one.ask): one.ask for one in searches}.values())
    for answered in fetch(forge, [Part(ask.repo.name, HOME, dict[str, str], weight=1) for ask in asks]):
        for place, found in answered:
            for one in (one for one in searches if one.ask is asks[place]):
                if isinstance(found, ForgeFault):
                    one.end(found)
                else:
                    one.home = found[HOME]
