"""A window by GraphQL: light lists say what happened, then each item is asked for once, by its number.

Yesterday is read from the lists sorted by the time of the last touch; older days by search. What a change says of its
pull request is believed when the pull request became that very commit, and asked about otherwise.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from daybreak.collect.github.client import Forge
from daybreak.collect.github.lists import KINDS, Listing, Search, read_lists
from daybreak.collect.github.queries import (
    BROUGHT,
    EVENTS_OF_ISSUE,
    EVENTS_OF_PULL,
    ITEM,
    LINKED,
    RELEASE,
    TURNS_OF_ISSUE,
    TURNS_OF_PULL,
    Part,
    fetch,
)
from daybreak.collect.github.requests import OPENED_AND_CLOSED, ForgeFault, Gathered, Keep, LeftOut, Unavailable
from daybreak.collect.github.shapes import (
    Brought,
    Light,
    LightRelease,
    LightTag,
    Page,
    Whole,
    WholeRelease,
    WithEvents,
    WithTurns,
)
from daybreak.collect.github.values import issue, pull, release
from daybreak.core.model.changes import Change, Window

# --- Items with more closings and reopenings than came with them: the rest of their events ---


MOST_ROUNDS = 20


def unfinished(light: Light, gathered: Gathered) -> bool:
    """Whether events of the window may be missing; they come oldest first, from the window's beginning on."""
    items = light.timeline_items
    return items.page_info.has_next_page and all(event.created_at < gathered.ask.window.until for event in items.nodes)


def read_events(forge: Forge, wanted: list[tuple[Gathered, Light]]) -> list[tuple[Gathered, Light, ForgeFault | None]]:
    """Each with all its events of the window, or with those that came and the fault."""
    ended: list[tuple[Gathered, Light, ForgeFault | None]] = []
    for _ in range(MOST_ROUNDS):
        ended += [(gathered, light, None) for gathered, light in wanted if not unfinished(light, gathered)]
        active = [(gathered, light) for gathered, light in wanted if unfinished(light, gathered)]
        wanted = []
        if not active:
            return ended
        for answered in fetch(forge, [_part(*one) for one in active]):
            for place, found in answered:
                gathered, light = active[place]
                if isinstance(found, ForgeFault):
                    ended.append((gathered, light, found))
                else:
                    wanted.append((gathered, _joined(light, found)))
    return ended + [(gathered, light, ForgeFault("names too many events")) for gathered, light in wanted]


def _part(gathered: Gathered, light: Light) -> Part:
    text = EVENTS_OF_ISSUE if light.typename == "Issue" else EVENTS_OF_PULL
    after = light.timeline_items.page_info.end_cursor
    values = {"number": light.number, "after": after, "since": gathered.ask.since}
    return Part(gathered.ask.repo.name, text, dict[str, WithEvents], values)


def _joined(light: Light, found: dict[str, Any]) -> Light:
    more: WithEvents = next(iter(found.values()))
    nodes = [*light.timeline_items.nodes, *more.timeline_items.nodes]
    return msgspec.structs.replace(light, timeline_items=Page(nodes, more.timeline_items.page_info))


# --- Single things that are wanted by name: from their envelopes where they stand there, else in bundles from the forge ---


SHOWN = 10
"""Names of missing things that a `Skipped` lists."""


class Want(Struct, frozen=True):
    """One thing: where it is kept, how it is asked for, and who takes it."""

    gathered: Gathered
    list: str
    """The list it belongs to, for the `Skipped` when it does not come."""
    category: str
    name: str
    text: str
    values: dict[str, Any]
    take: Callable[[bytes], None]
    """Raises msgspec's error for what it cannot read."""
    fresh: Callable[[bytes], bool] = lambda _body: False

    @property
    def part(self) -> Part:
        return Part(self.gathered.ask.repo.name, self.text, dict[str, msgspec.Raw], self.values)


def satisfy(forge: Forge, keep: Keep, wants: Iterable[Want], instead: ForgeFault | None = None) -> None:
    """Get them all; those that do not come are skipped by name. `instead`: why the forge is not to be asked."""
    began = keep.now()
    missing = [want for want in wants if not _from_envelope(keep, want)]
    failed: list[tuple[Want, ForgeFault]] = []
    if instead is not None:
        failed = [(want, instead) for want in missing]
        missing = []
    for answered in fetch(forge, [want.part for want in missing]) if missing else ():
        bodies: dict[tuple[int, str], dict[str, bytes]] = defaultdict(dict)
        for place, found in answered:
            want = missing[place]
            fault = found if isinstance(found, ForgeFault) else _taken(want, bytes(next(iter(found.values()))), bodies)
            if fault is not None:
                failed.append((want, fault))
        for want in missing:
            if kept := bodies.pop((id(want.gathered), want.category), None):
                keep.save(want.gathered.ask, want.category, kept, began)
    _skip(failed)


