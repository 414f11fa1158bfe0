"""One walk over a parsed Python file: names are bound in order, function bodies come after the code around them.

What each kind of node does stands in python_expressions, python_statements, python_definitions and python_calls;
here is the state they share.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from daybreak.core.model.upgrade import UseKind
from daybreak.upgrade.downstream.python_values import (
    STAR,
    Check,
    Inherited,
    Instance,
    Notes,
    Own,
    OwnClass,
    Returning,
    Scope,
    Star,
    Value,
    is_class_name,
    member,
)

_BUILTINS = frozenset(dir(builtins)) | {"__file__", "__doc__", "__path__", "__spec__"}
_EVERYWHERE = frozenset(
    ("__name__", "__class__", "__dict__", "__doc__", "__module__", "__qualname__", "__file__", "__path__", "__all__",
     "__mro__", "__annotations__", "__signature__", "__wrapped__", "__bases__", "__subclasses__")
)  # fmt: skip
"""What every object has does not rely on upstream."""
_OPERATORS = "torch.ops."
_KEPT = (str, Instance)
_STARS_MOST = 5
"""Star imports that are followed, in one file and from file to file."""


class Later(NamedTuple):
    """A function body that waits until the code around it is read."""

    scope: Scope
    body: Sequence[ast.stmt]
    guard: int


class Pending(NamedTuple):
    """A use of an attribute that a class of yours may still turn out to define itself."""

    owner: OwnClass
    attribute: str
    kind: UseKind
    name: str
    line: int
    keywords: tuple[str, ...]
    positional: int | None
    guarded: bool


Handler = Callable[["Walk", Any], Value]
Project = Mapping[str, Value]
"""Your own modules' names (`service.engine.Base`) that stand for something upstream; None: two files have the name."""


