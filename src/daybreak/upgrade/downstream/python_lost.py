"""Members that upstream lost, used of objects whose class no file shows: a parameter without a type, a mock of a test.

Whether upstream still knows such a name at all, and whether your code has one like it, is asked where uses are judged.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container

from daybreak.findings.languages.base import destination
from daybreak.findings.languages.python_syntax import is_docstring, last_name
from daybreak.upgrade.downstream.python_values import Notes

UNKNOWN = "?."
"""Stands before a member of something unknown: used as an attribute, or defined as an override."""
_MEMBER = re.compile(r"(?:\.|\bdef |^ +)(_{0,2}[A-Za-z](?=\w{10})\w{1,99}_\w{2,99})", re.MULTILINE)
"""Names of several words: hardly another library has the same one."""

_OPTION = re.compile(r"[\"']--([a-z][\w-]{8,100})[\"']")


def lost_in(text: str, lost: frozenset[str]) -> frozenset[str]:
    """The lost names that a file may use or define as members."""
    if not lost:
        return lost
    options = map(destination, _OPTION.findall(text)) if "add_argument" in text else ()
    return lost.intersection((*_MEMBER.findall(text), *options))


_PARSES = frozenset(("parse_args", "parse_known_args", "parse_intermixed_args", "Namespace"))


def namespaces_of(tree: ast.Module, text: str) -> frozenset[str]:
    """Last names of what a file says to be a parsed command line: annotated so, made by a parser, or another name of such a one."""
    found: set[str] = set()
    if not any(word in text for word in _PARSES):
        return frozenset()
    given: list[tuple[ast.expr, ast.expr]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation and _is_namespace(node.annotation):
            found.add(node.arg if isinstance(node, ast.arg) else last_name(node.target))
        elif isinstance(node, ast.Assign):
            given += [(pair[0], node.value) for target in node.targets if (pair := _first_of(target))]
    for target, value in given:
        made = isinstance(value, ast.Call) and last_name(value.func) in _PARSES
        found |= {last_name(target)} if made or last_name(value) in found else set()
    return frozenset(found - {""})


def _is_namespace(node: ast.expr) -> bool:
    """`Namespace`, also as an option or in quotes."""
    said = node.value if isinstance(node, ast.Constant) else ast.unparse(node)
    return isinstance(said, str) and re.search(r"(?:^|[.\[| ])Namespace\b", said) is not None


def _first_of(target: ast.expr) -> list[ast.expr]:
    """Of `known, rest = …` the first, which has the options."""
    return target.elts[:1] if isinstance(target, ast.Tuple | ast.List) else [target]


def see_lost(found: Notes, tree: ast.Module, text: str) -> None:
    """Tell what a file uses and defines under one of the lost names, where its reader knows nothing better."""
    present = lost_in(text, found.wanted.lost)
    if not present:
        return
    known = {(use.line, use.name.rpartition(".")[2]) for use in found.uses}
    for node in ast.walk(tree):
        for name, line in _defined(node, present):
            found.add("override", f"{UNKNOWN}{name}", line)
        if isinstance(node, ast.Attribute) and node.attr in present and not _sets_own(node):
            line = node.end_lineno or node.lineno
            if (line, node.attr) not in known:
                found.add("attribute", f"{UNKNOWN}{node.attr}", line, guarded=False, when=())


def _sets_own(node: ast.Attribute) -> bool:
    own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
    return own and isinstance(node.ctx, ast.Store)


def _defined(node: ast.AST, names: Container[str]) -> list[tuple[str, int]]:
    """The names that a piece of code gives a class, a module or an object of its own; one that it asks for by a string
    counts as well: it copes without.
    """
    found: list[tuple[str, int]] = []
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        found = [(node.name, node.lineno)] if node.name in names and not _stands_for(node) else []
    elif isinstance(node, ast.ClassDef | ast.Module):
        targets = [t for one in node.body for t in _targets(one)]
        found = [(one.id, one.lineno) for one in targets if isinstance(one, ast.Name)]
    elif isinstance(node, ast.Attribute) and _sets_own(node):
        found = [(node.attr, node.lineno)]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add_argument":
        flags = [one for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        found = [(destination(str(one.value)), one.lineno) for one in flags]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("hasattr", "getattr"):
        words = [one for one in node.args[1:2] if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        found = [(str(one.value), one.lineno) for one in words]
    return [one for one in found if one[0] in names]


def _stands_for(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function only says what another object has: a stub, or one that hands on to the same name there."""
    said = [one for one in node.body if not is_docstring(one)]
    stub = all(isinstance(one, ast.Pass | ast.Raise) for one in said)
    inner = (one for one in ast.walk(node) if isinstance(one, ast.Attribute) and one.attr == node.name)
    return stub or any(not (isinstance(one.value, ast.Name) and one.value.id in ("self", "cls")) for one in inner)


def _targets(node: ast.stmt) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign) else []
