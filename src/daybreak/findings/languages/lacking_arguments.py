"""Calls that a function's new demand left behind: it asks for an argument from now on, and a call elsewhere in the tree lacks it.

Asked of functions of a module whose head a commit alters. Callers are found by the name in the tree of the commit and followed by
the imports of their file; a call that hands on what it was given (`*args`, `**kwargs`) says nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from daybreak.core.errors import GitError
from daybreak.core.model.changes import Change
from daybreak.findings.languages.base import MAX_LINE, Fact, ReadFile
from daybreak.findings.languages.dangling import refused_arguments
from daybreak.findings.languages.lost_imports import Tree, imported, tree_of
from daybreak.findings.languages.python_signature import Signature, signature
from daybreak.findings.languages.python_surface import surface
from daybreak.findings.languages.python_syntax import parsed
from daybreak.findings.paths import SOURCES, ships
from daybreak.findings.still_defined import texts_at
from daybreak.findings.trees import Trees, Where

_HEAD = re.compile(r"(?:async )?def ([^\W\d]\w{0,120})\(")
_PYTHON = Where(endings=(".py",))
_MOST = 60
"""Functions of a commit, and files that name one, that are looked at."""


class Home(NamedTuple):
    """A function of a module."""

    path: str
    name: str


def misfit_arguments(trees: Trees, change: Change, files: Sequence[ReadFile]) -> set[Fact]:
    """Calls that give what a function does not take, or lack what it demands."""
    return refused_arguments(trees, change, files) | lacking_arguments(trees, change, files)


def lacking_arguments(trees: Trees, change: Change, files: Sequence[ReadFile]) -> set[Fact]:
    """One finding a function: the first call, by path and line, that lacks what it demands from now on."""
    heads = {(file, name) for file in files if _is_asked(file) for name in _heads(file)}
    if not heads or not change.parents:
        return set()
    try:
        wanted = dict(sorted(_demands(trees, heads).items())[:_MOST])
        return set(_left_behind(trees, change.sha, wanted)) if wanted else set()
    except GitError:
        return set()  # what cannot be asked is not said


def _is_asked(file: ReadFile) -> bool:
    ours = file.path.endswith(".py") and file.area in SOURCES and not file.tool and ships(file.path)
    return ours and file.change.status == "M"


def _heads(file: ReadFile) -> set[str]:
    """Functions of the module whose head stands on both sides of the change."""
    sides: dict[str, set[str]] = {"-": set(), "+": set()}
    for hunk in file.hunks:
        for line in hunk.lines:
            if line.sign in sides and (match := _HEAD.match(line.text[:MAX_LINE])):
                sides[line.sign].add(match[1])
    return sides["-"] & sides["+"]


def _demands(trees: Trees, heads: set[tuple[ReadFile, str]]) -> dict[Home, Signature]:
    """Functions that demand more than before, with their head as it is now."""
    blobs = dict(trees.contents(oid for f, _ in heads for oid in (f.change.old_blob, f.change.new_blob)))
    found: dict[Home, Signature] = {}
    for file, name in heads:
        old, new = (
            _signature(file.path, blobs.get(oid, ""), name) for oid in (file.change.old_blob, file.change.new_blob)
        )
        if old and new and _required(new) - {p.name for p in old.parameters}:
            found[Home(file.path, name)] = new
    return found


def _signature(path: str, text: str, name: str) -> Signature | None:
    side = surface(path, text) if f"def {name}" in text else None
    row = side.get(("function", name)) if side is not None else None
    return None if row is None or "many" in row.details else signature(row)


def _required(head: Signature) -> set[str]:
    return {p.name for p in head.parameters if p.required}


def _left_behind(trees: Trees, sha: str, wanted: Mapping[Home, Signature]) -> Iterator[Fact]:
    names = {one.name for one in wanted}
    rows = trees.lines([sha], names, _PYTHON) or ()
    paths = sorted(
        {path for _, path, line in rows if ships(path) and any(f"{n}(" in line or f"{n} as " in line for n in names)}
    )
    told: set[Home] = set()
    tree = tree_of(trees, sha) if paths else None
    for path, text in sorted(texts_at(trees, sha, paths[:_MOST]).items()):
        homes = dict(_taken(path, text, tree, wanted)) if tree is not None else {}
        for name, line, lacks in sorted(_lacking(parsed(text), homes, wanted), key=lambda one: one[1]):
            if homes[name] not in told:
                told.add(homes[name])
                yield Fact("argument_lacking", path, line, f"{name}({lacks})", None, lacks, True)


def _taken(path: str, text: str, tree: Tree, wanted: Iterable[Home]) -> Iterator[tuple[str, Home]]:
    """Name in a file → the function that it stands for: of the file itself, or imported and not defined anew."""
    module = parsed(text)
    if module is None:
        return
    own = {node.name for node in module.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}
    yield from ((one.name, one) for one in wanted if one.path == path)
    homes = {(one.path, one.name): one for one in wanted}
    for name, given in imported(tree, path, text).items():
        if name not in own and (given.path, given.name) in homes:
            yield name, homes[given.path, given.name]


def _lacking(
    module: ast.Module | None, homes: Mapping[str, Home], wanted: Mapping[Home, Signature]
) -> Iterator[tuple[str, int, str]]:
    """Name, line and first lacking argument of each call of one of these that lacks some."""
    for node in ast.walk(module) if module is not None and homes else ():
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in homes):
            continue
        if any(isinstance(one, ast.Starred) for one in node.args) or any(k.arg is None for k in node.keywords):
            continue
        head = wanted[homes[node.func.id]]
        given = {p.name for p in head.placed[: len(node.args)]} | {k.arg for k in node.keywords}
        if lacks := [p.name for p in head.parameters if p.required and p.name not in given]:
            yield node.func.id, node.lineno, lacks[0]
