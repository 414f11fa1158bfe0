"""Statements that another branch took over: a branch came in the middle of a block, and what stood behind it there, unchanged, is
of the new one now. Whoever came by the old branch goes without these statements, and others get them.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice, takewhile
from typing import NamedTuple

from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import PER_FILE, one_line, quiet, shown
from daybreak.findings.languages.python_functions import Function, sources
from daybreak.findings.languages.python_public import read_at_all
from daybreak.findings.languages.python_syntax import is_docstring, last_name, statements

_CAME = re.compile(r"^\+[ \t]+(?:elif\b|else:)", re.MULTILINE)


class _Branch(NamedTuple):
    """One block under its question, with what of it is written how."""

    body: tuple[ast.stmt, ...]
    texts: tuple[str, ...]
    chain: int
    """The first line of the `if` that it belongs to."""


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Functions that stood there, into which a branch came."""
    if quiet(file) or not read_at_all(file) or not _CAME.search(file.change.patch):
        return
    added = {line.new for hunk in file.hunks for line in hunk.lines if line.sign == "+"}
    sides = (one[1:] for one in sources(whole).changed(file.path))
    yield from islice((fact for old, new in sides for fact in _compare(file, old, new, added)), PER_FILE)


def _compare(file: ReadFile, old: Function, new: Function, added: set[int]) -> Iterator[Fact]:
    before, after = _branches(old), _branches(new)
    standing = Counter(text for branch in after.values() for text in branch.texts)
    for test in before.keys() & after.keys():
        was, now = before[test], after[test]
        lost = _rest(was.texts, now.texts)
        others = (one for one in after if lost and now.texts and one not in before and after[one].chain == now.chain)
        for other in others:
            came = after[other]
            tail, whole = came.body[-len(lost) :], list(came.texts[-len(lost) :]) == lost
            alone = whole and all(standing[text] == 1 for text in lost)
            if alone and new.at(tail[0]) not in added and any(map(_does, tail)):
                sides = (_asked(test), _asked(other))
                yield Fact("branch_changed", file.path, new.at(tail[0]), _named(tail, new), *sides, True)


def _rest(was: tuple[str, ...], now: tuple[str, ...]) -> list[str]:
    """What stood last in a block, and stands there no more."""
    return [*takewhile(lambda text: text not in now, reversed(was))][::-1]


def _branches(function: Function) -> Mapping[str, _Branch]:
    """Question → its block, of those that are asked once and stand in a chain or alone."""
    found: dict[str, _Branch] = {}
    twice: set[str] = set()
    below: dict[int, int] = {}
    for node in statements(function.body):
        if not isinstance(node, ast.If):
            continue
        chain = below.get(id(node), node.lineno)
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            below[id(node.orelse[0])] = chain
        test = ast.unparse(node.test)
        body = tuple(one for one in node.body if not is_docstring(one))
        twice |= {test} & found.keys()
        found[test] = _Branch(body, tuple(map(ast.unparse, body)), chain)
    return {test: branch for test, branch in found.items() if test not in twice}


def _does(node: ast.stmt) -> bool:
    """It sets or calls something; what is only said changes nothing."""
    calls = (part for part in ast.walk(node) if isinstance(part, ast.Call))
    told = any(last_name(call.func) not in _SAYS for call in calls)
    return told or any(isinstance(part, ast.Assign | ast.AugAssign | ast.AnnAssign) for part in ast.walk(node))


_SAYS = frozenset({"debug", "info", "warning", "warn", "error", "print", "info_once", "warning_once"})


def _named(tail: tuple[ast.stmt, ...], function: Function) -> str:
    """What the statements set of an object, else the function."""
    nodes = (part for one in tail for part in ast.walk(one) if isinstance(part, ast.Assign))
    given = [t.attr for node in nodes for t in node.targets if isinstance(t, ast.Attribute)]
    return ", ".join([*dict.fromkeys(given)][:3]) or function.short


def _asked(test: str) -> str:
    return shown(one_line(test))
