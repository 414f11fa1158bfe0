"""Flags of the command line that are off: a fix of lines that run under one alone, or whose title names it, reaches those
who set it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from daybreak.collect.git.line_heads import depth_of
from daybreak.collect.git.places import Own, every_place
from daybreak.collect.git.standing import Text
from daybreak.collect.git.tree_search import Tree
from daybreak.core.model.changes import Change

_NAME = r"(?:enable|disable|use|with)_\w{2,60}"
_READS = re.compile(rf"\b[\w.]{{1,60}}\.({_NAME})\b(?!\()")
_FLAG = re.compile(r"(?<![\w-])--((?:enable|disable|use|with)-[a-z0-9-]{2,60})(?![\w-])")
_TITLE = re.compile(rf"\b(?:with|under|using|when|if|for) `?{_FLAG.pattern}", re.IGNORECASE)
_OTHERWISE = re.compile(r"\b(?:not|or|is None|else|any)\b")
_PYTHON = ".py"
_ROW = 300
_ASKED = 60
_FARTHEST = 400
"""Lines above a place in which a condition is looked for."""


class Place(NamedTuple):
    """Lines of a file as it was: those that went, or the two between which some came."""

    text: Text
    first: int
    last: int


def stood_at(change: Change, own: Own) -> Iterator[Place | None]:
    """The places of its code in its files as they were; None for one that nobody can read."""
    for file, block in every_place(change):
        text = own.get((change.sha, file.old_path or file.path))
        if text and block.old:
            yield Place(text, block.line - len(block.old) + 1, block.line)
        elif block.code:
            yield Place(text, block.line, block.line + 1) if text else None


def behind_flags(places: Mapping[str, Sequence[Place]], titles: Mapping[str, str], tree: Tree) -> dict[str, str]:
    """Fix -> the flag, off by default in the tree, that all of its places stand under, or that its title names."""
    asked = {sha: names for sha in titles if (names := _named(titles[sha]) or _around(places.get(sha, ())))}
    every = sorted(set().union(*asked.values()))[:_ASKED]
    off = _off(every, tree) if every else frozenset()
    found = {sha: next((name for name in sorted(names) if name in off), "") for sha, names in asked.items()}
    return {sha: _flag(name) for sha, name in found.items() if name}


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _named(title: str) -> frozenset[str]:
    return frozenset(name.replace("-", "_") for name in _TITLE.findall(title[:_ROW]))


def _around(places: Iterable[Place]) -> frozenset[str]:
    """Names that the conditions over each of the places ask."""
    found = [frozenset(_asks(place)) for place in places]
    return frozenset.intersection(*found) if found else frozenset()


def _asks(place: Place) -> Iterator[str]:
    """Names in conditions that all lines of a place stand under."""
    rows = place.text.raw.split("\n")
    here = [row for row in rows[max(place.first - 1, 0) : place.last] if row.strip()]
    depth = min(map(depth_of, here), default=0)
    for row in reversed(rows[max(0, place.first - _FARTHEST) : max(place.first - 1, 0)]):
        said = row.strip()[:_ROW]
        if not said or (inner := depth_of(row)) >= depth:
            continue
        depth = inner
        if said.startswith(("def ", "class ", "async def ")) or not depth:
            return
        if said.startswith(("if ", "elif ")) and not _OTHERWISE.search(said):
            yield from _READS.findall(said)


def _off(names: Sequence[str], tree: Tree) -> frozenset[str]:
    """Those that the command line takes, that some line of the tree declares off and none declares on."""
    rows = tree.places([*names, *(f'"{_flag(name)}"' for name in names)], [_PYTHON]) or ()
    typed, off, on = set[str](), set[str](), set[str]()
    declared = re.compile(rf"\b({_NAME})\s?:\s?(?:Optional\[bool\]|bool(?:\s?\|\s?None)?)\s?=\s?(\w{{1,20}})")
    for _, _, row in rows:
        typed |= {name.replace("-", "_") for name in _FLAG.findall(row[:_ROW])}
        if found := declared.search(row[:_ROW]):
            (off if found[2] == "False" else on if found[2] in ("True", "None") else set[str]()).add(found[1])
    return frozenset((typed & off) - on)
