"""Functions that always gave a value and give None in some cases now: whoever reckons with the value must ask first.

Two things have to say so: the head, whose type of the answer takes in None from now on, and a function of that name in the same
change that has come to return it, or whose docstring speaks of it now. A hint alone, put right for a checker of types, changes nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice

from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import PER_FILE, quiet
from daybreak.findings.languages.python_functions import Def, Function, Sources, sources
from daybreak.findings.languages.python_public import forked, private
from daybreak.findings.languages.python_syntax import is_docstring, parsed, statements
from daybreak.findings.memory import remembered

_MAY = re.compile(r"^\+.*->.*\b(?:None|Optional)\b", re.MULTILINE)


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Functions that stood there and that plug-ins and forks can call."""
    if quiet(file) or not _MAY.search(file.change.patch):
        return
    found = (
        Fact("internal_return_changed", file.path, new.line, new.name, *types, breaking=True)
        for _, old, new in sources(whole).changed(file.path)
        if not private(new.short) and forked(file, new.name)
        if (types := _widened(old, new)) is not None and new.short in _giving_none(sources(whole))
    )
    yield from islice(found, PER_FILE)


def _widened(old: Function, new: Function) -> tuple[str, str] | None:
    """Both types of the answer, where the new one is the old one or None."""
    was, now = _answer(old), _answer(new)
    return (was, now) if was and now and _core(now) == (was, True) and not _core(was)[1] and was != "None" else None


def _answer(function: Function) -> str:
    tree = parsed(function.text)
    node = tree.body[0] if tree is not None and tree.body else None
    return ast.unparse(node.returns) if isinstance(node, Def) and node.returns is not None else ""


def _core(text: str) -> tuple[str, bool]:
    """A type without None, and whether it took that in."""
    if (found := re.fullmatch(r"(?:typing\.|t\.)?Optional\[(.+)\]", text)) is not None:
        return found[1], True
    return (text.removesuffix(" | None"), True) if text.endswith(" | None") else (text, False)


@remembered(4)
def _giving_none(known: Sources) -> frozenset[str]:
    """Names of functions that did not return None in so many words before, and do now."""
    every = (one for file in known.files for one in known.changed(file.path))
    return frozenset(new.short for _, old, new in every if _gives_none(new) and not _gives_none(old))


def _gives_none(function: Function) -> bool:
    """It returns None, or its own docstring speaks of that: of what others implement there is nothing else to read."""
    first = function.body[0] if function.body else None
    if first is not None and is_docstring(first) and re.search(r"\bNone\b", ast.unparse(first)):
        return True
    returned = (node.value for node in statements(function.body) if isinstance(node, ast.Return))
    return any(isinstance(value, ast.Constant) and value.value is None for value in returned)
