"""What a Python file offers to whoever imports it, read from its text: names, members of classes, parameters.

The text is somebody else's: it is parsed and never run, and what does not parse is asked with a pattern instead.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from daybreak.upgrade.downstream.python import parsed

_LARGEST = 2_000_000
_DEEPEST = 6
_LAZY = re.compile(r"(\.{0,3}[A-Za-z_][\w.]{0,200}|\.{1,3}):([A-Za-z_]\w{0,100})")
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Signature(Struct, frozen=True):
    """Parameters of a function as its callers see them."""

    places: tuple[str, ...]
    """Those that can be passed by position, in order."""
    keywords: frozenset[str]
    """Those that can be passed by keyword."""
    required: frozenset[str]
    others: bool
    """`**kwargs`: any keyword."""
    more: bool = False
    """`*args`: any number by position."""

    def lacks(self, parameter: str, positional: int, keywords: Sequence[str]) -> bool:
        """Whether a call with so many arguments by position and these keywords leaves out what it must pass."""
        return parameter in self.required and parameter not in (*self.places[:positional], *keywords)

    def takes(self, positional: int, keywords: Sequence[str]) -> bool:
        """Whether a call with so many arguments by position and these keywords can be one of this function."""
        many = positional > len(self.places) and not self.more
        return not many and not any(self.lacks(one, positional, keywords) for one in self.required)

    def asks_beyond(self, before: Signature, positional: int, keywords: Sequence[str]) -> list[str]:
        """What a call that was whole must pass now: where a parameter was put before others, that one and not the last of
        them, which gets nothing any more.
        """
        short = [
            one
            for one in sorted(self.required)
            if self.lacks(one, positional, keywords) and not before.lacks(one, positional, keywords)
        ]
        known = {*before.places, *before.keywords}
        new = [one for one in self.places if one in self.required and one not in known and one not in keywords]
        return [one for one in short if one not in known] or (new if short else []) or short


@dataclass(slots=True)
class Source:
    """One file."""

    tree: ast.Module
    names: set[str] = field(default_factory=set)
    """Bound at the top, also below `if` and `try`."""
    listed: set[str] = field(default_factory=set)
    """Strings of tables at the top: `__all__`, names that a hook imports when they are asked for."""
    origins: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Name → the module it is imported from, with leading dots as written, and its name there."""
    stars: list[str] = field(default_factory=list)
    """Modules of which everything is imported, with leading dots as written."""
    keys: set[str] = field(default_factory=set)
    """Keys of tables at the top."""
    aliases: dict[str, str] = field(default_factory=dict)
    """Names that a hook still answers for with a warning → the warning's text."""
    hook: bool = False
    """`__getattr__` may answer for any name."""
    tops: dict[str, list[ast.stmt]] = field(default_factory=dict)
    """Functions and classes."""
    values: dict[str, ast.expr] = field(default_factory=dict)
    """Name → what it is given at the top."""
    hints: dict[str, tuple[str, str]] = field(default_factory=dict)
    """As `origins`, for imports that only type checkers see."""

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
        """Names of a class's bases as far as they are plain, `module.Name` and `Name[T]` among them."""
        nodes = [one for one in self.tops.get(name, []) if isinstance(one, ast.ClassDef)]
        bare = (base.value if isinstance(base, ast.Subscript) else base for node in nodes[:1] for base in node.bases)
        return [ast.unparse(base) for base in bare if isinstance(base, ast.Name | ast.Attribute)]

    def field(self, owner: str, name: str) -> str:
        """What the body of a class gives a field, as it is written; empty where it has none of that name."""
        if name not in (self.members(owner) or ()):
            return ""
        body = [one for node in self.tops[owner] if isinstance(node, ast.ClassDef) for one in node.body]
        fields = (one for one in body if isinstance(one, ast.AnnAssign) and ast.unparse(one.target) == name)
        given = next((one.value for one in fields), None)
        return f"{name} = {ast.unparse(given)}" if given is not None else name

    def abstract(self, symbol: Sequence[str]) -> bool | None:
        """Whether a method must be written by whoever subclasses; None when the file has no such method."""
        found = self.tops.get(symbol[0], []) if len(symbol) == 2 else []
        every = [one for node in found if isinstance(node, ast.ClassDef) for one in node.body]
        methods = [one for one in every if isinstance(one, Function)]
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
            inside = [one for one in node.body if isinstance(one, Function) and one.name == wanted]
            return signature_of(inside[0], True) if len(inside) == 1 and _plain(inside[0]) else None
        if isinstance(node, Function) and len(symbol) == 1 and _plain(node):
            return signature_of(node, False)
        return None


def tree_of(text: str) -> ast.Module | None:
    """A file as Python reads it; None when it does not parse."""
    try:
        return parsed(text) if len(text) <= _LARGEST else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def source(text: str) -> Source | None:
    """The file's names; None when it does not parse."""
    tree = tree_of(text)
    if tree is None:
        return None
    found = Source(tree)
    for node in statements_of(tree.body):
        _bind(node, found)
    _find_aliases(found)
    for node in tree.body:
        if isinstance(node, ast.If) and _only_types(node.test):
            for one in node.body:
                found.hints |= _origins(one)
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


