"""The archive: every reported day, asked for by its label; who asks need not know where it is kept."""

from __future__ import annotations

from typing import Protocol

from daybreak.core.model.day import Day


class Archive(Protocol):
    """It may be asked by several threads; a day that was just reported is seen without opening it anew."""

    def labels(self) -> list[str]:
        """Days with a report, oldest first."""
        ...

    def digest(self, label: str) -> str | None:
        """Changes exactly when the day's report does; None: there is no such day."""
        ...

    def digests(self) -> dict[str, str]:
        """Every day with its digest, oldest first: one question instead of one for each day."""
        ...

    def day(self, label: str) -> Day | None:
        """The report as values; raises DaybreakError when what is stored is no report."""
        ...

    def data(self, label: str) -> bytes | None:
        """The report as it was written, `DATE.json`."""
        ...
