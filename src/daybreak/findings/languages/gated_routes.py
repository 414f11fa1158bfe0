"""Routes that a server always had and has from now on only where a setting is on.

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
from daybreak.findings.languages.python_functions import Function, sources
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
