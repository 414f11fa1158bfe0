"""What each kind of Python statement tells: imports, assignments, and the guards that blocks put around code."""

from __future__ import annotations

import ast
import re

from daybreak.upgrade.downstream.python_expressions import extend
from daybreak.upgrade.downstream.python_literals import behind, grow, literal_of, of_member, summands, text_of, variable
from daybreak.upgrade.downstream.python_strings import see_route
from daybreak.upgrade.downstream.python_values import (
    CALLS,
    EVERYTHING,
    IMPORTS,
    STAR,
    Check,
    Inherited,
    Instance,
    Own,
    OwnClass,
    Star,
    Value,
    is_class_name,
    member,
)
from daybreak.upgrade.downstream.python_walk import Handler, Walk, annotation, overrides

_CATCHES = {
    "ImportError": EVERYTHING,
    "ModuleNotFoundError": EVERYTHING,
    "AttributeError": EVERYTHING,
    "TypeError": CALLS,
    "Exception": IMPORTS,
    "BaseException": IMPORTS,
}
_ROUTE_NAME = re.compile(r"(?i)url|uri|endpoint|route")


# --- imports -----------------------------------------------------------------------------------------------------


def import_(walk: Walk, node: ast.Import) -> None:
    for one in node.names:
        _imported(walk, one.name, one.lineno)
        if one.asname is not None:
            walk.bind(one.asname, walk.known(one.name))
        else:
            top = one.name.partition(".")[0]
            walk.bind(top, top)


def import_from(walk: Walk, node: ast.ImportFrom) -> None:
    module = node.module or ""
    if node.level:
        parts = walk.package.split(".")
        parts = parts[: len(parts) - node.level + 1] if walk.package else []
        module = ".".join((*parts, module)).strip(".") if parts else ""
    for one in node.names:
        path = f"{module}.{one.name}" if module else one.name
        if one.name == "*":
            watched = not node.level and walk.words.watches(module)
            if watched:
                walk.found.add("import", path, one.lineno)
            if watched or (walk.project and module):
                _star(walk, module)
            continue
        if not node.level:
            _imported(walk, path, one.lineno)
        value: Value = walk.known(path) if module else None
        walk.bind(one.asname or one.name, None if node.level and value == path else value)


def _star(walk: Walk, module: str) -> None:
    """Names that nobody bound may come from there, also for files that import them from this one."""
    walk.stars.append(module)
    walk.scope.names[STAR] = Star(module)


def _imported(walk: Walk, path: str, line: int) -> None:
    if not walk.words.watches(path):
        return
    found = walk.found
    last = path.rpartition(".")[2]
    if last == "__version__":
        return
    found.add("import", path, line)
    if found.guards("import", path) and "." in path:
        found.absent.add(path)
    if last.isupper() and walk.words.variable.fullmatch(last):
        found.add("env", last, line)


# --- assignments -------------------------------------------------------------------------------------------------


def assign(walk: Walk, node: ast.Assign) -> None:
    if walk.scope.in_class_body and walk.found.has_variable and isinstance(node.targets[0], ast.Name):
        of_member(walk, node.targets[0].id, node.value)
    value = given(walk, node.value)
    for target in node.targets:
        bind(walk, target, value, node.value)


def given(walk: Walk, node: ast.expr) -> Value:
    """What an assigned expression stands for."""
    before, walk.tested = walk.tested, False
    value = walk.visit(node)
    tested, walk.tested = walk.tested, before
    if tested and value is None:
        return Check()
    if isinstance(node, ast.Constant) and isinstance(node.value, bool) and walk.found.guard & (EVERYTHING | IMPORTS):
        return Check()
    return literal_of(node) if value is None else value


def bind(walk: Walk, target: ast.expr, value: Value, node: ast.expr | None) -> None:
    """Give a target its value; an attribute of something upstream is patched."""
    if isinstance(target, ast.Name):
        _bind_name(walk, target, value, node)
    elif isinstance(target, ast.Attribute):
        _bind_attribute(walk, target, value)
    elif isinstance(target, ast.Subscript):
        _bind_item(walk, target, node)
    elif isinstance(target, ast.Tuple | ast.List):
        for one in target.elts:
            bind(walk, one, None, None)
    elif isinstance(target, ast.Starred):
        bind(walk, target.value, None, None)


