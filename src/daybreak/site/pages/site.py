"""The whole site: one page when it is asked for, or all of them as files, of which only those that changed are written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

from daybreak.core.config import Settings
from daybreak.core.model.day import Day
from daybreak.report.archive.interface import Archive
from daybreak.site.pages import SECTIONS
from daybreak.site.pages.interface import Asset, Ground, Section
from daybreak.site.pages.summary_cache import Summaries
from daybreak.site.pages.templates import look_digest
from daybreak.site.pages.writing import Built, Wanted, write_site

_LATELY = 3
"""Days that a build holds as values: pages of a day are made one after the other."""


class Site:
    """All families of pages over one archive."""

    def __init__(self, archive: Archive, settings: Settings) -> None:
        self._archive, self._settings = archive, settings
        self._ground = Ground(archive, settings, look_digest())
        self._sections = [_section(target)(self._ground) for target in SECTIONS.values()]

    def keys(self) -> Iterator[tuple[str, str]]:
        """Every path of the site with the digest of what its page depends on."""
        for section in self._sections:
            yield from section.keys()

    def page(self, path: str) -> Asset | None:
        """Made now; None: there is no such page."""
        for section in self._sections:
            asset = section.page(path)
            if asset is not None:
                return asset
        return None

    def unreadable(self) -> list[str]:
        """Days whose report cannot be read; each has a page that says so."""
        return [one.label for one in Summaries.of(self._ground).days() if one.unreadable]

    def build(self, out: Path) -> Built:
        """The site as files: what did not change is not made, and nothing is touched that another wrote."""
        still = Site(_Still(self._archive), self._settings)
        return write_site(out, still.wanted())

    def wanted(self) -> Iterator[Wanted]:
        """Every path with its digest and with who makes it."""
        for section in self._sections:
            for path, digest in section.keys():  # noqa: SIM118  no dict
                yield path, digest, section.page


def _section(target: str) -> Callable[[Ground], Section]:
    module, _, name = target.partition(":")
    found: Callable[[Ground], Section] = getattr(import_module(module), name)
    return found


class _Still:
    """An archive that is asked once which days there are: a build sees one state, and asks little."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._digests = archive.digests()
        self._lately: dict[str, Day | None] = {}

    def labels(self) -> list[str]:
        return list(self._digests)

    def digest(self, label: str) -> str | None:
        return self._digests.get(label)

    def digests(self) -> dict[str, str]:
        return self._digests

    def day(self, label: str) -> Day | None:
        if label not in self._digests:
            return None
        if label not in self._lately:
            self._lately = {**dict(list(self._lately.items())[-_LATELY:]), label: self._archive.day(label)}
        return self._lately[label]

    def data(self, label: str) -> bytes | None:
        return self._archive.data(label) if label in self._digests else None
