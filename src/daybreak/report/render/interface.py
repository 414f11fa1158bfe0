"""Stage 5, render: one report's data as pages; no network, no model, no clock."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from daybreak.core.model.report import Page, Report


class DayLine(Struct, frozen=True):
    """What the index and the archive say of one reported day."""

    label: str
    commits: int
    high: int
    medium: int
    low: int
    breaking: int
    skipped: int
    headline: str
    """The first thing to act on, or the first line of the summary, in the main language."""


class Renderer(Protocol):
    """Turns a report into pages."""

    def pages(self, report: Report) -> tuple[Page, ...]:
        """The pages of one day."""
        ...
