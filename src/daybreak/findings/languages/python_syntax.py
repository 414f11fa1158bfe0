"""Syntax of Python: a source as a tree, its nodes and statements in their order, and the names that they bind."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence

from daybreak.findings.memory import remembered

MAX_TEXT = 200_000
"""Characters of a function that is parsed."""
_HEIGHT = 60
"""Blocks in blocks that are followed; deeper code is nobody's to read."""


def walk(body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    """Every node, those of functions and classes inside left out; bounded in depth."""
    stack: list[tuple[ast.AST, int]] = [(node, 0) for node in reversed(body)]
    while stack:
        node, depth = stack.pop()
        yield node
        if depth < 4 * _HEIGHT and type(node) not in _APART:
            stack.extend([(child, depth + 1) for child in _children(node)][::-1])


_APART = frozenset({ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda})


def _children(node: ast.AST) -> list[ast.AST]:
    """Those that say something: how a name is used (`Load`) is a node as well, and half of all."""
    out: list[ast.AST] = []
    for name in node._fields:
        part = getattr(node, name, None)
        if type(part) is list:
            out += [one for one in part if isinstance(one, ast.AST)]
        elif isinstance(part, ast.AST) and name != "ctx":
            out.append(part)
    return out


def assigned(node: ast.AST) -> ast.AST:
    """`setattr(self, "x", v)` and `object.__setattr__(self, "x", v)` as the assignment that they are; else the node itself."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or len(call.args) != 3 or call.keywords:
        return node
    holder, name, given = call.args
    word = name.value if isinstance(name, ast.Constant) and isinstance(name.value, str) else ""
    if not word.isidentifier() or last_name(call.func) not in ("setattr", "__setattr__"):
        return node
    target = ast.copy_location(ast.Attribute(holder, word, ast.Store()), node)
    return ast.copy_location(ast.Assign([target], given), node)


def statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Every statement in its order, those of functions and classes inside left out; bounded in depth."""
    stack: list[tuple[ast.stmt, int]] = [(node, 0) for node in reversed(body)]
    while stack:
        node, depth = stack.pop()
        yield node
        if depth < _HEIGHT and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            stack.extend((child, depth + 1) for inner in reversed([*bodies(node)]) for child in reversed(inner))


def bodies(node: ast.stmt) -> Iterator[Sequence[ast.stmt]]:
    """The blocks of a statement."""
    for name in ("body", "orelse", "finalbody"):
        inside = getattr(node, name, None)
        if isinstance(inside, list):
            yield inside
    for handler in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield handler.body


def choices(nodes: Iterable[ast.AST]) -> Iterator[ast.BoolOp]:
    """Each `a or b` whose value is taken. One that is only asked (`if a or b`) is true or not, whichever of them it is. Nodes
    come as `walk` gives them, what holds others before them.
    """
    asked: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.If | ast.While | ast.IfExp | ast.Assert):
            asked.add(id(node.test))
        elif isinstance(node, ast.comprehension):
            asked.update(map(id, node.ifs))
        elif isinstance(node, ast.match_case):
            asked.add(id(node.guard))
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            asked.add(id(node.operand))
        elif isinstance(node, ast.Call) and called_name(node) in ("bool", "any", "all"):
            asked.update(id(one) for arg in node.args for one in _asked_of(arg))
        elif isinstance(node, ast.BoolOp) and (isinstance(node.op, ast.And) or id(node) in asked):
            asked.update(map(id, node.values))
        elif isinstance(node, ast.BoolOp):
            yield node


def _asked_of(node: ast.expr) -> Sequence[ast.expr]:
    """What is asked whether it is true, of a list or alone."""
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return node.elts
    return [node.elt] if isinstance(node, ast.GeneratorExp | ast.ListComp | ast.SetComp) else [node]


