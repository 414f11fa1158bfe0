"""A window by REST: for those without a token, and for forges that refuse GraphQL.

Without a token there are few requests, so they go to what matters most: releases, issues opened, pull requests merged,
each of all repositories before the next; what is left out is said, with how to get it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from daybreak.collect.github.client import Forge
from daybreak.collect.github.graph import UNDONE
from daybreak.collect.github.lists import DRAFTED, Kind, Listing, Search
from daybreak.collect.github.requests import (
    OPENED_AND_CLOSED,
    Ask,
    ForgeFault,
    Gathered,
    Incomplete,
    Keep,
    LeftOut,
    NoTokens,
    Offline,
    OutOfBudget,
    Refused,
    Unavailable,
    read,
)
from daybreak.collect.github.shapes import (
    Event,
    Light,
    LightTag,
    Page,
    PageInfo,
    RestAssociated,
    RestEvent,
    RestFound,
    RestHome,
    RestItem,
    RestRelease,
    RestTag,
    TagTarget,
)
from daybreak.collect.github.values import happened, release, rest_closers, rest_issue, rest_pull
from daybreak.core.http import Answer
from daybreak.core.model.changes import Change, Window

# --- Pages of REST: by `Link`, asked for again only when they have changed ---


Value = TypeVar("Value")
_ABSENT = (404, 410, 422)
_NEXT = re.compile(r'<([^<>\s]{1,4000})>\s*;[^<>]{0,200}?rel="?next"?')


class Kept(msgspec.Struct, frozen=True):
    """A raw page with the address of the one after it, which only the headers tell."""

    page: msgspec.Raw
    next: str | None = None


class RestPages(Struct, frozen=True):
    """Reads lists page by page."""

    forge: Forge
    keep: Keep

    def read(self, listing: Listing, address: Callable[[Listing], str]) -> list[Listing]:
        """Read it to its end, and those that take its place; the lists read, each with its fault if it has one."""
        listing.rows, listing.keyed = self.forge.bounds.page, False
        waiting, ended = [listing], []
        while waiting:
            one = waiting.pop()
            while not one.done:
                try:
                    found = self._page(one, one.cursor or address(one))
                    waiting += one.take(found)
                except NoTokens:
                    raise
                except ForgeFault as fault:
                    one.end(fault)
            ended.append(one)
        return ended

    def single(self, ask: Ask, address: str, reads: type[Value]) -> Value | None:
        """One page that has no next, asked for once; None when there is no such thing."""
        stands = self.keep.final(ask, "rest/pages", address, Kept)
        if stands is not None:
            return msgspec.json.decode(stands.page, type=reads | None)
        if self.keep.offline:
            raise Offline
        try:
            return self._read(ask, address, reads)[0]
        except Refused as fault:
            if fault.status not in _ABSENT:
                raise
            absent = msgspec.json.encode(Kept(msgspec.Raw(b"null")))
            self.keep.save(ask, "rest/pages", {address: absent}, self.keep.now())
            return None

    def home(self, ask: Ask) -> str | None:
        """The repository's name of today; None when it is gone."""
        found = self.single(ask, f"/repos/{ask.repo.name}", RestHome)
        return None if found is None else found.full_name

    def _page(self, listing: Listing, address: str) -> Any:
        node: Any = listing.kind.node
        if isinstance(listing, Search):
            found, following = self._read(listing.ask, address, RestFound[node])
            return Page(found.items, PageInfo(following is not None, following), found.total_count)
        nodes, following = self._read(listing.ask, address, list[node])
        return {"": Page(nodes, PageInfo(following is not None, following))}

    def _read(self, ask: Ask, address: str, reads: type[Value]) -> tuple[Value, str | None]:
        """The page and the address of the next one; from its envelope when the forge says that it still stands."""
        name = address.removeprefix(self.forge.api)
        stored = self.keep.envelope(ask, "rest/pages", name)
        before = read(stored.body, Kept) if stored is not None and stored.etag else None
        began = self.keep.now()

        def look(answer: Answer) -> tuple[Value, str | None]:
            found = _NEXT.search(answer.headers.get("link", ""))
            if answer.status == 304 and before is not None:
                # Rows may have come behind an unchanged page: its own word about the next one goes before the old one.
                return msgspec.json.decode(before.page, type=reads), found[1] if found else before.next
            value = msgspec.json.decode(answer.body, type=reads)
            if isinstance(value, RestFound) and value.incomplete_results:
                raise Incomplete("searched only a part")
            kept = Kept(msgspec.Raw(answer.body), found[1] if found else None)
            self.keep.save(ask, "rest/pages", {name: msgspec.json.encode(kept)}, began, answer.headers.get("etag"))
            return value, kept.next

        return self.forge.get(address, look, stored.etag if stored is not None and before is not None else None)


