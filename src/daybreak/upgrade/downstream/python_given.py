"""Objects that one piece of your code hands to another: to a function or a list of yours, to a registry of upstream."""

from __future__ import annotations

import ast

from daybreak.upgrade.downstream.python_definitions import REGISTERED
from daybreak.upgrade.downstream.python_values import (
    TAKEN,
    Instance,
    Literal,
    Many,
    Own,
    OwnClass,
    Scope,
    Value,
    is_none,
)
from daybreak.upgrade.downstream.python_walk import Taker, Walk, elsewhere


def taker_of(walk: Walk, node: ast.Call, callee: Value) -> Taker | str | None:
    """The function of this file that a call runs, or the dotted name of one in your other files."""
    return (_here(walk, node, callee) if walk.takers else None) or elsewhere(walk, node.func)


def _here(walk: Walk, node: ast.Call, callee: Value) -> Taker | None:
    func = node.func
    if isinstance(callee, OwnClass):
        return walk.takers.get((callee, "__init__"))
    if isinstance(func, ast.Name):
        scope: Scope | None = walk.scope
        while scope is not None and func.id not in scope.names:
            scope = scope.outer
        return walk.takers.get((scope, func.id))
    base = walk.resolve(func.value) if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) else None
    line = base.kind.line_up() if isinstance(base, Own) else ()
    return next((one for kind in line if (one := walk.takers.get((kind, func.attr)))), None)  # type: ignore[attr-defined]


def pass_on(walk: Walk, node: ast.Call, taker: Taker | str) -> None:
    """Keep which objects of upstream a call hands to a function of yours."""
    if isinstance(taker, str):
        _hand_over(walk, node, taker)
        return
    asking = walk.bodies.get(walk.scope)
    if asking is not None and taker.gives is None:
        taker.asking.append(asking)
    starred = any(isinstance(one, ast.Starred) for one in node.args) or any(one.arg is None for one in node.keywords)
    places = zip(taker.names, node.args, strict=False)
    passed = dict((*places, *((one.arg or "", one.value) for one in node.keywords)))
    for name in taker.names if starred else ():
        taker.take(name, id(node), None)
    for name, one in () if starred else passed.items():
        itself = asking is taker and isinstance(one, ast.Name) and one.id == name
        if not itself and not is_none(one):
            value = walk.once(one)
            taker.take(name, id(node), value if walk.is_object(value) else None)


def _hand_over(walk: Walk, node: ast.Call, name: str) -> None:
    if any(isinstance(one, ast.Starred) for one in node.args):
        return
    every = (*enumerate(node.args), *((one.arg, one.value) for one in node.keywords if one.arg is not None))
    values = ((place, walk.once(one)) for place, one in every)
    given = tuple(f"{place}={one.path}" for place, one in values if isinstance(one, Instance) and walk.is_object(one))
    if given:
        walk.beside.handed.append((name, node.lineno, given))


def registered(walk: Walk, node: ast.Call, callee: str) -> None:
    """A class of yours that upstream is given, as it stands or by its name: it must be what upstream takes there."""
    for one in (*node.args, *(x.value for x in node.keywords)):
        name = one.id if isinstance(one, ast.Name) else one.value if isinstance(one, ast.Constant) else None
        own = walk.look_up(name) if isinstance(name, str) else None
        if isinstance(own, OwnClass):
            stands_for(walk, own, f"{callee}{TAKEN}")


def stands_for(walk: Walk, own: OwnClass, path: str) -> None:
    """A class of yours without a base of upstream that takes the place of one: what it defines is called as that one's is."""
    for one in own.methods if not own.upstream else ():
        gift = REGISTERED if one.name == "__init__" else one.value
        walk.found.add(
            "override", f"{path}.{one.name}", one.line, value=gift, keywords=one.keywords, positional=one.positional
        )


def hold(walk: Walk, node: ast.expr, part: Value, *, by_key: bool = False) -> None:
    """Something that a name or an attribute of yours holds gets a part: an object of upstream, or something else."""
    names: dict[str, Value] = {}
    if isinstance(node, ast.Attribute):
        base = walk.resolve(node.value)
        names = base.kind.own if isinstance(base, Own) else names  # one that is inherited stays upstream's
        name, value = node.attr, names.get(node.attr)
    elif isinstance(node, ast.Name):
        names, name, value = walk.scope.names, node.id, walk.look_up(node.id)
        asked = walk.bodies.get(walk.scope)
        if value is None and asked is not None and name in asked.names:
            return  # nobody knows what else is in it
    else:
        return
    if not _is_open(value) or (isinstance(node, ast.Attribute) and name not in names):
        return
    if not walk.is_object(part):
        walk.mixed.add((id(names), name))
    if walk.is_object(part) or isinstance(value, Many):
        held = _holding(value, part, by_key)
        held = Many(None, held.table) if (id(names), name) in walk.mixed else held
        if isinstance(node, ast.Name):
            walk.bind(name, held)
        else:
            names[name] = held


def _holding(value: Value, part: Value, by_key: bool) -> Many:
    """What holds a part more: a table, unless it is known to be a list or the part is put in without a key."""
    if isinstance(value, Many):
        return value if value.part == part else Many(None, value.table)
    listed = isinstance(value, Literal) and isinstance(value.node, ast.List)
    others = isinstance(value, Literal) and isinstance(value.node, ast.List) and not all(map(is_none, value.node.elts))
    return Many(None if others else part, by_key and not listed)


def _is_open(value: Value) -> bool:
    """Whether something may be a list of yours or the like: not an object, nor where its keys are keywords of a call."""
    keyed = isinstance(value, Literal) and isinstance(value.node, ast.Dict) and bool(value.node.keys)
    return not keyed and (value is None or isinstance(value, Literal | Many))
