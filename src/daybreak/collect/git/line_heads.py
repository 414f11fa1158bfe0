"""The lines that each line of a file is under, by indentation, whatever its language."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence

CLOSES = (")", "]", "}", "{", "#", "//")
"""How lines begin that end no function though they are not deeper than its head."""
_BRANCH = re.compile(r"(?:\}\s?)?(?:if|elif|else|case|default|try|except)\b")
_ELSE = re.compile(r"(?:\}\s?)?(?:elif|else|except)\b")
_MOST = 100
"""Heads of one line that are told; a chain of conditions may be as long as its file."""


class Heads:
    """Of all lines of a file, read once."""

    def __init__(self, rows: Sequence[str]) -> None:
        self._texts: dict[int, str] = {}
        self._under = list[int]()
        self._before: dict[int, int] = {}
        open_ = list[tuple[int, int, int]]()  # by depth: the last line there, and the last that begins a branch
        for at, row in enumerate(rows, 1):
            text, depth = row.strip(), depth_of(row)
            place = bisect_left(open_, (depth,))
            self._under.append(open_[place - 1][1] if place else 0)
            if not text or text.startswith(CLOSES):
                continue
            branch = open_[place][2] if place < len(open_) and open_[place][0] == depth else 0
            if branch and _ELSE.match(text):
                self._before[at] = branch
            self._texts[at] = text
            open_[place:] = [(depth, at, at if _BRANCH.match(text) else branch)]

    def of(self, line: int) -> tuple[str, ...]:
        """The innermost first; of another branch than the first of a condition, those of the branches before it too."""
        return tuple(self._texts[at] for at in self.lines_of(line))

    def lines_of(self, line: int) -> tuple[int, ...]:
        """The same by their numbers, from 1."""
        out = list[int]()
        at = self._under[line - 1] if 0 < line <= len(self._under) else 0
        while at and len(out) < _MOST:
            out.append(at)
            at = self._before.get(at) or self._under[at - 1]
        return tuple(out)


def depth_of(row: str) -> int:
    """How far a line is indented."""
    return len(row) - len(row.lstrip())


def statements_of(module: ast.Module) -> Iterator[ast.AST]:
    """All of a module in the order of `ast.walk`, without what they are made of: that is most of its nodes."""
    left: deque[ast.AST] = deque([module])
    while left:
        node = left.popleft()
        yield node
        left.extend(child for block in _BLOCKS for child in getattr(node, block, ()))


_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")