def query(path: str, **values: str) -> str:
    """A path with its parameters."""
    return path + "?" + "&".join(f"{name}={quote(value, safe='')}" for name, value in values.items())


MOST_JOINS = 200
"""Changes of one repository whose pull requests are asked for one by one."""
_OFF = 410
_NO_SUCH_QUESTION = 422
_REST = {
    "releases": "releases",
    "issues/opened": "issues opened",
    "pulls/merged": "pull requests merged",
    "pulls/opened": "pull requests opened",
    "pulls/closed": "pull requests closed without merge",
    "issues/closed": "issues closed",
    "issues/reopened": "issues reopened",
    "tags": "tags",
    "reviews": "reviews and links",
}
_NAMES = {"closed": "ClosedEvent", "reopened": "ReopenedEvent"}


def light(item: RestItem, events: Sequence[RestEvent] = ()) -> Light:
    """The same as GraphQL tells, as far as REST does."""
    nodes = [msgspec.convert({"__typename": _NAMES[e.event], "createdAt": e.created_at}, Event) for e in events]
    return Light(
        typename="PullRequest" if item.is_pull else "Issue",
        number=item.number,
        created_at=item.created_at,
        updated_at=item.updated_at,
        closed_at=item.closed_at,
        timeline_items=Page(nodes, PageInfo(has_next_page=False, end_cursor=None)),
        merged_at=item.merged,
    )


_OPENED = Kind(
    "opened", "", RestItem, lambda n: n.number, lambda n, ask: ask.window.holds(n.created_at), lambda n: n.created_at
)
_CLOSED = Kind(
    "closed", "", RestItem, lambda n: n.number, lambda n, ask: happened(light(n), ask.window), lambda n: n.updated_at
)
# With events, anything that was touched may turn out to have been reopened.
_TOUCHED = replace(_CLOSED, name="touched", telling=lambda n, ask: happened(light(n), ask.window) or ("touched",))
_EVENTS = Kind(
    "events",
    "",
    RestEvent,
    lambda n: n.id,
    lambda n, ask: n.event in _NAMES and n.issue is not None and ask.window.holds(n.created_at),
    lambda n: n.created_at,
    steady=True,
)
_RELEASES = Kind(
    "releases",
    "",
    RestRelease,
    lambda n: n.tag_name,
    lambda n, ask: not n.is_draft and n.published_at is not None and ask.window.holds(n.published_at),
    lambda n: n.created_at,
    edge=DRAFTED,
)
_TAGS = Kind("tags", "", RestTag, lambda n: n.name, lambda n, _ask: n.name, lambda _: None)
_FOUND = replace(_CLOSED, order=lambda _: None)


class Step(Struct, frozen=True):
    """One list, and what it tells."""

    name: str
    called: str
    """Under which name it is skipped."""
    tells: tuple[str, ...]
    listing: Callable[[Gathered], Listing]
    address: Callable[[Listing], str]


