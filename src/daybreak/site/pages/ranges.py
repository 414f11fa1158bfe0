"""Pages of upgrades: what `daybreak range` found between two versions, by surface, with what to do before going over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from msgspec import Struct

from daybreak.core.model.day import Statement, Text
from daybreak.core.model.upgrade import Ref
from daybreak.findings.kinds import kind_of, surfaces
from daybreak.judge.hazards import hazard
from daybreak.report.archive import addresses
from daybreak.report.archive.beside import data_of, decoded, stems
from daybreak.site.pages import Ground
from daybreak.site.pages.file_pages import FilePages
from daybreak.site.pages.range_steps import CHOICES, SETTINGS, is_wanted, steps, surface_of
from daybreak.store.report_files import RANGES

FELT = ("defaults", "deprecations", "guards")
"""Parts of what may run otherwise, in the order of the page."""
PLUG_INS = "extension"
"""The surface that only plug-ins and forks meet."""


class RangeRepo(Struct, frozen=True):
    name: str
    url: str


class RangeNet(Struct, frozen=True):
    """One difference between both ends."""

    kind: str
    symbol: str
    commits: tuple[str, ...]
    text: Text
    breaking: bool = False
    path: str = ""
    before: str | None = None
    after: str | None = None
    since: str | None = None
    who: Text | None = None
    how: Text | None = None
    says: str = ""
    only: tuple[str, ...] = ()


class RangeOutage(Struct, frozen=True, kw_only=True, rename={"start": "from", "end": "to"}):
    """A time of fault as the file has it: a struct that inherits its fields does not rename them."""

    fault: str
    repair: str | None = None
    fault_title: str = ""
    repair_title: str = ""
    start: datetime
    end: datetime | None = None
    holds_end: bool = False
    repaired_in: str | None = None
    repair_says: str = ""
    repair_files: tuple[str, ...] = ()


class RangeCommit(Struct, frozen=True):
    sha: str
    url: str
    subject: str
    importance: dict[str, Any]
    pr: dict[str, Any] | None = None


class RangeFile(Struct, frozen=True):
    """As much of `reports/range/NAME.json` as its page shows."""

    repo: RangeRepo
    start: Ref
    end: Ref
    coverage: dict[str, Any]
    summary: tuple[Statement, ...] = ()
    nets: tuple[RangeNet, ...] = ()
    outages: tuple[RangeOutage, ...] = ()
    commits: tuple[RangeCommit, ...] = ()


_Rows = tuple[str, list[RangeNet]]


class RangeName(Struct, frozen=True):
    """An upgrade as other pages link to it."""

    stem: str
    repo: str
    start: str
    end: str


def range_names(ground: Ground) -> list[RangeName]:
    """Those that lie beside the reports and can be read, newest end first."""
    return [RangeName(stem, one.repo.name, one.start.name, one.end.name) for stem, one in range_files(ground)]


def range_files(ground: Ground) -> list[tuple[str, RangeFile]]:
    """The same with all that they hold."""
    out = ground.settings.out
    found = [(stem, one) for stem in stems(out, RANGES) if (one := _read(data_of(out, RANGES, stem))) is not None]
    return sorted(found, key=lambda pair: (pair[1].end.committed_at, pair[0]), reverse=True)


@lru_cache(maxsize=8)
def _read(data: bytes) -> RangeFile | None:
    return decoded(data, RangeFile)


class RangePages(FilePages[RangeFile]):
    """One for each upgrade report."""

    folder = RANGES
    template = "range.html"
    beginning = "ranges/"

    def stems(self) -> list[str]:
        return stems(self._ground.settings.out, RANGES)

    def address(self, language: str, stem: str) -> str:
        return addresses.range_path(language, stem)

    def read(self, data: bytes) -> RangeFile | None:
        return _read(data)

    def values(self, found: RangeFile) -> Mapping[str, Any]:
        lesser = [one for one in found.nets if not one.breaking]
        may_run_otherwise = [one for one in lesser if kind_of(one.kind).is_felt]
        breaking = _by_surface([one for one in found.nets if one.breaking])
        wanted = [one for one in found.nets if is_wanted(one)]
        faults = [one for one in found.outages if one.holds_end]
        inside = [one for one in lesser if kind_of(one.kind).requires and not is_wanted(one)]
        rest = _by_surface([one for one in lesser if one.how and not _told_before(one)])
        high = [one for one in found.commits if one.importance.get("level") == "high"]
        felt = [
            (part, some)
            for part in FELT
            if (some := [one for one in may_run_otherwise if kind_of(one.kind).felt_part == part])
        ]
        return {
            "section": "sums",
            "range": found,
            "steps": steps(breaking, dict(felt).get(FELT[0], ()), wanted, min(len(faults), 2)),
            "faults": sorted(faults, key=lambda one: hazard(one.repair_title) is None),
            "breaking": breaking,
            "felt": felt,
            "wanted": wanted,
            "inside": inside,
            "rest": rest,
            "high": high,
            "later": sum(len(some) for _, some in (*breaking, *felt, *rest))
            + sum(map(len, (wanted, inside, found.outages, high))),
            "by_sha": {one.sha: one for one in found.commits},
        }


def _told_before(net: RangeNet) -> bool:
    return bool(kind_of(net.kind).is_felt or kind_of(net.kind).requires)


def _by_surface(nets: Sequence[RangeNet]) -> list[_Rows]:
    """What plug-ins and forks alone meet comes last: it is the longest list, and most readers have neither."""
    order = sorted((*surfaces(), CHOICES), key=lambda one: (one == PLUG_INS, one not in SETTINGS))
    rows = ((surface, [one for one in nets if surface_of(one) == surface]) for surface in order)
    return [(surface, some) for surface, some in rows if some]
