"""What can be read off an expression without running it: texts, keys, words of a list."""

from __future__ import annotations

import ast
import re

from daybreak.upgrade.downstream.python_values import Keys, Literal, Own, Scope, is_class_name, look_up
from daybreak.upgrade.downstream.python_walk import Walk

_KEPT = (ast.Dict, ast.List, ast.Tuple, ast.JoinedStr, ast.Constant)
_COPIES = frozenset(("copy", "deepcopy"))
_LISTS = (ast.List, ast.Tuple, ast.BinOp)
_LONGEST_NUMBER = 1 << 64
_JOINS = frozenset({"urljoin", "Request", "URL", "str"})
_TRIMS = frozenset({"rstrip", "strip", "format"})
KEY = "{}"
"""Stands in a condition for each string of a loop over literal ones."""
_START = 300
"""Characters of an address that are looked at."""
_MOST = 300
"""Keys of a dict or words of a command that are read."""


def literal_of(node: ast.expr, scope: Scope) -> Literal | None:
    """The expression itself when a later line may want to read it; a dict that is rebuilt has the keys of the old one."""
    if isinstance(node, ast.DictComp):
        inner = behind(_rebuilt(node), scope)
        return Literal(inner) if isinstance(inner, ast.Dict) else None
    if isinstance(node, _KEPT):
        return Literal(node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
        keys = [None if one.arg is None else ast.Constant(value=one.arg) for one in node.keywords]
        return _growing(node, [*([None] * len(node.args)), *keys], [*node.args, *(one.value for one in node.keywords)])
    if (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.BitOr)
        and isinstance(behind(node.left, scope), ast.Dict)
    ):
        return _growing(node, [None, None], [node.left, node.right])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return Literal(node)
    return None


def _growing(node: ast.expr, keys: list[ast.expr | None], values: list[ast.expr]) -> Literal:
    """A dict that is made by a call or of others, as one that later lines may add to."""
    return Literal(ast.copy_location(ast.Dict(keys=keys, values=values), node))


def behind(node: ast.expr | None, scope: Scope) -> ast.expr | None:
    """The literal a name or an attribute of yours was given, or the expression as it is."""
    if isinstance(node, ast.Name):
        value = look_up(scope, node.id)
        return value.node if isinstance(value, Literal) else None
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        base = look_up(scope, node.value.id)
        value = base.kind.member(node.attr) if isinstance(base, Own) else None
        return value.node if isinstance(value, Literal) else node
    return node


def text_of(node: ast.expr | None, scope: Scope) -> str | None:
    """A string constant, direct or through a name."""
    node = behind(node, scope)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def word_of(node: ast.expr | None, scope: Scope) -> str | None:
    """As `text_of`; a name of a loop stands for any of its strings."""
    looped = isinstance(node, ast.Name) and isinstance(look_up(scope, node.id), Keys)
    return KEY if looped else text_of(node, scope)


def opening(node: ast.expr | None, scope: Scope, depth: int = 4) -> str:
    """How the text of an expression starts, as far as it stands in the file: `URL + "/x"`, `f"{URL}/x"`."""
    node = behind(node, scope)
    if isinstance(node, ast.Constant):
        return node.value[:_START] if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr) and depth:
        held = (one.value if isinstance(one, ast.FormattedValue) else one for one in node.values[:20])
        return "".join(opening(one, scope, depth - 1) or "{}" for one in held)[:_START]
    first: ast.expr | None = None
    if isinstance(node, ast.BinOp):
        first = summands(node)[0]
    elif isinstance(node, ast.Call):  # `urljoin(BASE, …)`, `BASE.rstrip("/")`
        func = node.func
        name = func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
        if isinstance(func, ast.Attribute) and name in _TRIMS:
            first = func.value
        elif name in _JOINS and node.args:
            first = node.args[0]
    return opening(first, scope, depth - 1) if first is not None and depth else ""


def value_of(node: ast.expr | None, scope: Scope) -> str | None:
    """A constant as text; numbers that nobody would write out are left."""
    node = behind(node, scope)
    if not isinstance(node, ast.Constant):
        return None
    value = node.value
    if isinstance(value, str):
        return value
    if isinstance(value, int) and abs(value) < _LONGEST_NUMBER:
        return str(value)
    return str(value) if isinstance(value, float) else None


