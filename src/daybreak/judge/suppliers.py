"""Suppliers: a name that the sources take from another package than before, such as a kernel that is compiled elsewhere."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from daybreak.core.model.changes import Change
from daybreak.core.model.quotes import Gist, Quote, QuoteSide
from daybreak.core.words import say
from daybreak.core.words.grammar import listing
from daybreak.findings.diff import SideLine, hunks, side
from daybreak.judge.change_kinds import front
from daybreak.judge.reach import is_tool
from daybreak.judge.telling_words import words

_IMPORTS = re.compile(r"\s*from ([\w.]{2,120}) import\b(.{0,400})")
_NAME = re.compile(r"(?<!as )\b([A-Za-z_]\w{1,80})(?: as (\w{1,80}))?")
_NAMED = 3

Taken = dict[str, tuple[str, SideLine]]
"""Name -> where it is taken from, and the line that says so."""


def supplied(change: Change) -> Iterator[Gist]:
    """Names of the title that come from another package from now on, with the package before; most names of one pair."""
    found: dict[tuple[str, str], dict[str, list[Quote]]] = defaultdict(dict)
    title = words(change.subject[:400])
    for file in front(change):
        if not file.path.endswith(".py") or is_tool(file.path) or " import " not in file.patch:
            continue
        for hunk in hunks(file.patch):
            old, new = _taken(side(hunk, "-")), _taken(side(hunk, "+"))
            for name in old.keys() & new.keys():
                (was, gone), (now, came) = old[name], new[name]
                if _package(was) != _package(now) and came.changed and not title.isdisjoint(words(name)):
                    ends: tuple[tuple[QuoteSide, SideLine], ...] = (("removed", gone), ("added", came))
                    quotes = [Quote("line", file.path, line.number, at, line.text.strip()) for at, line in ends]
                    found[was, now].setdefault(name, quotes)
    for (was, now), names in sorted(found.items(), key=lambda one: (-len(one[1]), one[0])):
        said = say("judge.lines.supplied", names=listing(sorted(names), _NAMED), n=len(names), before=was, after=now)
        yield Gist(said, "line", tuple(next(iter(names.values()))))


def _package(module: str) -> str:
    return module.partition(".")[0]


def _taken(lines: Sequence[SideLine]) -> Taken:
    """Names that one side of a hunk imports from elsewhere; those in brackets over several lines too."""
    out: Taken = {}
    module, opened = "", False
    for line in lines:
        if found := _IMPORTS.match(line.text):
            module, rest = found[1], found[2]
            opened = "(" in rest and ")" not in rest
        elif opened:
            rest, opened = line.text[:400], ")" not in line.text
        else:
            continue
        for name in _NAME.finditer(rest.partition("#")[0]):
            out[name[2] or name[1]] = module, line
    return out
