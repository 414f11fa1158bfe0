"""Lines of one file on their way from the commit that both sides share: which lines of it a later edit stands for.

A place is a pair of gaps, counted in lines of the base: the edit of line 5 is `(4, 5)`, an insertion after line 5 is
`(5, 5)`. Two places touch when they share a gap: that is git's own rule, by which edits of neighbouring lines
conflict. An edit of a later version is taken back to the base line by line: a line that nobody changed stands for
itself, a line that replaced others stands for those (one for one when as many came as went), an inserted line stands
for the gap it was put into.

Where upstream inserted lines beside a line that ours edits, only the outermost of them is its neighbour: a later edit
in their midst builds on the insertion and does not meet ours. So that this can be told, upstream's edits also have a
`Span`, ten to a line, in which a gap is wide enough to be divided among the lines that were put into it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

_HEADER = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+\d{1,9}(?:,\d{1,9})? @@(.*)")

Place = tuple[int, int]
Span = tuple[float, float]

_UNIT, _REACH, _BESIDE = 10, 5, 4
"""A gap lies around ten times its number: a line of the base reaches over the gaps beside it, lines in a gap do not."""


class Edit(NamedTuple):
    """Lines `start` to `end` (counted from 0, `end` not included) give way to `lines`, each with its line break."""

    start: int
    end: int
    lines: tuple[str, ...]
    context: str = ""
    """What git shows behind `@@`: the function or class above."""

    @property
    def place(self) -> Place:
        return self.start, self.end

    def same(self, other: Edit) -> bool:
        return self[:3] == other[:3]


def touch(one: Place, two: Place) -> bool:
    """Whether two places share a gap."""
    return one[0] <= two[1] and two[0] <= one[1]


def our_span(place: Place) -> Span:
    """The span that upstream's spans must meet in order to touch an edit of ours."""
    start, end = place
    if start == end:
        return _UNIT * start - _BESIDE, _UNIT * start + _BESIDE
    return _UNIT * start + _BESIDE, _UNIT * end - _BESIDE


def any_touch(some: Iterable[Span], others: Iterable[Span]) -> bool:
    """Whether any of the first touches any of the second; both may be long."""
    known = sorted(others)
    starts = [low for low, _ in known]
    furthest = list(accumulate((high for _, high in known), max))
    for low, high in some:
        at = bisect_right(starts, high)
        if at and furthest[at - 1] >= low:
            return True
    return False


def split_lines(text: str) -> list[str]:
    """Lines with their breaks, cut at line feeds only, as git counts them."""
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def edits(patch: str) -> list[Edit]:
    """The edits of one file's patch, in order; text that is no patch gives none."""
    found: list[Edit] = []
    new: list[str] = []
    at, start, context, last = 0, 0, "", ""
    for line in patch.split("\n"):
        sign = line[:1]
        if sign == "@" and (match := _HEADER.match(line)):
            _close(found, start, at, new, context)
            at = int(match[1]) - (match[2] != "0")
            start, new, context = at, [], match[3].strip()
        elif sign == "-":
            at += 1
        elif sign == "+":
            new.append(f"{line[1:]}\n")
        elif sign == "\\" and last == "+":
            new[-1] = new[-1][:-1]
        elif sign == " ":
            _close(found, start, at, new, context)
            at += 1
            start, new = at, []
        last = sign
    _close(found, start, at, new, context)
    return found


def _close(found: list[Edit], start: int, at: int, new: list[str], context: str) -> None:
    if at > start or new:
        found.append(Edit(start, at, tuple(new), context))


def applied(lines: Sequence[str], some: Iterable[Edit], low: int, high: int) -> tuple[str, ...]:
    """Lines `low` to `high` after the edits that lie between these gaps."""
    out: list[str] = []
    at = low
    for edit in some:
        if low <= edit.start and edit.end <= high:
            out += [*lines[at : edit.start], *edit.lines]
            at = edit.end
    return (*out, *lines[at:high])


