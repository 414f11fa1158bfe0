"""The permanent page of a change: all that was read and said of it, under an address that stays."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from daybreak.core.model.day import Day
from daybreak.report.archive import addresses
from daybreak.site.pages.day_lookup import Book, Index, subject
from daybreak.site.pages.highlight import hunk_html
from daybreak.site.pages.interface import Asset, Ground
from daybreak.site.pages.summaries import Summaries
from daybreak.site.pages.templates import render

_PATH = re.compile(r"([a-z]+)/changes/([A-Za-z0-9._-]+)/([0-9a-f]{12})\.html")


class ChangePages:
    """One page for each reported change and language; one that several days tell has it from the newest of them."""

    def __init__(self, ground: Ground) -> None:
        self._ground, self._summaries = ground, Summaries.of(ground)
        self._known: tuple[dict[str, str], dict[tuple[str, str], str]] = ({}, {})
        self._last: tuple[Day, Index] | None = None

    def keys(self) -> Iterable[tuple[str, str]]:
        """Days in order, so that each of them is decoded once."""
        digests = self._ground.archive.digests()
        of_day = {label: self._digest(digest) for label, digest in digests.items()}
        for (repo, sha), label in self._labels().items():
            for language in self._ground.languages:
                yield f"{language}/changes/{repo}/{sha}.html", of_day[label]

    def page(self, path: str) -> Asset | None:
        found = _PATH.fullmatch(path)
        if found is None or found[1] not in self._ground.languages:
            return None
        label = self._labels().get((found[2], found[3]))
        day = self._ground.archive.day(label) if label else None
        if day is None:
            return None
        book = Book(day, found[1], path, self._index(day))
        told = book.changes.get(found[3])
        if told is None or addresses.repo_slug(told.repo.name) != found[2]:
            return None
        values = {"day": day, "book": book, "told": told, "subject": subject, "hunk_html": hunk_html}
        return render(self._ground, "change.html", path, found[1], values)

    def _index(self, day: Day) -> Index:
        """Changes of one day are mostly asked for one after the other."""
        if self._last is None or self._last[0] is not day:
            self._last = (day, Index(day))
        return self._last[1]

    def _labels(self) -> dict[tuple[str, str], str]:
        """Repository and sha, as in the address -> the day that tells it."""
        digests = self._ground.archive.digests()
        if self._known[0] is not digests and self._known[0] != digests:
            found = {
                (addresses.repo_slug(repo.name), change.sha[: addresses.SHORT]): day.label
                for day in self._summaries.days()
                if day.label in digests
                for repo in day.repos
                for change in repo.changes
            }
            self._known = (digests, dict(sorted(found.items(), key=lambda pair: (pair[1], pair[0]))))
        return self._known[1]

    def _digest(self, day: str) -> str:
        told = "\0".join((self._ground.look, *self._ground.languages, day))
        return hashlib.sha256(told.encode()).hexdigest()