def _list(name: str, called: str, tells: Sequence[str], kind: Kind, path: str, **values: str) -> Step:
    def address(listing: Listing) -> str:
        own = {"since": listing.ask.since} if path == "/issues" else {}
        return query(f"/repos/{listing.ask.repo.name}{path}", **values, **own, per_page=str(listing.rows))

    return Step(name, called, tuple(tells), lambda gathered: Listing(gathered.ask, kind), address)


def _search(scope: str, what: str, called: str, tells: Sequence[str]) -> Step:
    def listing(gathered: Gathered) -> Listing:
        window = gathered.ask.window
        kind = replace(_FOUND, name=f"{scope}/{what}")
        return Search(gathered.ask, what, window.since, window.until, kind)

    def address(found: Listing) -> str:
        assert isinstance(found, Search)
        return query(
            "/search/issues", q=f"{found.question} is:{scope}", sort="created", order="asc", per_page=str(found.rows)
        )

    return Step(f"{scope}/{what}", called, tuple(tells), listing, address)


RELEASES = _list("releases", "releases", ["releases"], _RELEASES, "/releases")
OPENED = _list("opened", "issues", ["issues/opened", "pulls/opened"], _OPENED, "/issues", state="all", sort="created", direction="desc")  # fmt: skip
CLOSED = _list("closed", "pulls", ["issues/closed", "pulls/merged", "pulls/closed"], _CLOSED, "/issues", state="closed", sort="updated", direction="desc")  # fmt: skip
TOUCHED = _list("touched", "items", OPENED_AND_CLOSED, _TOUCHED, "/issues", state="all", sort="updated", direction="desc")  # fmt: skip
EVENTS = _list("events", "events", ["issues/reopened"], _EVENTS, "/issues/events")
TAGS = _list("tags", "tags", ["tags"], _TAGS, "/tags")
WITHOUT_ISSUES = {
    "opened": _list("opened", "pulls", [], _OPENED, "/pulls", state="all", sort="created", direction="desc"),
    "closed": _list("closed", "pulls", [], _CLOSED, "/pulls", state="closed", sort="updated", direction="desc"),
    "touched": _list("touched", "pulls", [], _TOUCHED, "/pulls", state="all", sort="updated", direction="desc"),
}
"""Where issues are turned off, their list may be closed, and pull requests with it: they have one of their own."""
SEARCHES = (
    _search("issue", "created", "issues", ["issues/opened"]),
    _search("pr", "merged", "pulls", ["pulls/merged"]),
    _search("pr", "created", "pulls", ["pulls/opened"]),
    _search("issue", "closed", "issues", ["issues/closed"]),
    _search("pr", "closed", "pulls", ["pulls/closed"]),
)
FEW = 2
"""Searches made without a token; and where the plans for that begin."""
PLANS: tuple[tuple[Step, ...], ...] = (
    (RELEASES, TOUCHED, EVENTS, TAGS),
    (RELEASES, *SEARCHES, TAGS),
    (RELEASES, OPENED, CLOSED),
    (RELEASES, *SEARCHES[:FEW]),
)
"""With a token a recent day and an older one, and the same two without."""


