"""What a program chooses where a user left the choice open: `auto`, and defaults that a call is handed by name.

`if backend != "auto": return backend` and then `backend = "a"`: no default is declared there, and yet whoever sets nothing
gets another one when the constant is another. So does `settle(sm100_default_backend="a")`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from daybreak.core.text import contrast
from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import PER_FILE, one_line, quiet, unwrapped
from daybreak.findings.languages.deciding_lists import CALLED_DEFAULT, lists
from daybreak.findings.languages.python_functions import Function, Pair, Sources, sources
from daybreak.findings.languages.python_syntax import bodies, has_elif, leaves, statements, walk

_OPEN = re.compile(r"[\"']auto[\"']|default_?\w*\s?=")
_AUTO = "auto"
_NAMED = re.compile(r"_default(?:_|$)|^default_(?!factory$|value$)", re.IGNORECASE)
"""Whose default it is must be said: `default` alone belongs to what declares an option, which others read."""
_LONGEST = 60
"""Characters of a text that is a value; a longer one is a message."""
_DEEPEST = 12
_KIND = "choice_default_changed"


class _Chosen(NamedTuple):
    line: int
    text: str
    under: str = ""
    """The condition around the question, where there is one: for whom it is asked at all."""


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Choices of a function that was there and makes another one."""
    if quiet(file):
        return
    known = sources(whole)
    found = (fact for one in known.changed(file.path) for fact in _compare(*one, known))
    yield from islice(found, PER_FILE)


def _compare(pair: Pair, old: Function, new: Function, known: Sources) -> Iterator[Fact]:
    if not new.name:
        yield from _new_lists(pair, old, new, known)
    if not all(one.mentions(_OPEN, _AUTO, "default") for one in (old, new)):
        return
    for read in (_automatic, _handed):
        before, after = dict(read(old)), dict(read(new))
        for key in sorted(before.keys() & after.keys()):
            was, now = before[key], after[key]
            if was.text != now.text:
                under = f"if {now.under}: " if was.under == now.under and 0 < len(now.under) <= _LONGEST else ""
                first, second = contrast(was.text, now.text)
                told = f"{under}{first}", f"{under}{second}"
                yield Fact(_KIND, pair.file.path, now.line, key.partition("\n")[0], *told, breaking=True)


# --- auto ------------------------------------------------------------------------------------------------------------


def _automatic(function: Function) -> Iterator[tuple[str, _Chosen]]:
    """Names that are asked for `auto`, each with what it becomes."""
    for under, body in _blocks(function):
        for at, node in enumerate(body):
            if not isinstance(node, ast.If) or (asked := _asked(node.test)) is None:
                continue
            name, is_auto = asked
            rest = node.orelse or (body[at + 1 :] if leaves(node.body) else [])
            chosen = _choice(function, node.body if is_auto else rest, name, 0)
            if chosen is not None:
                yield _source(function, name), _Chosen(function.at(node), chosen, under)


def _blocks(function: Function) -> Iterator[tuple[str, Sequence[ast.stmt]]]:
    """The blocks of a function, each with the condition that is its own."""
    yield "", function.body
    for node in statements(function.body):
        for body in bodies(node):
            test = node.test if isinstance(node, ast.If) and body is node.body else None
            yield "" if test is None else one_line(unwrapped(function.source(test))), body


def _asked(test: ast.expr) -> tuple[str, bool] | None:
    """The name that is compared with `auto`, and whether it is."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq | ast.NotEq):
        return None
    value = test.comparators[0]
    plain = isinstance(test.left, ast.Name | ast.Attribute) and isinstance(value, ast.Constant) and value.value == _AUTO
    return (ast.unparse(test.left), isinstance(test.ops[0], ast.Eq)) if plain else None


def _choice(function: Function, block: Sequence[ast.stmt], name: str, depth: int) -> str | None:
    """The constants that a block gives the name or hands back, with their conditions; None where it gives no constant."""
    found: str | None = None
    for node in block if depth < _DEEPEST else ():
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            found = _constant(node.value)
        elif isinstance(node, ast.Return):
            return (
                found if node.value is not None and name in ast.unparse(node.value) else _constant(node.value) or found
            )
        elif isinstance(node, ast.If):
            then, other = (_choice(function, part, name, depth + 1) for part in (node.body, node.orelse))
            other = other or found
            if then is not None:
                test = one_line(unwrapped(function.source(node.test)))
                found = then if then == other else f"{then} if {test}" + (f" else {other}" if other else "")
            else:
                found = other
    return found


def _constant(node: ast.expr | None) -> str | None:
    plain = isinstance(node, ast.Constant) and isinstance(node.value, str | bool | int | float)
    return ast.unparse(node) if node is not None and plain and len(ast.unparse(node)) <= _LONGEST else None


def _source(function: Function, name: str) -> str:
    """What users set: the attribute that the name was taken from."""
    for node in statements(function.body):
        given = node.value if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name else None
        if isinstance(given, ast.Attribute):
            return given.attr
    return name.rpartition(".")[2]


# --- defaults by name --------------------------------------------------------------------------------------------------


def _handed(function: Function) -> Iterator[tuple[str, _Chosen]]:
    """Arguments named as defaults that a call is given, under the condition it stands under; those of one value there."""
    out: dict[str, tuple[int, str] | None] = {}
    _gather(function.body, (), out)
    yield from ((key, _Chosen(function.line + one[0] - 1, one[1])) for key, one in out.items() if one is not None)


def _gather(body: Sequence[ast.stmt], under: tuple[str, ...], out: dict[str, tuple[int, str] | None]) -> None:
    for node in body if len(under) < _DEEPEST else ():
        if isinstance(node, ast.If):
            test = ast.unparse(node.test)
            _gather(node.body, (*under, test), out)
            _gather(node.orelse, under if has_elif(node) else (*under, f"not ({test})"), out)
            continue
        for call in walk([node]):
            for word in call.keywords if isinstance(call, ast.Call) else ():
                value = _constant(word.value) if word.arg and _NAMED.search(word.arg) else None
                if value is not None and isinstance(call, ast.Call):
                    shown = f"{value} if {' and '.join(under[-2:])}" if under else value
                    key = f"{word.arg}\n{ast.unparse(call.func)}\n{under}"
                    out[key] = None if key in out else (word.value.lineno, shown)


# --- lists that are called the default -----------------------------------------------------------------------------------


def _new_lists(pair: Pair, old: Function, new: Function, known: Sources) -> Iterator[Fact]:
    """Lists of a module that are called the default and come, where a function takes one which stood there without it."""
    before = dict(lists(old))
    for name, (line, held) in lists(new):
        unknown = name not in before and not re.search(rf"\b{name}\b", known.before)
        if unknown and CALLED_DEFAULT.fullmatch(name) and _is_taken(name, pair, known):
            said = ", ".join(map(repr, held[:_MOST])) + (", …" if len(held) > _MOST else "")
            yield Fact("choice_added", pair.file.path, line, name, None, f"{{{said}}}")


_MOST = 40


def _is_taken(name: str, pair: Pair, known: Sources) -> bool:
    """A function that stood there takes it."""
    taking = (new for _, _, new in known.changed(pair.file.path) if new.name)
    return any(name in one.coded for one in taking)
