"""Bodies of functions, parsed when somebody asks for them: they are most of a tree, and most are never looked into."""

from __future__ import annotations

import ast
from collections import deque
from functools import lru_cache
from itertools import accumulate

from daybreak.upgrade.downstream.python import parsed
from daybreak.upgrade.impact.source import Source, source

_WHOLE = 3_500_000
"""Characters of files that are kept as trees."""
_KEPT = 600
"""Bodies that are kept parsed: whoever looks into one mostly does so again."""


@lru_cache(_KEPT)
def _statements(text: str) -> list[ast.stmt]:
    whole = parsed(f"if 1:\n{text}").body[0]
    return whole.body if isinstance(whole, ast.If) else []


def _body(node: ast.AST) -> list[ast.stmt]:
    """As the parser made it, with lines of its own."""
    text, first, end = node.__dict__["body"]
    return _statements(text[first:end])


# Functions that know where their body stands. Visitors go by the name of a class.
_LATER: dict[type[ast.AST], type[ast.AST]] = {
    one: type(one.__name__, (one,), {"__slots__": (), "body": property(_body)})
    for one in (ast.FunctionDef, ast.AsyncFunctionDef)
}


def put_off(tree: ast.Module, text: str) -> None:
    """Let go of the bodies of functions at the top of a file and in its classes; a body beside its `def` stays."""
    if "\r" in text:
        return  # lines that are counted otherwise
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            waiting += [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.stmt | ast.ExceptHandler)]
            continue
        first, last = node.body[0], node.body[-1]
        marks: list[ast.expr] = getattr(first, "decorator_list", [])
        row = min([first.lineno, *(one.lineno for one in marks)]) - 1
        if marks or not lines[row][: first.col_offset].strip():
            node.__dict__["body"] = (text, starts[row], starts[last.end_lineno or last.lineno])
            node.__class__ = _LATER[type(node)]  # type: ignore[assignment]


class Parsed:
    """What files offer: one that both ends have alike is parsed once. Those that were read last are whole, the functions of
    the others only know where their bodies stand.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[str, Source | None]] = {}
        self._whole: deque[tuple[Source, str]] = deque()
        self._size = 0

    def source(self, key: tuple[str, str], text: str) -> Source | None:
        """What a file offers, by its repository, its path and its text."""
        known, found = self._known.get(key, (None, None))
        if known == text:
            return found
        found = source(text)
        self._known[key] = (text, found)
        if found is not None:
            self._whole.append((found, text))
            self._size += len(text)
        while self._size > _WHOLE:
            old, before = self._whole.popleft()
            put_off(old.tree, before)
            self._size -= len(before)
        return found