class RestReader:
    """Reads windows list by list."""

    def __init__(
        self,
        pages: RestPages,
        recent: Callable[[Window], bool],
        left_out: ForgeFault | None,
        instead: ForgeFault | None = None,
    ) -> None:
        """`left_out`: why only what matters most is asked for, None with a token; `instead`: why nothing is asked at all."""
        self._pages, self._keep, self._recent = pages, pages.keep, recent
        self._left_out, self._instead = left_out, instead

    def read(self, all_gathered: Sequence[Gathered]) -> None:
        """Fill them; what cannot be had is skipped in them."""
        found: dict[int, dict[str, list[Any]]] = {id(g): {} for g in all_gathered}
        plans = {id(g): self._plan(g) for g in all_gathered}
        for place in range(max(map(len, plans.values()), default=0)):
            for gathered in all_gathered:
                for step in plans[id(gathered)][place : place + 1]:
                    gathered.was_asked(*step.tells)
                    found[id(gathered)][step.name] = self._nodes(gathered, step)
        for gathered in all_gathered:
            _take(gathered, found[id(gathered)])
            self._join(gathered, few=plans[id(gathered)] in PLANS[FEW:])

    def _plan(self, gathered: Gathered) -> Sequence[Step]:
        """The lists by which the day was read before, where they stand; else those that fit its age and our keys."""
        plans = PLANS[:FEW] if self._left_out is None else PLANS
        kept = [sum(self._kept(gathered, step) is not None for step in plan) for plan in plans]
        whole = [plan for plan, count in zip(plans, kept, strict=True) if count == len(plan)]
        if whole or self._instead is not None:
            return whole[0] if whole else plans[kept.index(max(kept))]
        return PLANS[2 * (self._left_out is not None) + (not self._recent(gathered.ask.window))]

    def _kept(self, gathered: Gathered, step: Step) -> list[Any] | None:
        ask, kind = gathered.ask, step.listing(gathered).kind
        return self._keep.final(ask, f"rest/index/{step.name}", ask.span, list[kind.node])  # type: ignore[name-defined]

    def standing(self, gathered: Gathered) -> int:
        """How many lists of it stand in envelopes."""
        return max(sum(self._kept(gathered, step) is not None for step in plan) for plan in PLANS)

    def _nodes(self, gathered: Gathered, step: Step) -> list[Any]:
        ask, kept = gathered.ask, self._kept(gathered, step)
        if kept is not None:
            return kept
        if self._instead is not None:
            self._missed(gathered, step, self._instead)
            return []
        began = self._keep.now()
        read = self._read(gathered, step)
        nodes = [node for one in read for node in one.telling]
        fault = _fault(read)
        if fault is not None:
            self._missed(gathered, step, fault)
        else:
            self._keep.save(ask, f"rest/index/{step.name}", {ask.span: msgspec.json.encode(nodes)}, began)
        return nodes

    def _missed(self, gathered: Gathered, step: Step, fault: ForgeFault) -> None:
        """A list did not come; that the few requests of a run without a token are spent is no fault."""
        gathered.tags_known = gathered.tags_known and step is not RELEASES
        if isinstance(fault, OutOfBudget) and self._left_out is not None:
            gathered.unread |= dict.fromkeys(step.tells)
        else:
            gathered.skip(step.called, fault)

    def _read(self, gathered: Gathered, step: Step) -> list[Listing]:
        """The list, or the other way to it where GitHub has closed the first."""
        ask, listing = gathered.ask, step.listing(gathered)
        read = self._pages.read(listing, step.address)
        fault = _fault(read)
        status = fault.status if isinstance(fault, Refused) else 0
        if status == _OFF and step.name in WITHOUT_ISSUES:
            return self._pages.read(step.listing(gathered), WITHOUT_ISSUES[step.name].address)
        if status == _OFF and step is EVENTS:
            gathered.skip("events", LeftOut("has no list of events where issues are turned off"))
            return []
        if status == _NO_SUCH_QUESTION and isinstance(listing, Search):
            home = self._home(gathered)
            again = step.listing(gathered)
            if isinstance(again, Search) and home not in (None, ask.repo.name):
                again.home = home or ""
                return self._pages.read(again, step.address)
        return read

    def _home(self, gathered: Gathered) -> str | None:
        """Its name of today: no search finds it by an older one."""
        try:
            return self._pages.home(gathered.ask)
        except NoTokens:
            raise
        except ForgeFault:
            return None

    # --- changes -----------------------------------------------------------------------------------------------------

    def _join(self, gathered: Gathered, few: bool) -> None:
        """Pull requests of changes, one by one; of a day read without a token only those that the lists have."""
        known = gathered.issues.keys() | gathered.pulls.keys()
        changes = [c for c in gathered.ask.changes if c.pr is None or c.pr not in known]
        if few:
            self._leave_out(gathered, len([c for c in changes if c.pr is not None]))
            return
        gathered.was_asked("changes")
        if gathered.refused:
            return
        gathered.skip("tags", LeftOut("does not date them by REST"), " on other commits than those of the day")
        if "issues/reopened" not in gathered.asked:
            gathered.skip("events", LeftOut(UNDONE))
        fault = self._one_by_one(gathered, changes)
        if fault is not None:
            gathered.skip("changes", fault)

    def _one_by_one(self, gathered: Gathered, changes: Sequence[Change]) -> ForgeFault | None:
        """The pull requests of the changes, until one does not come; then why."""
        for change in changes[:MOST_JOINS]:
            fault = self._brought(gathered, change.sha) if change.pr is None else self._number(gathered, change.pr)
            if fault is not None:
                return fault
        if len(changes) > MOST_JOINS:
            return Unavailable("is not asked for so many one by one")
        for number in sorted(set(gathered.brought.values()) - gathered.pulls.keys()):
            fault = self._number(gathered, number)
            if fault is not None:
                return fault
        return None

    def _leave_out(self, gathered: Gathered, changes: int) -> None:
        """One `Skipped` for all that a token would have given."""
        assert self._left_out is not None
        names = [_REST[name] for name in _REST if name not in gathered.asked or name in gathered.unread]
        if changes:
            names.append(f"{changes} pull requests that changes name")
        gathered.skip("rest", self._left_out, f" ({', '.join(names)})")

    def _number(self, gathered: Gathered, number: int) -> ForgeFault | None:
        ask = gathered.ask
        try:
            item = self._pages.single(ask, f"/repos/{ask.repo.name}/issues/{number}", RestItem)
        except ForgeFault as fault:
            return fault
        if item is None or item.number != number:
            # An issue that moved to another repository is shown with its number there; pull requests do not move.
            gathered.absent.add(number)
        else:
            _place(gathered, item, light(item))
        return None

    def _brought(self, gathered: Gathered, sha: str) -> ForgeFault | None:
        ask = gathered.ask
        try:
            pulls = self._pages.single(ask, f"/repos/{ask.repo.name}/commits/{sha}/pulls", list[RestAssociated])
        except ForgeFault as fault:
            return fault
        merged = sorted((one for one in pulls or () if one.merged_at), key=lambda one: (str(one.merged_at), one.number))
        became = [one for one in merged if one.merge_commit_sha == sha]
        for one in (*became, *merged)[:1]:
            gathered.brought[sha] = one.number
        return None


