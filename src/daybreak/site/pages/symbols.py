"""Lives of names: what reported changes did to each flag, variable, class, operator and package, and where to find it.

Names of one surface that begin alike share a page: a page for each would be most of the site, and its frame most of each.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from string import ascii_lowercase, digits
from typing import Any

from msgspec import Struct

from daybreak.findings.kinds import ANOTHER_NAME, kind_of
from daybreak.judge.phrases import LISTED
from daybreak.report.archive import addresses
from daybreak.site.pages import Asset, Ground
from daybreak.site.pages.aftermath import After, aftermath
from daybreak.site.pages.kept_summaries import Summaries
from daybreak.site.pages.named_pages import has_page
from daybreak.site.pages.range_steps import surface_of
from daybreak.site.pages.ranges import RangeFile, range_files
from daybreak.site.pages.summaries import ChangeLine, DaySummary, SymbolEvent
from daybreak.site.pages.views import ViewPages, without_language

SCRIPT = "text/javascript; charset=utf-8"


class LifeEvent(Struct, frozen=True):
    """One thing that happened to a name, with the change that did it and the day that tells it."""

    label: str
    change: ChangeLine
    event: SymbolEvent
    after: After | None = None
    """What became of the change."""


class Life(Struct, frozen=True):
    """A name with what happened to it, oldest first."""

    repo: str
    surface: str
    name: str
    events: tuple[LifeEvent, ...]
    elsewhere: tuple[tuple[str, str, str], ...] = ()
    """Repository, surface and name of what is called the same: a flag and its field, or another project's."""

    @property
    def gone(self) -> bool:
        if self.events[-1].after and self.events[-1].after.gone:
            return False
        last = self.events[-1].event
        change = kind_of(last.kind).change
        return change == "removed" or (change == "renamed" and last.after != self.name)


class SymbolsView(Struct, frozen=True):
    repo: str
    surface: str
    letter: str
    lives: tuple[Life, ...]


def lives_of(days: Sequence[DaySummary]) -> list[Life]:
    """Every name that somebody may ask for, by repository, surface and name, with all that days tell of it."""
    found: dict[tuple[str, str, str], dict[tuple[str, str], LifeEvent]] = {}
    later = aftermath(days)
    for day in days:
        for repo in day.repos:
            changes = {one.sha: one for one in repo.changes}
            for event in repo.symbols:
                told = LifeEvent(day.label, changes[event.sha], event, later.get((repo.name, event.sha)))
                for name in _names(event):
                    held = found.setdefault((repo.name, kind_of(event.kind).surface, name), {})
                    held[event.sha, event.kind] = told
    told_of = [
        one
        for one, some in found.items()
        if any(has_page(e.event.kind, one[2], e.event.breaking) for e in some.values())
    ]
    same: dict[str, list[tuple[str, str, str]]] = {}
    for place in told_of:
        same.setdefault(_plain(place[2]), []).append(place)
    return [
        Life(
            *place,
            tuple(sorted(events.values(), key=lambda one: one.change.committed_at)),
            tuple(other for other in same[_plain(place[2])] if other[:2] != place[:2])[:_MOST_ELSEWHERE],
        )
        for place in sorted(told_of)
        for events in (found[place],)
    ]


_MOST_ELSEWHERE = 4


def _names(event: SymbolEvent) -> Iterator[str]:
    """The name itself; of a rename both, since a reader knows one of them."""
    yield event.symbol
    if kind_of(event.kind).change in ANOTHER_NAME:
        yield from (
            name for name in (event.before, event.after) if name and name != event.symbol and len(name.split()) == 1
        )


def _plain(name: str) -> str:
    """The last part of a name, as a flag, its field and its keyword share it."""
    last = name.partition("(")[2].rstrip(")") or name
    return last.replace("::", ".").rpartition(".")[2].lstrip("-").replace("-", "_").lower()


class SymbolPages(ViewPages[SymbolsView]):
    """One for each repository, surface and first letter."""

    template = "symbols.html"
    section = "symbols"
    beginning = "symbols/"

    def views(self, days: Sequence[DaySummary]) -> Mapping[str, SymbolsView]:
        def place(life: Life) -> str:
            return without_language(addresses.symbols_path("-", life.repo, life.surface, life.name))

        every = sorted(lives_of(days), key=lambda life: (place(life), life.name.lower(), life.name))
        return {
            path: SymbolsView(some[0].repo, some[0].surface, addresses.symbol_letter(some[0].name), tuple(some))
            for path, group in groupby(every, key=place)
            for some in (list(group),)
        }


