"""Pages of weeks and months: what `daybreak rollup` found to hold at their end, with links to the days and changes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from markupsafe import Markup

from daybreak.core.model.rollup import BY_CHANGE, Line, Rollup, by_change
from daybreak.core.windows import stretches
from daybreak.report.archive import addresses
from daybreak.report.archive.beside import decoded, stems, tag_of
from daybreak.site.charts import size_bar
from daybreak.site.pages import Ground
from daybreak.site.pages.days import ChangePages
from daybreak.site.pages.file_pages import FilePages
from daybreak.site.pages.in_short import brief, lead, news_in_short, parts_in_short
from daybreak.site.pages.templates import web
from daybreak.store.report_files import ROLLUPS

_FILE = re.compile(r"\d{4}-(?:W\d{2}|\d{2})")
SECTIONS = ("fixes", "breaks", "deprecates", "internals", "stories", "news", "pins", "releases")
FEW = 4
"""What else a change does that its row lists; its own page has all."""
_OF_TITLE = 2
"""Blanks that no name of code has."""
MOST, MOST_INTERNALS, MOST_OF_AREA = 40, 20, 6
"""Lines of a section, of what only plug-ins and forks meet, and of an area; the data has all."""
WEEKS, MONTHS = 3, 2
"""That home leads to."""


def rollup_labels(ground: Ground) -> list[str]:
    """Those that lie beside the reports, newest first: weeks, then months."""
    found = [stem for stem in stems(ground.settings.out, ROLLUPS) if _FILE.fullmatch(stem)]
    return sorted(found, key=lambda label: ("W" in label, label), reverse=True)


def told_in_feed(ground: Ground) -> list[str]:
    """The newest weeks and months: readers ask every hour, and get all of it each time."""
    labels = rollup_labels(ground)
    weeks = [label for label in labels if "W" in label][: 2 * WEEKS]
    return [*weeks, *[label for label in labels if "W" not in label][: 2 * MONTHS]]


def newest_rollups(ground: Ground) -> dict[str, str]:
    """The newest weeks and months, each label with its days where it does not say them."""
    labels = rollup_labels(ground)
    weeks = [label for label in labels if "W" in label][:WEEKS]
    months = [label for label in labels if "W" not in label][:MONTHS]
    return {week: _days_of(week) for week in weeks} | dict.fromkeys(months, "")


def _days_of(week: str) -> str:
    try:
        first = date.fromisoformat(f"{week}-1")
    except ValueError:  # a file of a week that no year has
        return ""
    return f"{first:%m-%d} – {first + timedelta(days=6):%m-%d}"


class RollupPages(FilePages[Rollup]):
    """One for each roll-up."""

    folder = ROLLUPS
    template = "rollup.html"
    beginning = "rollups/"

    def __init__(self, ground: Ground) -> None:
        super().__init__(ground)
        self._changes = ChangePages(ground)

    def stems(self) -> list[str]:
        return rollup_labels(self._ground)

    def address(self, language: str, stem: str) -> str:
        return addresses.rollup_path(language, stem)

    def read(self, data: bytes) -> Rollup | None:
        return decoded(data, Rollup)

    def values(self, found: Rollup) -> Mapping[str, Any]:
        most = max((day.commits for day in found.days), default=0)
        return {
            "section": "sums",
            "rollup": found,
            "missing": stretches(found.missing, "–"),
            "to_come": stretches(found.to_come, "–"),
            "lead": {language: lead(found, language) for language in self._ground.languages},
            "breaks": len(by_change(found.breaks)),
            "told_breaks": sum(day.breaking for day in found.days),
            "tag_of": tag_of,
            "is_title": lambda part: (
                part.count(" ") >= _OF_TITLE
            ),  # of a story, what is set apart and has words is a title
            "is_none": lambda _: False,
            "forge": self._forge(found),
            "short": parts_in_short(found),
            "news": news_in_short(found),
            "brief": brief,
            "sections": [(name, _lots(name, getattr(found, name))) for name in SECTIONS],
            "few": FEW,
            "most_of": lambda name: MOST_INTERNALS if name == "internals" else MOST,
            "most_of_area": MOST_OF_AREA,
            "busy": sum(bool(repo.commits) for repo in found.repos),
            "size_of": lambda day: Markup(size_bar(day.commits, day.breaking, most)),  # noqa: S704  figures
        }

    def _forge(self, found: Rollup) -> Callable[[str, str], str]:
        """Tells where a change stands at the forge, "" for one that a day of the archive has: that has a page here."""
        urls = {repo.name: repo.url for repo in found.repos}

        def at(repo: str, sha: str) -> str:
            return web(f"{urls[repo]}/commit/{sha}") if repo in urls and not self._changes.has(repo, sha) else ""

        return at


def _lots(name: str, lines: Sequence[Line]) -> list[tuple[Line, ...]]:
    return by_change(lines) if name in BY_CHANGE else [(line,) for line in lines]
