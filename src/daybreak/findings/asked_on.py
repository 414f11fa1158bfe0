"""What stands around a question: the machine that is asked for first, and what is set where the answer is yes.

A list that decides is asked on one machine alone, and whoever runs another meets nothing of it; a condition that another
case was added to says nothing by itself, but what stands behind it does.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from daybreak.core.errors import GitError
from daybreak.core.model.changes import Change
from daybreak.findings.kinds import kind_of
from daybreak.findings.languages.base import Fact
from daybreak.findings.languages.python_syntax import parsed
from daybreak.findings.trees import ASIDE_NAMES, Trees, Where

_PYTHON = Where(endings=(".py",), without=ASIDE_NAMES)
_FILES = 4
_OR_UNSET = re.compile(r"\bor (?:\w{1,40}\.)?\w{2,60} is None\b")


def with_machine(trees: Trees, change: Change, facts: set[Fact]) -> set[Fact]:
    """The same facts; names of lists inside a function with what every caller of it asks of the machine first, and conditions that
    take in whoever sets nothing with that and with what they set.
    """
    holders = {f.symbol.partition(":")[0] for f in facts if _is_listed(f)}
    under = {name: _under(trees, change.sha, name) for name in holders}
    found = {replace(f, under=under[f.symbol.partition(":")[0]]) if _is_listed(f) else f for f in facts}
    widened = {f for f in found if kind_of(f.kind).family == "dispatch" and _OR_UNSET.search(f.after or "")}
    blobs = {file.path: file.new_blob for file in change.files if any(f.path == file.path for f in widened)}
    texts = dict(trees.contents(blobs.values())) if blobs else {}
    return _once_each({_with_deed(f, texts.get(blobs[f.path], "")) if f in widened else f for f in found})


def _once_each(facts: set[Fact]) -> set[Fact]:
    """The same facts; a condition that decides nothing but a setting is told by the setting, with what is known of both."""
    more = [f for f in facts if (kind := kind_of(f.kind)).means("filled", "changed") and kind.effect == "behaviour"]
    asked = {f: [one for one in facts if _is_of(one, f)] for f in more} if more else {}
    full = {f: replace(f, default=some[0].default, under=some[0].under) for f, some in asked.items() if some}
    told = {one for some in asked.values() for one in some}
    return {full.get(f, f) for f in facts - told}


def _is_of(one: Fact, filled: Fact) -> bool:
    """A condition of the same file behind which the setting is given."""
    if kind_of(one.kind).family != "dispatch" or one.path != filled.path:
        return False
    if one.default is not None:
        return one.default.partition(" = ")[0] == filled.symbol
    sides = ((one.before, filled.before), (one.after, filled.after))
    return all(max((a or "").split("…"), key=len).strip() in (b or "") for a, b in sides)


def _is_listed(fact: Fact) -> bool:
    return fact.breaking and kind_of(fact.kind).family == "listed"


def _under(trees: Trees, sha: str, name: str) -> str | None:
    """The question that stands before each call of a function; None where one is called without it."""
    rows = trees.lines([sha], {f"{name}("}, _PYTHON) or ()
    paths = sorted({path for _, path, line in rows if not line.lstrip().startswith("def ")})
    try:
        blobs = trees.blobs_at(f"{sha}:{path}" for path in paths[:_FILES]) if paths else {}
    except GitError:
        return None
    found = {one for _, text in trees.contents(blobs.values()) for one in _asked(text, name)}
    return found.pop() if len(found) == 1 and len(paths) <= _FILES else None


def _asked(text: str, name: str) -> Iterator[str | None]:
    """What is asked of the machine before each call; None where nothing is."""
    for at, line in enumerate(text.split("\n"), 1):
        if f"{name}(" in line and not line.lstrip().startswith(("def ", "#")):
            for node, tests in _conditions(text, at):
                if any(_is_call(one, name) for one in ast.walk(node.test)):
                    yield _machine(tests)


def _with_deed(fact: Fact, text: str) -> Fact:
    """With the setting that the first statement behind the condition gives a plain value."""
    for node, tests in _conditions(text, fact.line):
        first = node.body[0]
        if isinstance(first, ast.Assign) and isinstance(first.targets[0], ast.Attribute):
            given, name = first.value, first.targets[0].attr
            if isinstance(given, ast.Constant) and given.value is not None:
                return replace(fact, default=f"{name} = {_written(given.value)}", under=_machine(tests))
    return fact


def _written(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _conditions(text: str, line: int) -> Iterator[tuple[ast.If, Sequence[ast.expr]]]:
    """Each `if` whose condition stands at a line, with it and with those that it stands under in its function."""
    rows = text.split("\n")
    first = next((at for at in range(min(line, len(rows)) - 1, -1, -1) if _HEAD.match(rows[at])), 0)
    depth = len(rows[first]) - len(rows[first].lstrip())
    last = next((at for at in range(line, len(rows)) if _ends(rows[at], depth)), len(rows))
    tree = parsed(textwrap.dedent("\n".join(rows[first:last])))
    todo: list[tuple[ast.AST, tuple[ast.expr, ...]]] = [(tree, ())] if tree is not None else []
    while todo:
        node, over = todo.pop()
        if isinstance(node, ast.If):
            if node.lineno + first <= line <= (node.test.end_lineno or 0) + first + 1:
                yield node, (*over, node.test)
            todo += [(one, (*over, node.test)) for one in node.body] + [(one, over) for one in node.orelse]
        else:
            todo += [(one, over) for one in ast.iter_child_nodes(node)]


_HEAD = re.compile(r"\s*(?:async )?def ")


def _ends(row: str, depth: int) -> bool:
    return bool(row.strip()) and len(row) - len(row.lstrip()) <= depth and not row.lstrip().startswith((")", "#"))


def _is_call(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _machine(tests: Sequence[ast.expr]) -> str | None:
    """The innermost question by a function without arguments: nothing of a model or of a setting is in it."""
    parts = [part for test in tests for part in _parts(test)]
    asked = [ast.unparse(one) for one in parts if isinstance(one, ast.Call) and not one.args and not one.keywords]
    named = [one for one in asked if one.removesuffix("()").rpartition(".")[2].lstrip("_").startswith("is_")]
    return named[-1] if named else None


def _parts(test: ast.expr) -> list[ast.expr]:
    """What must all hold."""
    return test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
