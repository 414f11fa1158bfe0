"""Defaults that nothing reads but below a question for a version of a package: as long as the tree pins an older one, the
other default changes nothing.
"""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from msgspec.structs import replace

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import waiting_for
from daybreak.core.versions import exact, holds, normalised, version
from daybreak.findings.kinds import kind_of
from daybreak.findings.languages.base import Fact
from daybreak.findings.languages.pins import pins
from daybreak.findings.languages.python_syntax import parsed
from daybreak.findings.still_defined import searched, texts_at
from daybreak.findings.trees import ASIDE_NAMES, Trees, Where

_PYTHON = Where(endings=(".py",), without=ASIDE_NAMES)
_MOST_READ = 40
_MOST_DEFINING = 9
_PACKAGE = re.compile(r"\b([A-Za-z]\w{1,60})\.__version__|\bversion\([\"']([\w.-]{2,60})[\"']\)")
Definitions = Callable[[str], Iterable[str]]
"""Name of a function → texts of the files that define it."""


class _Gate(NamedTuple):
    package: str
    least: str


def behind_versions(trees: Trees, change: Change, facts: set[Fact]) -> set[Fact]:
    """The same facts, defaults with the version that they wait for where the tree pins an older one."""
    asked = {f: f.symbol.rpartition(".")[2] for f in facts if kind_of(f.kind).change == "default_changed"}
    asked = {f: name for f, name in asked.items() if name.isidentifier()}
    places = searched(trees, [change.sha], set(asked.values()), _PYTHON) if asked and not trees.partial else {}

    def definitions(name: str) -> Iterable[str]:
        held = searched(trees, [change.sha], [f"def {name}("], _PYTHON) or {}
        files = sorted({path for some in held.values() for path in some})
        return texts_at(trees, change.sha, files[:_MOST_DEFINING]).values()

    waiting: dict[Fact, Fact] = {}
    for fact, name in asked.items():
        paths = (places or {}).get((change.sha, name), set())
        texts = texts_at(trees, change.sha, paths) if len(paths) <= _MOST_READ else {}
        gate = _only_gate(texts.values(), name, definitions) if len(texts) == len(paths) else None
        pinned = _pinned(trees, change.sha, fact.path, gate.package) if gate is not None else None
        if gate is not None and pinned is not None and holds(gate.least, pinned) is False:
            waiting[fact] = replace(fact, effective=waiting_for(f"{gate.package}>={gate.least}", pinned))
    return {waiting.get(fact, fact) for fact in facts}


def _only_gate(texts: Iterable[str], name: str, definitions: Definitions) -> _Gate | None:
    """The one question for a version below which every read of the name stands; None where there is another read."""
    known: _Gate | None = None
    for text in texts:
        tree = parsed(text)
        if tree is None:
            return None
        lines = [number for number, line in enumerate(text.split("\n"), 1) if name in line]
        for tests in _reads(tree, name, lines):
            gate = _gate_of(tests, definitions)
            # The first read that stands elsewhere decides: most names are read in dozens of files.
            if gate is None or gate != (known or gate):
                return None
            known = gate
    return known


def _reads(tree: ast.Module, name: str, lines: Sequence[int]) -> Iterator[tuple[ast.expr, ...]]:
    """For every place that may read the name: the tests of the branches that it stands in."""
    open_nodes: list[tuple[ast.AST, tuple[ast.expr, ...]]] = [(tree, ())]
    while open_nodes:
        node, tests = open_nodes.pop()
        if isinstance(node, ast.stmt) and not _holds_one(node, lines):
            continue
        called = getattr(node, "attr", None) or getattr(node, "id", None)
        is_read = called == name and isinstance(getattr(node, "ctx", None), ast.Load)
        if is_read or (isinstance(node, ast.Constant) and node.value == name):
            yield tests
        for part, value in ast.iter_fields(node):
            inside = (*tests, node.test) if isinstance(node, ast.If | ast.IfExp) and part == "body" else tests
            nodes = value if isinstance(value, list) else [value]
            open_nodes += [(one, inside) for one in nodes if isinstance(one, ast.AST)]


def _holds_one(node: ast.stmt, lines: Sequence[int]) -> bool:
    """Whether one of these lines, in their order, is of the statement; decorators stand before its own first line."""
    first = min((one.lineno for one in getattr(node, "decorator_list", ())), default=node.lineno)
    at = bisect_left(lines, first)
    return at < len(lines) and lines[at] <= (node.end_lineno or node.lineno)


def _gate_of(tests: tuple[ast.expr, ...], definitions: Definitions) -> _Gate | None:
    parts = (part for test in tests for part in _all_of(test))
    return next((gate for part in parts if (gate := _asked(part, definitions)) is not None), None)


def _all_of(test: ast.expr) -> list[ast.expr]:
    return test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]


def _asked(test: ast.expr, definitions: Definitions) -> _Gate | None:
    """`Version(package.__version__) >= Version("2.1")`, or a call with a version that a function compares so."""
    least = [node.value for node in ast.walk(test) if isinstance(node, ast.Constant)]
    if len(least) != 1 or not isinstance(least[0], str) or version(least[0]) is None:
        return None
    if isinstance(test, ast.Compare):
        package = _compared(test, least[0])
    elif isinstance(test, ast.Call) and isinstance(test.func, ast.Name):
        name = test.func.id
        package = next((found for text in definitions(name) if (found := _compared_by(text, name))), "")
    else:
        return None
    return _Gate(package, least[0]) if package else None


def _compared(node: ast.Compare, least: str) -> str:
    """The package whose version must be at least what the text names."""
    if len(node.ops) != 1 or not isinstance(node.ops[0], ast.GtE):
        return ""
    try:
        asked, bound = ast.unparse(node.left), ast.unparse(node.comparators[0])
    except RecursionError:
        return ""
    found = _PACKAGE.search(asked) if least in bound else None
    return (found[1] or found[2]) if found else ""


def _compared_by(text: str, name: str) -> str:
    """The package whose version a function of one parameter compares with it."""
    for node in ast.walk(parsed(text) or ast.Module([], [])):
        if isinstance(node, ast.FunctionDef) and node.name == name and len(node.args.args) == 1:
            compared = (_compared(one, node.args.args[0].arg) for one in ast.walk(node) if isinstance(one, ast.Compare))
            return next(filter(None, compared), "")
    return ""


def _pinned(trees: Trees, sha: str, path: str, package: str) -> str | None:
    """The one version of a package that the project around a file is built with."""
    manifests = [str(folder / "pyproject.toml") for folder in PurePosixPath(path).parents]
    texts = texts_at(trees, sha, manifests)
    for name in (one for one in manifests if one in texts):
        rows = (pin for pin in pins(name, texts[name]) if pin.kind == "dependency" and pin.scope in ("", "build"))
        found = {exact(pin.value) for pin in rows if normalised(pin.name) == normalised(package)}
        return found.pop() if len(found) == 1 else None
    return None