class Walk:
    """The state of one walk."""

    __slots__ = (
        "branch", "copies", "done", "found", "handlers", "later", "package", "pending", "programs", "project",
        "scope", "stars", "tested", "values", "words",
    )  # fmt: skip

    def __init__(
        self,
        found: Notes,
        handlers: Mapping[type[ast.AST], Handler],
        scope: Scope | None = None,
        package: str = "",
        project: Project | None = None,
    ) -> None:
        self.found = found
        self.words = found.words
        self.handlers = handlers
        self.package = package
        """Dotted name of the folder of this file, for relative imports."""
        self.project = project or {}
        self.copies: dict[int, OwnClass] = {}
        """Classes of your other files as this one sees them: what it sets on them is no other file's business."""
        self.scope = scope if scope is not None else Scope()
        self.later: deque[Later] = deque()
        self.pending: list[Pending] = []
        self.stars: list[str] = []
        self.branch = 0
        """How deep inside branches that stand in for another: they take no name away."""
        self.tested = False
        """The expression being read asks whether something upstream is there."""
        self.values: dict[int, Value] = {}
        self.programs: dict[int, str | None] = {}
        """Programs of the commands that names hold, by the expression."""
        self.done: set[int] = set()
        """Nodes already told by the node above them."""

    def run(self, tree: ast.Module) -> None:
        """Read a module, then its functions, then what could only be told with all classes known."""
        try:
            self.block(tree.body)
            while self.later:
                self.scope, body, self.found.guard = self.later.popleft()
                self.branch = 0
                self.block(body)
        finally:
            for one in self.pending:
                if not one.owner.defines(one.attribute):
                    self.found.add(
                        one.kind, one.name, one.line,
                        keywords=one.keywords, positional=one.positional, guarded=one.guarded,
                    )  # fmt: skip

    # --- reading -------------------------------------------------------------------------------------------------

    def block(self, body: Sequence[ast.stmt]) -> None:
        handlers = self.handlers
        for node in body:
            handler = handlers.get(node.__class__)
            if handler is not None:
                handler(self, node)
            else:
                self.children(node)

    def visit(self, node: ast.AST) -> Value:
        """Read a node with everything in it, and say what it stands for."""
        handler = self.handlers.get(node.__class__)
        if handler is not None:
            return handler(self, node)
        self.children(node)
        return None

    def once(self, node: ast.expr) -> Value:
        """As `visit`, for arguments that a special call and the ordinary one both ask for."""
        key = id(node)
        if key not in self.values:
            self.values[key] = self.visit(node)
        return self.values[key]

    def children(self, node: ast.AST) -> None:
        for name in node._fields:
            inner = getattr(node, name, None)
            if inner.__class__ is list:
                for one in inner:
                    if isinstance(one, ast.AST):
                        self.visit(one)
            elif isinstance(inner, ast.AST):
                self.visit(inner)

    def resolve(self, node: ast.expr) -> Value:
        """What an expression stands for, where the caller tells the use: `vllm.LLM` in `vllm.LLM(…)`."""
        kind = node.__class__
        if kind is ast.Name:
            return self.look_up(node.id)  # type: ignore[attr-defined]  # `kind` says so; isinstance is twice as slow
        if kind is not ast.Attribute:
            return self.visit(node)
        names = []
        while node.__class__ is ast.Attribute:
            names.append(node.attr)
            node = node.value
        value = self.look_up(node.id) if node.__class__ is ast.Name else self.visit(node)
        while names and value is not None:
            value = member(value, names.pop())
            if self.project and value.__class__ is str:
                value = self.known(str(value))
        return value

    def look_up(self, name: str) -> Value:
        """What a name stands for; a name that nobody bound comes from a star import, if there is one."""
        scope: Scope | None = self.scope
        while scope is not None:
            names = scope.names
            if name in names:
                value = names[name]
                if value.__class__ is Check:
                    self.tested = True
                return value
            scope = scope.outer
        return self.starred(name) if self.stars else None

    def starred(self, name: str) -> Value:
        """What a name that nobody bound is, with star imports: the last one that may give it."""
        if name in _BUILTINS:
            return None
        for module in self.stars[: -_STARS_MOST - 1 : -1]:
            path = f"{module}.{name}"
            value = self.known(path)
            if value != path or self.words.watches(path):
                return value
        return None

    def test(self, node: ast.expr) -> bool:
        """Read a condition; whether it asks for something upstream."""
        before, self.tested = self.tested, False
        self.visit(node)
        tested, self.tested = self.tested, before
        return tested

    # --- telling -------------------------------------------------------------------------------------------------

    def refer(
        self, kind: UseKind, value: Value, line: int, keywords: tuple[str, ...] = (), positional: int | None = None
    ) -> None:
        """Tell a use of what a value stands for, if it is upstream's."""
        if value.__class__ is str:
            self.path(kind, str(value), line, keywords, positional)
        elif isinstance(value, Inherited):
            for path in value.paths:
                if value.sure:
                    self.path(kind, path, line, keywords, positional)
                elif self.words.watches(path):
                    guarded = self.found.guards(kind, path)
                    self.pending.append(
                        Pending(value.kind, value.name, kind, path, line, keywords, positional, guarded)
                    )

    def path(self, kind: UseKind, path: str, line: int, keywords: tuple[str, ...], positional: int | None) -> None:
        """Tell a use of a dotted path."""
        if path.startswith(_OPERATORS):
            self._operator(path, line, keywords, positional)
            return
        if not self.words.watches(path):
            return
        last = path.rpartition(".")[2]
        if last == "__version__":
            self.tested = True
            return
        if last in _EVERYWHERE:
            return
        self.found.add(kind, path, line, keywords=keywords, positional=positional)
        if last.isupper() and self.words.variable.fullmatch(last):
            self.found.add("env", last, line)

    def is_theirs(self, path: str) -> bool:
        """Whether a dotted path is upstream's, or an operator."""
        return path.startswith(_OPERATORS) or self.words.watches(path)

    def _operator(self, path: str, line: int, keywords: tuple[str, ...], positional: int | None) -> None:
        space, _, rest = path.removeprefix(_OPERATORS).partition(".")
        name = rest.partition(".")[0]
        if name and space in self.words.namespaces:
            self.found.add("operator", f"{space}::{name}", line, keywords=keywords, positional=positional)

    # --- binding -------------------------------------------------------------------------------------------------

    def bind(self, name: str, value: Value) -> None:
        """Give a name its meaning; a fallback does not take away what the first choice meant."""
        names = self.scope.names
        if self.branch and isinstance(names.get(name), _KEPT):
            return
        names[name] = value

    def known(self, path: str) -> Value:
        """A dotted path, or what one of your own modules means by it."""
        if not self.project:
            return path
        given = path
        for _ in range(_STARS_MOST):
            value = self.project.get(given)
            if value is not None:
                return self.copy(value)
            module, _, name = given.rpartition(".")
            star = self.project.get(f"{module}.{STAR}")
            if not isinstance(star, Star) or name in star.own or name.startswith("_"):
                return given if self.words.watches(given) else path
            given = f"{star.path}.{name}"
        return path

    def copy(self, value: Value) -> Value:
        """The same value with classes of this file's own."""
        if isinstance(value, OwnClass):
            if id(value) not in self.copies:
                self.copies[id(value)] = value.copy()
            return self.copies[id(value)]
        if isinstance(value, Own):
            kind = self.copy(value.kind)
            return Own(kind) if isinstance(kind, OwnClass) else None
        return Returning(self.copy(value.value)) if isinstance(value, Returning) else value

    def outer(self) -> Scope:
        """The scope a function here sees: class bodies are not seen from inside."""
        scope = self.scope
        while scope.in_class_body and scope.outer is not None:
            scope = scope.outer
        return scope


