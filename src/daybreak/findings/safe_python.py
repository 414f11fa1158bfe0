"""Python files compared as syntax trees: whether two sides differ in more than comments, form, hints or places."""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

from daybreak.findings.safe_cut import parts

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
    first, second = _differing(old, new)
    if not alike(first, second):
        return None
    if same(first, second):
        return "only_comments" if _comments(old) != _comments(new) else "only_formatting"
    bare = Bare()
    first, second = bare.visit(first), bare.visit(second)
    if same(first, second):
        return "only_comments"
    _sort_imports(first)
    _sort_imports(second)
    if same(first, second):
        return "only_formatting"
    plain = _Unhinted()
    first, second = plain.visit(first), plain.visit(second)
    if not same(first, second) or _READ_AT_RUN_TIME.search(old) or _READ_AT_RUN_TIME.search(new):
        return None
    return "only_types"


def _differing(old: str, new: str) -> tuple[ast.Module, ast.Module]:
    """Both sides as far as they are not written alike."""
    whole = lines_of(old), lines_of(new)
    pieces = parts(*whole, inside=True)
    try:
        first, second = parse(pieces[0]), parse(pieces[1])
        lines = pieces[0].split("\n"), pieces[1].split("\n")
    except (SyntaxError, ValueError):
        first, second, lines = parse(old), parse(new), whole
    _drop_same(first, second, *lines)
    _shorten_same(first, second, *lines)
    return first, second


def same(one: object, other: object) -> bool:
    """What `ast.dump` of both would say, without writing everything down."""
    if type(one) is not type(other):
        return False
    if isinstance(one, ast.AST):
        return all(same(getattr(one, name, None), getattr(other, name, None)) for name in one._fields)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return repr(one) == repr(other)


def alike(one: object, other: object) -> bool:
    """False when the two differ in more than texts that are statements, imports and hints; True proves nothing.

    Stops at the first difference, and changes nothing: most pairs need no closer look.
    """
    if one is other:
        return True
    if isinstance(one, list) and isinstance(other, list):
        left, right = [x for x in one if _counts(x)], [x for x in other if _counts(x)]
        return len(left) == len(right) and all(map(alike, left, right))
    if isinstance(one, ast.Assign | ast.AnnAssign) and isinstance(other, ast.Assign | ast.AnnAssign):
        return alike(_given(one), _given(other)) and alike(one.value, other.value)
    if type(one) is not type(other):
        return False
    if isinstance(one, ast.AST):
        names = (name for name in one._fields if name not in _HINTS)
        return all(alike(getattr(one, name, None), getattr(other, name, None)) for name in names)
    return one == other


_HINTS = frozenset({"annotation", "returns", "type_comment"})


def _counts(node: object) -> bool:
    """A part that no comparison here leaves out."""
    if isinstance(node, ast.Expr):
        return not (isinstance(node.value, ast.Constant) and isinstance(node.value.value, str))
    if isinstance(node, ast.If):
        return bool(node.orelse) or getattr(node.test, "id", getattr(node.test, "attr", "")) != "TYPE_CHECKING"
    if isinstance(node, ast.AnnAssign):
        return node.value is not None
    return not isinstance(node, ast.Pass | ast.Import | ast.ImportFrom)


def _given(node: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def _drop_same(
    first: ast.Module | ast.ClassDef, second: ast.Module | ast.ClassDef, old: list[str], new: list[str]
) -> None:
    """Takes away statements at both ends that are written alike, down into classes: what is left is cheap to compare."""

    def as_written(a: ast.stmt, b: ast.stmt) -> bool:
        return type(a) is type(b) and written(a, old) == written(b, new)

    while first.body and second.body and as_written(first.body[-1], second.body[-1]):
        first.body.pop()
        second.body.pop()
    lead = 0
    for a, b in zip(first.body, second.body, strict=False):
        if not as_written(a, b):
            break
        lead += 1
    del first.body[:lead], second.body[:lead]
    if len(first.body) == len(second.body) == 1:
        one, other = first.body[0], second.body[0]
        if isinstance(one, ast.ClassDef) and isinstance(other, ast.ClassDef):
            _drop_same(one, other, old, new)


def _shorten_same(
    first: ast.Module | ast.ClassDef, second: ast.Module | ast.ClassDef, old: list[str], new: list[str]
) -> None:
    """Puts one short sign in place of definitions that are written alike on both sides, down into classes.

    Only of names that each side defines once: then the two are equal with the signs if, and only if, they are without.
    """
    one, other = _defined(first), _defined(second)
    for name in one.keys() & other.keys():
        a, b = first.body[one[name]], second.body[other[name]]
        if type(a) is type(b) and written(a, old) == written(b, new):
            sign = ast.Expr(ast.Name(f"\0{name}", ast.Load()))
            first.body[one[name]] = second.body[other[name]] = sign
        elif isinstance(a, ast.ClassDef) and isinstance(b, ast.ClassDef):
            _shorten_same(a, b, old, new)


def _defined(block: ast.Module | ast.ClassDef) -> dict[str, int]:
    """Where each definition stands, of names that the block defines once."""
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    names = [node.name if isinstance(node, definitions) else "" for node in block.body]
    count = Counter(names)
    return {name: at for at, name in enumerate(names) if name and count[name] == 1}


def lines_of(text: str) -> list[str]:
    """The lines as Python's own parser counts them."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def written(node: ast.stmt, lines: list[str]) -> list[str]:
    """The lines of a statement, decorators among them."""
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
