"""The report as data, `reports/DATE.json`: what other programs read and what the next run remembers by."""

from __future__ import annotations

from daybreak.core.day_json import encoded
from daybreak.core.model.report import Page, Report
from daybreak.report.day import day_of


class DataRenderer:
    """`Renderer` for the JSON file."""

    def pages(self, report: Report) -> tuple[Page, ...]:
        """The one file."""
        return (Page(f"reports/{report.window.label}.json", encoded(day_of(report))),)
