"""What each kind of Python statement tells: imports, assignments, and the guards that blocks put around code."""

from __future__ import annotations

import ast
import re

from daybreak.findings.languages.python_syntax import last_name
from daybreak.upgrade.downstream.python_calls import patched, put_on
from daybreak.upgrade.downstream.python_conditions import condition, denial, held, parameters, replaceable, switched
from daybreak.upgrade.downstream.python_definitions import annotation, overrides
from daybreak.upgrade.downstream.python_expressions import extend
from daybreak.upgrade.downstream.python_given import hold
from daybreak.upgrade.downstream.python_kinds import Kinds
from daybreak.upgrade.downstream.python_literals import behind, grow, literal_of, of_member, summands, variable
from daybreak.upgrade.downstream.python_strings import see_route
from daybreak.upgrade.downstream.python_tries import CATCHES, try_
from daybreak.upgrade.downstream.python_values import (
    EVERYTHING,
    IMPORTS,
    NAMES,
    STAR,
    Check,
    Inherited,
    Instance,
    Keys,
    Literal,
    Own,
    OwnClass,
    Star,
    Value,
    followed,
    is_class_name,
    is_none,
    member,
)
from daybreak.upgrade.downstream.python_walk import VERSIONS, Handler, Walk

_TELLING = (ast.Call, ast.Attribute, ast.SetComp, ast.ListComp)
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_ROUTE_NAME = re.compile(r"(?i)url|uri|endpoint|route")


# --- imports -----------------------------------------------------------------------------------------------------


def import_(walk: Walk, node: ast.Import) -> None:
    for one in node.names:
        _imported(walk, one.name, one.lineno, one.asname or one.name.partition(".")[0])
        _choose(walk, one.name, node.lineno)
        top = one.name.partition(".")[0]
        walk.written[one.asname or top] = one.name if one.asname is not None else top
        if one.asname is not None:
            walk.bind(one.asname, walk.known(one.name))
        else:
            walk.bind(top, top)


def import_from(walk: Walk, node: ast.ImportFrom) -> None:
    module = node.module or ""
    for written in (module, *(f"{module}.{one.name}".lstrip(".") for one in node.names)):
        _choose(walk, "." * node.level + written, node.lineno)
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
            _imported(walk, path, one.lineno, one.asname or one.name)
        walk.written[one.asname or one.name] = path if module else ""
        value: Value = walk.known(path) if module else None
        walk.bind(one.asname or one.name, None if node.level and value == path else value)


def _choose(walk: Walk, module: str, line: int) -> None:
    if walk.found.when and not walk.words.watches(module):
        walk.found.choices.append((module, line, walk.found.when))


def _star(walk: Walk, module: str) -> None:
    """Names that nobody bound may come from there, also for files that import them from this one."""
    walk.stars.append(module)
    walk.scope.names[STAR] = Star(module)


def _imported(walk: Walk, path: str, line: int, bound: str) -> None:
    if not walk.words.watches(path):
        return
    found = walk.found
    last = path.rpartition(".")[2]
    if last in VERSIONS:
        return
    found.add("import", path, line, when=(*found.when, f"~{path}") if bound in walk.standby else None)
    if found.guards("import", path) and "." in path:
        found.replaced.add(path)
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
        return Check(condition(walk, node))
    if value is None and isinstance(node, _TELLING) and (known := parameters(walk, node)) is not None:
        return known
    if (
        isinstance(node, ast.Constant)
        and isinstance(node.value, bool)
        and walk.found.guard & (EVERYTHING | IMPORTS | NAMES)
    ):
        return Check()
    return literal_of(node, walk.scope) if value is None else value


def bind(walk: Walk, target: ast.expr, value: Value, node: ast.expr | None) -> None:
    """Give a target its value; an attribute of something upstream is patched."""
    if isinstance(target, ast.Name):
        _bind_name(walk, target, value, node)
    elif isinstance(target, ast.Attribute):
        _bind_attribute(walk, target, value, node)
        if isinstance(node, ast.Name) and node.id in walk.selves:
            put_on(walk, node.id, walk.resolve(target.value))
    elif isinstance(target, ast.Subscript):
        _bind_item(walk, target, value, node)
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(walk, target, value)
    elif isinstance(target, ast.Starred):
        bind(walk, target.value, None, None)


def _unpack(walk: Walk, target: ast.Tuple | ast.List, value: Value) -> None:
    """`a, b = f()`: each is a part of what is given, and their number matters."""
    starred = any(isinstance(one, ast.Starred) for one in target.elts)
    given = value if isinstance(value, Instance | Inherited) and not starred else None
    if given is not None:
        counted = followed(given, f"[:{len(target.elts)}]")
        walk.refer("attribute", counted.path if isinstance(counted, Instance) else counted, target.lineno)
    for at, one in enumerate(target.elts):
        bind(walk, one, followed(given, f"[{at}]"), None)


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


def _bind_attribute(walk: Walk, target: ast.Attribute, value: Value, node: ast.expr | None) -> None:
    base = walk.resolve(target.value)
    line = target.end_lineno or target.lineno
    if isinstance(base, Own | OwnClass):
        kind = base.kind if isinstance(base, Own) else base
        if kind.own.get(target.attr) is None:
            kind.own[target.attr] = value
    elif isinstance(base, str) and value == f"{base}.{target.attr}":
        pass  # what was there is put back
    elif isinstance(base, str):
        if _below_class(base):
            walk.refer("attribute", f"{base}.{target.attr}", line)
        else:
            patched(walk, f"{base}.{target.attr}", line, node)
    elif isinstance(base, Instance | Inherited):
        walk.refer("attribute", member(base, target.attr), line)


