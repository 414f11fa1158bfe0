"""Routes that answer a failure with 200, and routes that answer with an error whatever they are asked.

What was raised as an error of HTTP is returned as a plain value now: a framework sends what a route returns with 200,
unless it is wrapped in an answer with a status of its own. Whoever tells failures by the status no longer sees them. It
counts only where the route itself wraps the same type elsewhere.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice

from daybreak.core.model.findings import Alias
from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import quiet
from daybreak.findings.languages.python_functions import Function, Sources, sources
from daybreak.findings.languages.python_syntax import called_name, is_docstring, statements, walk

_ROUTE = re.compile(r"@\w{1,80}\.(get|post|put|delete|patch|api_route|route)\(\s{0,40}[\"'](/[\w/{}.:-]{0,100})[\"']")
_RAISED = "HTTPException"
_MOST = 12
_LONGEST_HEAD = 2000


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Routes that stand on both sides, and return for the same attempt what they raised."""
    if quiet(file) or _RAISED not in file.change.patch:
        return
    known = sources(whole)
    routes = ((_ROUTE.search(new.decorated), old, new) for _, old, new in known.changed(file.path))
    found = (
        Fact("route_error_hidden", file.path, line, route[2], breaking=True)
        for route, old, new in routes
        if route and _ROUTE.search(old.decorated) and "status_code" not in new.decorated
        for line in islice(_hidden(old, new, known), 1)
    )
    yield from islice((*_refused(file, known), *found), _MOST)


def _refused(file: ReadFile, known: Sources) -> Iterator[Fact]:
    """Routes that did something, and whose handlers are from now on nothing but errors: they are gone, their name is not."""
    before, after = (_handlers(known.functions(file, sign).values()) for sign in ("-", "+"))
    served = {path for (_, path), every in after.items() if not all(map(_only_error, every))}
    for (method, path), (one, *_) in after.items():
        error, were = _only_error(one), before.get((method, path), [])
        if error and path not in served and were and not any(map(_only_error, were)):
            detail = next((x.value for x in error.keywords if x.arg == "detail"), None)
            said = str(detail.value) if isinstance(detail, ast.Constant) else ast.unparse(error)
            yield Fact("route_refused", file.path, one.at(error), path, None, None, True, Alias("none", said[:200]))


def _handlers(functions: Iterable[Function]) -> dict[tuple[str, str], list[Function]]:
    """Method and path → what answers them."""
    out: dict[tuple[str, str], list[Function]] = defaultdict(list)
    for one in functions:
        for method, path in _ROUTE.findall(one.decorated):
            out[method, path].append(one)
    return out


def _only_error(function: Function) -> ast.Call | None:
    """The error that is all of a function beside its docstring."""
    if _RAISED not in function.text:
        return None
    body = [node for node in function.body if not is_docstring(node)]
    made = body[0].exc if len(body) == 1 and isinstance(body[0], ast.Raise) else None
    return made if isinstance(made, ast.Call) and called_name(made) == _RAISED else None


def _hidden(old: Function, new: Function, known: Sources) -> Iterator[int]:
    if any(isinstance(one, ast.Attribute) and one.attr == "status_code" for one in walk(new.body)):
        return  # it says the status itself
    raised = {_tried(node) for node in _attempts(old) if all(map(_raises, node.handlers))}
    wrapped = _wrapped(new)
    for node in _attempts(new):
        given = [_returned(handler) for handler in node.handlers]
        if _tried(node) in raised and given and all(one and _is_plain(one, wrapped, known) for one in given):
            yield new.at(node.handlers[0].body[-1])


def _attempts(function: Function) -> list[ast.Try]:
    return [node for node in statements(function.body) if isinstance(node, ast.Try) and node.handlers]


def _tried(node: ast.Try) -> str:
    return "\n".join(map(ast.unparse, node.body))


def _raises(handler: ast.ExceptHandler) -> bool:
    last = handler.body[-1]
    made = last.exc if isinstance(last, ast.Raise) else None
    return isinstance(made, ast.Call) and called_name(made) == _RAISED


def _returned(handler: ast.ExceptHandler) -> ast.expr | None:
    last = handler.body[-1]
    return last.value if isinstance(last, ast.Return) else None


def _is_plain(value: ast.expr, wrapped: set[str], known: Sources) -> bool:
    """A table, or what a function gives whose every definition in the change is said to give a type that the route wraps."""
    if isinstance(value, ast.Dict):
        return True
    if not isinstance(value, ast.Call):
        return False
    head = re.compile(rf"\bdef {re.escape(called_name(value))}\(")
    starts = [match.end() for match in head.finditer(known.after)]
    gives = {_GIVES.search(known.after, start, start + _LONGEST_HEAD) for start in starts[:8]}
    return bool(starts) and all(match is not None and match[1] in wrapped for match in gives)


_GIVES = re.compile(r"\)\s{0,4}->\s{0,4}[\"']?([\w.]{1,100})[\"']?\s{0,4}:")


def _wrapped(function: Function) -> set[str]:
    """Types that it puts into an answer with a status before it hands them out."""
    asked = [node for node in statements(function.body) if isinstance(node, ast.If)]
    return {
        ast.unparse(node.test.args[1])
        for node in asked
        if isinstance(node.test, ast.Call) and called_name(node.test) == "isinstance" and len(node.test.args) == 2
        if isinstance(last := node.body[-1], ast.Return) and isinstance(last.value, ast.Call)
        if any(one.arg == "status_code" for one in last.value.keywords)
    }