def pairs_of(node: ast.expr | None, scope: Scope, depth: int = 3) -> list[tuple[str, ast.expr]]:
    """Keys and values of a dict that stands there, was given to a name, or is made by `dict(…)`."""
    node = behind(node, scope)
    found: list[tuple[str, ast.expr]] = []
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if len(found) > _MOST:
                break
            if key is None and depth:
                found += pairs_of(value, scope, depth - 1)
            elif isinstance(key, ast.Constant) and isinstance(key.value, str):
                found.append((key.value, value))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
        found += [(one.arg, one.value) for one in node.keywords if one.arg is not None]
        found += [pair for one in node.args[:1] for pair in pairs_of(one, scope, depth - 1)] if depth else []
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr) and depth:
        found += pairs_of(node.left, scope, depth - 1) + pairs_of(node.right, scope, depth - 1)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _COPIES and depth:
        found += pairs_of(node.func.value, scope, depth - 1)
    elif isinstance(node, ast.DictComp) and depth:
        found += pairs_of(_rebuilt(node), scope, depth - 1)
    return found[:_MOST]


def _rebuilt(node: ast.DictComp) -> ast.expr | None:
    """The dict whose keys `{k: v for k, v in D.items() if …}` has."""
    source = node.generators[0].iter if len(node.generators) == 1 else None
    items = isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute) and source.func.attr == "items"
    return (
        source.func.value if items and isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute) else None
    )


def is_whole(node: ast.expr | None, scope: Scope, depth: int = 3) -> bool:
    """Whether all keys of a dict are known."""
    node = behind(node, scope)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
        parts = [*node.args, *(one.value for one in node.keywords if one.arg is None)]
        return depth > 0 and all(is_whole(one, scope, depth - 1) for one in parts)
    if not isinstance(node, ast.Dict) or not depth:
        return False
    pairs = zip(node.keys, node.values, strict=True)
    return all(
        is_whole(value, scope, depth - 1) if key is None else isinstance(key, ast.Constant) for key, value in pairs
    )


def grow(walk: Walk, node: ast.Dict, key: str, value: ast.expr, at: ast.expr | None = None) -> None:
    """A dict literal gets another key by a later line, where what holds there of upstream does."""
    if len(node.keys) < _MOST:
        when = tuple(one.replace(KEY, key) for one in walk.found.when)
        walk.grown[id(value)] = (when, walk.found.guard)
        node.keys.append(ast.copy_location(ast.Constant(value=key), at or value))
        node.values.append(value)


def summands(node: ast.BinOp) -> list[ast.expr]:
    """The parts of `a + b + c`, in order and however long."""
    found: list[ast.expr] = []
    one: ast.expr = node
    while isinstance(one, ast.BinOp):
        found.append(one.right)
        one = one.left
    found.append(one)
    return found[::-1]


def elements(node: ast.expr, scope: Scope, depth: int = 4) -> list[tuple[ast.expr, str | None]]:
    """Words of a command built as a list: each with its expression; None for what is not known."""
    found: list[tuple[ast.expr, str | None]] = []
    if isinstance(node, ast.List | ast.Tuple):
        for one in node.elts:
            if len(found) > _MOST:
                break
            if isinstance(one, ast.Starred) and depth:
                found += elements(one.value, scope, depth - 1)
            else:
                found.append((one, _word(one, scope)))
    elif isinstance(node, ast.BinOp) and depth:
        for one in summands(node):
            found += elements(one, scope, depth - 1) if len(found) <= _MOST else []
    elif isinstance(node, ast.Name) and depth and isinstance(inner := behind(node, scope), _LISTS):
        found += [(node, word) for _, word in elements(inner, scope, depth - 1)]
    else:
        found.append((node, None))
    return found[:_MOST]


def _word(node: ast.expr, scope: Scope) -> str | None:
    if isinstance(node, ast.JoinedStr):
        return _joined(node)
    return "own.py" if _is_own_file(node) else value_of(node, scope)


def _is_own_file(node: ast.expr) -> bool:
    """`__file__`, `str(Path(__file__))`: the command starts this file."""
    for _ in range(6):
        if isinstance(node, ast.Name):
            return node.id == "__file__"
        if isinstance(node, ast.Call):
            node = node.args[0] if node.args else node.func
        elif isinstance(node, ast.Attribute):
            node = node.value
        else:
            return False
    return False


def _joined(node: ast.JoinedStr) -> str | None:
    """An f-string that starts like a flag (`f"--port={port}"`) up to what is not known."""
    first = node.values[0] if node.values else None
    if not isinstance(first, ast.Constant) or not str(first.value).startswith("--"):
        return None
    return str(first.value)


