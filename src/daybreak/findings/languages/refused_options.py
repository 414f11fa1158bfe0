"""Options that nobody could use: whoever gave one was refused, so that it went breaks nobody."""

from __future__ import annotations

import ast
import re

from daybreak.findings.blobs import Row
from daybreak.findings.languages.base import ReadFile, Whole, destination
from daybreak.findings.languages.python_functions import Function, sources
from daybreak.findings.languages.python_syntax import called_name, statements

_RAISES = re.compile(r"_*(?:raise|throw|fail|reject)_\w+")


def is_only_refused(row: Row, file: ReadFile, whole: Whole) -> bool:
    """A branch of the file as it was asks for nothing but whether the option was given, and only raises."""
    name = destination(row.name)
    every = sources(whole).functions(file, "-").values() if file.path.endswith(".py") else ()
    return any(_refuses(one, name) for one in every if one.name and name in one.coded)


def _refuses(function: Function, name: str) -> bool:
    tests = (node for node in statements(function.body) if isinstance(node, ast.If) and len(node.body) == 1)
    return any(_is_given(node.test, name) and _raises(node.body[0]) for node in tests)


def _is_given(test: ast.expr, name: str) -> bool:
    """`args.x`, `args.x is not None`, `args.x != Args.x`: whatever it is."""
    sides = [test]
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.IsNot | ast.NotEq) and len(test.ops) == 1:
        sides = [test.left, *test.comparators]
    first, *others = sides
    plain = all((isinstance(one, ast.Constant) and one.value is None) or _is_of(one, name) for one in others)
    return _is_of(first, name) and plain


def _is_of(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == name


def _raises(node: ast.stmt) -> bool:
    call = node.value if isinstance(node, ast.Expr) else None
    named = isinstance(call, ast.Call) and _RAISES.fullmatch(called_name(call)) is not None
    return isinstance(node, ast.Raise) or named
