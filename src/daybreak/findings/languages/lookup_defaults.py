"""Defaults given in passing: `getattr(x, "k", D)`, `cfg.get("k", D)`, `kwargs.pop("k", D)`.

A model's configuration or a request without the key now behaves otherwise, though nothing declares that default. What
stands in for a missing key counts, wherever it is written: `get("k", None) or D` is `get("k", D)`, and so are
`x = get("k", None); if x is None: x = D` and `x = get("k", None); y = x or D`.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from daybreak.core.text import contrast
from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import PER_FILE, one_line, quiet, squeezed, unwrapped
from daybreak.findings.languages.python_functions import Function, Pair, sources
from daybreak.findings.languages.python_normal import Scope, value
from daybreak.findings.languages.python_syntax import choices, statements, walk

_ENVIRONMENT = re.compile(r"environ|\benv\b|envs\b|headers|queue|session", re.IGNORECASE)
_NOTHING = frozenset({"None", "False", '""', "0", "[]", "{}", "()", "dict()", "list()", "0.0", "set()", "tuple()"})
_LOOKS_UP = re.compile(r"\bgetattr\(|\.(?:get|pop)\(")


class _Default(NamedTuple):
    line: int
    receiver: str
    value: str
    normal: str


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Keys whose default is another one in the same function."""
    if quiet(file) or not _LOOKS_UP.search(file.change.patch):
        return
    found = (fact for one in sources(whole).changed(file.path) for fact in _compare(*one))
    yield from islice(found, PER_FILE)


def _compare(pair: Pair, old: Function, new: Function) -> Iterator[Fact]:
    before = _defaults(old)
    after = _defaults(new) if before else {}
    for key in sorted(before.keys() & after.keys()):
        if len(before[key]) != 1 or len(after[key]) != 1:
            continue
        was, now = before[key][0], after[key][0]
        if was.normal == now.normal or was.receiver != now.receiver:
            continue
        if "(" in was.value + now.value or was.value.split(".")[-1] == now.value.split(".")[-1] != was.value[-1:]:
            continue  # a value that is computed, or the same one reached another way
        if {squeezed(was.value), squeezed(now.value)} <= _NOTHING:
            continue
        yield Fact("passing_default_changed", pair.file.path, now.line, key, *contrast(was.value, now.value))


def _defaults(function: Function) -> dict[str, list[_Default]]:
    """Key → its calls with a default."""
    out: dict[str, list[_Default]] = defaultdict(list)
    if not _LOOKS_UP.search(function.text):
        return out
    nodes = [*walk(function.body)]
    unused = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}  # `pop("k", None)` only takes a key away
    calls = (node for node in nodes if isinstance(node, ast.Call) and id(node) not in unused)
    asked = [(node, found) for node in calls if (found := _call(node))]
    later = _stand_ins(function, nodes) if asked else {}
    for node, (key, receiver, default) in asked:
        given = later.get(id(node), default)
        if key.isidentifier() and not key.startswith("_") and not _ENVIRONMENT.search(ast.unparse(receiver)[:400]):
            text = one_line(unwrapped(function.source(given)))
            normal = value(given, Scope(function.value, loose=True))
            out[key].append(_Default(function.at(node), _tail(receiver), text, normal))
    return out


def _call(node: ast.Call) -> tuple[str, ast.expr, ast.expr] | None:
    """Key, what is asked, and the default, of a call that names one."""
    args = [*node.args]
    if isinstance(node.func, ast.Name) and node.func.id == "getattr":
        receiver = args.pop(0) if args else None
    elif isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "pop"):
        receiver = node.func.value
    else:
        return None
    if receiver is None or len(args) != 2 or node.keywords:
        return None
    key = args[0]
    text = key.value if isinstance(key, ast.Constant) else None
    return (text, receiver, args[1]) if isinstance(text, str) else None


def _tail(receiver: ast.expr) -> str:
    return ast.unparse(receiver).split(".")[-1][:80]


def _stand_ins(function: Function, nodes: Sequence[ast.AST]) -> dict[int, ast.expr]:
    """The call that asks → what is taken where it found nothing: behind its `or`, or in place of the name it fills."""
    taken = [*choices(nodes)]
    out = {id(x.values[0]): x.values[-1] for x in taken if _gives_nothing(x.values[0])}
    given: dict[str, ast.Call] = {}
    for node in statements(function.body):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.value, ast.Call):
            given[ast.unparse(node.targets[0])] = node.value
        elif isinstance(node, ast.If) and not node.orelse and (name := _missing(node.test)) in given:
            instead = (x for x in node.body if isinstance(x, ast.Assign) and ast.unparse(x.targets[0]) == name)
            out |= {id(given[name]): x.value for x in instead}
    asked = {name: call for name, call in given.items() if id(call) not in out and _gives_nothing(call)}
    return out | {id(asked[name]): x.values[-1] for x in taken if (name := ast.unparse(x.values[0])) in asked}


def _gives_nothing(node: ast.expr) -> bool:
    """A lookup whose own default is nothing, so that what stands behind an `or` takes its place."""
    found = _call(node) if isinstance(node, ast.Call) else None
    return found is not None and squeezed(ast.unparse(found[2])[:80]).replace("'", '"') in _NOTHING


def _missing(test: ast.expr) -> str:
    """The name that a test asks to be None; empty for any other test."""
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is) and len(test.ops) == 1:
        right = test.comparators[0]
        return ast.unparse(test.left) if isinstance(right, ast.Constant) and right.value is None else ""
    return ""