def statements_of(body: Sequence[ast.stmt], depth: int = 0) -> Iterator[ast.stmt]:
    """Statements of a body, those of conditions, loops and attempts included; what only type checkers see is not."""
    for node in body if depth <= _DEEPEST else ():
        yield node
        if isinstance(node, ast.If | ast.For | ast.AsyncFor | ast.While):
            if isinstance(node, ast.If) and _only_types(node.test):
                yield from statements_of(node.orelse, depth + 1)
                continue
            yield from statements_of([*node.body, *node.orelse], depth + 1)
        elif isinstance(node, ast.Try | ast.TryStar):
            handled = [one for handler in node.handlers for one in handler.body]
            yield from statements_of([*node.body, *handled, *node.orelse, *node.finalbody], depth + 1)
        elif isinstance(node, ast.With | ast.AsyncWith):
            yield from statements_of(node.body, depth + 1)


def _only_types(test: ast.expr) -> bool:
    last = test.attr if isinstance(test, ast.Attribute) else test.id if isinstance(test, ast.Name) else ""
    return last == "TYPE_CHECKING"


def _bind(node: ast.stmt, found: Source) -> None:
    if isinstance(node, Function | ast.ClassDef):
        found.names.add(node.name)
        found.tops.setdefault(node.name, []).append(node)
        found.hook = found.hook or (node.name == "__getattr__" and _open(node))
        found.listed |= _strings(node) if node.name == "__getattr__" else set()
    elif isinstance(node, ast.Import):
        found.names |= {one.asname or one.name.partition(".")[0] for one in node.names}
        found.origins |= _origins(node)
    elif isinstance(node, ast.ImportFrom):
        starred = any(one.name == "*" for one in node.names)
        found.stars += ["." * node.level + (node.module or "")] if starred else []
        found.names |= {one.asname or one.name for one in node.names}
        found.origins |= _origins(node)
    elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}
        found.names |= names
        if node.value is not None and isinstance(node.value, ast.Dict | ast.List | ast.Tuple | ast.Set | ast.BinOp):
            found.listed |= _strings(node.value)
            found.keys |= _keys(node.value)
            found.origins |= _lazy(node.value)
        elif node.value is not None and not isinstance(node, ast.AugAssign):
            found.values |= dict.fromkeys(names, node.value) if len(names) == 1 else {}


def _origins(node: ast.stmt) -> dict[str, tuple[str, str]]:
    """Name → where an import takes it from; a whole module has no name there."""
    if isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        return {one.asname or one.name: (module, one.name) for one in node.names}
    if isinstance(node, ast.Import):
        return {
            x.asname or x.name.partition(".")[0]: (x.name if x.asname else x.name.partition(".")[0], "")
            for x in node.names
        }
    return {}


def _lazy(node: ast.expr) -> dict[str, tuple[str, str]]:
    """A table from which a hook imports: `{"LLM": ".entrypoints.llm:LLM"}`."""
    pairs = zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ()
    found: dict[str, tuple[str, str]] = {}
    for key, value in pairs:
        if isinstance(key, ast.Constant) and isinstance(value, ast.Constant) and isinstance(key.value, str):
            where = _LAZY.fullmatch(value.value) if isinstance(value.value, str) else None
            found |= {key.value: (where[1], where[2])} if where else {}
    return found


def _find_aliases(found: Source) -> None:
    """A hook that warns: what it compares with or a table maps, and nothing defines, is kept for those who still ask."""
    for hook in found.tops.get("__getattr__", []):
        calls = (one for one in ast.walk(hook) if isinstance(one, ast.Call))
        said = [call for call in calls if "warn" in ast.unparse(call.func)[-40:].lower()]
        texts = [" ".join(" ".join(_texts(one)).split())[:300] for one in said]
        asked = {x for one in ast.walk(hook) if isinstance(one, ast.Compare) for x in _strings(one)}
        for name in sorted((asked | found.keys) - found.names) if texts else ():
            own = (text for text in texts if re.search(rf"\b{re.escape(name)}\b", text))
            found.aliases[name] = next(own, texts[0])


def _texts(node: ast.AST) -> Iterator[str]:
    return (x.value for x in ast.walk(node) if isinstance(x, ast.Constant) and isinstance(x.value, str))


def _keys(node: ast.expr) -> set[str]:
    """Names that a table maps; of a plain list all of them."""
    if isinstance(node, ast.Dict):
        return {x for key in node.keys if key is not None for x in _strings(key)}
    return _strings(node)


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
    for one in statements_of(node.body):
        if isinstance(one, Function | ast.ClassDef):
            yield one.name
        if isinstance(one, Function):
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


def _marked(node: Function) -> bool:
    """Decorated as abstract."""
    marks = {part.attr if isinstance(part, ast.Attribute) else part.id for mark in node.decorator_list
             for part in ast.walk(mark) if isinstance(part, ast.Attribute | ast.Name)}  # fmt: skip
    return any("abstract" in mark for mark in marks)


def _refuses(node: Function) -> bool:
    """A body that does nothing but raise."""
    body = [one for one in node.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
    return len(body) == 1 and isinstance(body[0], ast.Raise)


def _plain(node: Function) -> bool:
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


def signature_of(node: Function, inside: bool) -> Signature:
    """Parameters as callers see them; `inside` a class the first one is not passed."""
    static = any(isinstance(one, ast.Name) and one.id == "staticmethod" for one in node.decorator_list)
    every, skipped = node.args, 1 if inside and not static else 0
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
        more=every.vararg is not None,
    )
