"""The axis of pictures by day: days with a report side by side, a gap where days were not read."""

from __future__ import annotations

import itertools
from datetime import date, datetime, timedelta

from msgspec import Struct

GAP = 0.5
"""Room of a gap in the axis, in days."""


class Axis(Struct, frozen=True):
    """Days with a report, side by side; where days between them were not read there is a gap, however many they were."""

    days: tuple[date, ...]

    def runs(self) -> list[tuple[date, date, float]]:
        """First and last day of each stretch that was read throughout, and where it begins."""
        found: list[tuple[date, date, float]] = []
        for day in self.days:
            if found and day - found[-1][1] == timedelta(days=1):
                found[-1] = (found[-1][0], day, found[-1][2])
            else:
                before = found[-1][2] + (found[-1][1] - found[-1][0]).days + 1 + GAP if found else 0.0
                found.append((day, day, before))
        return found

    def spans(self) -> list[tuple[float, float]]:
        return [(start, start + (last - first).days + 1) for first, last, start in self.runs()]

    @property
    def length(self) -> float:
        return self.spans()[-1][1]

    def gaps(self) -> list[tuple[float, float]]:
        spans = self.spans()
        return [(one[1], other[0]) for one, other in itertools.pairwise(spans)]

    def at(self, moment: datetime) -> float:
        """A moment that was not read stands where reading began again, or at the end."""
        day, clock = moment.date(), timedelta(hours=moment.hour, minutes=moment.minute) / timedelta(days=1)
        for first, last, start in self.runs():
            if day <= last:
                return start + max((day - first).days + clock, 0.0)
        return self.length

    def pieces(self, start: float, end: float) -> list[tuple[float, float]]:
        """What of a span was read; a moment without length is a piece too."""
        cut = [(max(start, low), min(end, high)) for low, high in self.spans()]
        return [one for one in cut if one[0] < one[1]] or [(start, start)]
