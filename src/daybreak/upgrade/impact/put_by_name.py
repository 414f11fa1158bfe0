"""Attributes that a class gives its objects otherwise than by `self.x = …`: by a word, or through functions that it hands
them to.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Protocol

from daybreak.upgrade.impact.chains import Thing
from daybreak.upgrade.impact.source import Function, statements_of
from daybreak.upgrade.impact.source_parts import last_part, set_on

_ASKS = frozenset(("getattr", "hasattr", "delattr", "isinstance", "super", "print"))


def put_by_name(node: ast.ClassDef) -> set[str]:
    """Attributes that a class gives its objects by a word: `setattr(self, "x", …)`, `self.register_buffer("x", …)`."""
    found: set[str] = set()
    for one in ast.walk(node):
        if isinstance(one, ast.Call):
            owner = one.func.value if isinstance(one.func, ast.Attribute) else None
            registers = _is_self(owner) and last_part(one.func).startswith("register")
            if registers or (any(map(_is_self, one.args)) and last_part(one.func) not in _ASKS):
                found |= _words(one.args)
        elif isinstance(one, ast.For) and isinstance(one.iter, ast.Tuple | ast.List) and _sets(one):
            found |= _words(one.iter.elts)
    return found


def _is_self(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _words(nodes: Sequence[ast.expr]) -> set[str]:
    return {one.value for one in nodes if isinstance(one, ast.Constant) and isinstance(one.value, str)}


def _sets(node: ast.For) -> bool:
    return any(isinstance(one, ast.Call) and last_part(one.func) == "setattr" for one in ast.walk(node))


class Files(Protocol):
    """One end of a range."""

    def named(self, path: str, name: str, depth: int = 0) -> Thing | None:
        """What a name means in a file."""

    def function(self, thing: Thing) -> Function | None:
        """The definition of a function."""


_DEEPEST = 3


def put_by_others(files: Files, node: ast.AST, holder: str, path: str, depth: int = 0) -> set[str]:
    """Attributes that functions of the same project put on an object that is passed to them."""
    found: set[str] = set()
    for call in ast.walk(node) if depth < _DEEPEST else ():
        given = [getattr(one, "id", "") for one in call.args] if isinstance(call, ast.Call) else []
        if not isinstance(call, ast.Call) or holder not in given or not isinstance(call.func, ast.Name):
            continue
        made = files.named(path, call.func.id)
        body = files.function(made) if made is not None and made.sort == "function" else None
        taken = body.args.args[given.index(holder) :][:1] if body is not None else []
        if made is not None and body is not None and taken:
            name = taken[0].arg
            found |= {word for one in statements_of(body.body) for word, *_ in set_on(one, body, name)}
            found |= put_by_others(files, body, name, made.path, depth + 1)
    return found