def _from_envelope(keep: Keep, want: Want) -> bool:
    try:
        body = keep.standing(want.gathered.ask, want.category, want.name, want.fresh)
        if body is not None:
            want.take(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return body is not None


def _taken(want: Want, body: bytes, bodies: dict[tuple[int, str], dict[str, bytes]]) -> ForgeFault | None:
    try:
        want.take(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Unavailable("gave an answer that cannot be read")
    bodies[id(want.gathered), want.category][want.name] = body
    return None


def _skip(failed: Iterable[tuple[Want, ForgeFault]]) -> None:
    grouped: dict[tuple[int, str], list[tuple[Want, ForgeFault]]] = defaultdict(list)
    for want, fault in failed:
        grouped[id(want.gathered), want.list].append((want, fault))
    for group in grouped.values():
        names = [
            want.values.get("tag") or want.values.get("sha", "")[:9] or f"#{want.values['number']}" for want, _ in group
        ]
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        want, fault = group[0]
        want.gathered.skip(want.list, fault, f" {', '.join(names[:SHOWN])}{more}")


# --- Timelines with more turns than came with their items: the rest of them, page by page, kept like everything else ---


MOST_PAGES = 20
"""Beyond the first one."""

Place = Callable[[Gathered, Whole], None]
"""Puts an item in the place of the one before."""


def note(gathered: Gathered, whole: Whole) -> None:
    """Remember an item of whose timeline there is more."""
    if whole.turns is not None and whole.turns.page_info.has_next_page:
        gathered.unfinished[whole.number] = whole


def finish(all_gathered: Sequence[Gathered], satisfy: Callable[[list[Want]], None], place: Place) -> None:
    """Read them to their ends; a page that does not come is skipped by the number of its item."""
    for _ in range(MOST_PAGES):
        wants = [_next(gathered, whole, place) for gathered in all_gathered for whole in gathered.unfinished.values()]
        if not wants:
            return
        for gathered in all_gathered:
            gathered.unfinished = {}
        satisfy(wants)
    for gathered in all_gathered:
        for number in gathered.unfinished:
            gathered.skip("timelines", Unavailable("names too many events"), f" #{number}")


def _next(gathered: Gathered, whole: Whole, place: Place) -> Want:
    assert whole.turns is not None
    before, after = whole.turns, whole.turns.page_info.end_cursor

    def take(body: bytes) -> None:
        found = msgspec.json.decode(body, type=WithTurns | None)
        if found is not None:
            joined = Page([*before.rows, *found.turns.rows], found.turns.page_info)
            place(gathered, msgspec.structs.replace(whole, turns=joined))

    text = TURNS_OF_ISSUE if whole.typename == "Issue" else TURNS_OF_PULL
    values = {"number": whole.number, "after": after}
    return Want(gathered, "timelines", "turns", f"{whole.number}/{after}", text, values, take)


SEARCHED = ("created", "closed")
UNDONE = (
    "shows by search how items stand today: what was reopened, and closings undone since, it tells only of recent days"
)
_LISTS: dict[str, Any] = {"releases": list[LightRelease], "tags": list[LightTag]}


class GraphReader:
    """Reads windows of many repositories with few requests."""

    def __init__(
        self, forge: Forge, keep: Keep, recent: Callable[[Window], bool], instead: ForgeFault | None = None
    ) -> None:
        self._forge, self._keep, self._recent, self._instead = forge, keep, recent, instead

    def kept(self, gathered: Gathered) -> bool:
        """Whether every list of it stands in envelopes."""
        return not list(self._listings(Gathered(gathered.ask)))

    def standing(self, gathered: Gathered) -> int:
        """How many lists of it stand in envelopes."""
        empty = Gathered(gathered.ask)
        return sum(self._stored(empty, name) for name in ("releases", "tags", "issues", "pulls", *SEARCHED))

    def read(self, all_gathered: Sequence[Gathered]) -> None:
        """Fill them; what cannot be had is skipped in them. Raises NoGraphql, or NoTokens, when REST must be asked."""
        self._read_lists(all_gathered)
        all_gathered = [gathered for gathered in all_gathered if not gathered.refused]
        self._satisfy([want for gathered in all_gathered for want in self._first_wants(gathered)])
        unsure = [(g, change) for g in all_gathered for change in g.ask.changes if _unsure(g, change)]
        self._satisfy([_brought(g, change) for g, change in unsure])
        self._satisfy([_item(g, n, "changes") for g in all_gathered for n in _new_numbers(g)])
        finish(all_gathered, self._satisfy, _place)

    def _satisfy(self, wants: list[Want]) -> None:
        satisfy(self._forge, self._keep, wants, self._instead)

    # --- lists -----------------------------------------------------------------------------------------------------

    def _read_lists(self, all_gathered: Sequence[Gathered]) -> None:
        wanted = [(g, name, listing) for g in all_gathered for name, listing in self._listings(g)]
        if self._instead is not None:
            for gathered, name, _ in wanted:
                gathered.skip(_called(name), self._instead)
                self._doubt_tags(gathered, name, self._instead)
            return
        owners, began = {id(g.ask): g for g in all_gathered}, self._keep.now()
        read = read_lists(self._forge, [listing for _, _, listing in wanted])
        for gathered, name, first in wanted:
            mine = [one for one in read if owners[id(one.ask)] is gathered and one.kind.name == first.kind.name]
            self._take_list(gathered, name, mine, began)

    def _listings(self, gathered: Gathered) -> Iterator[tuple[str, Listing]]:
        """Lists that must be read; those that stand in envelopes are taken from there."""
        ask = gathered.ask
        gathered.was_asked("releases", "tags", "changes", *OPENED_AND_CLOSED)
        for name in ("releases", "tags"):
            if not self._stored(gathered, name):
                yield name, Listing(ask, KINDS[name])
        missing = [name for name in ("issues", "pulls") if not self._stored(gathered, name)]
        if not missing or self._recent(ask.window):
            gathered.was_asked("issues/reopened")
            yield from ((name, Listing(ask, KINDS[name])) for name in missing)
            return
        gathered.skip("events", LeftOut(UNDONE))
        for name in SEARCHED:
            if not self._stored(gathered, name):
                yield name, Search(ask, name, ask.window.since, ask.window.until)

    def _stored(self, gathered: Gathered, name: str) -> bool:
        ask, kind = gathered.ask, _LISTS.get(name, list[Light])
        nodes: list[Any] | None = self._keep.final(ask, f"index/{name}", ask.span, kind)
        if nodes is not None:
            _note(gathered, name, nodes)
        return nodes is not None

    def _take_list(self, gathered: Gathered, name: str, read: Sequence[Listing], began: datetime) -> None:
        """What came is taken; it is kept as the whole list only when it is."""
        fault = next((one.fault for one in read if one.fault is not None), None)
        nodes = [node for one in read for node in (one.known.values() if name == "releases" else one.telling)]
        if name not in _LISTS:
            nodes, missed = self._with_events(gathered, nodes)
            fault = fault or missed
        _note(gathered, name, nodes)
        if fault is not None:
            gathered.skip(_called(name), fault)
            self._doubt_tags(gathered, name, fault)
        else:
            ask = gathered.ask
            self._keep.save(ask, f"index/{name}", {ask.span: msgspec.json.encode(nodes)}, began)

    @staticmethod
    def _doubt_tags(gathered: Gathered, name: str, fault: ForgeFault) -> None:
        if name == "releases":
            gathered.tags_known = False
            gathered.skip("tags", fault)

    def _with_events(self, gathered: Gathered, nodes: list[Any]) -> tuple[list[Any], ForgeFault | None]:
        cut = [(gathered, light) for light in nodes if unfinished(light, gathered)]
        if not cut:
            return nodes, None
        read = read_events(self._forge, cut)
        whole = {light.number: light for _, light, _ in read}
        fault = next((fault for _, _, fault in read if fault is not None), None)
        return [whole.get(light.number, light) for light in nodes], fault

    # --- single things -----------------------------------------------------------------------------------------------

    def _first_wants(self, gathered: Gathered) -> Iterator[Want]:
        for number, light in sorted(gathered.lights.items()):
            yield _item(gathered, number, "issues" if light.typename == "Issue" else "pulls")
        for number in _new_numbers(gathered):
            yield _item(gathered, number, "changes")
        for tag in list(gathered.releases_wanted):
            yield _release(gathered, tag)
        for change in gathered.ask.changes:
            if change.pr is None:
                yield _brought(gathered, change)


def _called(name: str) -> str:
    return "items" if name in SEARCHED else name


def _note(gathered: Gathered, name: str, nodes: Sequence[Any]) -> None:
    if name == "releases":
        gathered.released |= {one.tag_name for one in nodes if not one.is_draft}
        telling = KINDS["releases"].telling
        gathered.releases_wanted |= {one.tag_name: None for one in nodes if telling(one, gathered.ask)}
    elif name == "tags":
        gathered.tags = list(nodes)
    else:
        gathered.lights |= {light.number: light for light in nodes}


def _new_numbers(gathered: Gathered) -> list[int]:
    """Numbers that changes carry, or came by, and of which nothing is known yet."""
    named = {change.pr for change in gathered.ask.changes if change.pr} | set(gathered.brought.values())
    known = gathered.lights.keys() | gathered.issues.keys() | gathered.pulls.keys() | gathered.absent
    return sorted(named - known)


def _item(gathered: Gathered, number: int, of: str) -> Want:
    light = gathered.lights.get(number)

    def take(body: bytes) -> None:
        whole = msgspec.json.decode(body, type=Whole | None)
        if whole is None:
            gathered.absent.add(number)
        else:
            _place(gathered, whole)
        if whole is not None and whole.linked is not None and whole.linked.total_count > LINKED:
            gathered.skip(of, Unavailable(f"links it to more than {LINKED} others"), f" #{number}")

    def fresh(body: bytes) -> bool:
        whole = msgspec.json.decode(body, type=Whole | None)
        return light is None or (whole is not None and whole.updated_at == light.updated_at)

    return Want(gathered, of, "items", str(number), ITEM, {"number": number}, take, fresh)


def _place(gathered: Gathered, whole: Whole) -> None:
    light = gathered.lights.get(whole.number)
    if whole.typename == "Issue":
        gathered.issues[whole.number] = issue(whole, light, gathered.ask)
    else:
        gathered.pulls[whole.number] = pull(whole, light, gathered.ask)
    note(gathered, whole)


def _release(gathered: Gathered, tag: str) -> Want:
    def take(body: bytes) -> None:
        whole = msgspec.json.decode(body, type=WholeRelease | None)
        if whole is not None:
            gathered.releases[tag] = release(whole, gathered.ask)

    return Want(gathered, "releases", "releases", tag, RELEASE, {"tag": tag}, take)


def _unsure(gathered: Gathered, change: Change) -> bool:
    """Whether the pull request that a subject names did not become this commit; the sure ones are noted."""
    if change.pr is None or change.sha in gathered.brought:
        return False
    named = gathered.pulls.get(change.pr)
    if named is not None and named.merge_sha == change.sha:
        gathered.brought[change.sha] = change.pr
        return False
    return True


def _brought(gathered: Gathered, change: Change) -> Want:
    def take(body: bytes) -> None:
        found = msgspec.json.decode(body, type=Brought | None)
        number = None if found is None else chosen(found, change)
        if number is not None:
            gathered.brought[change.sha] = number

    def fresh(body: bytes) -> bool:
        """Right after a push, GitHub may not know yet."""
        found = msgspec.json.decode(body, type=Brought | None)
        return found is not None and bool(found.associated_pull_requests and found.associated_pull_requests.nodes)

    return Want(gathered, "changes", "brought", change.sha, BROUGHT, {"sha": change.sha}, take, fresh)


def chosen(found: Brought, change: Change) -> int | None:
    """Of the pull requests that hold a commit: the one that became it, the one it names, or the first one merged."""
    nodes = found.associated_pull_requests.nodes if found.associated_pull_requests else []
    ours = [one for one in nodes if one and (found.repository is None or one.repository == found.repository)]
    became = [one.number for one in ours if one.merge_commit and one.merge_commit.oid == change.sha and one.merged_at]
    named = [one.number for one in ours if one.number == change.pr]
    merged = [one.number for one in sorted(ours, key=lambda one: (str(one.merged_at), one.number)) if one.merged_at]
    return next(iter((*became, *named, *merged)), None)
