"""Loops and comprehensions of a Python file: their names stand for what one round gives."""

from __future__ import annotations

import ast

from msgspec.structs import replace

from daybreak.findings.languages.python_syntax import last_name
from daybreak.upgrade.downstream.python_statements import bind
from daybreak.upgrade.downstream.python_values import Inherited, Instance, Keys, Many, Scope, Value, one_round
from daybreak.upgrade.downstream.python_walk import Handler, Walk


def loop(walk: Walk, node: ast.For | ast.AsyncFor) -> None:
    _each(walk, node.target, node.iter)
    walk.block(node.body)
    walk.block(node.orelse)


def _each(walk: Walk, target: ast.expr, node: ast.expr) -> None:
    """The names of a loop stand for what one round gives."""
    value = walk.visit(node)
    listed = node.elts if isinstance(node, ast.List | ast.Tuple | ast.Set) else ()
    if isinstance(target, ast.Name) and listed and all(isinstance(one, ast.Constant) for one in listed):
        walk.bind(target.id, Keys(tuple(listed)))
        return
    around = node.func if isinstance(node, ast.Call) else None
    called = last_name(around) if around is not None else ""
    inner: list[Value] = []
    if called in ("enumerate", "zip") and isinstance(node, ast.Call):
        inner = [walk.resolve(one) for one in node.args]
        inner = [None, *inner[:1]] if called == "enumerate" else inner
    elif called in ("items", "values") and isinstance(around, ast.Attribute):
        held = walk.resolve(around.value)
        held = replace(held, table=not held.table) if isinstance(held, Many) else held  # a list has no such method
        inner = [None, held] if called == "items" else []
        value = held if called == "values" else value
    if isinstance(target, ast.Tuple) and inner:
        for one, part in zip(target.elts, inner, strict=False):
            bind(walk, one, _one_of(walk, part), None)
        return
    bind(walk, target, _one_of(walk, value), None)


def _one_of(walk: Walk, value: Value) -> Value:
    path = value.path if isinstance(value, Instance) else value if isinstance(value, str) else ""
    return one_round(value) if isinstance(value, Inherited | Many) or walk.words.watches(path) else None


def comprehension(walk: Walk, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Value:
    before, walk.scope = walk.scope, Scope(walk.scope)
    for one in node.generators:
        _each(walk, one.target, one.iter)
        for test in one.ifs:
            walk.visit(test)
    if isinstance(node, ast.DictComp):
        walk.visit(node.key)
    part = walk.visit(node.value if isinstance(node, ast.DictComp) else node.elt)
    walk.scope = before
    return Many(part, table=isinstance(node, ast.DictComp)) if walk.is_object(part) else None


LOOPS: dict[type[ast.AST], Handler] = {
    ast.For: loop,
    ast.AsyncFor: loop,
    **dict.fromkeys((ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp), comprehension),
}
