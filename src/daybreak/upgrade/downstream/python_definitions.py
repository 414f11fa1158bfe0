"""Functions and classes of a Python file: what they take and give, what they build on and what they replace."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from daybreak.upgrade.downstream.python_conditions import answered
from daybreak.upgrade.downstream.python_values import (
    Handing,
    Instance,
    Many,
    Method,
    Own,
    OwnClass,
    Returning,
    Scope,
    Value,
    is_class_name,
    is_none,
    made_by,
    member,
)
from daybreak.upgrade.downstream.python_walk import Handler, Later, Taker, Walk, elsewhere

_NAMED = (ast.Name, ast.Attribute)
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_WRAPPING = frozenset(("Optional", "Union", "Annotated", "Final", "ClassVar", "Required", "NotRequired"))
_LISTS = frozenset(("list", "List", "Sequence", "Iterable", "Iterator", "Collection", "deque"))
_TABLES = frozenset(("dict", "Dict", "Mapping", "defaultdict"))
"""Types whose last part is what they hold."""
NOTHING = "None"
"""The value of an override that returns none."""
REGISTERED = "registered"
"""The value of a constructor that upstream calls."""
NAMED = "named"
"""The value of a constructor of a class that a string names: whoever reads the string calls it."""
EXTENDS = "extends"
"""The value of what a class of yours brings that upstream is told to extend one of its own by."""
MIXED = "<mixed>"
"""What stands for a parameter where another file tells what a class is mixed into; or what it extends."""
EXTENDING = "<extending>"
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def annotation(walk: Walk, node: ast.expr | None) -> Value:
    """What an annotated name holds: `LLM`, `vllm.LLM | None`, `Optional["LLM"]`, `type[LLM]`."""
    if node is None:
        return None
    if isinstance(node, ast.Constant):
        text = node.value if isinstance(node.value, str) and len(node.value) < 200 else ""
        return _object(_dotted(walk, text)) if _DOTTED.fullmatch(text) else None
    if isinstance(node, ast.BinOp):
        left = annotation(walk, node.left)
        right = annotation(walk, node.right)
        return left if left is not None else right
    if isinstance(node, ast.Subscript):
        return _wrapped(walk, node)
    return _object(walk.visit(node))


def _wrapped(walk: Walk, node: ast.Subscript) -> Value:
    base = node.value
    name = base.attr if isinstance(base, ast.Attribute) else base.id if isinstance(base, ast.Name) else ""
    outer = walk.visit(base)
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    values = [annotation(walk, one) for one in inner]
    if name in _WRAPPING:
        return next((value for value in values if value is not None), None)
    if name in _LISTS | _TABLES and walk.is_object(values[-1]):
        return Many(values[-1], table=name in _TABLES)
    if name in {"type", "Type"} and values:
        held = values[0]
        return held.path if isinstance(held, Instance) else held.kind if isinstance(held, Own) else None
    return _object(outer)


def _object(value: Value) -> Value:
    """An object of the class that a value stands for."""
    if isinstance(value, str):
        return Instance(value) if is_class_name(value.rpartition(".")[2]) else None
    return Own(value) if isinstance(value, OwnClass) else None


def _dotted(walk: Walk, text: str) -> Value:
    first, *rest = text.split(".")
    value = walk.look_up(first)
    for name in rest:
        value = member(value, name)
    return value


# --- functions ---------------------------------------------------------------------------------------------------


def function(walk: Walk, node: _Function) -> Value:
    _decorators(walk, node)
    owner = walk.scope.owner if walk.scope.in_class_body else None
    scope = Scope(walk.outer(), owner)
    _parameters(walk, node, scope, owner)
    gives = annotation(walk, node.returns) if node.returns is not None or owner else _made(walk, node)
    gives = answered(walk, node.body) if gives is None and owner is None else gives
    value: Value = _handing(walk, node, scope, gives) or (Returning(gives) if gives is not None else None)
    if owner is not None:
        owner.own[node.name] = gives if _has(node, "property", "cached_property") else value
        skip = 0 if _has(node, "staticmethod") else 1
        keywords = taken_by(node.args, skip)
        size = len(node.args.posonlyargs) + len(node.args.args)
        positional = max(size - skip, 0) if node.args.vararg is None else None
        made = owner.registered and node.name == "__init__"
        gift = REGISTERED if made else NOTHING if _gives_nothing(node) else None
        gift = EXTENDS if owner.extends else gift
        if owner.upstream or owner.mixed:
            overrides(walk, owner, node.name, node.lineno, keywords, positional, gift)
        else:
            owner.methods.append(Method(node.name, node.lineno, keywords, positional, gift))
    walk.bind(node.name, value)
    later = Later(scope, node.body, walk.found.guard, walk.found.when)
    skip = 1 if owner is not None and not _has(node, "staticmethod") else 0
    walk.keep(_taker(node, Taker(node.name, owner, later, taken_by(node.args, skip))))
    first = next(iter((*node.args.posonlyargs, *node.args.args)), None)
    bound = owner is None and first is not None and first.arg == "self"
    if owner is None:
        walk.functions[node.name] = Method(node.name, node.lineno, taken_by(node.args, int(bound)), None, None)
    if bound:
        walk.selves[node.name] = scope
        walk.last.append(later)
    elif node.name == "__init__":  # first: it says what the attributes are that other methods use
        walk.later.appendleft(later)
    else:
        walk.later.append(later)
    return None


def _taker(node: _Function, taker: Taker) -> Taker:
    """What is not passed is the default: anything, if that is not None."""
    every = node.args
    places = [*every.posonlyargs, *every.args]
    last = places[len(places) - len(every.defaults) :]
    for one, default in (
        *zip(last, every.defaults, strict=True),
        *zip(every.kwonlyargs, every.kw_defaults, strict=True),
    ):
        if default is not None and not is_none(default):
            taker.take(one.arg, 0, None)
    return taker


def return_(walk: Walk, node: ast.Return) -> None:
    """What a function gives, where its head does not say so: those that called it before are read again."""
    value = walk.visit(node.value) if node.value is not None else None
    taker = walk.bodies.get(walk.scope)
    if taker is None or taker.gives is not None or node.value is None or is_none(node.value):
        return
    taker.returned = taker.returned or dict.fromkeys(_returns(taker.body.body))
    taker.returned[id(node)] = value
    known = walk.is_object(value) or isinstance(value, Many)
    alike = known and all(one == value for one in taker.returned.values())
    scope = taker.body.scope.outer
    held = taker.owner.own if taker.owner is not None else scope.names if scope is not None else {}
    if alike and held.get(taker.name, value) is None:
        taker.gives, held[taker.name] = value, Returning(value)
        walk.learned |= dict.fromkeys(taker.asking)


def _returns(body: Sequence[ast.stmt]) -> Iterator[int]:
    """Every `return` of a function that gives something."""
    waiting: list[ast.AST] = list(body)
    while waiting:
        one = waiting.pop()
        given = one.value if isinstance(one, ast.Return) else None
        if given is not None and not is_none(given):
            yield id(one)
        if not isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.expr):
            waiting.extend(ast.iter_child_nodes(one))


def taken_by(every: ast.arguments, first: int) -> tuple[str, ...]:
    """The parameters of a function, from one of them on."""
    names = [one.arg for one in (*every.posonlyargs, *every.args)][first:]
    names += [one.arg for one in every.kwonlyargs]
    names += [f"*{every.vararg.arg}"] if every.vararg is not None else []
    names += [f"**{every.kwarg.arg}"] if every.kwarg is not None else []
    return tuple(names)


def _made(walk: Walk, node: _Function) -> Value:
    """What a function gives in its last line, where that is an object which it makes: `return Engine(…)`."""
    last = node.body[-1].value if isinstance(node.body[-1], ast.Return) else None
    if isinstance(last, ast.Name):
        held = (
            one for one in reversed(node.body) if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name)
        )
        last = next((one.value for one in held if getattr(one.targets[0], "id", "") == last.id), None)
    if not isinstance(last, ast.Call) or not _is_plain(last.func):
        return None
    made = made_by(walk.resolve(last.func))
    theirs = isinstance(made, Instance) and walk.words.watches(made.path)
    return made if theirs or (isinstance(made, Own) and made.kind.upstream) else None


def _handing(walk: Walk, node: _Function, scope: Scope, gives: Value) -> Handing | None:
    """A function that passes its own `**kwargs` to one thing upstream."""
    rest = node.args.kwarg
    if rest is None:
        return None
    before, walk.scope = walk.scope, scope
    targets: set[str] = set()
    for call in (one for one in ast.walk(node) if isinstance(one, ast.Call) and isinstance(one.func, _NAMED)):
        if any(x.arg is None and isinstance(x.value, ast.Name) and x.value.id == rest.arg for x in call.keywords):
            target = walk.resolve(call.func) if _is_plain(call.func) else None
            targets.add(target if isinstance(target, str) and walk.words.watches(target) else "")
    walk.scope = before
    own = frozenset(one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs))
    return Handing(targets.pop(), own, gives) if len(targets) == 1 and "" not in targets else None


def _is_plain(node: ast.expr) -> bool:
    """A name with attributes: asking what it stands for tells no use."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _gives_nothing(node: _Function) -> bool:
    """A function that comes to its end without a value: it returns none, and is neither a stub nor refuses."""
    waiting: list[ast.AST] = list(node.body)
    while waiting:
        one = waiting.pop()
        given = one.value if isinstance(one, ast.Return) else None
        none = given is None or is_none(given)
        if isinstance(one, ast.Yield | ast.YieldFrom) or not none:
            return False
        if not isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(one))
    last = node.body[-1]
    stub = isinstance(last, ast.Expr) and isinstance(last.value, ast.Constant)
    return not stub and not isinstance(last, ast.Raise)