# --- Which strings of a Python file name an environment variable: `"VLLM_USE_V1"` does, the enum name `"VLLM_CUTLASS"` not ---
# A string of that shape is taken for a variable where the file speaks of an environment at all, unless the place says
# that it is a choice, a key or a member of something else.


_ENVIRONMENT = re.compile(r"(?i)(?<![a-z])env|[a-z]env\b")
_NAMING = frozenset(("name", "key", "var", "variable"))
"""Keywords by which a variable is named."""


def variable(walk: Walk, key: ast.expr, called: str, value: ast.expr | None) -> None:
    """An environment variable that gets its value here; a key that leads to a class or a member of one is none."""
    if walk.words.variable.fullmatch(called) and not walk.found.muted:
        walk.done.add(id(key))
        if not _is_member(value):
            walk.found.add("env", called, key.lineno, value=value_of(value, walk.scope))


def _is_member(node: ast.expr | None) -> bool:
    """`Backend.CUTLASS`, `CutlassExperts`, a function or a table: nothing a variable can be set to."""
    if isinstance(node, ast.Attribute):
        return node.attr.isupper() or is_class_name(node.attr)
    if isinstance(node, ast.Name):
        return is_class_name(node.id) and not node.id.isupper()
    return isinstance(node, ast.Lambda | ast.Dict | ast.Tuple)


def speaks_of(node: ast.expr) -> bool:
    """Whether an expression is named for an environment: `os.environ`, `env`, `envs.get`, `monkeypatch.setenv`."""
    for _ in range(6):
        if isinstance(node, ast.Attribute):
            if _ENVIRONMENT.search(node.attr):
                return True
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        else:
            break
    return isinstance(node, ast.Name) and _ENVIRONMENT.search(node.id) is not None


def of_call(walk: Walk, node: ast.Call, last: str) -> None:
    """Arguments that choose something: `backend="VLLM_CUTLASS"`, `Backend("VLLM_CUTLASS")`."""
    if not any(map(_shaped, (*node.args, *(one.value for one in node.keywords)))) or speaks_of(node.func):
        return
    if is_class_name(last):
        _mark(walk, *node.args)
    for one in node.keywords:
        if one.arg is not None and one.arg not in _NAMING and not _ENVIRONMENT.search(one.arg):
            _mark(walk, one.value)


def of_comparison(walk: Walk, node: ast.Compare) -> None:
    """`name == "VLLM_CUTLASS"`, `name in ("VLLM_CUTLASS", …)`; `"VLLM_X" in os.environ` asks for a variable."""
    sides = (node.left, *node.comparators)
    told = [one for one in sides if isinstance(one, ast.Constant | ast.Tuple | ast.List | ast.Set)]
    if told and not any(map(speaks_of, sides)):
        for one in told:
            _mark(walk, *((one,) if isinstance(one, ast.Constant) else one.elts))


def of_item(walk: Walk, node: ast.Subscript) -> None:
    """`Backend["VLLM_CUTLASS"]`, `Literal["VLLM_CUTLASS"]`."""
    base = node.value
    last = base.attr if isinstance(base, ast.Attribute) else base.id if isinstance(base, ast.Name) else ""
    if is_class_name(last) and not speaks_of(base):
        _mark(walk, *(node.slice.elts if isinstance(node.slice, ast.Tuple) else (node.slice,)))


def of_pair(walk: Walk, key: ast.expr | None, value: ast.expr) -> None:
    """`{"backend": "VLLM_CUTLASS"}`: a choice, unless the key speaks of an environment."""
    name = key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else ""
    if name and name.lower() not in _NAMING and not _ENVIRONMENT.search(name):
        _mark(walk, value)


def of_member(walk: Walk, target: str, node: ast.expr | None) -> None:
    """`VLLM_CUTLASS = "VLLM_CUTLASS"` in the body of a class."""
    owner = walk.scope.owner
    if owner is None or not walk.scope.in_class_body or _ENVIRONMENT.search(owner.name):
        return
    if isinstance(node, ast.Constant) and node.value == target:
        _mark(walk, node)


def _shaped(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isupper()


def _mark(walk: Walk, *nodes: ast.expr) -> None:
    for node in nodes:
        text = node.value if isinstance(node, ast.Constant) else None
        if isinstance(text, str) and text.isupper() and walk.words.variable.fullmatch(text):
            walk.done.add(id(node))
