"""What `try` puts around code: what it is ready for, what stands in for a name, and what its handlers wait for."""

from __future__ import annotations

import ast
import builtins

from daybreak.findings.languages.python_syntax import last_name
from daybreak.upgrade.downstream.python_values import CALLS, EVERYTHING, IMPORTS, NAMES, Catch
from daybreak.upgrade.downstream.python_walk import Walk

CATCHES = {
    "ImportError": NAMES,
    "ModuleNotFoundError": NAMES,
    "AttributeError": NAMES,
    "TypeError": CALLS,
    "Exception": IMPORTS,
    "BaseException": IMPORTS,
}
_ABSENT = frozenset(("ImportError", "ModuleNotFoundError", "Exception", "BaseException"))
_ANY = frozenset(("Exception", "BaseException"))
_SHORT = 3
"""Statements of a `try` that has one thing in mind."""
_EXPECTED = frozenset(
    name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, Exception)
) - {*CATCHES, "NameError", "StopIteration", "StopAsyncIteration", "Warning"}
"""Exceptions by which a program says something: what is missing, and what catches all, is read otherwise."""


def try_(walk: Walk, node: ast.Try) -> None:
    guard, branch, when, standby = walk.found.guard, walk.branch, walk.found.when, walk.standby
    wanted = _wanted(node.body)
    walk.found.guard |= _caught(walk, node)
    walk.standby = frozenset(
        x for one in node.handlers if _types(one) & _ABSENT for x in _given(walk, wanted, one.body)
    )
    outer, walk.found.catches = walk.found.catches, (*walk.found.catches, *_waiting(walk, node))
    walk.block(node.body)
    walk.branch, walk.standby, walk.found.catches = branch + 1, standby, outer
    for handler in node.handlers:
        if handler.type is not None:
            walk.visit(handler.type)
        missing = _missing(walk, node.body) if _types(handler) & _ABSENT else ()
        walk.found.guard = guard | (0 if missing else _instead(node, handler))
        walk.found.when = when + missing
        walk.block(handler.body)
    walk.found.guard, walk.branch, walk.found.when = guard, branch, when
    walk.block(node.orelse)
    walk.block(node.finalbody)


def _waiting(walk: Walk, node: ast.Try) -> list[Catch]:
    """What each handler waits for, and all that any of them takes."""
    every = [(one.lineno, _awaited(walk, one)) for one in node.handlers]
    taken = tuple(sorted({name for one in node.handlers for name in (*_awaited(walk, one), *(_types(one) & _ANY))}))
    return [Catch(line, names, taken) for line, names in every if names]


def _awaited(walk: Walk, handler: ast.ExceptHandler) -> tuple[str, ...]:
    """Exceptions of the language and of upstream that a handler names."""
    kind = handler.type
    every = kind.elts if isinstance(kind, ast.Tuple) else [kind] if kind is not None else []
    known = ((one, walk.resolve(one)) for one in every if isinstance(one, ast.Name | ast.Attribute))
    named = (value if isinstance(value, str) and walk.words.watches(value) else last_name(one) for one, value in known)
    return tuple(name for name in named if name in _EXPECTED or "." in name)


def _caught(walk: Walk, node: ast.Try) -> int:
    """What a `try` covers; a handler that ends by raising helps nobody, nor does one that only goes without upstream."""
    caught = 0
    for handler in node.handlers:
        if isinstance(handler.body[-1], ast.Raise):
            continue
        names = _types(handler)
        wanted = _wanted(node.body)
        if names & _ABSENT and wanted and not _given(walk, wanted, handler.body):
            names -= _ABSENT
        for name in names:
            caught |= CATCHES.get(name, 0)
        if names & _ANY and len(node.body) <= _SHORT and _has_another_way(handler):
            caught |= EVERYTHING
    return caught


def _has_another_way(handler: ast.ExceptHandler) -> bool:
    """Whether a handler gives something in place of what failed, and does not only tell of the fault."""
    for one in handler.body:
        given = one.value if isinstance(one, ast.Assign | ast.Return) else None
        names = {x.id for x in ast.walk(given) if isinstance(x, ast.Name)} if given is not None else set()
        if given is not None and handler.name not in names:
            return True
    return False


def _instead(node: ast.Try, handler: ast.ExceptHandler) -> int:
    """What a handler is ready for: it is only reached where something is missing, unless it is there for any fault.

    What fails in the handler itself, its own `try` does not catch.
    """
    names = _types(handler)
    if any(isinstance(one, ast.Import | ast.ImportFrom) for one in node.body):
        return EVERYTHING if names & _ABSENT else 0
    caught = {CATCHES.get(name, 0) for name in names - _ANY}
    return EVERYTHING if NAMES in caught else max(caught, default=0)


def _types(handler: ast.ExceptHandler) -> set[str]:
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type] if handler.type else []
    return {last_name(one) for one in types} or {"Exception"}


def _wanted(body: list[ast.stmt]) -> frozenset[str]:
    """Names that the statements import."""
    imports = (one for one in body if isinstance(one, ast.Import | ast.ImportFrom))
    return frozenset(x.asname or x.name for one in imports for x in one.names)


def _missing(walk: Walk, body: list[ast.stmt]) -> tuple[str, ...]:
    """What holds of upstream where nothing but its imports can have failed: one of the names is not there."""
    names = []
    for one in body:
        if isinstance(one, ast.ImportFrom) and not one.level and walk.words.watches(one.module or ""):
            names += [f"{one.module}.{x.name}" for x in one.names]
        elif isinstance(one, ast.Import) and all(walk.words.watches(x.name) for x in one.names):
            names += [x.name for x in one.names]
        else:
            return ()
    return (f"!{','.join(names)}",) if names else ()


def _given(walk: Walk, wanted: frozenset[str], handler: list[ast.stmt]) -> frozenset[str]:
    """For which of the names a handler has something else: another place of it, or one of your own.

    `X = None` and a flag only say that the package is not there, and code that needs it does less without a word.
    """
    given: set[str] = set()
    for one in handler:
        if isinstance(one, ast.ImportFrom | ast.Import):
            module = one.module or "" if isinstance(one, ast.ImportFrom) else one.names[0].name
            given |= {x.asname or x.name for x in one.names} if walk.words.watches(module) else set()
        elif isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            given.add(one.name)
        elif isinstance(one, ast.Assign) and not isinstance(one.value, ast.Constant):
            given |= {last_name(x) for x in one.targets}  # a module that gets the name is patched with it
        elif isinstance(one, ast.Try | ast.If):
            given |= _given(walk, wanted, one.body)
    return wanted & given