# --- Functions and classes of a Python file: what they take and give, what they build on and what they replace ---


_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_WRAPPING = frozenset(("Optional", "Union", "Annotated", "Final", "ClassVar", "Required", "NotRequired"))
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def annotation(walk: Walk, node: ast.expr | None) -> Value:
    """What an annotated name holds: `LLM`, `vllm.LLM | None`, `Optional["LLM"]`, `type[LLM]`."""
    if node is None:
        return None
    if isinstance(node, ast.Constant):
        text = node.value if isinstance(node.value, str) and len(node.value) < 200 else ""
        return _object(_dotted(walk, text)) if _DOTTED.fullmatch(text) else None
    if isinstance(node, ast.BinOp):
        left = annotation(walk, node.left)
        right = annotation(walk, node.right)
        return left if left is not None else right
    if isinstance(node, ast.Subscript):
        return _wrapped(walk, node)
    return _object(walk.visit(node))


def _wrapped(walk: Walk, node: ast.Subscript) -> Value:
    base = node.value
    name = base.attr if isinstance(base, ast.Attribute) else base.id if isinstance(base, ast.Name) else ""
    outer = walk.visit(base)
    inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    values = [annotation(walk, one) for one in inner]
    if name in _WRAPPING:
        return next((value for value in values if value is not None), None)
    if name in {"type", "Type"} and values:
        held = values[0]
        return held.path if isinstance(held, Instance) else held.kind if isinstance(held, Own) else None
    return _object(outer)


def _object(value: Value) -> Value:
    """An object of the class that a value stands for."""
    if isinstance(value, str):
        return Instance(value) if is_class_name(value.rpartition(".")[2]) else None
    return Own(value) if isinstance(value, OwnClass) else None


def _dotted(walk: Walk, text: str) -> Value:
    first, *rest = text.split(".")
    value = walk.look_up(first)
    for name in rest:
        value = member(value, name)
    return value


# --- functions ---------------------------------------------------------------------------------------------------


