"""The list that an upgrade begins with: what to change first, short enough to be copied.

In the order in which somebody goes over: what is set and refused, what runs otherwise by itself, what has to be installed,
which models went, and last what only imports, plug-ins and forks meet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct

from daybreak.core.model.day import Text
from daybreak.findings.kinds import Kind, kind_of

SETTINGS = ("cli", "environment", "config", "server", "behaviour")
"""Surfaces whose rows are told one by one: what to write instead stands in them."""
NAMED, SHORT_NAME = 3, 48
"""Names of a row, and the length of one that a line has room for."""
ROWS, TEXTS, FILES = 14, 4, 5
PACKAGES = 12
_COMPILED = re.compile(r"(?:^|/)(?:Cargo\.toml|go\.mod|package\.json)$")
"""What these ask for is inside what gets installed: nobody has to bring it."""
_FILE = re.compile(r"\s?[（(]`[^`]*`[）)](?=[.。]?$)")
"""The file that a sentence ends with."""
_PLACE = re.compile(r"^\[[^\]]*\]\s*")


class Row(Struct, frozen=True):
    """One thing to do: names, what they became or what the file now asks for, and what to do; or a sentence."""

    names: tuple[str, ...] = ()
    more: int = 0
    turn: str = ""
    how: Text | None = None
    where: str = ""
    text: Text | None = None


class Step(Struct, frozen=True):
    """A part of the page, how much it holds, and the rows that are told of it here."""

    family: str
    name: str
    anchor: str
    count: int
    rows: tuple[Row, ...]
    left: int = 0
    """Rows that are told below alone."""


_Rows = tuple[str, Sequence[Any]]


def steps(breaking: Sequence[_Rows], defaults: Sequence[Any], lesser: Iterable[Any]) -> list[Step]:
    """`lesser`: what does not break by itself, of which dependencies are looked for."""
    told = {surface: nets for surface, nets in breaking if surface != "dependencies"}
    out = [_surface(name, told.pop(name)) for name in SETTINGS if name in told]
    if defaults:
        inner = sum("(" in net.symbol for net in defaults) % len(defaults)
        out.append(Step("range", "defaults", "felt-defaults", len(defaults), _turned(defaults), inner))
    asked = [*(net for name, nets in breaking if name == "dependencies" for net in nets), *lesser]
    wanted = [net for net in asked if _installed(net, kind_of(net.kind))]
    where = "dependencies" if any(not net.breaking for net in wanted) else "breaking-dependencies"
    out += [Step("surface", "dependencies", where, len(wanted), tuple(_files(wanted)))] if wanted else []
    return [
        *out,
        *(Step("surface", name, f"breaking-{name}", len(nets), (_named(nets),)) for name, nets in told.items()),
    ]


def _surface(name: str, nets: Sequence[Any]) -> Step:
    """Names with the same way out stand in one row; what has none is told as it is, for a name alone says nothing of it, and
    once however many files have it.
    """
    groups: dict[str, list[Any]] = {}
    for net in nets:
        groups.setdefault(net.how["en"] if net.how else _FILE.sub("", net.text["en"]), []).append(net)
    ways = [_named(some, some[0].how) for some in groups.values() if some[0].how]
    bare = [Row(text=_without_file(some[0].text)) for some in groups.values() if not some[0].how]
    left = max(len(ways) - ROWS, 0) + max(len(bare) - TEXTS, 0)
    return Step("surface", name, f"breaking-{name}", len(nets), (*ways[:ROWS], *bare[:TEXTS]), left)


def _without_file(text: Text) -> Text:
    return {language: _FILE.sub("", said) for language, said in text.items()}


def _named(nets: Sequence[Any], how: Text | None = None) -> Row:
    """A few of different changes: those of one are often much the same."""
    first = {one.commits[-1:]: one.symbol for one in reversed(nets)}
    every = [one for one in dict.fromkeys((*reversed(first.values()), *(net.symbol for net in nets))) if one]
    names = tuple(one for one in every if len(one) <= SHORT_NAME)[:NAMED]
    return Row(names, max(len(every) - len(names), 0), how=how)


def _turned(nets: Sequence[Any]) -> tuple[Row, ...]:
    """Settings with what they were and are, then those whose sides are too long; of functions' parameters only their count."""
    settings = [net for net in nets if "(" not in net.symbol] or list(nets)
    short = [net for net in settings if net.before and net.after and len(f"{net.before}{net.after}") <= SHORT_NAME]
    rows = [Row((net.symbol,), turn=f"{net.before} → {net.after}") for net in short[:ROWS]]
    others = [net for net in settings if net not in short]
    return (*rows, _named(others)) if others else tuple(rows)


def _installed(net: Any, kind: Kind) -> bool:
    """What somebody who installs or builds an image has to bring along; an extra is asked for by name."""
    return bool(kind.requires) and kind.surface == "dependencies" and bool(net.after) and not _COMPILED.search(net.path)


def _files(nets: Sequence[Any]) -> Iterator[Row]:
    """By file, as a requirement is written: whoever runs on other hardware passes its file over."""
    files: dict[str, list[Any]] = {}
    for net in sorted(nets, key=lambda one: (one.path.count("/"), one.path)):
        files.setdefault(net.path, []).append(net)
    for path, some in sorted(files.items(), key=lambda one: -len(one[1]))[:FILES]:
        names = tuple(_requirement(net) for net in some)
        yield Row(names[:PACKAGES], max(len(names) - PACKAGES, 0), where=path)


def _requirement(net: Any) -> str:
    value = _PLACE.sub("", net.after)
    if len(value) > SHORT_NAME or re.fullmatch("[0-9a-f]{40}", value):
        return str(net.symbol)
    return f"{net.symbol}{value if value[:1] in '=<>~!@' else f' {value}'}"
