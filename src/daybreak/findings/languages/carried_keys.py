"""Keys that code asks of a dictionary which requests carry: `request.extra["id"]` fails for whoever does not send `id`.

What a request carries is known by how the file takes it (`request.extra`). A key is new where the file did not have it as
a text before; what the file fills in itself, looks for first or takes with a default is not demanded of anybody.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from daybreak.findings.languages.base import MAX_LINE, Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import PER_FILE, quiet
from daybreak.findings.languages.python_functions import Function, sources
from daybreak.findings.languages.python_syntax import walk

_CARRIED = re.compile(r"\breq(?:uest)?\.([a-z]\w{3,60})\b(?!\()")
_KEY = re.compile(r"\w{2,60}")
_ASKS = re.compile(r"(?m)^\+.{0,400}[\w)]\[[\"']\w{2,60}[\"']\]")


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Keys that functions which were there ask for without a way round."""
    if quiet(file) or not _ASKS.search(file.change.patch):
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
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute) and node.value.attr in carried:
            own |= {target.id: node.value.attr for target in node.targets if isinstance(target, ast.Name)}
    looked_for = {key for node in nodes for key in _looked_for(node)}
    for node in nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and isinstance(node.slice, ast.Constant):
            name, key = _dictionary(node.value, own, carried), str(node.slice.value)
            if name and _KEY.fullmatch(key) and key not in looked_for:
                yield name, key, node


def _dictionary(node: ast.expr, own: dict[str, str], carried: set[str]) -> str | None:
    if isinstance(node, ast.Name):
        return own.get(node.id)
    return node.attr if isinstance(node, ast.Attribute) and node.attr in carried else None


def _looked_for(node: ast.AST) -> Iterator[str]:
    """Keys that are asked about, by `in` or by a call such as `get`."""
    asked = [node.left] if isinstance(node, ast.Compare) else node.args[:1] if isinstance(node, ast.Call) else []
    yield from (one.value for one in asked if isinstance(one, ast.Constant) and isinstance(one.value, str))
