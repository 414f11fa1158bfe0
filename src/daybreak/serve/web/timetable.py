"""The timetable: from when a day may be reported, in a zone whose clocks change."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from msgspec import Struct

_DAY = timedelta(days=1)
_MINUTE = timedelta(minutes=1)
_LONGEST_GAP = 48 * 60
"""Minutes that a zone may leave out at once; some have left out a whole day."""


class Timetable(Struct, frozen=True):
    """Every day at `at`, the day before is due; all moments are in UTC, where none is missing and none comes twice."""

    zone: ZoneInfo
    at: time
    catch_up: int
    """Days before yesterday that are due as well."""

    @classmethod
    def of(cls, zone: ZoneInfo, at: str, catch_up: int) -> Timetable:
        """From the words of the config."""
        return cls(zone, time.fromisoformat(at), catch_up)

    def moment(self, day: date) -> datetime:
        """When the clock of the zone shows `at` on that day for the first time, or the first moment after it exists."""
        wanted = datetime.combine(day, self.at)
        for minutes in range(_LONGEST_GAP):
            shown = wanted + minutes * _MINUTE
            found = shown.replace(tzinfo=self.zone).astimezone(UTC)
            if found.astimezone(self.zone).replace(tzinfo=None) == shown:
                return found
        return wanted.replace(tzinfo=self.zone).astimezone(UTC)

    def turn(self, now: datetime) -> date:
        """The date whose `at` has passed last."""
        today = now.astimezone(self.zone).date()
        return today if self.moment(today) <= now else today - _DAY

    def next(self, now: datetime) -> datetime:
        """The first `at` that is still to come."""
        return self.moment(self.turn(now) + _DAY)

    def due(self, now: datetime) -> list[date]:
        """Days that ought to be reported by now, oldest first."""
        yesterday = self.turn(now) - _DAY
        return [yesterday - n * _DAY for n in range(self.catch_up, -1, -1)]