class Region(NamedTuple):
    """A place where both sides changed the base in different ways: git leaves it to people."""

    place: Place
    ours: tuple[Place, ...]
    """Our edits in it."""
    before: tuple[str, ...]
    wanted: tuple[str, ...]
    """What our side made of it."""


def regions(base: Sequence[str], ours: Sequence[Edit], theirs: Sequence[Edit]) -> list[Region]:
    """Where git's merge finds edits of both sides that touch and differ."""
    found = [
        Region(place, places, tuple(base[slice(*place)]), applied(base, ours, *place))
        for place, places in _clusters(ours, theirs)
    ]
    return [r for r in found if r.wanted != applied(base, theirs, *r.place)]


def _clusters(ours: Sequence[Edit], theirs: Sequence[Edit]) -> Iterator[tuple[Place, tuple[Place, ...]]]:
    """The walk of git's merge along both lists of edits; conflicts that touch are one."""
    place: Place | None = None
    mine: dict[Place, None] = {}
    i = j = 0
    while i < len(ours) and j < len(theirs):
        one, two = ours[i], theirs[j]
        if one.end < two.start or two.end < one.start:
            i, j = (i + 1, j) if one.end < two.start else (i, j + 1)
            continue
        if not one.same(two):
            new = (min(one.start, two.start), max(one.end, two.end))
            if place is not None and touch(place, new):
                place = (min(place[0], new[0]), max(place[1], new[1]))
            else:
                if place is not None:
                    yield place, tuple(mine)
                place, mine = new, {}
            mine[one.place] = None
        i, j = i + (two.end >= one.end), j + (one.end >= two.end)
    if place is not None:
        yield place, tuple(mine)


class Line(NamedTuple):
    """A line of some version, and the gaps of the base it stands between."""

    text: str
    low: int
    high: int
    span: Span


class Doubt(Exception):
    """The edits do not fit the lines: the file cannot be followed any further."""


_KEPT = 20
"""Versions that are remembered, so that a file which is put back as it was stands for the same lines as before."""


class Versions:
    """One file, followed edit by edit."""

    def __init__(self, base: Sequence[str], blob: str = "") -> None:
        self.lines = [
            Line(text, at, at + 1, (_UNIT * at - _REACH, _UNIT * (at + 1) + _REACH)) for at, text in enumerate(base)
        ]
        self.length = len(base)
        self._seen: dict[str, list[Line]] = {blob: self.lines}

    def place(self, start: int, end: int) -> tuple[Place, Span]:
        """The gaps of the base that lines `start` to `end` of this version stand between."""
        if end > start:
            held = self.lines[start:end]
            span = min(line.span[0] for line in held), max(line.span[1] for line in held)
            return (min(line.low for line in held), max(line.high for line in held)), span
        before = self.lines[start - 1] if start else None
        after = self.lines[start] if start < len(self.lines) else None
        ends = before.high if before else 0, after.low if after else self.length
        low, high = min(ends), max(ends)
        # Beside lines that were put into the same gap, what is left of it.
        least = before.span[1] if before and before.low == before.high == low else _UNIT * low - _BESIDE
        most = after.span[0] if after and after.low == after.high == high else _UNIT * high + _BESIDE
        return (low, high), (min(least, most), max(least, most))

    def apply(self, some: Sequence[Edit], blob: str = "") -> tuple[list[Place], list[Span]]:
        """The next version; where its edits lie in the base."""
        if any(edit.end > len(self.lines) for edit in some):
            raise Doubt
        found = [self.place(*edit.place) for edit in some]
        lines: list[Line] = []
        at = 0
        for edit, (place, span) in zip(some, found, strict=True):
            lines += self.lines[at : edit.start]
            lines += _standing(edit, self.lines[edit.start : edit.end], place, span)
            at = edit.end
        known = self._seen.get(blob) if blob else None
        self.lines = known or [*lines, *self.lines[at:]]
        if blob:
            self._seen[blob] = self.lines
            for old in list(self._seen)[1 : max(1, len(self._seen) - _KEPT)]:
                del self._seen[old]
        return [place for place, _ in found], [span for _, span in found]

    def state(self, place: Place) -> tuple[str, ...]:
        """What stands in this version between two gaps of the base."""
        low, high = place
        return tuple(
            line.text
            for line in self.lines
            if (line.low < high and line.high > low) or (line.low == line.high and low <= line.low <= high)
        )


