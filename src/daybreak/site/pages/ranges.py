"""Pages of upgrades: what `daybreak range` found between two versions, by surface, with what to do before going over."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.model.day import Statement, Text
from daybreak.core.model.upgrade import Ref
from daybreak.core.words.brief import unplaced, unplaced_line
from daybreak.core.words.phrases import REFERENCE
from daybreak.findings.kinds import kind_of, surfaces
from daybreak.report.archive import addresses
from daybreak.report.archive.beside import data_of, decoded, stems
from daybreak.site.pages import Ground
from daybreak.site.pages.file_pages import FilePages
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
    out = ground.settings.out
    found = [(stem, one) for stem in stems(out, RANGES) if (one := _read(data_of(out, RANGES, stem))) is not None]
    found.sort(key=lambda pair: (pair[1].end.committed_at, pair[0]), reverse=True)
    return [RangeName(stem, one.repo.name, one.start.name, one.end.name) for stem, one in found]


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
        felt = [(part, some) for part in FELT if (some := [one for one in may_run_otherwise if _part(one) == part])]
        return {
            "section": "sums",
            "range": found,
            "steps": steps(breaking, dict(felt).get(FELT[0], ()), wanted, len(faults)),
            "faults": faults,
            "breaking": breaking,
            "felt": felt,
            "wanted": wanted,
            "inside": [one for one in lesser if kind_of(one.kind).requires and not is_wanted(one)],
            "rest": _by_surface([one for one in lesser if one.how and not _told_before(one)]),
            "high": [one for one in found.commits if one.importance.get("level") == "high"],
            "by_sha": {one.sha: one for one in found.commits},
        }


def _told_before(net: RangeNet) -> bool:
    return bool(kind_of(net.kind).is_felt or kind_of(net.kind).requires)


def _part(net: RangeNet) -> str:
    """What runs otherwise for whoever sets nothing is another thing than what is refused or will go."""
    change = kind_of(net.kind).change
    return {"default_changed": "defaults", "deprecated": "deprecations"}.get(change, "guards")


def _by_surface(nets: Sequence[RangeNet]) -> list[_Rows]:
    """What plug-ins and forks alone meet comes last: it is the longest list, and most readers have neither."""
    order = sorted((*surfaces(), CHOICES), key=lambda one: (one == PLUG_INS, one not in SETTINGS))
    rows = ((surface, [one for one in nets if surface_of(one) == surface]) for surface in order)
    return [(surface, some) for surface, some in rows if some]


# The list that an upgrade begins with: what to change first, whole, so that it can be copied; what is read in a
# minute is open.
CHOICES = "choices"
"""What is chosen by its name in a registry and is no model: quantization methods, connectors, parsers."""
SETTINGS = ("cli", "environment", "config", "server", CHOICES, "behaviour")
"""Surfaces whose rows are told one by one: what to write instead stands in them."""
LONG_VALUE = 48
"""From here on two sides of a default, or the value of a requirement, are no longer read in a line."""
WORDS, HEAD_WORDS, LINK_WORDS, FAULT_WORDS = 240, 9, 5, 45
"""What is read in under a minute, and what the head of a part, the link below an open one and a fault of the target take of it."""
_COMPILED = re.compile(r"(?:^|/)(?:Cargo\.toml|go\.mod|package\.json)$")
"""What these ask for is inside what gets installed: nobody has to bring it."""
_PLACE = re.compile(r"^\[[^\]]*\]\s*")


class Row(Struct, frozen=True):
    """One thing to do: names, what they became or what the file now asks for, and what to do; or a sentence."""

    names: tuple[str, ...] = ()
    turn: str = ""
    how: Text | None = None
    where: str = ""
    text: Text | None = None
    times: int = 1

    @property
    def words(self) -> int:
        """About how many words a reader meets in it."""
        said = " ".join((self.turn, self.where, *(one[REFERENCE] for one in (self.how, self.text) if one)))
        return len(self.names) + len(said.split())


class Step(Struct, frozen=True):
    """A part of the page, how much it holds, and all of it in short rows."""

    family: str
    name: str
    anchor: str
    count: int
    rows: tuple[Row, ...]
    opened: bool = False


_StepRows = tuple[str, Sequence[Any]]


def surface_of(net: Any) -> str:
    """Where the page tells it: a name of a registry is no model, though both are chosen by name."""
    kind = kind_of(net.kind)
    return CHOICES if kind.family == "registry" else kind.surface


def steps(breaking: Sequence[_StepRows], defaults: Sequence[Any], wanted: Sequence[Any], faults: int = 0) -> list[Step]:
    """`wanted`: what an installation asks for; `faults`: of the target, which are told before all of these."""
    told = {surface: nets for surface, nets in breaking if surface != "dependencies"}
    out = [
        Step("surface", name, f"breaking-{name}", len(told[name]), _rows(name, told.pop(name)))
        for name in SETTINGS
        if name in told
    ]
    if defaults:
        out.append(Step("range", "defaults", "felt-defaults", len(defaults), _turned(defaults)))
    if wanted:
        out.append(Step("surface", "dependencies", "dependencies", len(wanted), tuple(_files(wanted))))
    out += (Step("surface", name, f"breaking-{name}", len(nets), (_named(nets),)) for name, nets in told.items())
    return list(_opened(out, WORDS - FAULT_WORDS * faults - HEAD_WORDS * len(out)))


def _opened(every: Iterable[Step], left: int) -> Iterator[Step]:
    """Those that there are words left for, in their order; the others are folded behind their count."""
    for one in every:
        words = LINK_WORDS + sum(row.words for row in one.rows)
        opened = words <= left
        left -= words if opened else 0
        yield replace(one, opened=opened)


def _rows(surface: str, nets: Sequence[Any]) -> tuple[Row, ...]:
    """Names with the same way out stand in one row; what has none is told as it is, for a name alone says nothing of it, and
    once however many files have it.
    """
    groups: dict[tuple[str, str], list[Any]] = {}
    for net in nets:
        where = net.symbol.partition(":")[0] if surface == CHOICES else ""
        groups.setdefault((where, net.how[REFERENCE] if net.how else unplaced_line(net.text[REFERENCE])), []).append(
            net
        )
    ways = (_named(some, some[0].how, where) for (where, _), some in groups.items() if some[0].how)
    bare = (Row(text=unplaced(some[0].text), times=len(some)) for some in groups.values() if not some[0].how)
    return (*ways, *bare)


def _named(nets: Sequence[Any], how: Text | None = None, where: str = "") -> Row:
    names = dict.fromkeys(net.symbol.removeprefix(f"{where}:") for net in nets if net.symbol)
    return Row(tuple(names), how=how, where=where)


def _turned(nets: Sequence[Any]) -> tuple[Row, ...]:
    """Settings with what they were and are, then those whose sides are too long, then parameters of functions."""
    settings = [net for net in nets if "(" not in net.symbol]
    short = [net for net in settings if net.before and net.after and len(f"{net.before}{net.after}") <= LONG_VALUE]
    rows = [Row((net.symbol,), turn=f"{net.before} → {net.after}") for net in short]
    others = [net for net in settings if net not in short], [net for net in nets if "(" in net.symbol]
    return (*rows, *(_named(some) for some in others if some))


def is_wanted(net: Any) -> bool:
    """What somebody who installs or builds an image has to bring along; an extra is asked for by name."""
    kind = kind_of(net.kind)
    return bool(kind.requires) and kind.surface == "dependencies" and bool(net.after) and not _COMPILED.search(net.path)


def _files(nets: Sequence[Any]) -> Iterator[Row]:
    """By file, as a requirement is written: whoever runs on other hardware passes its file over."""
    files: dict[str, list[Any]] = {}
    for net in sorted(nets, key=lambda one: (one.path.count("/"), one.path)):
        files.setdefault(net.path, []).append(net)
    for path, some in sorted(files.items(), key=lambda one: -len(one[1])):
        yield Row(tuple(_requirement(net) for net in some), where=path)


def _requirement(net: Any) -> str:
    value = _PLACE.sub("", net.after)
    if len(value) > LONG_VALUE or re.fullmatch("[0-9a-f]{40}", value):
        return str(net.symbol)
    return f"{net.symbol}{value if value[:1] in '=<>~!@' else f' {value}'}"
