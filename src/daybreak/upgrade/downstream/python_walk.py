"""One walk over a parsed Python file: names are bound in order, function bodies come after the code around them.

What each kind of node does stands in python_expressions, python_statements, python_definitions and python_calls;
here is the state they share.
"""

from __future__ import annotations

import ast
import builtins
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from daybreak.core.model.upgrade import UseKind
from daybreak.upgrade.downstream.choices import Choices
from daybreak.upgrade.downstream.python_values import (
    STAR,
    Check,
    Inherited,
    Instance,
    Method,
    Notes,
    Own,
    OwnClass,
    Returning,
    Scope,
    Star,
    Value,
    member,
)

_BUILTINS = frozenset(dir(builtins)) | {"__file__", "__doc__", "__path__", "__spec__"}
_EVERYWHERE = frozenset(
    ("__name__", "__class__", "__dict__", "__doc__", "__module__", "__qualname__", "__file__", "__path__", "__all__",
     "__mro__", "__annotations__", "__signature__", "__wrapped__", "__bases__", "__subclasses__")
)  # fmt: skip
"""What every object has does not rely on upstream."""
VERSIONS = ("__version__", "__version_tuple__")
_OPERATORS = "torch.ops."
_KEPT = (str, Instance, Check)
_ROUNDS = 2
"""How often functions are read again with what was learned of their objects."""
_STARS_MOST = 5
"""Star imports that are followed, in one file and from file to file."""


class Later(NamedTuple):
    """A function body that waits until the code around it is read."""

    scope: Scope
    body: Sequence[ast.stmt]
    guard: int
    when: tuple[str, ...]


class Taker:
    """A function of yours that is read again once its callers, or what it calls, have shown what it is given."""

    __slots__ = ("asking", "body", "first", "given", "gives", "name", "names", "owner", "read", "returned")

    def __init__(self, name: str, owner: OwnClass | None, body: Later, names: tuple[str, ...]) -> None:
        self.name, self.owner, self.body, self.names = name, owner, body, names
        self.first = dict(body.scope.names)
        """What is known of its parameters by their annotations."""
        self.given: dict[str, dict[int, Value]] = {}
        """Parameter → the object of upstream that each call passes, or its default is; None for anything else."""
        self.read: dict[str, Value] = {}
        """What its parameters were when it was read last, beside the annotations."""
        self.returned: dict[int, Value] = {}
        """What each `return` gives, the last one first; and all of them, where it is the same."""
        self.gives: Value = None
        self.asking: list[Taker] = []
        """Functions that called it before that was known."""

    def take(self, name: str, place: int, value: Value) -> None:
        """Keep what a call passes."""
        if self.first.get(name) is None and name in self.names:
            self.given.setdefault(name, {})[place] = value

    def known(self) -> dict[str, Value]:
        """Parameters that are the same object of upstream in every call."""
        firsts = {name: next(iter(places.values())) for name, places in self.given.items()}
        return {
            name: value
            for name, value in firsts.items()
            if value is not None and all(one == value for one in self.given[name].values())
        }


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
    when: tuple[str, ...]


Handler = Callable[["Walk", Any], Value]
Project = Mapping[str, Value]
"""Your own modules' names (`service.engine.Base`) that stand for something upstream; None: two files have the name."""
Given = Mapping[str, Sequence[tuple[str, str]]]
"""Function (`run`, `Runner.__init__`) -> its parameters, by name or number, and the paths of the objects they are given."""


class Beside(Struct):
    """What a file has to do with your other files: what it may know of them, and what reading it leaves for them."""

    package: str = ""
    """Dotted name of the folder of this file, for relative imports."""
    project: Project = {}
    given: Given = {}
    choices: Choices = []
    """Modules of yours that are imported where something holds of upstream."""
    handed: list[tuple[str, int, tuple[str, ...]]] = []
    """Functions of your other files, the lines that call them, and the objects of upstream that they are given."""


def _say_nothing(_walk: Walk, _node: ast.Call, _value: Value) -> None:
    pass


