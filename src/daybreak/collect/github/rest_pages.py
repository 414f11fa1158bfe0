"""Pages of REST: by `Link`, asked for again only when they have changed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import quote

import msgspec
from msgspec import Struct

from daybreak.collect.github.client import Forge
from daybreak.collect.github.envelope_cache import Keep, read
from daybreak.collect.github.faults import ForgeFault, Incomplete, NoTokens, Offline, Refused
from daybreak.collect.github.lists import Listing, Search
from daybreak.collect.github.requests import Ask
from daybreak.collect.github.shapes import Page, PageInfo, RestFound, RestHome
from daybreak.core.http.http import Answer

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
