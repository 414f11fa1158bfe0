"""Routes that a server always had and has from now on only where a setting is on, or something else holds.

A function that mounts them leaves before it does, or asks first: `if not envs.DEV_MODE: return`. The route itself stands
there as it was, and whoever calls it gets 404.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import PER_FILE, quiet
from daybreak.findings.languages.python_functions import Def, Function, Sign, Sources, sources
from daybreak.findings.languages.python_public import is_setting, read_at_all
from daybreak.findings.languages.python_syntax import bodies, called_name, leaves, walk

_MOUNTS = frozenset({"include_router", "add_api_route", "add_route", "mount"})
_ROUTE = re.compile(
    r"\b(\w{1,80})\.(?:get|post|put|delete|patch|websocket|api_route|route)\(\s{0,40}[\"'](/[\w/{}.:-]{1,100})[\"']"
)
_MOUNTED = re.compile(r"\((?:\w+\.){0,6}(\w+)[,)]")
"""The router that a call mounts."""
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Routes of a file that stood there, each with the setting that it needs now."""
    if quiet(file) or not read_at_all(file) or not re.search(r"^\+\s+if\b", file.change.patch, re.MULTILINE):
        return
    known = sources(whole)
    for pair, old, new in known.changed(file.path):
        yield from islice(_limited(file, old, new, known) if new.name else (), _MOST_LIMITED)
        if new.name and new.mentions(_CALLS):
            before, after = _gates(old), _gates(new)
            for call in sorted(before.keys() & after.keys()):
                for name, line in sorted(after[call].items()):
                    if name not in before[call]:
                        mounted = _MOUNTED.search(call)
                        rows = _ROUTE.findall(known.text(pair.file, "-")) if mounted else ()
                        routes = dict.fromkeys(r for router, r in rows if mounted and router == mounted[1]) or {
                            call: None
                        }
                        yield from islice(
                            (Fact("route_gated", file.path, line, r, None, name, True) for r in routes), PER_FILE
                        )


_CALLS = re.compile("|".join(sorted(_MOUNTS)))
_HELPER = re.compile(r"(?:register|attach|include|mount|add)_(?:\w{1,60}_)?(?:router|route|endpoint)s?")
"""A function that mounts what another module serves."""
_LONGEST_TEST = 100
_MOST_ROUTES, _MOST_LIMITED = 4, 12


def _limited(file: ReadFile, old: Function, new: Function, known: Sources) -> Iterator[Fact]:
    """Routes that helpers mounted whatever was asked, and mount from now on below a question."""
    before, after = _helped(old, file, known, "-"), _helped(new, file, known, "+")
    stood = {route for _, route in _ROUTE.findall(known.before)} if before and after else set()
    found: dict[str, tuple[str, int]] = {}
    for name in before.keys() & after.keys():
        one = after[name]
        test = _joined(one.tests)
        if not before[name].tests and 0 < len(test) <= _LONGEST_TEST:
            there = [f for f in known.files if one.module and f"/{f.path}".endswith(f"/{one.module}")]
            routes = dict.fromkeys(r for f in there for _, r in _ROUTE.findall(known.text(f, "+")) if r in stood)
            found |= dict.fromkeys(islice(routes if len(there) == 1 else (), _MOST_ROUTES), (test, one.line))
    for route, (test, line) in sorted(found.items()):
        yield Fact("route_limited", file.path, line, route, None, test, True)


class _Helper(NamedTuple):
    """A call of a helper."""

    tests: tuple[ast.expr | None, ...]
    """What must hold for it; None for what is not known."""
    line: int
    module: str
    """The end of the path of the file that the helper is taken from; empty where that is not known."""


def _joined(tests: Sequence[ast.expr | None]) -> str:
    """Questions as one; empty where one of them is not known."""
    known = [one for one in tests if one is not None]
    if len(known) < len(tests) or not known:
        return ""
    return ast.unparse(known[0] if len(known) == 1 else ast.BoolOp(ast.And(), known))