def _below_class(path: str) -> bool:
    """Whether a path goes through a class to data of one object (`vllm.LLM.llm_engine`), not to a class or module."""
    *before, last = path.split(".")
    return not is_class_name(last) and any(map(is_class_name, before))


def _bind_item(walk: Walk, target: ast.Subscript, value: Value, node: ast.expr | None) -> None:
    key = target.slice
    if isinstance(key, ast.Constant) and isinstance(key.value, str):
        variable(walk, key, key.value, node)
        base = walk.resolve(target.value)
        if base == "sys.modules" and walk.words.watches(key.value):
            walk.done.add(id(key))
            walk.refer("patch", key.value, key.lineno)
            return
        held = _held(walk, target.value)
        if held is not None and node is not None:
            grow(walk, held, key.value, node, key)
        walk.visit(key)
        walk.refer("attribute", base, target.lineno)
    else:
        keys = walk.look_up(key.id) if isinstance(key, ast.Name) else None
        held = _held(walk, target.value) if isinstance(keys, Keys) else None
        for one in keys.nodes if held is not None and isinstance(keys, Keys) and node is not None else ():
            if isinstance(one, ast.Constant) and isinstance(one.value, str) and held is not None:
                grow(walk, held, one.value, one, one)
        walk.visit(target.value)
        walk.visit(key)
        if node is None or not is_none(node):
            hold(walk, target.value, value, by_key=True)


def _held(walk: Walk, node: ast.expr) -> ast.Dict | None:
    """The dict that a name or an attribute of yours holds so far; of a parameter only what is put into it is known."""
    held = behind(node, walk.scope)
    if isinstance(held, ast.Dict):
        return held
    if isinstance(node, ast.Name) and node.id in walk.scope.names and walk.scope.names[node.id] is None:
        made = ast.copy_location(ast.Dict(keys=[None], values=[ast.Constant(value=None)]), node)
        walk.scope.names[node.id] = Literal(made)
        return made
    return None


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


def global_(walk: Walk, node: ast.Global) -> None:
    walk.scope.shared += tuple(node.names)


def raise_(walk: Walk, node: ast.Raise) -> None:
    before, walk.found.muted = walk.found.muted, True
    walk.children(node)
    walk.found.muted = before


# --- blocks ------------------------------------------------------------------------------------------------------


def if_(walk: Walk, node: ast.If) -> None:
    """A chain of `elif` is read in a loop: there are long ones; after `if X: return` the rest is where X is not."""
    found, guard, branch, when = walk.found, walk.found.guard, walk.branch, walk.found.when
    first = node
    early: tuple[str, ...] = ()
    kinds: list[Kinds] = []
    while True:
        tested = walk.test(node.test)
        asked, otherwise = (
            (condition(walk, node.test), denial(walk, node.test)) if tested else _undecided(walk, node.test)
        )
        if node.orelse:
            asked, otherwise = replaceable(asked), replaceable(otherwise)
        before, above = found.guard, found.when
        found.when += asked
        if tested and not asked:
            found.guard = before = before | EVERYTHING
        if last_name(node.test) == "TYPE_CHECKING":  # never run: what is imported there cannot fail
            found.guard |= IMPORTS
        here, otherwise_here = Kinds(walk, node.test), Kinds(walk, node.test, holds=False)
        here.begin()
        walk.block(node.body)
        here.end()
        otherwise_here.begin()
        kinds.append(otherwise_here)
        found.guard, found.when, walk.branch = before, above + otherwise, branch + 1
        if tested and not otherwise:
            found.guard |= EVERYTHING
        early = otherwise if node is first and isinstance(node.body[-1], _LEAVES) else early
        if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
            break
        node = node.orelse[0]
    walk.block(node.orelse)
    for one in reversed(kinds):
        one.end(left=one is kinds[0] and isinstance(first.body[-1], _LEAVES))
    found.guard, found.when, walk.branch = guard, when + early, branch


def assert_(walk: Walk, node: ast.Assert) -> None:
    walk.children(node)
    Kinds(walk, node.test).begin()


def _undecided(walk: Walk, node: ast.expr) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What holds where a condition is true and where it is not, of one that asks for no release and no name."""
    on, off = switched(walk, node)
    return (on, off) if on else (held(walk, node), ())


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
        if isinstance(call, ast.Call) and last_name(call.func) == "suppress":
            for one in call.args:
                walk.found.guard |= CATCHES.get(last_name(one), 0)
    walk.block(node.body)
    walk.found.guard = guard


STATEMENTS: dict[type[ast.AST], Handler] = {
    ast.Import: import_,
    ast.ImportFrom: import_from,
    ast.Assign: assign,
    ast.AnnAssign: assign_annotated,
    ast.AugAssign: assign_more,
    ast.Delete: delete,
    ast.Expr: expression,
    ast.Global: global_,
    ast.Raise: raise_,
    ast.Assert: assert_,
    ast.If: if_,
    ast.While: while_,
    ast.With: with_,
    ast.AsyncWith: with_,
    ast.Try: try_,
    ast.TryStar: try_,
}