class SymbolNames:
    """Names by their first letter, for the search of the static site: a name that is asked for leads to its life."""

    def __init__(self, ground: Ground) -> None:
        self._ground, self._summaries = ground, Summaries.of(ground)
        self._found: tuple[list[DaySummary], dict[str, bytes]] = ([], {})
        self._ranges: tuple[tuple[str, RangeFile], ...] = ()

    def keys(self) -> Iterable[tuple[str, str]]:
        return [(path, hashlib.sha256(body).hexdigest()) for path, body in self._files().items()]

    def page(self, path: str) -> Asset | None:
        body = self._files().get(path) if path.startswith("search/symbols/") else None
        return None if body is None else Asset(path, body, SCRIPT)

    def _files(self) -> dict[str, bytes]:
        days, ranges = self._summaries.days(), tuple(range_files(self._ground))
        if self._found[0] is not days or self._ranges != ranges:
            self._found, self._ranges = (days, dict(self._made(days))), ranges
        return self._found[1]

    def _made(self, days: Sequence[DaySummary]) -> Iterator[tuple[str, bytes]]:
        """Of every letter, also one without names: a script that asks for a file that is not there fails aloud."""
        rows: dict[str, dict[str, list[list[Any]]]] = {letter: {} for letter in ascii_lowercase + digits}
        for life in lives_of(days):
            path = without_language(addresses.symbol_path("-", life.repo, life.surface, life.name))
            plain = _plain(life.name)
            told = [life.repo, life.surface, life.name, path, brief_events(life)]
            rows[addresses.first_letter(plain)].setdefault(plain, []).append(told)
        for one in upgraded(self._ground):
            told = [
                one.repo,
                one.surface,
                one.name,
                without_language(one.place("-")),
                [(one.span, one.verb, one.turn, "")],
            ]
            rows[addresses.first_letter(_plain(one.name))].setdefault(_plain(one.name), []).append(told)
        for letter, names in sorted(rows.items()):
            packed = json.dumps(names, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
            yield addresses.symbol_names_path(letter), f"daybreakLives({json.dumps(letter)},{packed});\n".encode()


class Upgraded(Struct, frozen=True):
    """A name that an upgrade breaks, or whose default it changes, and the part of its page that says what to do."""

    repo: str
    surface: str
    name: str
    span: str
    verb: str
    turn: str
    stem: str
    anchor: str

    def place(self, language: str) -> str:
        return f"{addresses.range_path(language, self.stem)}#{self.anchor}"


def upgraded(ground: Ground) -> Iterator[Upgraded]:
    """All of them, by the last part of their names."""
    for stem, found in range_files(ground):
        span = f"{found.start.name} → {found.end.name}"
        for net in found.nets:
            kind = kind_of(net.kind)
            if net.symbol and (net.breaking or kind.felt_part == "defaults"):
                surface = surface_of(net)
                anchor = f"breaking-{surface}" if net.breaking else "felt-defaults"
                sides = [side for side in (net.before, net.after) if side]
                turn = " → ".join(sides) if len(sides) == 2 and sum(map(len, sides)) <= _SHORT else ""
                name = net.symbol.rpartition(":")[2] if kind.family in ("registry", LISTED) else net.symbol
                yield Upgraded(found.repo.name, surface, name, span, kind.change, turn, stem, anchor)


def brief_events(life: Life) -> list[tuple[str, str, str, str]]:
    """What a search says of a name at once: day, what happened, before → after where both are short, and what became of
    the change; newest last.
    """
    return [
        (one.label, kind_of(one.event.kind).change, _turn(one.event), one.after.kind if one.after else "")
        for one in life.events[-_TOLD:]
    ]


_TOLD, _SHORT = 3, 60


def _turn(event: SymbolEvent) -> str:
    sides = [side for side in (event.before, event.after) if side and side != event.symbol]
    told = " → ".join(sides) if len(sides) == 2 else f"→ {event.default}" if event.default else ""
    return told if len(told) <= _SHORT else ""


def upgrades_called(ground: Ground, words: Iterable[str]) -> list[Upgraded]:
    """What upgrades do to the names that somebody asks for."""
    wanted = {_plain(word) for word in words if len(word) > 2}
    return [one for one in upgraded(ground) if _plain(one.name) in wanted]


def lives_called(days: Sequence[DaySummary], words: Iterable[str]) -> list[Life]:
    """The lives of the names that somebody asks for, most told first; of words that are a name together, none of each alone."""
    every: dict[str, list[Life]] = {}
    for life in lives_of(days):
        every.setdefault(_plain(life.name), []).append(life)
    found: list[Life] = []
    told = set[str]()
    for word in words:
        some = every.get(_plain(word), []) if len(word) > 2 and told.isdisjoint(word.split("_")) else []
        told.update(word.split("_") if some else ())
        found += sorted(some, key=lambda life: (-len(life.events), life.repo, life.name))
    return found