def _helped(function: Function, file: ReadFile, known: Sources, sign: Sign) -> dict[str, _Helper]:
    """Helpers that are called in one place."""
    if not _HELPER.search(function.text):
        return {}
    out = _once(_helpers(function, function.body, (), file.path))
    for name, (tests, line, _) in list(out.items()) if sign == "+" else ():  # one that came may only call others
        there = (f for f in known.files if tests and f"def {name}(" in known.text(f, sign))
        inner = ((f, one) for f in islice(there, 1) for one in known.functions(f, sign).values() if one.name == name)
        for f, one in inner:
            called = _once(_helpers(one, one.body, tests, f.path))
            out |= {key: value._replace(line=line) for key, value in called.items() if key not in out}
    return out


def _once(calls: Iterable[tuple[str, _Helper]]) -> dict[str, _Helper]:
    """A helper that is called in two places may be called whatever is asked."""
    every = [*calls]
    count = Counter(name for name, _ in every)
    return {name: one for name, one in every if count[name] == 1}


def _helpers(
    function: Function, body: Sequence[ast.stmt], tests: tuple[ast.expr | None, ...], path: str
) -> Iterator[tuple[str, _Helper]]:
    for node in body:
        if isinstance(node, ast.If):
            yield from _helpers(function, node.body, (*tests, node.test), path)
            yield from _helpers(function, node.orelse, (*tests, ast.UnaryOp(ast.Not(), node.test)), path)
            if leaves(node.body) or leaves(node.orelse):
                tests = (*tests, None)
        elif not isinstance(node, Def):
            inner = tests if isinstance(node, ast.With | ast.AsyncWith) else (*tests, None)
            for block in bodies(node):
                yield from _helpers(function, block, inner, path)
        call = node.value if isinstance(node, ast.Expr) else None
        if isinstance(call, ast.Call) and call.args and isinstance(call.func, ast.Name):
            name = call.func.id
            if _HELPER.fullmatch(name):
                asked = tuple(one for one in tests if one is None or _names(one) - _names(call.args[0]))
                yield name, _Helper(asked, function.at(call), _taken_from(function, name, path))


def _names(node: ast.expr) -> set[str]:
    """What an expression reads. A question of nothing, or of the program that is handed on alone, limits nobody."""
    return {ast.unparse(one) for one in ast.walk(node) if isinstance(one, ast.Name | ast.Attribute)}


def _taken_from(function: Function, name: str, path: str) -> str:
    imports = (node for node in walk(function.body) if isinstance(node, ast.ImportFrom))
    found = [node for node in imports if any(name == (one.asname or one.name) for one in node.names)]
    if len(found) != 1 or not found[0].module:
        return ""
    level, folders = found[0].level, path.split("/")
    above = folders[: max(0, len(folders) - level)] if level else []
    return f"{'/'.join((*above, *found[0].module.split('.')))}.py"


def _gates(function: Function) -> Mapping[str, Mapping[str, int]]:
    """Call that mounts something → settings that must be on for it, with their lines."""
    return dict(_within(function, function.body, {}))


def _within(function: Function, body: list[ast.stmt], on: dict[str, int]) -> Iterator[tuple[str, dict[str, int]]]:
    asked = dict(on)
    for node in body:
        if isinstance(node, ast.If):
            yield from _within(function, node.body, asked | _settings(function, node.test, False))
            yield from _within(function, node.orelse, asked)
            if isinstance(node.body[-1], ast.Return) and not node.orelse:
                asked = asked | _settings(function, node.test, True)
            continue
        for one in walk([node]):
            if isinstance(one, ast.Call) and called_name(one) in _MOUNTS:
                yield ast.unparse(one), asked


def _settings(function: Function, test: ast.expr, off: bool) -> dict[str, int]:
    """The setting that a condition asks to be on, or, where it is the way out, to be off."""
    if off:
        test = test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else ast.Constant(None)
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) and not off else [test]
    return {name: function.at(part) for part in parts if (name := _setting(part))}


def _setting(part: ast.expr) -> str:
    if (
        isinstance(part, ast.Call)
        and not part.args
        and isinstance(part.func, ast.Attribute)
        and part.func.attr == "get"
    ):
        part = part.func.value
    if not isinstance(part, ast.Attribute):
        return ""
    holder = ast.unparse(part.value).rpartition(".")[2]
    return (
        part.attr if _VARIABLE.fullmatch(part.attr) or holder in ("args", "server_args") or is_setting(holder) else ""
    )
