"""Blocks of a patch: the places that it touches, each with what went, what came and what stood around."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby, takewhile

from daybreak.collect.git.standing import NOTE, Block, telling
from daybreak.core.model.changes import FileChange

_AROUND = 3
_MAX_PATCH = 200_000


def blocks(file: FileChange) -> Iterator[Block]:
    """The places that a patch touches; none of a mass edit, whose lines say nothing."""
    if not file.patch or len(file.patch) > _MAX_PATCH:
        return
    number = later = 0
    rows: list[_Row] = []
    for row in (*file.patch.split("\n"), "@@"):
        if row.startswith("@@"):
            yield from _of_hunk(rows)
            start = START.match(row)
            number, later, rows = *map(int, start.groups() if start else (0, 0)), []
        elif row[:1] in (" ", "-", "+"):
            rows.append((row[0], row[1:].strip(), number, later))
            number, later = number + (row[0] != "+"), later + (row[0] != "-")


_Row = tuple[str, str, int, int]
"""Sign, line, and its number in the file as it was and as it is since."""
START = re.compile(r"@@ -(\d{1,9})(?:,\d+)? \+(\d{1,9})")


def _without_braces(run: Sequence[_Row]) -> list[_Row]:
    """Changed lines without those that only got or lost the brace behind them: what they ask did not change."""
    went, came = ({row[1] for row in run if row[0] == sign} for sign in "-+")
    braced = {line for some, other in ((went, came), (came, went)) for line in some if f"{line} {{" in other}
    return [row for row in run if row[1].removesuffix(" {") not in braced]


def _as_laid_out(rows: Sequence[_Row]) -> Iterator[_Row]:
    """Rows of a hunk in which lines that only got another indentation stand as they were, but for the first of them: what
    came around that is all that changed.
    """
    for changed, some in groupby(rows, lambda row: row[0] != " "):
        run = list(some)
        went, came = ([row for row in run if row[0] == sign] for sign in "-+")
        if not changed or not went or not came or len(run) > _RUN:
            yield from run
            continue
        was, now = ([row[1] for row in side] for side in (went, came))
        old = new = 0
        for at, to, size in SequenceMatcher(None, was, now, autojunk=False).get_matching_blocks():
            first = next((n + 1 for n in range(size) if telling(was[at + n])), size)  # where it stands decides
            if size and first == size:
                continue
            yield from (*went[old : at + first], *came[new : to + first])
            pairs = zip(went[at + first : at + size], came[to + first : to + size], strict=True)
            yield from ((" ", one[1], one[2], two[3]) for one, two in pairs)
            old, new = at + size, to + size


_RUN = 400
"""Changed lines of one place that are compared."""


def _of_hunk(rows: Sequence[_Row]) -> Iterator[Block]:
    came = {row[1] for row in rows if row[0] == "+" and row[1]}
    says = [row for row in rows if row[0] != "+" and NOTE.match(row[1])]
    said = {row for row in says if row[0] == " " or row[1].lstrip("#/ ") not in came}
    full = list(_as_laid_out([row for row in rows if row[1] and row not in said]))
    at = 0
    while at < len(full):
        if full[at][0] == " ":
            at += 1
            continue
        end = next((i for i in range(at, len(full)) if full[i][0] == " "), len(full))
        before = [line for sign, line, *_ in full[max(0, at - _AROUND) : at] if sign == " "]
        after = [line for _, line, *_ in takewhile(lambda row: row[0] == " ", full[end : end + _AROUND])]
        run = _without_braces(full[at:end])
        old, new = (tuple(line for sign, line, *_ in run if sign == one) for one in "-+")
        last = next((number for sign, _, number, _ in reversed(run) if sign == "-"), full[at][2] - 1)
        if run:
            yield Block(old, new, tuple(before), tuple(after), last, tuple(row[3] for row in run if row[0] == "+"))
        at = end