def _bind_name(walk: Walk, target: ast.Name, value: Value, node: ast.expr | None) -> None:
    if isinstance(node, ast.Constant):
        if node.value is None and target.id in walk.scope.names:  # `X = None` where the import failed
            return
        if isinstance(node.value, str) and node.value.startswith("/") and _ROUTE_NAME.search(target.id):
            see_route(walk.found, node.value, node.lineno)
    if node is None or not _adds_to(node, target.id):  # `cmd = cmd + […]` starts the same program as before
        walk.bind(target.id, value)
    owner = walk.scope.owner
    if owner is not None and walk.scope.in_class_body:
        owner.own.setdefault(target.id, value)
        overrides(walk, owner, target.id, target.lineno)


def _adds_to(node: ast.expr, name: str) -> bool:
    """Whether an expression is what a name holds, and more."""
    first: ast.expr | None = None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        first = summands(node)[0]
    elif isinstance(node, ast.List) and node.elts and isinstance(node.elts[0], ast.Starred):
        first = node.elts[0].value
    return isinstance(first, ast.Name) and first.id == name


def _bind_attribute(walk: Walk, target: ast.Attribute, value: Value) -> None:
    base = walk.resolve(target.value)
    line = target.end_lineno or target.lineno
    if isinstance(base, Own | OwnClass):
        kind = base.kind if isinstance(base, Own) else base
        if kind.own.get(target.attr) is None:
            kind.own[target.attr] = value
    elif isinstance(base, str):
        walk.refer("attribute" if _below_class(base) else "patch", f"{base}.{target.attr}", line)
    elif isinstance(base, Instance | Inherited):
        walk.refer("attribute", member(base, target.attr), line)


def _below_class(path: str) -> bool:
    """Whether a path goes through a class to data of one object (`vllm.LLM.llm_engine`), not to a class or module."""
    *before, last = path.split(".")
    return not is_class_name(last) and any(map(is_class_name, before))


def _bind_item(walk: Walk, target: ast.Subscript, node: ast.expr | None) -> None:
    key = target.slice
    if isinstance(key, ast.Constant) and isinstance(key.value, str):
        variable(walk, key, key.value, node)
        base = walk.resolve(target.value)
        if base == "sys.modules" and walk.words.watches(key.value):
            walk.done.add(id(key))
            walk.refer("patch", key.value, key.lineno)
            return
        held = behind(target.value, walk.scope) if isinstance(target.value, ast.Name) else None
        if isinstance(held, ast.Dict) and node is not None:
            grow(held, key.value, node)
        walk.visit(key)
        walk.refer("attribute", base, target.lineno)
    else:
        walk.visit(target.value)
        walk.visit(key)


def assign_annotated(walk: Walk, node: ast.AnnAssign) -> None:
    declared = annotation(walk, node.annotation)
    value = given(walk, node.value) if node.value is not None else None
    bind(walk, node.target, declared if declared is not None else value, node.value)


def assign_more(walk: Walk, node: ast.AugAssign) -> None:
    extend(walk, node.target, node.value)
    walk.visit(node.value)
    if isinstance(node.target, ast.Attribute):
        base = walk.resolve(node.target.value)
        shared = isinstance(base, str) and not _below_class(base)
        walk.refer("patch" if shared else "attribute", member(base, node.target.attr), node.target.lineno)
    elif not isinstance(node.target, ast.Name):
        walk.visit(node.target)


def delete(walk: Walk, node: ast.Delete) -> None:
    for target in node.targets:
        if isinstance(target, ast.Attribute):
            base = walk.resolve(target.value)
            shared = isinstance(base, str) and not _below_class(base)
            walk.refer("patch" if shared else "attribute", member(base, target.attr), target.lineno)
        elif not isinstance(target, ast.Name):
            walk.visit(target)


