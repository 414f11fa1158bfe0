"""Ways out of a function that gave something, and raise an error now: whoever got there had a fallback.

Two are compared: the end of a function, and the last `else` of a chain whose questions stayed. What an error took the place of is
told only where it gave or set something; one that raised before as well, in whatever words, turns nobody away anew.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import islice

from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import PER_FILE, one_line, quiet, shown
from daybreak.findings.languages.python_functions import Function, sources
from daybreak.findings.languages.python_public import read_at_all
from daybreak.findings.languages.python_syntax import is_docstring, last_name, statements

_RAISES = re.compile(r"^\+[ \t]+raise\b", re.MULTILINE)
_GAVE = re.compile(r"^-[ \t]+(?:return\b|[\w.]+ =)", re.MULTILINE)


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Functions that stood there, of a file in which an error came and something that was given went."""
    patch = file.change.patch
    if quiet(file) or not read_at_all(file) or not (_RAISES.search(patch) and _GAVE.search(patch)):
        return
    found = (
        Fact("fallback_removed", file.path, new.at(now), new.name, shown(one_line(was)), _error(now), True)
        for _, old, new in sources(whole).changed(file.path)
        for was, now in _lost(old, new)
        if new.name
    )
    yield from islice(found, PER_FILE)


def _lost(old: Function, new: Function) -> Iterator[tuple[str, ast.Raise]]:
    """What was given, and the error in its place."""
    gave, raises = _end(old.body), _end(new.body)
    turned = len(new.body) > 1 and isinstance(gave, ast.Return) and _gives(gave)
    if turned and gave is not None and isinstance(raises, ast.Raise) and not _stands(old, raises):
        yield ast.unparse(gave), raises
    before, after = _elses(old), _elses(new)
    for asked in before.keys() & after.keys():
        was, now = before[asked], after[asked]
        if (
            len(now) == 1
            and isinstance(now[0], ast.Raise)
            and was
            and all(map(_gives, was))
            and not _stands(old, now[0])
        ):
            yield ast.unparse(was[-1]), now[0]


def _end(body: Sequence[ast.stmt]) -> ast.stmt | None:
    return body[-1] if body else None


def _gives(node: ast.stmt) -> bool:
    """A value is given or set; nothing, or the answer no, is what a caller may make an error of itself."""
    value = node.value if isinstance(node, ast.Return | ast.Assign | ast.AnnAssign) else None
    return value is not None and not (isinstance(value, ast.Constant) and value.value in (None, False))


def _stands(old: Function, error: ast.Raise) -> bool:
    """The function raised the same, or had nothing but a remark before it."""
    raised = {ast.unparse(node) for node in statements(old.body) if isinstance(node, ast.Raise)}
    return ast.unparse(error) in raised or all(map(is_docstring, old.body[:-1]))


def _elses(function: Function) -> dict[str, list[ast.stmt]]:
    """The questions of a chain → what is done where none of them holds, of chains that stand once."""
    found: dict[str, list[ast.stmt]] = {}
    twice: set[str] = set()
    below: set[int] = set()
    for node in statements(function.body):
        if isinstance(node, ast.If) and id(node) not in below:
            tests, one = [], node
            while True:
                tests.append(ast.unparse(one.test))
                below.add(id(one))
                if len(one.orelse) != 1 or not isinstance(one.orelse[0], ast.If):
                    break
                one = one.orelse[0]
            asked = "; ".join(tests)
            twice |= {asked} & found.keys()
            found[asked] = one.orelse
    return {asked: body for asked, body in found.items() if body and asked not in twice}


def _error(node: ast.Raise) -> str:
    """`raise ValueError("…")`, the words with it."""
    made = node.exc
    texts = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    name = last_name(made.func) if isinstance(made, ast.Call) else last_name(made) if made is not None else ""
    said = " ".join(texts[0].split()) if texts else ""
    return shown(f'raise {name}("{said}")' if said else f"raise {name}".strip())
