"""Support that was given up: classes and functions whose code went, and which only say now that they are not supported.

What loads a model or a checkpoint by the class still finds it, and fails. The words of the error say what is gone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import PER_FILE, one_line, quiet, shown
from daybreak.findings.languages.python_functions import Function, sources
from daybreak.findings.languages.python_syntax import is_docstring

_SAYS = re.compile(
    r"\b(?:no longer|not) supported\b.{0,40}|\b(?:has|have) been (?:removed|dropped)\b|\b(?:was|were) (?:removed|dropped)\b"
    r"|\bsupport\b.{0,60}\b(?:removed|dropped)\b",
    re.IGNORECASE,
)
_OVER = re.compile(r"no longer|remov|drop|any ?more", re.IGNORECASE)
"""What was never supported is not given up."""


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """One fact for each class, or function outside of all, that only refuses now."""
    if quiet(file) or not any(x.sign == "+" and "raise" in x.text for hunk in file.hunks for x in hunk.lines):
        return
    told: set[str] = set()
    for _, old, new in sources(whole).changed(file.path):
        refusal = _refusal(new) if new.name else None
        if refusal is None or not _worked(old):
            continue
        symbol = new.name.rpartition(".")[0] or new.name
        builds = "." not in new.name or new.short in ("__init__", "__new__")
        if builds and symbol not in told and len(told) < PER_FILE and not symbol.rpartition(".")[2].startswith("_"):
            told.add(symbol)
            yield Fact("switched_off", file.path, new.at(refusal), symbol, _head(old), _text(new, refusal), True)


def _statements(function: Function) -> list[ast.stmt]:
    """Its statements without its docstring."""
    return [x for x in function.body if not is_docstring(x)]


def _refusal(function: Function) -> ast.Raise | None:
    """The error that is all it does, when its words say that something is over."""
    body = _statements(function)
    only = body[0] if len(body) == 1 else None
    if not isinstance(only, ast.Raise) or not isinstance(only.exc, ast.Call):
        return None
    said = _SAYS.search(one_line(ast.unparse(only)))
    return only if said and _OVER.search(said[0]) else None


def _worked(function: Function) -> bool:
    """It did something: it is not `pass`, nor a method that others had to write."""
    return any(not isinstance(x, ast.Raise | ast.Pass) for x in _statements(function))


def _head(function: Function) -> str:
    return shown(one_line(next(ast.unparse(x) for x in _statements(function)).split("\n", maxsplit=1)[0]))


def _text(function: Function, refusal: ast.Raise) -> str:
    return shown(f"raise {one_line(function.source(refusal.exc))}") if refusal.exc is not None else "raise"
