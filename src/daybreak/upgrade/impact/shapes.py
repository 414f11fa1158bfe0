"""Shapes of what upstream's functions give and take: containers, tuples, what a `with` lends, what a registry wants."""

from __future__ import annotations

import ast
import re
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator, Generator, Iterator, Sequence
from typing import Protocol

from daybreak.upgrade.impact.chains import Place, Thing
from daybreak.upgrade.impact.source import Function, Signature
from daybreak.upgrade.impact.source_parts import is_generator, last_part, marks, parsed

OF_CONTAINERS = frozenset(
    name for kind in (list, dict, set, tuple, deque, OrderedDict, Generator, AsyncGenerator) for name in dir(kind)
)
"""What something that holds others may have as a member."""
_LENDS = frozenset(("contextmanager", "asynccontextmanager"))
_MAKES = ("create", "get", "make", "build")
_ITEMS = ("__getitem__", "__iter__", "__class_getitem__")


class Tree(Protocol):
    """What is asked of one end of a range."""

    def line_up(self, thing: Thing) -> tuple[list[Thing], frozenset[str]]: ...
    def member(self, thing: Thing, name: str) -> Place | None: ...
    def functions_of(self, thing: Thing) -> list[Function]: ...
    def function(self, thing: Thing) -> Function | None: ...
    def signature(self, thing: Thing) -> Signature | None: ...
    def returns(self, thing: Thing) -> str: ...
    def annotated(self, node: ast.expr | None, path: str, owner: Thing | None) -> Thing | None: ...


def is_lent(node: Function) -> bool:
    """Whether a function gives what `with … as x` names, one of what its head says."""
    return bool(marks(node) & _LENDS)


def of_tuples(made: Sequence[Thing | None]) -> Thing | None:
    """What a function gives that ends with tuples of one size, whatever is in them."""
    sizes = {len(one.parts) if one is not None and one.sort == "tuple" else -1 for one in made}
    size = sizes.pop() if len(sizes) == 1 else -1
    return Thing("tuple", parts=(None,) * size) if size >= 0 else None


def takes_items(tree: Tree, thing: Thing) -> bool | None:
    """Whether `x[…]` works: not on an object whose classes are all known and have nothing for it."""
    if thing.sort != "object":
        return True
    others = tree.line_up(thing)[1]
    has = any(tree.member(thing, name) is not None for name in _ITEMS)
    return True if has else None if others and not others <= _PLAIN else False


def size_of(tree: Tree, thing: Thing) -> int | None:
    """How many values a tuple, or an object of a named one, has."""
    if thing.sort == "tuple":
        return len(thing.parts)
    named = thing.sort == "object" and any(one.endswith("NamedTuple") for one in tree.line_up(thing)[1])
    made = tree.signature(Thing("class", thing.path, thing.symbol)) if named else None
    return len(made.places) if made is not None else None


def is_read_only(tree: Tree, thing: Thing, name: str) -> bool:
    """Whether an attribute is a property that nobody can set."""
    place = tree.member(thing, name)
    node = place.node if place is not None else None
    if place is None or not isinstance(node, Function) or "property" not in marks(node):
        return False
    return not any(one.name == name and "setter" in marks(one) for one in tree.functions_of(place.owner))


_AWAITABLE = re.compile(r"Awaitable|Coroutine|Future|Task")


def is_awaited(tree: Tree, node: Function | None, thing: Thing) -> bool | None:
    """Whether what a function gives must be awaited; None where its decorators or its words decide."""
    if node is None or is_generator(node):
        return None
    if isinstance(node, ast.AsyncFunctionDef):
        return True
    return None if node.decorator_list or _AWAITABLE.search(tree.returns(thing)) else False


_PLAIN = frozenset(("BaseModel", "Struct", "msgspec.Struct", "Enum"))


def registered(tree: Tree, thing: Thing) -> Thing | None:
    """The class whose like a function registers: the one that a parameter takes, or that its own class makes by a name."""
    node = tree.function(thing) if thing.sort == "function" else None
    if node is None:
        return None
    owner = Thing("class", thing.path, thing.symbol[:-1]) if len(thing.symbol) > 1 else None
    every = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    taken = [part for one in every if one.annotation is not None for part in _sides(one.annotation)]
    kinds = [
        one for one in taken if isinstance(one, ast.Subscript) and last_part(one.value) in ("type", "Type", "Callable")
    ]
    found = {_class_of(tree, one, thing.path, owner) for one in kinds} - {None}
    what = thing.symbol[-1].partition("_")[2]
    if not found and owner is not None and what:
        near = (one for one in tree.functions_of(owner) if one.name.startswith(_MAKES) and what in one.name)
        makers = [one for one in near if one.returns is not None]
        found = {_class_of(tree, one.returns, thing.path, owner) for one in makers} - {None}
    return found.pop() if len(found) == 1 else None


def _sides(node: ast.expr) -> Iterator[ast.expr]:
    """The kinds of a union, each by itself."""
    node = (parsed(node.value) or node) if isinstance(node, ast.Constant) and isinstance(node.value, str) else node
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.BinOp):
            waiting += [one.left, one.right]
        elif isinstance(one, ast.Subscript) and last_part(one.value) in ("Union", "Optional"):
            waiting += one.slice.elts if isinstance(one.slice, ast.Tuple) else [one.slice]
        else:
            yield one


def _class_of(tree: Tree, node: ast.expr | None, path: str, owner: Thing | None) -> Thing | None:
    if isinstance(node, ast.Subscript) and last_part(node.value) == "Callable":  # `Callable[..., X]` makes an X
        node = node.slice.elts[-1] if isinstance(node.slice, ast.Tuple) else None
    made = tree.annotated(node, path, owner)
    return Thing("class", made.path, made.symbol) if made is not None and made.sort in ("class", "object") else None
