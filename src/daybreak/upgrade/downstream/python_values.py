"""What a name stands for while a Python file is read: an upstream path, an instance of one, a class of yours.

A `str` value is a dotted path (`vllm.LLM`, `os.environ`); None is something of which nothing is known.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec import Struct


class Instance(Struct, frozen=True):
    """An object made by calling the class at this path."""

    path: str


class Literal(Struct, frozen=True):
    """A list, dict or string as it stands in the file."""

    node: ast.expr


class Returning(Struct, frozen=True):
    """A function of yours whose annotation says what it gives."""

    value: Value


class Check(Struct, frozen=True):
    """A name whose truth tells whether something upstream is there."""


class Star(Struct, frozen=True):
    """What a module of yours hands on by `from upstream import *`: every name that it does not define itself."""

    path: str
    own: frozenset[str] = frozenset()


_MOST = 20
"""Bases of a class that are followed."""


class OwnClass:
    """A class of yours."""

    __slots__ = ("bases", "built_on_yours", "name", "own", "upstream")

    def __init__(self, name: str, bases: tuple[str | OwnClass, ...] = ()) -> None:
        self.name = name
        self.bases = bases
        self.own: dict[str, Value] = {}
        """Methods and attributes that it defines itself."""
        paths = (path for base in bases for path in ((base,) if isinstance(base, str) else base.upstream))
        self.upstream: tuple[str, ...] = tuple(dict.fromkeys(paths))[:_MOST]
        """Paths of the watched bases, also those of classes of yours in between."""
        self.built_on_yours = any(isinstance(base, OwnClass) for base in bases)

    def copy(self) -> OwnClass:
        """The same class, to which other names can be given."""
        made = OwnClass(self.name, self.bases)
        made.own = dict(self.own)
        return made

    def line_up(self) -> Iterator[OwnClass]:
        """This class and the classes of yours it builds on, each once."""
        seen: set[int] = set()
        waiting = [self]
        while waiting and len(seen) < _MOST:
            one = waiting.pop(0)
            if id(one) in seen:
                continue
            seen.add(id(one))
            yield one
            waiting += [base for base in one.bases if isinstance(base, OwnClass)]

    def defines(self, name: str) -> bool:
        return name in self.own or (self.built_on_yours and any(name in one.own for one in self.line_up()))

    def member(self, name: str, *, above: bool = False) -> Value:
        """What `self.NAME` is; `above` asks the bases only, as `super()` does."""
        if not above and name in self.own:
            return self.own[name]
        for one in self.line_up() if self.built_on_yours else ():
            if name in one.own and one is not self:
                return one.own[name]
        paths = tuple(f"{base}.{name}" for base in self.upstream)
        return Inherited(self, name, paths, sure=above) if paths else None


class Own(Struct, frozen=True):
    """An object of a class of yours."""

    kind: OwnClass


class Above(Struct, frozen=True):
    """What `super()` gives."""

    kind: OwnClass


class Inherited(Struct, frozen=True):
    """An attribute that a class of yours has from upstream, unless a later line turns out to define it."""

    kind: OwnClass
    name: str
    paths: tuple[str, ...]
    sure: bool = False


_OBJECTS = (Own, Above)
Value = str | Instance | Literal | Returning | Check | Star | OwnClass | Own | Above | Inherited | None


def member(base: Value, name: str) -> Value:
    """What `BASE.NAME` is."""
    if isinstance(base, str):
        return f"{base}.{name}"
    if isinstance(base, Instance):
        return f"{base.path}.{name}"
    if isinstance(base, OwnClass):
        return base.member(name)
    if isinstance(base, _OBJECTS):
        return base.kind.member(name, above=isinstance(base, Above))
    if isinstance(base, Inherited):
        return Inherited(base.kind, base.name, tuple(f"{path}.{name}" for path in base.paths), base.sure)
    return None


_MAKERS = ("from_", "create", "build", "load", "make", "get_instance")


def made_by(callee: Value) -> Value:
    """What calling something gives."""
    if callee is None:
        return None
    if isinstance(callee, str):
        before, _, last = callee.rpartition(".")
        if is_class_name(last):
            return Instance(callee)
        if is_class_name(before.rpartition(".")[2]) and last.startswith(_MAKERS):
            return Instance(before)
    if isinstance(callee, OwnClass):
        return Own(callee)
    if isinstance(callee, Returning):
        return callee.value
    return None


def is_class_name(name: str) -> bool:
    """`LLM`, `AsyncLLMEngine`, `_Private`, not `MAX_LENGTH`."""
    bare = name.lstrip("_")
    return bare[:1].isupper() and "_" not in bare


class Scope:
    """Names of a module, function or class body, and the scope around it."""

    __slots__ = ("in_class_body", "names", "outer", "owner")

    def __init__(
        self, outer: Scope | None = None, owner: OwnClass | None = None, *, in_class_body: bool = False
    ) -> None:
        self.names: dict[str, Value] = {}
        self.outer = outer
        self.owner = owner
        """The class whose method or body this is."""
        self.in_class_body = in_class_body


STAR = "*"
"""The name under which a scope keeps what a star import gives; no real name can be that."""
MISSING = Literal(ast.Constant(value=None))
"""No scope knows the name."""


def look_up(scope: Scope | None, name: str) -> Value:
    """What a name stands for, or MISSING."""
    while scope is not None:
        names = scope.names
        if name in names:
            return names[name]
        scope = scope.outer
    return MISSING


def owner_of(scope: Scope | None) -> OwnClass | None:
    """The class in whose body or method this scope lies."""
    while scope is not None:
        if scope.owner is not None:
            return scope.owner
        scope = scope.outer
    return None
