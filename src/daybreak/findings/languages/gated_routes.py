"""Routes that a server always had and has from now on only where a setting is on, or something else holds.

A function that mounts them leaves before it does, or asks first: `if not envs.DEV_MODE: return`. The route itself stands
there as it was, and whoever calls it gets 404.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from itertools import islice

from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import PER_FILE, quiet
from daybreak.findings.languages.python_functions import Function, Sign, Sources, sources
from daybreak.findings.languages.python_public import is_setting, read_at_all
from daybreak.findings.languages.python_syntax import called_name, walk

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
    """What helpers mounted whatever was asked, and mount from now on below a question; known routes before modules."""
    before, after = _helped(old, known, "-"), _helped(new, known, "+")
    found: dict[str, tuple[str, int]] = {}
    for name in before.keys() & after.keys():
        test, line, module = after[name]
        if not before[name][0] and 0 < len(test) <= _LONGEST_TEST and module:
            path = f"{module.replace('.', '/')}.py"
            text = next((known.text(one, "+") for one in known.files if one.path.endswith(path)), "")
            routes = dict.fromkeys(route for _, route in _ROUTE.findall(text)) or {module: None}
            found |= dict.fromkeys(islice(routes, _MOST_ROUTES), (test, line))
    for route in sorted(found, key=lambda one: (not one.startswith("/"), one)):
        test, line = found[route]
        yield Fact("route_limited", file.path, line, route, None, test, True)


_Helped = dict[str, tuple[str, int, str]]
"""Helper that is called → the question that it is called below, the line, and the module that it is taken from."""


def _helped(function: Function, known: Sources, sign: Sign) -> _Helped:
    if not _HELPER.search(function.text):
        return {}
    out = dict(_helpers(function, function.body, ""))
    for name, (test, line, _) in list(out.items()) if sign == "+" else ():  # one that came may only call others
        there = (f for f in known.files if test and f"def {name}(" in known.text(f, sign))
        inner = (one for f in islice(there, 1) for one in known.functions(f, sign).values() if one.name == name)
        for one in inner:
            out |= {
                key: (asked, line, module)
                for key, (asked, _, module) in _helpers(one, one.body, test)
                if key not in out
            }
    return out


def _helpers(function: Function, body: list[ast.stmt], test: str) -> Iterator[tuple[str, tuple[str, int, str]]]:
    for node in body:
        if isinstance(node, ast.If):
            yield from _helpers(function, node.body, ast.unparse(node.test))
        call = node.value if isinstance(node, ast.Expr) else None
        if isinstance(call, ast.Call) and call.args and isinstance(call.func, ast.Name):
            name = call.func.id
            if _HELPER.fullmatch(name):
                yield name, (test, function.at(call), _taken_from(function, name))


def _taken_from(function: Function, name: str) -> str:
    imports = (node for node in walk(function.body) if isinstance(node, ast.ImportFrom))
    found = (node.module for node in imports for one in node.names if name == (one.asname or one.name))
    return next(filter(None, found), "")


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
