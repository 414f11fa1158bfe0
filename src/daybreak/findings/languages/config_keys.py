"""Keys that code asks of a model's configuration without a way round: `config.rope["factor"]` fails for whoever's has none.

Told of functions that stood there, of a key that they did not ask for by its name alone before: they took it with a default, asked
whether it is there, or never took it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice

from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import PER_FILE, quiet
from daybreak.findings.languages.python_functions import Function, sources
from daybreak.findings.languages.python_public import read_at_all
from daybreak.findings.languages.python_syntax import walk

_ASKS = re.compile(r"^\+.*\bconfig\.\w+\[[\"']\w", re.MULTILINE)
_HELD = re.compile(r"(?:self\.)?(?:hf_|text_|vision_|audio_|hf_text_|model_)?config\.\w+")
"""What a checkpoint says of itself: its `config.json`, of which each release of a model family has other keys."""
_CATCH = frozenset({"KeyError", "LookupError", "TypeError", "Exception", "BaseException"})


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Keys that functions on both sides of a change demand from now on."""
    if quiet(file) or not read_at_all(file) or not _ASKS.search(file.change.patch):
        return
    added = {line.new for hunk in file.hunks for line in hunk.lines if line.sign == "+"}
    found = (
        Fact("config_key_required_added", file.path, new.at(node), way, None, way, True)
        for _, old, new in sources(whole).changed(file.path)
        for way, node in _demanded(new).items()
        if way not in _demanded(old) and new.at(node) in added
    )
    yield from islice(found, PER_FILE)


def _demanded(function: Function) -> dict[str, ast.Subscript]:
    """Way to a key that is not looked for before."""
    nodes = list(walk(function.body)) if "config." in function.text else []
    asked = {text for node in nodes for text in _looked_for(node)}
    caught = {part for node in nodes if isinstance(node, ast.Try) and _catches(node) for part in walk(node.body)}
    out: dict[str, ast.Subscript] = {}
    for node in nodes:
        if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load) or node in caught:
            continue
        root, keys = _way(node)
        if not asked.issuperset(keys) and _HELD.fullmatch(root):
            out.setdefault(ast.unparse(node), node)
    inner = {ast.unparse(part) for node in out.values() for part in ast.walk(node.value)}
    return {way: node for way, node in out.items() if way not in inner}


def _way(node: ast.Subscript) -> tuple[str, tuple[str, ...]]:
    """`config.rope["full"]["factor"]` → the dictionary and its keys; no keys where one is no text."""
    keys: list[str] = []
    held: ast.expr = node
    while isinstance(held, ast.Subscript):
        if not isinstance(held.slice, ast.Constant) or not isinstance(held.slice.value, str):
            return "", ()
        keys.append(held.slice.value)
        held = held.value
    return (ast.unparse(held), tuple(keys)) if isinstance(held, ast.Attribute) else ("", ())


def _looked_for(node: ast.AST) -> Iterator[str]:
    """Keys that are asked about by `in` or `get`, or given; a dictionary of which it is asked whether it is there."""
    if isinstance(node, ast.Compare) and isinstance(node.left, ast.Constant):
        yield str(node.left.value)
    elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        yield str(node.args[0].value)
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and isinstance(node.slice, ast.Constant):
        yield str(node.slice.value)


def _catches(node: ast.Try) -> bool:
    types = [handler.type for handler in node.handlers]
    every = [kind for one in types for kind in (one.elts if isinstance(one, ast.Tuple) else [one])]
    return any(kind is None or (isinstance(kind, ast.Name) and kind.id in _CATCH) for kind in every)
