"""Pages as the server takes them from the site: by clean addresses only, and made again only when a day changed."""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from daybreak.report.archive.interface import Archive
from daybreak.site.pages.interface import Asset
from daybreak.site.pages.site import Site

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
