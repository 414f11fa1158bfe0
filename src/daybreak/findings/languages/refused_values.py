"""Values that a function chose a branch by and refuses now: the branch went, and what is behind the last one raises.

`if mode == "fast": … elif mode == "slow": … else: raise` without its first branch turns away whoever passes "fast", though
the parameter stands as it did.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import PER_FILE, quiet
from daybreak.findings.languages.python_functions import Function, Pair, sources
from daybreak.findings.languages.python_public import importable, private
from daybreak.findings.languages.python_syntax import bodies, has_elif, leaves, statements

_FEWEST = 2
"""Values that a chain must tell apart before one that it does not know is one that it refuses."""


class _Chain(NamedTuple):
    line: int
    values: tuple[str, ...]


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Parameters of what users call that take fewer values."""
    if quiet(file) or not importable(file):
        return
    found = (fact for one in sources(whole).changed(file.path) for fact in _compare(*one, whole))
    yield from islice(found, PER_FILE)


def _compare(pair: Pair, old: Function, new: Function, whole: Whole) -> Iterator[Fact]:
    if private(new.name) or "raise" not in new.text:
        return
    before, after = (dict(reversed(list(_refusing(one)))) for one in (old, new))  # the outermost chain counts
    for name in sorted(before.keys() & after.keys()):
        (_, was), (line, now) = before[name], after[name]
        lost = [value for value in was if value not in now]
        if lost and not any(_is_written(value, new, whole) for value in lost):
            first, second = (", ".join(f'"{value}"' for value in side) for side in (was, now))
            yield Fact("literal_narrowed", pair.file.path, line, f"{pair.place}({name})", first, second, breaking=True)


def _is_written(value: str, new: Function, whole: Whole) -> bool:
    """It stands in the function, or on a line that came: it may be taken another way."""
    forms = f'"{value}"', f"'{value}'"
    return any(form in text for form in forms for text in (new.text, *whole.added_lines))


def _refusing(function: Function) -> Iterator[tuple[str, _Chain]]:
    """Parameters by which a chain of branches is chosen that ends with a raise."""
    for body in (function.body, *(inside for node in statements(function.body) for inside in bodies(node))):
        for at, node in enumerate(body):
            chain = list(_chain(node)) if isinstance(node, ast.If) else []
            asked = [_asked(one.test, function.parameters) for one in chain]
            names = {name for name, _ in asked}
            if len(names) != 1 or "" in names:
                continue
            behind = chain[-1].orelse or (body[at + 1 :] if all(leaves(one.body) for one in chain) else [])
            values = tuple(dict.fromkeys(value for _, some in asked for value in some))
            if _raises(behind) and len(values) >= _FEWEST:
                yield names.pop(), _Chain(function.at(node), values)


def _chain(node: ast.If) -> Iterator[ast.If]:
    """The `if` and each `elif` behind it."""
    yield node
    while has_elif(node):
        (follower,) = node.orelse
        assert isinstance(follower, ast.If)
        node = follower
        yield node


def _asked(test: ast.expr, parameters: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The parameter that a test holds against texts, and these; no name where it asks for anything else."""
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.left, ast.Name)):
        return "", ()
    given = test.comparators[0]
    many = isinstance(test.ops[0], ast.In) and isinstance(given, ast.Tuple | ast.List | ast.Set)
    nodes = given.elts if many and isinstance(given, ast.Tuple | ast.List | ast.Set) else [given]
    values = [one.value for one in nodes if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    plain = (many or isinstance(test.ops[0], ast.Eq)) and len(values) == len(nodes)
    return (test.left.id, tuple(values)) if plain and test.left.id in parameters else ("", ())


def _raises(block: Sequence[ast.stmt]) -> bool:
    return bool(block) and isinstance(block[0], ast.Raise)
