"""Handlers of yours around calls of upstream that wait for what is raised no more: there is another exception in its place,
or it lost the base by which they caught it.
"""

from __future__ import annotations

import ast
import builtins
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from daybreak.core.model.findings import Alias, Finding
from daybreak.core.model.upgrade import Certainty, Net, Use
from daybreak.findings.kinds import named
from daybreak.findings.languages.python_public import lost_base
from daybreak.upgrade.impact.base import Address, Item, Judged
from daybreak.upgrade.impact.chains import Thing, steps_of
from daybreak.upgrade.impact.source import Function
from daybreak.upgrade.impact.surface import Surface
from daybreak.upgrade.impact.trees import Told, Trees

_DEEPEST, _FUNCTIONS = 3, 40
"""Calls that are followed from the one that you make."""
_MESSAGE = 10
"""Letters by which a message is known again."""
_MADE_BY = ("__init__", "__post_init__", "__new__")


class Raise(NamedTuple):
    """An exception that is raised somewhere."""

    name: str
    kinds: frozenset[str]
    """Names of its class and of all of its bases: who waits for one of them gets it."""
    thing: Thing | None
    path: str
    """The file that raises it."""

    def is_taken(self, names: Iterable[str]) -> bool:
        return any(name.rpartition(".")[2] in self.kinds for name in names)


Raised = Mapping[tuple[str, ...], list[Raise]]
"""By what says the same at both ends: its message, and the function that raises it."""


def dead_handlers(uses: Iterable[Use], trees: Trees) -> Iterator[Told]:
    """`except X:` of yours where a call raised an X, and raises at the same place something else that is none."""
    known: dict[tuple[int, Thing], Raised] = {}
    seen: set[tuple[str, int, str, str]] = set()

    def raised(end: int, tree: Surface, thing: Thing) -> Raised:
        if (end, thing) not in known:
            known[end, thing] = _raised(tree, thing)
        return known[end, thing]

    for use in uses:
        pair = trees.of(use.name) if use.kind == "catch" and use.value else None
        reached = [tree.reach(use.name) for tree in pair] if pair else []
        if pair is None or any(one.steps < len(steps_of(use.name)) or one.thing is None for one in reached):
            continue
        was_called, now_called = (one.thing for one in reached)
        before = raised(0, pair[0], was_called) if was_called is not None else {}
        if now_called is None or not any(
            one.is_taken((use.value or "",)) for every in before.values() for one in every
        ):
            continue  # it got nothing before either: the other tree need not be followed
        for was, now in _lost(use.value or "", before, raised(1, pair[1], now_called)):
            place = (use.path, use.line, was.name, now.name)
            if place not in seen:
                seen.add(place)
                level: Certainty = "look" if now.is_taken(use.keywords) else "likely"
                item = Item(pair[0].repo, Net(_finding(use, was, now, pair[1]), ()), Address((), ()))
                yield use, item, Judged(level, "catch", use.name, was.name)


def _finding(use: Use, was: Raise, now: Raise, end: Surface) -> Finding:
    if was.name == now.name and now.thing is not None:
        kind, path, before, after = lost_base(now.name, raised=True), now.thing.path, use.value, None
    else:
        kind, path, before = named("exception", "changed"), now.path, was.name
        after = end.dotted(now.thing) if now.thing is not None else now.name
    return Finding("", kind, path, 1, now.name, before, after, True, Alias("none"))


def _lost(name: str, before: Raised, after: Raised) -> Iterator[tuple[Raise, Raise]]:
    """What a handler got at a place, and what stands there now and passes it by."""
    for key, every in before.items():
        was = next((one for one in every if one.is_taken((name,))), None)
        now = after.get(key, [])
        had = {(one.name, one.kinds) for one in every}
        new = [one for one in now if (one.name, one.kinds) not in had]
        if was is not None and new and not any(one.is_taken((name,)) for one in now):
            yield was, new[0]


def _raised(tree: Surface, thing: Thing) -> Raised:
    """What a call of something raises, as far as what it calls in its turn can be followed."""
    found: dict[tuple[str, ...], list[Raise]] = {}
    waiting, seen = deque([(thing, 0)]), set[Thing]()
    while waiting and len(seen) < _FUNCTIONS:
        one, depth = waiting.popleft()
        if one in seen:
            continue
        seen.add(one)
        for node, owner, path, symbol in _bodies(tree, one):
            for inner in ast.walk(node):
                if isinstance(inner, ast.Raise) and inner.exc is not None:
                    said = _exception(tree, inner.exc, path, owner, node)
                    if said is not None:
                        for key in {_message(inner.exc) or symbol, symbol}:
                            found.setdefault(key, []).append(said)
                elif isinstance(inner, ast.Call) and depth < _DEEPEST:
                    called = tree.given(inner.func, path, owner, node, 0)
                    if called is not None and called.sort in ("function", "class"):
                        waiting.append((called, depth + 1))
    return found


def _bodies(tree: Surface, thing: Thing) -> Iterator[tuple[Function, Thing | None, str, tuple[str, ...]]]:
    """The functions that a call runs, each with its class, its file and its name."""
    if thing.sort == "class":
        for name in _MADE_BY:
            place = tree.member(thing, name)
            if place is not None and isinstance(place.node, Function):
                yield place.node, place.owner, place.owner.path, (*place.owner.symbol, name)
    else:
        node, owner = tree.body(thing)
        if node is not None:
            yield node, owner, thing.path, thing.symbol


def _exception(tree: Surface, node: ast.expr, path: str, owner: Thing | None, within: Function) -> Raise | None:
    """What is raised: a class of this project or of the language, or an object that is made of one."""
    kind = node.func if isinstance(node, ast.Call) else node
    thing = tree.given(kind, path, owner, within, 0)
    if thing is not None and thing.sort == "class":
        line, others = tree.line_up(thing)
        names = {one.symbol[-1] for one in line} | {name for other in others for name in _plain(other)}
        return Raise(thing.symbol[-1], frozenset(names), thing, path)
    name = kind.id if isinstance(kind, ast.Name) else ""
    return Raise(name, frozenset(_plain(name)), None, path) if thing is None and _plain(name) != (name,) else None


def _plain(name: str) -> tuple[str, ...]:
    """An exception of the language with its bases; of another name the last part."""
    kind = getattr(builtins, name, None) if name.isidentifier() else None
    if isinstance(kind, type) and issubclass(kind, BaseException):
        return tuple(one.__name__ for one in kind.__mro__)
    return (name.rpartition(".")[2],)


def _message(node: ast.expr) -> tuple[str, ...]:
    """The words of an exception that stay, whatever its class; empty where it has too few."""
    first = node.args[0] if isinstance(node, ast.Call) and node.args else None
    parts = first.values if isinstance(first, ast.JoinedStr) else [first]
    words = [one.value for one in parts if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    text = max(words, key=len, default="")
    return ("", text) if len(text) >= _MESSAGE else ()