def _standing(edit: Edit, gone: Sequence[Line], place: Place, span: Span) -> list[Line]:
    """The lines of an edit: one for one in the places of those that went, side by side in a gap, else all in one."""
    count = len(edit.lines)
    if len(gone) == count:
        return [Line(text, *line[1:]) for text, line in zip(edit.lines, gone, strict=True)]
    if place[0] == place[1]:
        low, wide = span[0], span[1] - span[0]
        cuts = [low + wide * number / count for number in range(count)] + [span[1]]
        return [Line(text, *place, (cuts[n], cuts[n + 1])) for n, text in enumerate(edit.lines)]
    return [Line(text, *place, span) for text in edit.lines]


# --- the function around a line -----------------------------------------------------------------------------------

_DEFINES = re.compile(r"([ \t]{0,80})(?:async[ \t]{1,4})?(?:def|class)[ \t]{1,4}(\w{1,200})")
_FURTHEST = 4000
_CALLABLE = re.compile(r"(~?\w{1,200})\s{0,4}\(")
_TYPE = re.compile(r"\b(?:class|struct|enum|namespace|trait|impl|interface)\s{1,4}(\w{1,200})")


def python_names(lines: Sequence[str], start: int, end: int) -> set[str]:
    """The innermost functions and classes that lines `start` to `end` of a Python file belong to, as `Class.method`."""
    found = {name for at in {start, max(start, end - 1)} if (name := _around(lines, at))}
    for at in range(start, min(end, start + _FURTHEST, len(lines))):
        if _DEFINES.match(lines[at]) and (name := _around(lines, at)):
            found.add(name)
    return found


def _around(lines: Sequence[str], at: int) -> str:
    """Upwards by indentation, beginning with the line itself (or the next one that says something)."""
    while at < len(lines) and not lines[at].strip():
        at += 1
    if at >= len(lines):
        return ""
    names: list[str] = []
    own = _DEFINES.match(lines[at])
    if own:
        names.append(own[2])
    indent = _indent(lines[at])
    for line in reversed(lines[max(0, at - _FURTHEST) : at]):
        if not indent:
            break
        if line.strip() and _indent(line) < indent and not line.lstrip().startswith((")", "#")):
            indent = _indent(line)
            if match := _DEFINES.match(line):
                names.append(match[2])
    return ".".join(reversed(names))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def edited_names(path: str, old: Sequence[str], new: Sequence[str], some: Iterable[Edit]) -> set[str]:
    """The functions and classes whose bodies the edits touch: by indentation in Python, else as git tells them."""
    if not path.endswith((".py", ".pyi")):
        return {name for edit in some if (name := context_name(edit.context))}
    found: set[str] = set()
    shift = 0
    for edit in some:
        if edit.end > edit.start:
            found |= python_names(old, *edit.place)
        if edit.lines:
            found |= python_names(new, edit.start + shift, edit.start + shift + len(edit.lines))
        shift += len(edit.lines) - (edit.end - edit.start)
    return found


def context_name(context: str) -> str:
    """The name in the words that git shows behind `@@`."""
    short = context[:400]
    match = _DEFINES.match(short)
    if match:
        return match[2]
    match = _CALLABLE.search(short) or _TYPE.search(short)
    return match[1] if match and match[1] not in ("if", "for", "while", "switch", "return", "sizeof") else ""