def expression(walk: Walk, node: ast.Expr) -> None:
    if not isinstance(node.value, ast.Constant):  # a string on its own is a docstring
        walk.visit(node.value)


def raise_(walk: Walk, node: ast.Raise) -> None:
    before, walk.found.muted = walk.found.muted, True
    walk.children(node)
    walk.found.muted = before


# --- blocks ------------------------------------------------------------------------------------------------------


def if_(walk: Walk, node: ast.If) -> None:
    """A chain of `elif` is read in a loop: there are long ones."""
    guard, branch = walk.found.guard, walk.branch
    while True:
        if walk.test(node.test):
            walk.found.guard |= EVERYTHING
            _left_early(walk, node)
        before = walk.found.guard
        if _last(node.test) == "TYPE_CHECKING":  # never run: what is imported there cannot fail
            walk.found.guard |= IMPORTS
        walk.block(node.body)
        walk.found.guard, walk.branch = before, branch + 1
        if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
            break
        node = node.orelse[0]
    walk.block(node.orelse)
    walk.found.guard, walk.branch = guard, branch


def _left_early(walk: Walk, node: ast.If) -> None:
    """`if not hasattr(x, "y"): return`: what follows is only reached where it is there."""
    test, end = node.test, node.body[-1]
    asked = test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else None
    if not isinstance(end, ast.Return | ast.Continue | ast.Break) or not isinstance(asked, ast.Call):
        return
    name = text_of(asked.args[1], walk.scope) if len(asked.args) == 2 and _last(asked.func) == "hasattr" else None
    path = member(walk.resolve(asked.args[0]), name) if name is not None else None
    walk.found.absent.update((path,) if isinstance(path, str) else path.paths if isinstance(path, Inherited) else ())


def loop(walk: Walk, node: ast.For | ast.AsyncFor) -> None:
    walk.visit(node.iter)
    bind(walk, node.target, None, None)
    walk.block(node.body)
    walk.block(node.orelse)


def while_(walk: Walk, node: ast.While) -> None:
    walk.visit(node.test)
    walk.block(node.body)
    walk.block(node.orelse)


def with_(walk: Walk, node: ast.With | ast.AsyncWith) -> None:
    guard = walk.found.guard
    for item in node.items:
        value = walk.visit(item.context_expr)
        if item.optional_vars is not None:
            bind(walk, item.optional_vars, value, None)
        call = item.context_expr
        if isinstance(call, ast.Call) and _last(call.func) == "suppress":
            for one in call.args:
                walk.found.guard |= _CATCHES.get(_last(one), 0)
    walk.block(node.body)
    walk.found.guard = guard


def try_(walk: Walk, node: ast.Try) -> None:
    guard, branch = walk.found.guard, walk.branch
    caught = _caught(node.handlers)
    walk.found.guard |= caught
    walk.block(node.body)
    walk.branch = branch + 1
    for handler in node.handlers:
        if handler.type is not None:
            walk.visit(handler.type)
        walk.block(handler.body)
    walk.found.guard, walk.branch = guard, branch
    walk.block(node.orelse)
    walk.block(node.finalbody)


def _caught(handlers: list[ast.ExceptHandler]) -> int:
    """What a `try` covers; a handler that ends by raising helps nobody."""
    caught = 0
    for handler in handlers:
        if isinstance(handler.body[-1], ast.Raise):
            continue
        if handler.type is None:
            caught |= IMPORTS
            continue
        types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        for one in types:
            caught |= _CATCHES.get(_last(one), 0)
    return caught


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


STATEMENTS: dict[type[ast.AST], Handler] = {
    ast.Import: import_,
    ast.ImportFrom: import_from,
    ast.Assign: assign,
    ast.AnnAssign: assign_annotated,
    ast.AugAssign: assign_more,
    ast.Delete: delete,
    ast.Expr: expression,
    ast.Raise: raise_,
    ast.If: if_,
    ast.For: loop,
    ast.AsyncFor: loop,
    ast.While: while_,
    ast.With: with_,
    ast.AsyncWith: with_,
    ast.Try: try_,
    ast.TryStar: try_,
}
