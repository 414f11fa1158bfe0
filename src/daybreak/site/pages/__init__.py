"""The pages people read, for the static site and the server: an asset, a family of pages, and the ground they stand on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from msgspec import Struct

from daybreak.core.config import Settings
from daybreak.report.archive.interface import Archive

SECTIONS = {
    "assets": "daybreak.site.pages.templates:AssetFiles",
    "home": "daybreak.site.pages.views:HomePages",
    "days": "daybreak.site.pages.days:DayPages",
    "changes": "daybreak.site.pages.days:ChangePages",
    "calendar": "daybreak.site.pages.repository:CalendarPages",
    "compare": "daybreak.site.pages.compare:ComparePages",
    "rollups": "daybreak.site.pages.rollups:RollupPages",
    "symbols": "daybreak.site.pages.symbols:SymbolPages",
    "symbol_names": "daybreak.site.pages.symbols:SymbolNames",
    "ranges": "daybreak.site.pages.ranges:RangePages",
    "repos": "daybreak.site.pages.repository:RepositoryPages",
    "stories": "daybreak.site.pages.views:StoryPages",
    "releases": "daybreak.site.pages.views:ReleasePages",
    "status": "daybreak.site.pages.views:StatusPages",
    "nowhere": "daybreak.site.pages.plain:NowherePage",
    "search": "daybreak.site.pages.search_page:SearchPages",
    "search_files": "daybreak.site.pages.search_page:SearchFiles",
    "feeds": "daybreak.site.pages.site:FeedFiles",
}
"""Each family of pages by name; adding one is one class with the methods of `Section` and one line here."""


# --- What pages are made of and from: one asset, one family of pages, and the ground that every family stands on ---

HTML = "text/html; charset=utf-8"


class Asset(Struct, frozen=True):
    """One file of the site."""

    path: str
    body: bytes
    media_type: str


class Ground(Struct, frozen=True):
    """What every family of pages is given."""

    archive: Archive
    settings: Settings
    look: str
    """Changes when templates, phrases, style or the code of the pages do: part of every page's digest."""

    @property
    def languages(self) -> tuple[str, ...]:
        """Of the pages; the first is the main one, in which `index.html` at the root is written."""
        return self.settings.languages


FRESH = 14
"""Newest days that are told whole. Of an older one the page has every change with what is said of it; the code and the
files are at the forge: a year told whole would be a gigabyte of pages.
"""


def aged(archive: Archive) -> frozenset[str]:
    """The days that are no longer told whole."""
    return frozenset(archive.labels()[:-FRESH])


class Section(Protocol):
    """One family of pages; made with `Section(ground)`, asked by several threads."""

    def keys(self) -> Iterable[tuple[str, str]]:
        """Path and digest of everything that page depends on. Cheap: no day is decoded that did not change."""
        ...

    def page(self, path: str) -> Asset | None:
        """Made when asked for; None: there is no such page."""
        ...
