"""Structures that are built again from what another process answers: `Info(**response.json())`. A field that comes is an argument
which an older reader does not take.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice

from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import PER_FILE, quiet
from daybreak.findings.languages.python_functions import sources
from daybreak.findings.languages.python_syntax import last_name, parsed, statements, walk

_FIELD = re.compile(r"^\+    [a-z]\w{0,80}\s?:\s?[\w\"']", re.MULTILINE)
_BUILT = re.compile(r"\b([A-Z]\w{2,80})\(\*\*")
_ANSWERS = frozenset({"json", "loads", "decode", "unpackb"})


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Fields that came to a dataclass which the same file builds from an answer on both sides of the change."""
    if quiet(file) or not _FIELD.search(file.change.patch):
        return
    known = sources(whole)
    texts = known.text(file, "-"), known.text(file, "+")
    names = {*_BUILT.findall(texts[0])} & {*_BUILT.findall(texts[1])}
    trees = [parsed(text) for text in texts] if names else []
    if len(trees) != 2 or trees[0] is None or trees[1] is None:
        return
    was, now = _records(trees[0]), _records(trees[1])
    for name in sorted(names & was.keys() & now.keys() & _answered(trees[0])):
        came = [(field, line) for field, line in now[name].items() if field not in was[name]]
        for field, line in islice(came, PER_FILE):
            yield Fact("sent_field_refused", file.path, line, f"{name}.{field}", None, field, breaking=True)


def _records(tree: ast.Module) -> dict[str, dict[str, int]]:
    """Dataclass → the fields that its constructor takes, with their lines."""
    plain = (
        node for node in tree.body if isinstance(node, ast.ClassDef) and any(map(_is_dataclass, node.decorator_list))
    )
    return {node.name: dict(_fields(node)) for node in plain}


def _is_dataclass(node: ast.expr) -> bool:
    return last_name(node.func if isinstance(node, ast.Call) else node) == "dataclass"


def _fields(node: ast.ClassDef) -> Iterator[tuple[str, int]]:
    for one in node.body:
        given = isinstance(one, ast.AnnAssign) and not re.search(r"\bClassVar\b|\binit=False", ast.unparse(one))
        if given and isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            yield one.target.id, one.lineno


def _answered(tree: ast.Module) -> set[str]:
    """Classes that a function builds from all there is in an answer: `data = response.json()`, `Info(**data)`."""
    found: set[str] = set()
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)):
        held = {
            target.id
            for node in statements(function.body)
            if isinstance(node, ast.Assign) and _is_answer(node.value)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in walk(function.body):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.keywords) == 1:
                given = node.keywords[0]
                whole = given.arg is None and not node.args
                if whole and (
                    _is_answer(given.value) or (isinstance(given.value, ast.Name) and given.value.id in held)
                ):
                    found.add(node.func.id)
    return found


def _is_answer(node: ast.expr) -> bool:
    calls = isinstance(node, ast.Call) and last_name(node.func) in _ANSWERS
    return calls or (isinstance(node, ast.Await) and _is_answer(node.value))