def overrides(
    walk: Walk,
    owner: OwnClass,
    name: str,
    line: int,
    keywords: tuple[str, ...] = (),
    positional: int | None = None,
    value: str | None = None,
) -> None:
    """A class of yours defines what an upstream base may define as well."""
    if name in {"__module__", "__doc__", "__slots__", "__qualname__"}:
        return
    for base in owner.upstream or owner.mixed:
        walk.found.add("override", f"{base}.{name}", line, value=value, keywords=keywords, positional=positional)


def _decorators(walk: Walk, node: _Function | ast.ClassDef) -> None:
    before, walk.found.declaring = walk.found.declaring, True
    for one in node.decorator_list:
        walk.visit(one)
    walk.found.declaring = before


def _mix(walk: Walk, node: ast.expr, base: Value, own: OwnClass) -> None:
    """What a class without an upstream base defines stands before what it is mixed into; so it does in its own file."""
    paths = own.upstream or own.mixed
    if isinstance(base, OwnClass) and base.methods:
        for one in base.methods:
            overrides(
                walk, own, one.name, one.line, one.keywords, one.positional, EXTENDS if own.extends else one.value
            )
        base.mixed = tuple(dict.fromkeys((*base.mixed, *paths)))
    elif not (isinstance(base, OwnClass) and base.upstream) and (name := elsewhere(walk, node)):
        mark = EXTENDING if own.extends else MIXED
        walk.beside.handed.append((name, node.lineno, tuple(f"{mark}={path}" for path in paths)))


