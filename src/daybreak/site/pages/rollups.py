"""Pages of weeks and months: what `daybreak rollup` found to hold at their end, with links to the days and changes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from markupsafe import Markup

from daybreak.core.model.day import in_language
from daybreak.core.model.rollup import Rollup
from daybreak.core.words.brief import brief_line
from daybreak.report.archive import addresses
from daybreak.report.archive.beside import decoded, stems
from daybreak.site.charts import size_bar
from daybreak.site.pages import Ground
from daybreak.site.pages.file_pages import FilePages
from daybreak.store.report_files import ROLLUPS

_FILE = re.compile(r"\d{4}-(?:W\d{2}|\d{2})")
SECTIONS = ("breaks", "fixes", "deprecates", "internals", "stories", "pins", "releases")
OPEN = 12
"""Lines of a section that are not folded."""
_WORDS = 20
"""Of a headline."""
MOST = 40
"""Lines of a section; the data has all."""
WEEKS, MONTHS = 3, 2
"""That home leads to."""


def rollup_labels(ground: Ground) -> list[str]:
    """Those that lie beside the reports, newest first: weeks, then months."""
    found = [stem for stem in stems(ground.settings.out, ROLLUPS) if _FILE.fullmatch(stem)]
    return sorted(found, key=lambda label: ("W" in label, label), reverse=True)


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

    def stems(self) -> list[str]:
        return rollup_labels(self._ground)

    def address(self, language: str, stem: str) -> str:
        return addresses.rollup_path(language, stem)

    def read(self, data: bytes) -> Rollup | None:
        return decoded(data, Rollup)

    def values(self, found: Rollup) -> Mapping[str, Any]:
        most = max((day.commits for day in found.days), default=0)
        return {
            "section": "calendar",
            "rollup": found,
            "lead": {language: _lead(found, language) for language in self._ground.languages},
            "sections": [(name, getattr(found, name)) for name in SECTIONS],
            "open": OPEN,
            "most": MOST,
            "busy": sum(bool(repo.commits) for repo in found.repos),
            "size_of": lambda day: Markup(size_bar(day.commits, day.breaking, most)),  # noqa: S704  figures
        }


def _lead(found: Rollup, language: str) -> str:
    """What stands first of the span in few words: what breaks, else what is fixed; empty where there is neither."""
    first = next((one for one in (*found.breaks, *found.fixes) if one.text), None)
    if first is None:
        return ""
    return f"{first.repo.rpartition('/')[2]} · {brief_line(in_language(first.text, language), _WORDS)}"