class Walk:
    """The state of one walk."""

    __slots__ = (
        "beside", "bodies", "branch", "copies", "done", "found", "functions", "grown", "handlers", "last", "later", "learned", "mixed", "package", "pending",
        "programs", "project", "scope", "selves", "standby", "stars", "takers", "tell", "tested", "unknown", "values", "words",
        "written",
    )  # fmt: skip

    takers: dict[tuple[OwnClass | Scope | None, str], Taker | None]
    """Functions of this file, by the class or the scope that has them and by name; None where that has two."""
    bodies: dict[Scope, Taker]
    """The same by what their bodies see."""
    learned: dict[Taker, None]
    """Those whose callees turned out to give an object of upstream."""
    values: dict[int, Value]
    mixed: set[tuple[int, str]]
    """Names, by who has them, that hold something else than objects of upstream."""

    def __init__(
        self,
        found: Notes,
        handlers: Mapping[type[ast.AST], Handler],
        scope: Scope | None = None,
        beside: Beside | None = None,
        tell: Callable[[Walk, ast.Call, Value], None] = _say_nothing,
    ) -> None:
        self.found, self.words = found, found.words
        self.handlers, self.tell = handlers, tell
        """How each kind of node is read, and what tells a call of something that is known."""
        self.beside = beside or Beside()
        self.package, self.project = self.beside.package, self.beside.project
        self.written: dict[str, str] = {}
        """Names that are imported from your other files, and what they are called there."""
        self.copies: dict[int, OwnClass] = {}
        """Classes of your other files as this one sees them: what it sets on them is no other file's business."""
        self.scope = scope if scope is not None else Scope()
        self.later: deque[Later] = deque()
        self.last: deque[Later] = deque()
        """Functions whose `self` only shows when somebody puts them on a class."""
        self.selves: dict[str, Scope] = {}
        self.functions: dict[str, Method] = {}
        """Functions of this file outside of classes, which somebody may put in the place of upstream's."""
        self.pending: list[Pending] = []
        self.unknown: list[tuple[Scope, ast.Attribute | ast.Call, int, tuple[str, ...]]] = []
        """What is reached through an attribute of yours that a later method may set."""
        self.stars: list[str] = []
        self.branch = 0
        """How deep inside branches that stand in for another: they take no name away."""
        self.tested = False
        """The expression being read asks whether something upstream is there."""
        self.takers, self.bodies, self.learned, self.values, self.mixed = {}, {}, {}, {}, set()
        self.programs: dict[int, str | None] = {}
        """Programs of the commands that names hold, by the expression."""
        self.grown: dict[int, tuple[tuple[str, ...], int]] = {}
        """Values put into a dict by a later line → what held of upstream there, and what was guarded."""
        self.standby: frozenset[str] = frozenset()
        """Names for which a handler of the `try` being read has something else."""
        self.done: set[int] = set()
        """Nodes already told by the node above them."""

    def run(self, tree: ast.Module) -> None:
        """Read a module, then its functions, then what could only be told with all classes known."""
        try:
            self.block(tree.body)
            while self.later or self.last:
                self._body(self._next())
            for _ in range(_ROUNDS):
                self._again()
            unknown, self.unknown = self.unknown, []
            for self.scope, node, self.found.guard, self.found.when in unknown:
                value = self.resolve(node.func if isinstance(node, ast.Call) else node)
                if value is not None and isinstance(node, ast.Call):
                    self.tell(self, node, value)
                elif value is not None:
                    self.refer("attribute", value, node.end_lineno or node.lineno)
        finally:
            for one in self.pending:
                if not one.owner.defines(one.attribute):
                    self.found.add(
                        one.kind, one.name, one.line,
                        keywords=one.keywords, positional=one.positional, guarded=one.guarded, when=one.when,
                    )  # fmt: skip

    def _body(self, one: Later) -> None:
        self.scope, body, self.found.guard, self.found.when = one
        self.branch = 0
        self.block(body)

    def _again(self) -> None:
        """Read those functions once more of whose objects the first reading has shown what they are."""
        every = [one for one in self.takers.values() if one is not None]
        again, self.learned = self.learned, {}
        again |= dict.fromkeys(one for one in every if one.known() != one.read)
        self.values = {}
        for one in again:
            held = {name for name, value in one.owner.own.items() if value is not None} if one.owner else set()
            one.read = one.known()
            one.body.scope.names.clear()
            one.body.scope.names |= one.first | one.read
            self._body(one.body)
            if one.owner and {name for name, value in one.owner.own.items() if value is not None} - held:
                self.learned |= dict.fromkeys(x for x in every if x.owner is one.owner and x not in again)

    def keep(self, taker: Taker) -> None:
        """A function of this file, for whoever calls it."""
        self.bodies[taker.body.scope] = taker
        key = (taker.owner or taker.body.scope.outer, taker.name)
        first = self.takers.setdefault(key, taker)
        if first is not None and first.body.body is not taker.body.body:
            self.takers[key] = None
        full = f"{taker.owner.name}.{taker.name}" if taker.owner is not None else taker.name
        for place, (name, path) in enumerate(self.beside.given.get(full, ()), start=1):
            names = taker.names[int(name) :][:1] if name.isdigit() else (name,)
            for one in names:
                taker.take(one, -place, Instance(path))

    def _next(self) -> Later:
        """The next function body: of those whose `self` shows elsewhere, the ones first that have it and may tell of others."""
        if self.later:
            return self.later.popleft()
        at = next((at for at, one in enumerate(self.last) if one.scope.names.get("self") is not None), 0)
        chosen = self.last[at]
        del self.last[at]
        return chosen

    # --- reading -------------------------------------------------------------------------------------------------

    def block(self, body: Sequence[ast.stmt]) -> None:
        handlers, when = self.handlers, self.found.when
        for node in body:
            handler = handlers.get(node.__class__)
            if handler is not None:
                handler(self, node)
            else:
                self.children(node)
        self.found.when = when  # what an early way out said holds to the end of its block

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
            return self.once(node)  # whoever told the use has read it already: twice at every depth has no end
        names = []
        while node.__class__ is ast.Attribute:
            names.append(node.attr)
            node = node.value
        value = self.look_up(node.id) if node.__class__ is ast.Name else self.once(node)
        while names and value is not None:
            value = member(value, names.pop())
            if self.project and value.__class__ is str:
                value = self.known(str(value))
        return value

    def wait(self, node: ast.Attribute | ast.Call) -> None:
        """Ask again at the end, where the chain starts at an object of yours."""
        inner: ast.expr = node.func if isinstance(node, ast.Call) else node
        depth = 0
        while isinstance(inner, ast.Attribute):
            inner, depth = inner.value, depth + 1
        if depth > 1 and isinstance(inner, ast.Name) and isinstance(self.look_up(inner.id), Own):
            self.unknown.append((self.scope, node, self.found.guard, self.found.when))

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
                    guarded, when = self.found.guards(kind, path), self.found.when
                    self.pending.append(
                        Pending(value.kind, value.name, kind, path, line, keywords, positional, guarded, when)
                    )

    def path(self, kind: UseKind, path: str, line: int, keywords: tuple[str, ...], positional: int | None) -> None:
        """Tell a use of a dotted path."""
        if path.startswith(_OPERATORS):
            self._operator(path, line, keywords, positional)
            return
        if not self.words.watches(path):
            return
        last = path.rpartition(".")[2]
        if last in VERSIONS:
            self.tested = True
            return
        if last in _EVERYWHERE:
            return
        self.found.add(kind, path, line, keywords=keywords, positional=positional)
        if last.isupper() and self.words.variable.fullmatch(last):
            self.found.add("env", last, line)

    def is_object(self, value: Value) -> bool:
        """Whether a value is an object of upstream, or of a class of yours that builds on one of its."""
        if isinstance(value, Instance):
            return self.words.watches(value.path)
        return isinstance(value, Inherited) or (isinstance(value, Own) and bool(value.kind.upstream))

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
        names = self.module().names if name in self.scope.shared else self.scope.names
        first = names.get(name)
        if self.branch and isinstance(first, _KEPT):
            if isinstance(first, str) and isinstance(value, str) and first != value and self.words.watches(value):
                self.found.alternatives[first] = value
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

    def module(self) -> Scope:
        """The scope around all others."""
        scope = self.scope
        while scope.outer is not None:
            scope = scope.outer
        return scope

    def outer(self) -> Scope:
        """The scope a function here sees: class bodies are not seen from inside."""
        scope = self.scope
        while scope.in_class_body and scope.outer is not None:
            scope = scope.outer
        return scope


def elsewhere(walk: Walk, node: ast.expr) -> str | None:
    """The dotted name of something in your other files."""
    path = ""
    while isinstance(node, ast.Attribute):
        path, node = f".{node.attr}{path}", node.value
    written = walk.written.get(node.id, "") if isinstance(node, ast.Name) else ""
    return f"{written}{path}" if written and not walk.words.watches(written) else None
