"""Conditions of a Python file that ask what a name is: `isinstance(x, Upstream)`, and where it is not."""

from __future__ import annotations

import ast

from daybreak.upgrade.downstream.python_values import Instance, Own, OwnClass, Value
from daybreak.upgrade.downstream.python_walk import Walk


class Kinds:
    """What names stand for where a condition holds, or where it does not; None for what can no longer be said."""

    def __init__(self, walk: Walk, node: ast.expr, *, holds: bool = True) -> None:
        self._walk = walk
        self._kinds = _kinds(walk, node, holds)
        self._before = {name: walk.look_up(name) for name in self._kinds}

    def begin(self) -> None:
        """Code for which it holds comes; a name that got something else since then is that."""
        look_up, before = self._walk.look_up, self._before
        self._kinds = {name: value for name, value in self._kinds.items() if look_up(name) == before[name]}
        self._walk.scope.names |= self._kinds

    def end(self, *, left: bool = False) -> None:
        """It has come; `left`: the other code does not go on, so that what a name is not stays so."""
        names = self._walk.scope.names
        for name, value in self._kinds.items():
            if names.get(name) == value and not (left and value is None):
                names[name] = self._before[name]


def _kinds(walk: Walk, node: ast.expr, holds: bool) -> dict[str, Value]:
    node, holds = _plain(node, holds)
    joined = ast.And if holds else ast.Or
    found: dict[str, Value] = {}
    for one in node.values if isinstance(node, ast.BoolOp) and isinstance(node.op, joined) else [node]:
        inner, true = _plain(one, holds)
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id == "isinstance":
            found |= _asked(walk, inner, true)
    return found


def _plain(node: ast.expr, holds: bool) -> tuple[ast.expr, bool]:
    """A condition without `not` before it."""
    while isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node, holds = node.operand, not holds
    return node, holds


def _asked(walk: Walk, node: ast.Call, holds: bool) -> dict[str, Value]:
    """What one `isinstance` says of a name of which nothing is known, or only that it is an object of upstream."""
    name, kind = node.args if len(node.args) == 2 else (None, None)
    if not isinstance(name, ast.Name) or kind is None:
        return {}
    known = walk.look_up(name.id)
    asked = [
        walk.resolve(one) if isinstance(one, ast.Name | ast.Attribute) else None
        for one in (kind.elts if isinstance(kind, ast.Tuple) else [kind])
    ]
    theirs = [one for one in asked if isinstance(one, str) and walk.words.watches(one)]
    if isinstance(known, Instance) and known.path in theirs:
        return {} if holds else {name.id: None}
    if not holds or (known is not None and not isinstance(known, Instance)):
        return {}
    if len(asked) == 1 and theirs:
        return {name.id: Instance(theirs[0])} if known is None else {name.id: None}
    only = asked[0] if len(asked) == 1 else None
    return {name.id: Own(only) if isinstance(only, OwnClass) else None} if known is not None else {}
