"""What became of a change: taken back, landed again or repaired, as the newest report that tells of it says."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from daybreak.core.model.day import Text
from daybreak.site.pages.across_days import Joined, Told
from daybreak.site.pages.summaries import DaySummary

ENDS = ("fixup", "revert", "reland")
"""Stories whose last change says of the others how they stand; what was taken back says more than what was repaired."""
By = dict[tuple[str, str], "After"]
"""By repository and sha."""


class After(Struct, frozen=True):
    """The change that decides how another stands, and the sentence that says so."""

    kind: str
    by: Told
    label: str
    """The day that says so."""
    net: Text
    story: str

    @property
    def gone(self) -> bool:
        return self.kind == "revert"


def _read(days: Sequence[DaySummary]) -> By:
    found: By = {}
    stories = [one for one in Joined(days).stories.values() if one.kind in ENDS and not one.goes_on]
    for one in sorted(stories, key=lambda one: (one.kind != "fixup", one.last, ENDS.index(one.kind))):
        if one.kind == "fixup" and not (one.broken and one.broken.shown and not one.broken.open):
            continue  # no fault is known, or nothing repairs it
        *before, last = one.changes
        for change in before:
            found[one.repo, change.sha] = After(one.kind, last, one.last, one.net, one.id)
    return found


class _Aftermath:
    """Made anew only when a day changed."""

    def __init__(self) -> None:
        self._known: tuple[Sequence[DaySummary], By] = ((), {})

    def of(self, days: Sequence[DaySummary]) -> By:
        known = self._known
        if known[0] is not days:
            self._known = known = (days, _read(days))
        return known[1]


_LAST = _Aftermath()


def aftermath(days: Sequence[DaySummary]) -> By:
    """Of every change that a story ends."""
    return _LAST.of(days)
