"""Chains of names (`pkg.Engine.scheduler.waiting[].status`): their steps, and what each of them leads to."""

from __future__ import annotations

import ast
import re
from typing import Literal, NamedTuple

from daybreak.upgrade.impact.source import Function

Sort = Literal["module", "class", "object", "function", "many", "tuple", "foreign"]
OPTIONAL = frozenset(("Optional", "Annotated", "Final", "ClassVar", "Awaitable", "Coroutine", "Union", "Required"))
MANY = frozenset(
    ("list", "List", "Sequence", "Iterable", "Iterator", "set", "Set", "frozenset", "deque", "Deque", "Generator",
     "AsyncGenerator", "AsyncIterator", "AsyncIterable", "Collection", "MutableSequence")
)  # fmt: skip
TABLES = frozenset(("dict", "Dict", "Mapping", "MutableMapping", "OrderedDict", "defaultdict"))
HOLDING = MANY | TABLES | {"type", "Type", "tuple", "Tuple"}
"""Names of types that hold others."""
_STEP = re.compile(r"[^.()\[\]]+|\(:?\)|\[:?\d{0,3}\]")


class Thing(NamedTuple):
    """What a chain of names leads to."""

    sort: Sort
    path: str = ""
    """File that defines it; dotted name of what is foreign."""
    symbol: tuple[str, ...] = ()
    """Its name in the file: a class, a function, a class and its method."""
    parts: tuple[Thing | None, ...] = ()
    """Elements of a tuple; the one element of what holds many."""


class Place(NamedTuple):
    """Where a member of a class stands."""

    owner: Thing
    node: ast.AST
    within: Function | None = None
    """The method that sets it on `self`."""


class Reached(NamedTuple):
    """How far a chain goes."""

    trail: tuple[Thing | None, ...]
    """What each step leads to, as far as they are there; None for what is there and of an unknown type."""
    gone: bool = False
    """The next step is missing for sure."""

    @property
    def steps(self) -> int:
        return len(self.trail)

    @property
    def thing(self) -> Thing | None:
        return self.trail[-1] if self.trail else None

    @property
    def owner(self) -> Thing | None:
        """What the last step was taken from."""
        return self.trail[-2] if len(self.trail) > 1 else None


def steps_of(name: str) -> list[str]:
    """The steps of a chain."""
    return _STEP.findall(name[:400])


def held_by(name: str, parts: tuple[Thing | None, ...], open_ended: bool) -> Thing | None:
    """What an annotation that holds others stands for: `type[X]`, `tuple[X, Y]`, `dict[K, V]`, `list[X]`."""
    if name in ("type", "Type"):
        held = parts[0]
        return Thing("class", held.path, held.symbol) if held and held.sort == "object" else None
    if name in ("tuple", "Tuple") and not open_ended:
        return Thing("tuple", parts=parts)
    return Thing("many", "", ("dict",) if name in TABLES else (), (parts[-1] if name in TABLES else parts[0],))