def function(walk: Walk, node: _Function) -> Value:
    _decorators(walk, node)
    owner = walk.scope.owner if walk.scope.in_class_body else None
    scope = Scope(walk.outer(), owner)
    _parameters(walk, node, scope, owner)
    gives = annotation(walk, node.returns)
    value: Value = Returning(gives) if gives is not None else None
    if owner is not None:
        owner.own[node.name] = gives if _has(node, "property", "cached_property") else value
        every = node.args
        names = [one.arg for one in (*every.posonlyargs, *every.args)][0 if _has(node, "staticmethod") else 1 :]
        keywords = names + [one.arg for one in every.kwonlyargs]
        keywords += [f"*{every.vararg.arg}"] if every.vararg is not None else []
        keywords += [f"**{every.kwarg.arg}"] if every.kwarg is not None else []
        positional = len(names) if every.vararg is None else None
        overrides(walk, owner, node.name, node.lineno, tuple(keywords), positional)
    walk.bind(node.name, value)
    later = Later(scope, node.body, walk.found.guard)
    if node.name == "__init__":  # first: it says what the attributes are that other methods use
        walk.later.appendleft(later)
    else:
        walk.later.append(later)
    return None


def overrides(
    walk: Walk, owner: OwnClass, name: str, line: int, keywords: tuple[str, ...] = (), positional: int | None = None
) -> None:
    """A class of yours defines what an upstream base may define as well."""
    if name in {"__module__", "__doc__", "__slots__", "__qualname__"}:
        return
    for base in owner.upstream:
        walk.found.add("override", f"{base}.{name}", line, keywords=keywords, positional=positional)


def _decorators(walk: Walk, node: _Function | ast.ClassDef) -> None:
    before, walk.found.declaring = walk.found.declaring, True
    for one in node.decorator_list:
        walk.visit(one)
    walk.found.declaring = before


def _has(node: _Function, *names: str) -> bool:
    for one in node.decorator_list:
        last = one.attr if isinstance(one, ast.Attribute) else one.id if isinstance(one, ast.Name) else ""
        if last in names:
            return True
    return False


def _parameters(walk: Walk, node: _Function, scope: Scope, owner: OwnClass | None) -> None:
    every = node.args
    for default in (*every.defaults, *every.kw_defaults):
        if default is not None:
            walk.visit(default)
    names = scope.names
    for one in (*every.posonlyargs, *every.args, *every.kwonlyargs):
        names[one.arg] = annotation(walk, one.annotation) if one.annotation is not None else None
    for star in (every.vararg, every.kwarg):
        if star is not None:
            names[star.arg] = None
            annotation(walk, star.annotation)
    first = next(iter((*every.posonlyargs, *every.args)), None)
    if owner is not None and first is not None and not _has(node, "staticmethod"):
        names[first.arg] = owner if _has(node, "classmethod") or node.name == "__new__" else Own(owner)


# --- classes -----------------------------------------------------------------------------------------------------


def class_(walk: Walk, node: ast.ClassDef) -> Value:
    _decorators(walk, node)
    bases: list[str | OwnClass] = []
    for one in node.bases:
        base = walk.resolve(one.value if isinstance(one, ast.Subscript) else one)
        if isinstance(one, ast.Subscript):
            walk.visit(one.slice)
        if isinstance(base, OwnClass) or (isinstance(base, str) and walk.words.watches(base)):
            bases.append(base)
    for keyword in node.keywords:
        walk.visit(keyword.value)
    own = OwnClass(node.name, tuple(bases))
    for path in own.upstream:
        walk.found.add("subclass", path, node.lineno)
    walk.bind(node.name, own)
    if walk.scope.in_class_body and walk.scope.owner is not None:
        walk.scope.owner.own[node.name] = own
        overrides(walk, walk.scope.owner, node.name, node.lineno)
    before, walk.scope = walk.scope, Scope(walk.scope, own, in_class_body=True)
    walk.block(node.body)
    walk.scope = before
    return None


DEFINITIONS: dict[type[ast.AST], Handler] = {
    ast.FunctionDef: function,
    ast.AsyncFunctionDef: function,
    ast.ClassDef: class_,
}
