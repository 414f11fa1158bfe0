"""Python files compared as syntax trees: whether two sides differ in more than comments, form, hints or places."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Sequence
from typing import Literal

LARGEST = 1 << 20

_READ_AT_RUN_TIME = re.compile(
    r"infer_schema|custom_op|constexpr|Constexpr|get_type_hints|__annotations__|\bsignature\(|Annotated\[|Depends\("
    r"|@(?:\w+\.)?(?:jit|validate_call|singledispatch|command|autotune|heuristics)|APIRouter|FastAPI\(|@router|@app\."
    r"|torch\.library|register_fake|tyro|typer|dataclass_transform|add_api_route|\bop_func\b|register_op"
)
"""Names that say a file's hints are read while it runs: then a hint is no mere hint."""
_HARMLESS = frozenset({"staticmethod", "classmethod", "property", "abstractmethod", "override", "cached_property"})
_TYPING = frozenset({"typing", "typing_extensions", "collections.abc"})


def differences(old: str, new: str) -> Literal["only_comments", "only_formatting", "only_types"] | None:
    """What two files differ in at most; None when it is more, or cannot be told."""
    first, second = parse(old), parse(new)
    _drop_same(first, second, old.split("\n"), new.split("\n"))
    if ast.dump(first) == ast.dump(second):
        return "only_comments" if _comments(old) != _comments(new) else "only_formatting"
    bare = Bare()
    first, second = bare.visit(first), bare.visit(second)
    if ast.dump(first) == ast.dump(second):
        return "only_comments"
    _sort_imports(first)
    _sort_imports(second)
    if ast.dump(first) == ast.dump(second):
        return "only_formatting"
    if _READ_AT_RUN_TIME.search(old) or _READ_AT_RUN_TIME.search(new):
        return None
    plain = _Unhinted()
    first, second = plain.visit(first), plain.visit(second)
    return "only_types" if ast.dump(first) == ast.dump(second) else None


def _drop_same(
    first: ast.Module | ast.ClassDef, second: ast.Module | ast.ClassDef, old: list[str], new: list[str]
) -> None:
    """Takes away statements at both ends that are written alike, down into classes: what is left is cheap to compare."""

    def alike(a: ast.stmt, b: ast.stmt) -> bool:
        return type(a) is type(b) and _lines(a, old) == _lines(b, new)

    while first.body and second.body and alike(first.body[-1], second.body[-1]):
        first.body.pop()
        second.body.pop()
    lead = 0
    for a, b in zip(first.body, second.body, strict=False):
        if not alike(a, b):
            break
        lead += 1
    del first.body[:lead], second.body[:lead]
    if len(first.body) == len(second.body) == 1:
        one, other = first.body[0], second.body[0]
        if isinstance(one, ast.ClassDef) and isinstance(other, ast.ClassDef):
            _drop_same(one, other, old, new)


def _lines(node: ast.stmt, lines: list[str]) -> list[str]:
    start = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
    return lines[start - 1 : node.end_lineno]


def parse(text: str) -> ast.Module:
    if len(text) > LARGEST:
        raise ValueError("too large to prove anything")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def _comments(text: str) -> list[str]:
    """The parts of lines behind a hash, roughly: it only tells a change of comments from one of form."""
    return [" ".join(line[line.index("#") :].split()) for line in text.split("\n") if "#" in line]


class Bare(ast.NodeTransformer):
    """Without docstrings and other texts that are statements."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            return None
        return self.generic_visit(node)

    def visit_Pass(self, node: ast.Pass) -> None:
        """A body of a docstring alone may be written with or without it."""
        del node


def _sort_imports(module: ast.Module) -> None:
    """Imports that stand side by side, in one order and one form."""
    out: list[ast.stmt] = []
    run: list[ast.Import | ast.ImportFrom] = []
    for statement in module.body:
        if isinstance(statement, ast.Import | ast.ImportFrom) and getattr(statement, "module", "") != "__future__":
            run.extend(_single(statement))
            continue
        out.extend(_ordered(run))
        run = []
        out.append(statement)
    module.body = [*out, *_ordered(run)]


def _ordered(run: list[ast.Import | ast.ImportFrom]) -> Sequence[ast.stmt]:
    """In one order, unless two bind one name: then their order decides what it means."""
    names = [one.names[0].asname or one.names[0].name for one in run]
    return run if len(set(names)) < len(names) or "*" in names else sorted(run, key=ast.dump)


def _single(statement: ast.Import | ast.ImportFrom) -> Iterable[ast.Import | ast.ImportFrom]:
    for alias in statement.names:
        if isinstance(statement, ast.Import):
            yield ast.Import(names=[alias])
        else:
            yield ast.ImportFrom(module=statement.module, names=[alias], level=statement.level)


class _Unhinted(ast.NodeTransformer):
    """Without hints of plain functions and of names inside them, and without imports that only serve hints.

    Fields of classes keep theirs: dataclasses and pydantic read them.
    """

    def __init__(self) -> None:
        self._inside: list[str] = []

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self._inside.append("class")
        self.generic_visit(node)
        self._inside.pop()
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._function(node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        self._inside.append("def")
        self.generic_visit(node)
        self._inside.pop()
        names = (d.id if isinstance(d, ast.Name) else getattr(d, "attr", "?") for d in node.decorator_list)
        if all(name in _HARMLESS for name in names):
            node.returns = None
            a = node.args
            for arg in (*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))):
                arg.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        self.generic_visit(node)
        if not self._inside or self._inside[-1] != "def":
            return node
        if node.value is None:
            return None if isinstance(node.target, ast.Name) and node.simple else node
        return ast.Assign(targets=[node.target], value=node.value)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        return None if node.level == 0 and node.module in _TYPING else node

    def visit_If(self, node: ast.If) -> ast.AST | None:
        test = node.test
        name = test.id if isinstance(test, ast.Name) else getattr(test, "attr", "")
        return None if name == "TYPE_CHECKING" and not node.orelse else self.generic_visit(node)
