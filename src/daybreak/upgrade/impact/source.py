"""What a Python file offers to whoever imports it, read from its text: names, members of classes, parameters.

The text is somebody else's: it is parsed and never run, and what does not parse is asked with a pattern instead.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from msgspec import Struct

_LARGEST = 2_000_000
_DEEPEST = 6
_Function = ast.FunctionDef | ast.AsyncFunctionDef


class Signature(Struct, frozen=True):
    """Parameters of a function as its callers see them."""

    places: tuple[str, ...]
    """Those that can be passed by position, in order."""
    keywords: frozenset[str]
    """Those that can be passed by keyword."""
    required: frozenset[str]
    others: bool
    """`**kwargs`: any keyword."""

    def lacks(self, parameter: str, positional: int, keywords: Sequence[str]) -> bool:
        """Whether a call with so many arguments by position and these keywords leaves out what it must pass."""
        return parameter in self.required and parameter not in (*self.places[:positional], *keywords)


@dataclass(slots=True)
class Source:
    """One file."""

    names: set[str] = field(default_factory=set)
    """Bound at the top, also below `if` and `try`."""
    listed: set[str] = field(default_factory=set)
    """Strings of tables at the top: `__all__`, names that a hook imports when they are asked for."""
    origins: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Name → the module it is imported from, with leading dots as written, and its name there."""
    stars: list[str] = field(default_factory=list)
    """Modules of which everything is imported, with leading dots as written."""
    hook: bool = False
    """`__getattr__` may answer for any name."""
    tops: dict[str, list[ast.stmt]] = field(default_factory=dict)
    """Functions and classes."""

    def offers(self, name: str) -> bool | None:
        """Whether the name can be imported; None when a hook or another module decides."""
        if name in self.names or name in self.listed:
            return True
        return None if self.hook or self.stars else False

    def members(self, name: str) -> frozenset[str] | None:
        """What a class defines itself; None when the file has no such class, or several."""
        found = self.tops.get(name, [])
        if len(found) != 1 or not isinstance(found[0], ast.ClassDef):
            return None
        return frozenset(_members(found[0]))

    def bases(self, name: str) -> list[str]:
        """Names of a class's bases as far as they are plain."""
        nodes = [one for one in self.tops.get(name, []) if isinstance(one, ast.ClassDef)]
        return [base.id for node in nodes[:1] for base in node.bases if isinstance(base, ast.Name)]

    def abstract(self, symbol: Sequence[str]) -> bool | None:
        """Whether a method must be written by whoever subclasses; None when the file has no such method."""
        found = self.tops.get(symbol[0], []) if len(symbol) == 2 else []
        every = [one for node in found if isinstance(node, ast.ClassDef) for one in node.body]
        methods = [one for one in every if isinstance(one, _Function)]
        wanted = [one for one in methods if one.name == symbol[1]]
        if len(wanted) != 1:
            return None
        # A class that marks some of its methods leaves the others to whoever wants them.
        return _marked(wanted[0]) or (_refuses(wanted[0]) and not any(map(_marked, methods)))

    def signature(self, symbol: Sequence[str]) -> Signature | None:
        """Parameters of a function, a method or a class's constructor; None when they cannot be told for sure."""
        found = self.tops.get(symbol[0], []) if symbol else []
        if len(found) != 1 or len(symbol) > 2:
            return None
        node = found[0]
        if isinstance(node, ast.ClassDef):
            wanted = symbol[1] if len(symbol) == 2 else "__init__"
            inside = [one for one in node.body if isinstance(one, _Function) and one.name == wanted]
            if len(inside) != 1 or not _plain(inside[0]):
                return None
            static = any(isinstance(one, ast.Name) and one.id == "staticmethod" for one in inside[0].decorator_list)
            return _signature(inside[0].args, 0 if static else 1)
        if isinstance(node, _Function) and len(symbol) == 1 and _plain(node):
            return _signature(node.args, 0)
        return None


def source(text: str) -> Source | None:
    """The file's names; None when it does not parse."""
    if len(text) > _LARGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found = Source()
    for node in _top(tree.body, 0):
        _bind(node, found)
    return found


def offers(text: str, name: str) -> bool:
    """By pattern: a definition, an assignment, an import, or an entry of a list or table of names."""
    if name not in text:
        return False
    word = re.escape(name)
    return (
        re.search(
            rf"(?m)^(?:[ \t]*(?:async[ \t]+def|def|class)[ \t]+{word}\b|{word}[ \t]*[:=]"
            rf"|[ \t]*(?:from|import)\b[^\n#]*[ \t,(]{word}(?:[ \t]*(?:,|\)|#|$)|[ \t]+as[ \t]+{word}\b)"
            rf"|[^\n#]*\bas[ \t]+{word}[ \t]*(?:,|\)|#|$)|[ \t]+{word}[ \t]*,?[ \t]*(?:#[^\n]*)?$)|[\"']{word}[\"']",
            text,
        )
        is not None
    )


