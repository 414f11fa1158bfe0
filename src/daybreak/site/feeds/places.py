"""Where a feed and what it links to lie: absolute below a base address, else relative to the feed's own file."""

from __future__ import annotations

import posixpath

from msgspec import Struct

from daybreak.site.feeds.values import web


class Place(Struct, frozen=True):
    """Of one feed; `base`: the address of the site's root, or empty where it is not known."""

    path: str
    base: str = ""

    @property
    def known(self) -> bool:
        return bool(web(self.base))

    def href(self, target: str) -> str:
        """The link to an address of the site or of the web; empty where there is none to give."""
        if not target or "://" in target:
            return web(target)
        if self.known:
            return f"{self.base.rstrip('/')}/{target}"
        path, mark, anchor = target.partition("#")
        return posixpath.relpath(path, posixpath.dirname(self.path) or ".") + mark + anchor
