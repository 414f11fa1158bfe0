"""Statements that moved past others: where one of the two writes what the other one reads or writes, what they do is another
thing now, though the words are the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from daybreak.core.model.changes import FileChange
from daybreak.findings.diff import DiffLine, hunks

DEFINES = re.compile(r"\s*(?:async\s+)?(?:def|class|fn|func)\s|\s*@\w")
_GIVES = re.compile(
    r"(?:for\s+([^()\s][^()]{0,119}?)\sin\s|([^=()\"'#/]{1,200}?)\s?(?:[-+*/%&|^@]|//|\*\*|<<|>>)?=(?!=))"
)
_PATH = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_INDEX = re.compile(r"\[[^\[\]]{0,200}\]|:.*")
_LONGEST = 400
_MOVED = 60
"""Statements of one file that are followed."""


class _Row(NamedTuple):
    line: DiffLine
    hunk: int
    context: str


def passes_another(file: FileChange) -> bool:
    """A statement of it stands on the other side of one that it depends on, or that depends on it, in the same function; what
    lies between two hunks is not seen, and may be such a one.
    """
    rows = [_Row(line, at, hunk.context) for at, hunk in enumerate(hunks(file.patch)) for line in hunk.lines]
    return any(_is_bound(rows, went, came) for went, came in islice(_moved(rows), _MOVED))


def _moved(rows: Sequence[_Row]) -> Iterator[tuple[int, int]]:
    """Where a statement that gives a value went, and where it came: one that went and came once."""
    sides = {sign: [(at, row.line.text) for at, row in enumerate(rows) if row.line.sign == sign] for sign in "-+"}
    counts = {sign: Counter(text.strip() for _, text in side) for sign, side in sides.items()}
    places = {text.strip(): at for at, text in sides["+"]}
    for at, text in sides["-"]:
        plain = text.strip()
        inner = text[:1].isspace() and not plain.endswith(",") and len(plain) < _LONGEST
        if inner and counts["-"][plain] == counts["+"][plain] == 1 and _written(plain):
            yield at, places[plain]


def _is_bound(rows: Sequence[_Row], went: int, came: int) -> bool:
    first, last = sorted((went, came))
    between = rows[first : last + 1]
    if any(DEFINES.match(row.line.text) for row in between):
        return False
    if rows[first].hunk != rows[last].hunk:
        return rows[first].context == rows[last].context
    moved = rows[went].line.text.strip()
    return any(_depend(moved, row.line.text.strip()) for row in between if row.line.sign == " ")


def _depend(one: str, other: str) -> bool:
    """One of two statements writes what the other one names."""
    pairs = ((one, other), (other, one))
    return any(_meet(path, name) for a, b in pairs for path in _written(a) for name in _PATH.findall(b[:_LONGEST]))


def _meet(path: str, name: str) -> bool:
    """They are the same object, or one is a part of the other."""
    return path == name or path.startswith(f"{name}.") or name.startswith(f"{path}.")


def _written(statement: str) -> list[str]:
    """What a statement gives a value to, whatever part of it."""
    found = _GIVES.match(statement[:_LONGEST])
    targets = _INDEX.sub("", found[1] or found[2]).split(",") if found else ()
    paths = [_PATH.findall(target) for target in targets]
    return [some[-1] for some in paths if some]