def _registers(walk: Walk, node: ast.expr) -> bool:
    """`@Upstream.register_it`, with or without arguments."""
    head = node.func if isinstance(node, ast.Call) else node
    path = walk.resolve(head) if _is_plain(head) else None
    return isinstance(path, str) and walk.words.watches(path) and path.rpartition(".")[2].startswith("register")


def _has(node: _Function, *names: str) -> bool:
    for one in node.decorator_list:
        last = one.attr if isinstance(one, ast.Attribute) else one.id if isinstance(one, ast.Name) else ""
        if last in names:
            return True
    return False


def _parameters(walk: Walk, node: _Function, scope: Scope, owner: OwnClass | None) -> None:
    every = node.args
    for default in (*every.defaults, *every.kw_defaults):
        if default is not None:
            walk.visit(default)
    names = scope.names
    for one in (*every.posonlyargs, *every.args, *every.kwonlyargs):
        names[one.arg] = annotation(walk, one.annotation) if one.annotation is not None else None
    for star in (every.vararg, every.kwarg):
        if star is not None:
            names[star.arg] = None
            annotation(walk, star.annotation)
    first = next(iter((*every.posonlyargs, *every.args)), None)
    if owner is not None and first is not None and not _has(node, "staticmethod"):
        names[first.arg] = owner if _has(node, "classmethod") or node.name == "__new__" else Own(owner)


# --- classes -----------------------------------------------------------------------------------------------------


def class_(walk: Walk, node: ast.ClassDef) -> Value:
    _decorators(walk, node)
    bases: list[str | OwnClass] = []
    below: list[tuple[ast.expr, Value]] = []
    for one in node.bases:
        base = walk.resolve(one.value if isinstance(one, ast.Subscript) else one)
        below.append((one, base))
        if isinstance(one, ast.Subscript):
            walk.visit(one.slice)
        if isinstance(base, OwnClass) or (isinstance(base, str) and walk.words.watches(base)):
            bases.append(base)
    for keyword in node.keywords:
        walk.visit(keyword.value)
    own = OwnClass(node.name, tuple(bases))
    own.registered = any(_registers(walk, one) for one in node.decorator_list)
    for path in own.upstream:
        walk.found.add("subclass", path, node.lineno)
    told = [] if own.upstream else walk.beside.given.get(f"{node.name}.__init__", ())
    own.mixed = tuple(dict.fromkeys(path for mark, path in told if mark in (MIXED, EXTENDING)))
    own.extends = any(mark == EXTENDING for mark, _ in told)
    for one, base in below if own.upstream or own.mixed else ():
        _mix(walk, one, base, own)
    walk.bind(node.name, own)
    if walk.scope.in_class_body and walk.scope.owner is not None:
        walk.scope.owner.own[node.name] = own
        overrides(walk, walk.scope.owner, node.name, node.lineno)
    before, walk.scope = walk.scope, Scope(walk.scope, own, in_class_body=True)
    walk.block(node.body)
    walk.scope = before
    return None


DEFINITIONS: dict[type[ast.AST], Handler] = {
    ast.FunctionDef: function,
    ast.AsyncFunctionDef: function,
    ast.ClassDef: class_,
    ast.Return: return_,
}
