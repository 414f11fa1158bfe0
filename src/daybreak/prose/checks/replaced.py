"""Lines of a diff that took each other's place: one went where another came, and blocks of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from daybreak.core.plain_words import plain

_LIKE = 0.5
_MOST_LINES, _MOST_OF_BLOCK, _MOST_PAIRS, _LONG = 400, 20, 2000, 600
"""Evidence may be large and is hostile: of each hunk, block, diff and line so much is read."""
_NAME = re.compile(r"\w+")


class Pair(NamedTuple):
    """What went, and what came in its place."""

    gone: str
    come: str


def replaced(hunks: Sequence[Sequence[str]]) -> tuple[Pair, ...]:
    """Lines that took each other's place, and the blocks that did."""
    return tuple(islice((pair for hunk in hunks for pair in _of_hunk(hunk[:_MOST_LINES])), _MOST_PAIRS))


def _of_hunk(hunk: Sequence[str]) -> Iterator[Pair]:
    gone: list[str] = []
    come: list[str] = []
    for line in (*hunk, " "):
        if line[:1] == "-" and not come:
            gone.append(line[1:])
        elif line[:1] == "+" and gone:
            come.append(line[1:])
        else:
            yield from _aligned(_joined(gone), _joined(come))
            gone, come = [line[1:]] if line[:1] == "-" else [], []


def _aligned(gone: Sequence[str], come: Sequence[str]) -> Iterator[Pair]:
    if not gone or not come:
        return
    yield Pair(" ".join(gone), " ".join(come))
    if len(gone) == len(come) == 1:
        return
    if len(gone) == len(come):  # line by line: as many came as went
        yield from map(Pair, gone, come)
        return
    news = [(new, _names(new)) for new in come[:_MOST_OF_BLOCK]]
    for old in gone[:_MOST_OF_BLOCK]:
        mine = _names(old)
        like, best = max((_likeness(mine, theirs), new) for new, theirs in news)
        if like >= _LIKE:
            yield Pair(old, best)


def _names(line: str) -> frozenset[str]:
    return frozenset(_NAME.findall(line))


def _likeness(mine: frozenset[str], theirs: frozenset[str]) -> float:
    """Share of the words that both have: evidence may be large, so nothing slower."""
    return 2 * len(mine & theirs) / (len(mine) + len(theirs) or 1)


def _joined(lines: Sequence[str]) -> list[str]:
    """Lines of a call or a declaration that is spread over several count as one."""
    out: list[str] = []
    depth = 0
    for line in lines:
        text = plain(line[:_LONG])
        if not text:
            continue
        if depth > 0:
            out[-1] += " " + text
        else:
            out.append(text)
            depth = 0
        depth += sum(text.count(c) for c in "([{") - sum(text.count(c) for c in ")]}")
    return out
