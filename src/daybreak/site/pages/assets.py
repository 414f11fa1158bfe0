"""Style and scripts of the site, each under an address that changes with its content."""

from __future__ import annotations

from collections.abc import Iterable

from daybreak.site.pages.interface import Asset, Ground
from daybreak.site.pages.templates import static_files, static_paths

MEDIA = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}

PLAIN = ".nojekyll"
"""Tells GitHub Pages to publish the files as they are."""


class AssetFiles:
    """What lies in `static/`."""

    def __init__(self, ground: Ground) -> None:
        del ground  # the same for every site

    def keys(self) -> Iterable[tuple[str, str]]:
        return [(path, path) for path in (*static_paths().values(), PLAIN)]

    def page(self, path: str) -> Asset | None:
        if path == PLAIN:
            return Asset(path, b"", "text/plain")
        for name, address in static_paths().items():
            if address == path:
                return Asset(path, static_files()[name], MEDIA[name.rpartition(".")[2]])
        return None
