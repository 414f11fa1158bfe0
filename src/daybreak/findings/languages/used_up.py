"""Attributes of an object that a function reads and deletes from now on: it works once, and whoever calls it again with the same
object, or reads the attribute later, meets an `AttributeError`.

One that the function gives the object anew, or looks for by its name, is not missed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import quiet
from daybreak.findings.languages.python_functions import Function, sources
from daybreak.findings.languages.python_public import forked
from daybreak.findings.languages.python_syntax import called_name, walk

_DELETES = re.compile(r"^\+[ \t]+del(?:attr\(| \w+\.\w)", re.MULTILINE)


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """One finding a function, of all that it uses up."""
    if quiet(file) or not _DELETES.search(file.change.patch):
        return
    for _, old, new in sources(whole).changed(file.path):
        before, after = _deleted(old), _deleted(new)
        came = [way for way in after if way not in before]
        if came and forked(file, new.name):
            yield Fact("attribute_used_up", file.path, after[came[0]], new.name, None, ", ".join(came)[:200], True)


def _deleted(function: Function) -> dict[str, int]:
    """`layer.scale` → the line that deletes it, of what a parameter has, the function read and does not give back."""
    nodes = list(walk(function.body)) if "del " in function.text or "delattr(" in function.text else []
    lines: dict[str, int] = {}
    for node in nodes:
        if isinstance(node, ast.Delete):
            lines |= {ast.unparse(one): function.at(node) for one in node.targets if isinstance(one, ast.Attribute)}
        elif isinstance(node, ast.Call) and called_name(node) == "delattr" and len(node.args) == 2:
            lines |= {way: function.at(node) for way in _named(node)}
    read = {ast.unparse(n): n for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load)}
    given = {ast.unparse(n) for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}
    calls = (node for node in nodes if isinstance(node, ast.Call) and called_name(node) != "delattr")
    given |= {way for node in calls for way in _named(node)}
    return {way: n for way, n in lines.items() if way in read and way not in given and _is_handed(way, function)}


def _named(node: ast.Call) -> Iterator[str]:
    """`layer.scale`, of `setattr(layer, "scale", …)`, `hasattr(layer, "scale")`, `replace_parameter(layer, "scale", …)`."""
    texts = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    held = [ast.unparse(arg) for arg in node.args if isinstance(arg, ast.Name | ast.Attribute)]
    if isinstance(node.func, ast.Attribute):
        held.append(ast.unparse(node.func.value))
    yield from (f"{holder}.{text}" for holder in held for text in texts)


def _is_handed(way: str, function: Function) -> bool:
    """The object is a parameter: what a function made itself nobody hands it again."""
    holder = way.rpartition(".")[0]
    return holder != "self" and holder in function.parameters and function.bindings.get(holder) == [None]
