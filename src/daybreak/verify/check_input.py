"""Everything a check is given: the page, what its lines speak of, the mirrors, the day, and what was collected."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from msgspec import Struct

from daybreak.verify.context import Known, Spot
from daybreak.verify.items import Items
from daybreak.verify.mirror import Mirror
from daybreak.verify.page import Page
from daybreak.verify.report_date import When
from daybreak.verify.values import Findings


class Study(Struct, frozen=True, dict=True):
    page: Page
    spots: list[Spot]
    known: Known
    when: When
    items: Items
    there: Callable[[str], bool] | None
    """Whether a file beside the report is there, by its path from the report's folder; None: not to be known."""
    findings: Findings

    def mirror(self, repo: str | None) -> Mirror | None:
        return self.known.mirrors.get(repo or "")

    @cached_property
    def prose(self) -> list[Spot]:
        """What stands outside of code blocks; empty lines say nothing."""
        return [spot for spot in self.spots if spot.line.fence is None and not spot.line.blank]
