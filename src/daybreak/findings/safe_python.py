"""Python files compared as syntax trees: whether two sides differ in more than comments, form, hints or places."""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from daybreak.findings.languages.python_signature import without_texts

# --- The parts of two Python files between which they differ, cut where definitions begin: cheaper to parse than both files ---
# What stands before and behind is the same on both sides, so the files differ in what the parts differ in, and in
# nothing else. A cut is made only at a definition that surely begins a statement; else the parts are the whole files.


_TOP = re.compile(r"(?:async )?def |class |@[A-Za-z_]")
_METHOD = re.compile(r" {4}(?:(?:async )?def |@[A-Za-z_])")
_NO_HEAD = " \t#)]}\"'.,\f\x0b"
_CLASS = "class _:\n    pass\n"


class _File:
    """A file's lines, and the same with its long texts taken out."""

    def __init__(self, lines: list[str], code: list[str]) -> None:
        self.lines, self.code = lines, code

    def begins(self, at: int, pattern: re.Pattern[str], indent: str = "") -> bool:
        """A definition or its first decorator stands there, and the line before it does not go on."""
        if not pattern.match(self.code[at]) or (at and self.code[at - 1].endswith("\\")):
            return False
        before = self.head_before(at, indent)
        return before < 0 or not self.code[before].startswith("@", len(indent))

    def head_before(self, at: int, indent: str = "") -> int:
        """The last line before that a statement of this indent may start at, or one further to the left; else -1."""
        return next((n for n in range(at - 1, -1, -1) if self._head(n, indent)), -1)

    def _head(self, at: int, indent: str) -> bool:
        line = self.code[at]
        bare = line.lstrip(" ")
        return bool(bare) and len(line) - len(bare) <= len(indent) and bare[0] not in _NO_HEAD

    def one_class(self, start: int, end: int) -> int:
        """Where the class begins that these lines are, behind its decorators; -1 when they are anything else."""
        lines = self.code[start:end]
        heads = [at for at, line in enumerate(lines, start) if line and line[0] not in _NO_HEAD]
        if not heads or not self.code[heads[-1]].startswith("class "):
            return -1
        odd = any(line[:1] == " " and line[:4] != "    " for line in lines)  # not indented by four
        return -1 if odd or any(self.code[at][0] != "@" for at in heads[:-1]) else heads[-1]


class _Span(NamedTuple):
    start: int
    old: int
    new: int
    """Where the part ends in the old and in the new file."""


def parts(old: list[str], new: list[str], *, inside: bool) -> tuple[str, str]:
    """The two parts, given the lines of the files; `inside`: down to the methods of a class, in a class of no name."""
    texts = "\n".join(old), "\n".join(new)
    code = without_texts(texts[0]), without_texts(texts[1])
    if code[0] is None or code[1] is None:
        return texts
    was, now = _File(old, code[0].split("\n")), _File(new, code[1].split("\n"))
    found = _between(was, now, 0, (len(old), len(new)), _TOP)
    if inside and (deeper := _methods(was, now, found)) is not None:
        return _CLASS + "\n".join(old[deeper.start : deeper.old]), _CLASS + "\n".join(new[deeper.start : deeper.new])
    return "\n".join(old[found.start : found.old]), "\n".join(new[found.start : found.new])


def _between(
    was: _File, now: _File, first: int, ends: tuple[int, int], pattern: re.Pattern[str], indent: str = ""
) -> _Span:
    """From the last cut before the first line that differs to the first one behind the last."""
    lead, least = first, min(ends)
    while lead < least and was.lines[lead] == now.lines[lead]:
        lead += 1
    tail = 0
    while tail < least - lead and was.lines[ends[0] - 1 - tail] == now.lines[ends[1] - 1 - tail]:
        tail += 1
    start = next((n for n in range(lead - 1, first, -1) if was.begins(n, pattern, indent)), first)
    for left in range(tail, 0, -1):
        behind = ends[0] - left, ends[1] - left
        if was.begins(behind[0], pattern, indent) and now.begins(behind[1], pattern, indent):
            return _Span(start, *behind)
    return _Span(start, *ends)


def _methods(was: _File, now: _File, around: _Span) -> _Span | None:
    """The same inside the one class that the part is; None when it is anything else."""
    begin = was.one_class(around.start, around.old)
    if begin < 0 or begin != now.one_class(around.start, around.new):
        return None
    found = _between(was, now, around.start, (around.old, around.new), _METHOD, "    ")
    return found if found.start > begin else None


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
