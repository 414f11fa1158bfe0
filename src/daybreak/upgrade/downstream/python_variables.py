"""Which strings of a Python file name an environment variable: `"VLLM_USE_V1"` does, the enum name `"VLLM_CUTLASS"` not.

A string of that shape is taken for a variable where the file speaks of an environment at all, unless the place says
that it is a choice, a key or a member of something else.
"""

from __future__ import annotations

import ast
import re

from daybreak.upgrade.downstream.python_literals import value_of
from daybreak.upgrade.downstream.python_values import is_class_name
from daybreak.upgrade.downstream.python_walk import Walk

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