def last_name(node: ast.AST) -> str:
    """The last part of a name, `b` of `a.b`; empty for anything else."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def is_docstring(node: ast.stmt) -> bool:
    """A text that stands alone."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def has_elif(node: ast.If) -> bool:
    """Its `else` is an `elif`, which is asked like any other."""
    return len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)


def leaves(block: Sequence[ast.stmt]) -> bool:
    """Nothing below a block is reached from it."""
    return bool(block) and isinstance(block[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)


def called_name(node: ast.Call) -> str:
    """The last name of the way to what is called."""
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def bound(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    """Names that a statement gives a value, and which, where it is one for the whole name."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            plain = node.value if isinstance(target, ast.Name) else None
            yield from ((name, plain) for name in _stored(target))
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr):
        if node.value is not None:
            yield from ((name, node.value) for name in _stored(node.target))
    elif isinstance(node, ast.AugAssign | ast.For | ast.AsyncFor):
        yield from ((name, None) for name in _stored(node.target))
    elif isinstance(node, ast.With | ast.AsyncWith):
        given = (item.optional_vars for item in node.items if item.optional_vars is not None)
        yield from ((name, None) for target in given for name in _stored(target))
    elif isinstance(node, ast.Try):
        yield from ((handler.name, None) for handler in node.handlers if handler.name)
    elif isinstance(node, ast.Global | ast.Nonlocal):
        yield from ((name, None) for name in node.names)


def _stored(target: ast.expr) -> Iterator[str]:
    yield from (n.id for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def small(node: ast.expr) -> bool:
    """An expression that can stand in place of its name."""
    if type(node) in _LEAVES:
        return True
    return not any(
        count > 60 or isinstance(n, ast.Await | ast.Yield | ast.YieldFrom | ast.Lambda)
        for count, n in enumerate(ast.walk(node), 1)
    )


_LEAVES = frozenset({ast.Name, ast.Constant})


@remembered(256)
def parsed(text: str) -> ast.Module | None:
    """The tree of a source; None for what is no Python, or too large or deep to be read."""
    if len(text) > MAX_TEXT or _height(text) > _HEIGHT:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def expression(text: str, longest: int = 4000) -> ast.expr | None:
    """One expression as its tree; None when it is none, or longer."""
    if len(text) > longest:
        return None
    try:
        with warnings.catch_warnings():  # a bad escape would make Python warn about our reader
            warnings.simplefilter("ignore")
            return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _height(text: str) -> int:
    """Brackets in brackets, roughly: what is deeper than this no person wrote."""
    depth = most = 0
    if sum(map(text.count, "([{")) <= _HEIGHT:
        return 0
    for char in re.findall(r"[()\[\]{}]", text):
        depth += 1 if char in "([{" else -1
        most = max(most, depth)
    return most


VALIDATOR = re.compile(r"@(?:\w+\.)?(?:field_validator|model_validator|validator|root_validator)\b")
"""What marks a method that pydantic runs on each request or configuration."""


def runs_itself(name: str, decorated: str) -> bool:
    """A method that nobody calls by name: a validator, or what a class does behind its constructor."""
    return "." in name and (name.endswith(".__post_init__") or VALIDATOR.search(decorated) is not None)


def delegate(body: ast.expr) -> ast.expr:
    """The function itself where a call is only handed it, with texts beside: `read("size", get_size)` reads `get_size`."""
    if isinstance(body, ast.Call) and len(body.args) > 1 and not body.keywords:
        named = [a for a in body.args if not isinstance(a, ast.Constant)]
        if len(named) == 1 and isinstance(named[0], ast.Attribute | ast.Name):
            return ast.Call(named[0], [], [])
    return body


def compared(op: ast.cmpop, *sides: ast.expr) -> type[ast.cmpop]:
    """How two sides are compared; a text that is written down is one object, so that `x is "a"` asks for the same as `==`."""
    plain = any(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in sides)
    return {ast.Is: ast.Eq, ast.IsNot: ast.NotEq}.get(type(op), type(op)) if plain else type(op)
