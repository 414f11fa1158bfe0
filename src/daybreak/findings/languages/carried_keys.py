"""Keys that code asks of a dictionary which requests carry: `request.extra["id"]` fails for whoever does not send `id`.

What a request carries is known by how the file takes it (`request.extra`). A key is new where the file did not have it as
a text before; what the file fills in itself, looks for first or takes with a default is not demanded of anybody. What it puts
over what a request carries, sent or not, whoever sent it there loses.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice

from daybreak.findings.languages.base import MAX_LINE, Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import PER_FILE, quiet
from daybreak.findings.languages.python_functions import Function, sources
from daybreak.findings.languages.python_syntax import statements, walk

_CARRIED = re.compile(r"\breq(?:uest)?\.([a-z]\w{3,60})\b(?!\()")
_KEY = re.compile(r"\w{2,60}")
_PUTS = re.compile(r"(?m)^\+.{0,400}(?:\.update\(\w|\w\[[\"']\w{2,60}[\"']\] = )")
_ASKS = re.compile(r"(?m)^\+.{0,400}[\w)]\[[\"']\w{2,60}[\"']\]")


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Keys that functions which were there ask for without a way round, and those that they overwrite."""
    if quiet(file):
        return
    if _PUTS.search(file.change.patch):
        for _, old, new in sources(whole).changed(file.path):
            known = {key for key, _ in _overwritten(old)}
            fresh = (one for one in _overwritten(new) if one[0] not in known and one[0].partition(".")[0] in old.words)
            yield from (
                Fact("taken_overwritten", file.path, new.at(value), key, None, value.attr, breaking=True)
                for key, value in islice(fresh, PER_FILE)
            )
    if not _ASKS.search(file.change.patch):
        return
    text = {sign: sources(whole).text(file, sign) for sign in ("-", "+")}
    carried = {m[1] for line in text["+"].split("\n") for m in _CARRIED.finditer(line[:MAX_LINE])}
    told: set[str] = set()
    for _, _, function in sources(whole).changed(file.path) if carried else ():
        for name, key, node in _demanded(function, carried):
            symbol = f"{name}.{key}"
            if symbol not in told and len(told) < PER_FILE and not _is_known(key, text["-"], text["+"]):
                told.add(symbol)
                yield Fact(
                    "request_field_required_added", file.path, function.at(node), symbol, None, symbol, breaking=True
                )


def _is_known(key: str, before: str, after: str) -> bool:
    """The file had the key before, or makes it itself: `{"id": …}`, `dict(id=…)`, `extra["id"] = …`."""
    if f'"{key}"' in before or f"'{key}'" in before:
        return True
    made = rf"[\"']{key}[\"']\]?\s{{0,4}}[:=](?!=)|\bdict\([^()]{{0,400}}\b{key}\s{{0,4}}="
    return re.search(made, after) is not None


def _demanded(function: Function, carried: set[str]) -> Iterator[tuple[str, str, ast.expr]]:
    """Dictionary, key and place of what a function takes by its key and does not look for first."""
    nodes = list(walk(function.body))
    own = {name: name for name in carried.intersection(function.parameters)}
    for node in nodes:
        if isinstance(node, ast.Assign) and (name := _carries(node.value, carried)):
            own |= {target.id: name for target in node.targets if isinstance(target, ast.Name)}
    looked_for = {key for node in nodes for key in _looked_for(node)}
    caught = {part for node in nodes if isinstance(node, ast.Try) and _catches(node) for part in walk(node.body)}
    for node in nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and isinstance(node.slice, ast.Constant):
            name, key = _dictionary(node.value, own, carried), node.slice.value
            if name and isinstance(key, str) and _KEY.fullmatch(key) and key not in looked_for and node not in caught:
                yield name, key, node


def _dictionary(node: ast.expr, own: dict[str, str], carried: set[str]) -> str | None:
    return own.get(node.id) if isinstance(node, ast.Name) else _carries(node, carried)


def _carries(node: ast.expr, carried: set[str]) -> str | None:
    """What is taken off a request itself: others may have a dictionary of the same name."""
    if not isinstance(node, ast.Attribute) or node.attr not in carried:
        return None
    owner = node.value
    said = owner.id if isinstance(owner, ast.Name) else owner.attr if isinstance(owner, ast.Attribute) else ""
    return node.attr if said in ("req", "request") else None


def _overwritten(function: Function) -> Iterator[tuple[str, ast.Attribute]]:
    """`kwargs.effort`, and what of the same request is put over it, whether it was sent or not."""
    nodes = list(statements(function.body))
    own = {name: carried for node in nodes for name, carried in _kept(node)}
    branches = [node for node in nodes if isinstance(node, ast.If)] if own else []
    for node in nodes if own else ():
        for target, key, value in _puts(node):
            if target in own and isinstance(value, ast.Attribute) and _carries(value, {key}):
                asking = (one for one in branches if key in ast.unparse(one.test))
                if not any(node in [*statements([*one.body, *one.orelse])] for one in asking):
                    yield f"{own[target]}.{key}", value


def _kept(node: ast.stmt) -> Iterator[tuple[str, str]]:
    """The names of a dictionary off a request: `kwargs = request.kwargs or {}`."""
    held = node.value if isinstance(node, ast.Assign) else None
    held = held.values[0] if isinstance(held, ast.BoolOp) else held
    if isinstance(node, ast.Assign) and isinstance(held, ast.Attribute) and _carries(held, {held.attr}):
        yield from ((target.id, held.attr) for target in node.targets if isinstance(target, ast.Name))


def _puts(node: ast.stmt) -> Iterator[tuple[str, str, ast.expr]]:
    """Dictionary, key and value of what a statement puts into it."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        if node.value.func.attr == "update":
            yield from ((ast.unparse(node.value.func.value), k.arg, k.value) for k in node.value.keywords if k.arg)
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        key = node.targets[0].slice
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield ast.unparse(node.targets[0].value), key.value, node.value


def _catches(node: ast.Try) -> bool:
    """A key that is not there is no failure: what is caught by any name may be that."""
    types = [handler.type for handler in node.handlers]
    every = [kind for one in types for kind in (one.elts if isinstance(one, ast.Tuple) else [one])]
    return any(kind is None or (isinstance(kind, ast.Name) and kind.id in _CATCH) for kind in every)


_CATCH = frozenset({"KeyError", "LookupError", "Exception", "BaseException"})


def _looked_for(node: ast.AST) -> Iterator[str]:
    """Keys that are asked about, by `in` or by a call such as `get`."""
    asked = [node.left] if isinstance(node, ast.Compare) else node.args[:1] if isinstance(node, ast.Call) else []
    yield from (one.value for one in asked if isinstance(one, ast.Constant) and isinstance(one.value, str))
