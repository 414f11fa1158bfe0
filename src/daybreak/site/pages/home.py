"""The home page: the newest day's actions, the days before it, the repositories, and where to subscribe."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from daybreak.core.errors import DaybreakError
from daybreak.core.model.day import Day
from daybreak.report.archive import addresses
from daybreak.site.pages.day_lookup import Book, subject
from daybreak.site.pages.interface import Asset, Ground
from daybreak.site.pages.summaries import DaySummary, Summaries
from daybreak.site.pages.templates import render

ROOT = "index.html"
RECENT = 14
ACTIONS = 8
PARTS = 3
"""Changes shown of a line that joins several; the day has them all."""


class HomePages:
    """One for each language, and the main one at the root."""

    def __init__(self, ground: Ground) -> None:
        self._ground, self._summaries = ground, Summaries.of(ground)

    def keys(self) -> Iterable[tuple[str, str]]:
        digests = self._ground.archive.digests()
        recent = [f"{label}={digest}" for label, digest in list(digests.items())[-RECENT:]]
        told = "\0".join((self._ground.look, *self._ground.languages, str(len(digests)), *recent, *self._repos()))
        digest = hashlib.sha256(told.encode()).hexdigest()
        return [(path, digest) for path in self._paths()]

    def page(self, path: str) -> Asset | None:
        language = self._paths().get(path)
        if language is None:
            return None
        days = self._summaries.days()
        newest = self._newest(days)
        values = {
            "section": "home",
            "newest": newest,
            "book": Book(newest, language, path) if newest else None,
            "recent": days[::-1][:RECENT],
            "days": len(days),
            "repos": self._repos(),
            "most": ACTIONS,
            "home_parts": PARTS,
            "subject": subject,
            "hunk_html": None,
        }
        return render(self._ground, "home.html", path, language, values)

    def _paths(self) -> dict[str, str]:
        return {ROOT: self._ground.languages[0]} | {addresses.home_path(x): x for x in self._ground.languages}

    def _newest(self, days: list[DaySummary]) -> Day | None:
        """The newest day that can be read."""
        for one in reversed(days):
            try:
                return self._ground.archive.day(one.label)
            except DaybreakError:
                continue
        return None

    def _repos(self) -> list[str]:
        """Those of the newest day, then others that were watched before; in the order of the watchlist."""
        found = [repo.name for day in reversed(self._summaries.days()) for repo in day.repos]
        return list(dict.fromkeys(found))
