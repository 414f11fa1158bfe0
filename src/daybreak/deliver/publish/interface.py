"""Stage 6, publish: bring the pages to where people read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from daybreak.core.model.report import Page, Receipt


class Publisher(Protocol):
    """Publishes all pages or none."""

    def publish(self, pages: Sequence[Page]) -> Receipt: ...