def _top(body: Sequence[ast.stmt], depth: int) -> Iterator[ast.stmt]:
    """Statements that run when the module is imported, those of conditions and attempts included."""
    for node in body if depth <= _DEEPEST else ():
        yield node
        if isinstance(node, ast.If | ast.For | ast.While):
            if isinstance(node, ast.If) and _only_types(node.test):
                yield from _top(node.orelse, depth + 1)
                continue
            yield from _top([*node.body, *node.orelse], depth + 1)
        elif isinstance(node, ast.Try | ast.TryStar):
            handled = [one for handler in node.handlers for one in handler.body]
            yield from _top([*node.body, *handled, *node.orelse, *node.finalbody], depth + 1)
        elif isinstance(node, ast.With):
            yield from _top(node.body, depth + 1)


def _only_types(test: ast.expr) -> bool:
    last = test.attr if isinstance(test, ast.Attribute) else test.id if isinstance(test, ast.Name) else ""
    return last == "TYPE_CHECKING"


def _bind(node: ast.stmt, found: Source) -> None:
    if isinstance(node, _Function | ast.ClassDef):
        found.names.add(node.name)
        found.tops.setdefault(node.name, []).append(node)
        found.hook = found.hook or (node.name == "__getattr__" and _open(node))
        found.listed |= _strings(node) if node.name == "__getattr__" else set()
    elif isinstance(node, ast.Import):
        found.names |= {one.asname or one.name.partition(".")[0] for one in node.names}
    elif isinstance(node, ast.ImportFrom):
        starred = any(one.name == "*" for one in node.names)
        found.stars += ["." * node.level + (node.module or "")] if starred else []
        found.names |= {one.asname or one.name for one in node.names}
        module = "." * node.level + (node.module or "")
        found.origins |= {one.asname or one.name: (module, one.name) for one in node.names}
    elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}
        found.names |= names
        if node.value is not None and isinstance(node.value, ast.Dict | ast.List | ast.Tuple | ast.Set | ast.BinOp):
            found.listed |= _strings(node.value)


def _open(hook: ast.stmt) -> bool:
    """A hook that answers for more than the names it lists: it compares with nothing before it imports."""
    return not any(isinstance(one, ast.Compare) for one in ast.walk(hook))


def _strings(node: ast.AST) -> set[str]:
    return {
        one.value
        for one in ast.walk(node)
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value.isidentifier()
    }


def _members(node: ast.ClassDef) -> Iterator[str]:
    for one in _top(node.body, 0):
        if isinstance(one, _Function | ast.ClassDef):
            yield one.name
        if isinstance(one, _Function):
            yield from (
                inner.attr
                for inner in ast.walk(one)
                if isinstance(inner, ast.Attribute)
                and isinstance(inner.ctx, ast.Store)
                and isinstance(inner.value, ast.Name)
                and inner.value.id == "self"
            )
        if isinstance(one, ast.Assign | ast.AnnAssign):
            targets = one.targets if isinstance(one, ast.Assign) else [one.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def _marked(node: _Function) -> bool:
    """Decorated as abstract."""
    marks = {part.attr if isinstance(part, ast.Attribute) else part.id for mark in node.decorator_list
             for part in ast.walk(mark) if isinstance(part, ast.Attribute | ast.Name)}  # fmt: skip
    return any("abstract" in mark for mark in marks)


def _refuses(node: _Function) -> bool:
    """A body that does nothing but raise."""
    body = [one for one in node.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
    return len(body) == 1 and isinstance(body[0], ast.Raise)


def _plain(node: _Function) -> bool:
    """No decorator that may hand other arguments on."""
    known = {
        "staticmethod",
        "classmethod",
        "abstractmethod",
        "property",
        "override",
        "torch",
        "inference_mode",
        "cache",
    }
    for one in node.decorator_list:
        head = one.func if isinstance(one, ast.Call) else one
        words = {part.id if isinstance(part, ast.Name) else getattr(part, "attr", "") for part in ast.walk(head)}
        if not words & known:
            return False
    return True


def _signature(every: ast.arguments, skipped: int) -> Signature:
    places = [*every.posonlyargs, *every.args][skipped:]
    optional = len(every.defaults)
    needed = places[: len(places) - optional] if optional <= len(places) else []
    by_word = [*every.args[max(0, skipped - len(every.posonlyargs)) :], *every.kwonlyargs]
    only = {one.arg for one, default in zip(every.kwonlyargs, every.kw_defaults, strict=True) if default is None}
    return Signature(
        places=tuple(one.arg for one in places),
        keywords=frozenset(one.arg for one in by_word),
        required=frozenset({one.arg for one in needed} | only),
        others=every.kwarg is not None,
    )