def _fault(read: Sequence[Listing]) -> ForgeFault | None:
    return next((one.fault for one in read if one.fault is not None), None)


def _dated(tag: RestTag, gathered: Gathered) -> LightTag:
    """With the time of its commit, where that is one of the day's changes."""
    time = next((c.committed_at for c in gathered.ask.changes if c.sha == tag.commit.sha), None)
    return LightTag(tag.name, TagTarget("Commit", tag.commit.sha, time))


def _take(gathered: Gathered, found: dict[str, list[Any]]) -> None:
    """Put the lists together: an item may be in several, an event belongs to its item."""
    events: dict[int, list[RestEvent]] = {}
    for event in found.pop("events", []):
        events.setdefault(event.issue.number, []).append(event)
    for item in found.pop("releases", []):
        gathered.releases[item.tag_name] = release(item, gathered.ask)
        gathered.released.add(item.tag_name)
    gathered.tags = [_dated(tag, gathered) for tag in found.pop("tags", [])]
    for item in (item for items in found.values() for item in items):
        brief = light(item, events.get(item.number, ()))
        if happened(brief, gathered.ask.window):
            gathered.lights[item.number] = brief
            _place(gathered, item, brief, events.get(item.number, ()))


def _place(gathered: Gathered, item: RestItem, brief: Light, events: Sequence[RestEvent] = ()) -> None:
    if not item.is_pull:
        gathered.issues[item.number] = rest_issue(item, brief, gathered.ask, rest_closers(events, gathered.ask))
    else:
        gathered.pulls[item.number] = rest_pull(item, brief, gathered.ask)
