"""Proof that Python definitions only changed places: each stands unchanged somewhere, and its names mean the same."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from daybreak.findings.safe_python import Bare, alike, lines_of, parse, parts, same, written

_LOGGER = re.compile(r"logger = [\w.]+\(__name__\)$")
_TIED = re.compile(r"\bglobal\b|\bfrom\b[\s\\]*\.")
"""Without one of these a definition has neither a state of its module nor an import relative to its place."""
_WORD = re.compile(r"[A-Za-z_]\w*")


class Definition:
    """A function or class by its content; what costs time is looked at only when its text does not settle it."""

    def __init__(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, text: str) -> None:
        self._node, self._text = node, text

    def __hash__(self) -> int:
        return hash(self._node.name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Definition):
            return False
        if self._text == other._text:
            return True
        return alike(self._node, other._node) and same(self._bare, other._bare)

    @cached_property
    def _bare(self) -> ast.AST:
        bare: ast.AST = Bare().visit(self._node)
        return bare

    @cached_property
    def uses(self) -> frozenset[str]:
        """Names it reads."""
        return frozenset(n.id for n in ast.walk(self._node) if isinstance(n, ast.Name))

    @property
    def tied(self) -> bool:
        """It has a state of its module, or an import relative to its place."""
        return _TIED.search(self._text) is not None and any(
            isinstance(n, ast.Global | ast.ImportFrom) and getattr(n, "level", 1) for n in ast.walk(self._node)
        )

    def may_use(self, names: Iterable[str]) -> bool:
        """False only when none of the names is in its text; other spellings of a name are none in ASCII."""
        return not self._text.isascii() or not set(_WORD.findall(self._text)).isdisjoint(names)


Meaning = tuple[str | Definition, ...]
"""What a name stands for: a definition by its content, an import by its origin, a value by its file."""


@dataclass(slots=True)
class _Side:
    """The top level of one file before or after."""

    module: str
    definitions: dict[str, Definition] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Bound name → module and name in it."""
    others: list[str] = field(default_factory=list)
    values: set[str] = field(default_factory=set)

    def names(self) -> set[str]:
        """Names that stand for something here; all others stand for the same thing elsewhere."""
        return {*self.definitions, *self.imports, *self.values}


Homes = Mapping[tuple[str, str], Definition]
"""Module and name → what is defined there."""


class Moves:
    """Files that differ, to be explained together by definitions that changed places."""

    def __init__(self) -> None:
        self._given: list[tuple[str, str, str, str]] = []
        self._files: list[tuple[_Side, _Side]] = []

    @property
    def empty(self) -> bool:
        return not self._given

    def add(self, old_path: str, path: str, old: str, new: str) -> None:
        """Takes one file, to be explained with the others."""
        self._given.append((old_path, path, old, new))

    def _balanced(self) -> bool:
        """No definition comes or goes where the files differ: what stands elsewhere need not be looked at for that."""
        count = Counter[tuple[str, Definition]]()
        for _, _, old, new in self._given:
            pieces = parts(lines_of(old), lines_of(new), inside=False)
            try:
                found = [_definitions(piece) for piece in pieces]
            except (SyntaxError, ValueError):
                return True  # cut in the wrong place, or no Python at all: the whole files will tell
            count.update(found[0])
            count.subtract(found[1])
        return not any(count.values())

    def _read(self, old_path: str, path: str, old: str, new: str) -> bool:
        """Reads one file; False when it holds what no move explains."""
        before, after = _side(_module(old_path), old), _side(_module(path), new)
        if before is None or after is None or before.others != after.others:
            return False
        self._files.append((before, after))
        return True

    def proved(self, places: Sequence[tuple[str, str]]) -> bool:
        """Every definition is still there, and every name that a file or definition uses means what it meant.

        `places` are old and new paths of files of the change, renamed ones among them.
        """
        if not self._balanced() or not all(self._read(*one) for one in self._given):
            return False
        old, new = [f[0] for f in self._files], [f[1] for f in self._files]
        if _all(old) != _all(new):
            return False
        modules = {_module(a): _module(b) for a, b in places}
        before, after = _homes(old), _homes(new)
        for was, now in self._files:
            known = was.names() | now.names()
            other = {n for n in known if _means(n, was, before, modules) != _means(n, now, after, {})}
            if other and _uses(was, now, other):
                return False
        return self._moved_mean_the_same(before, after, modules)

    def _moved_mean_the_same(self, before: Homes, after: Homes, modules: Mapping[str, str]) -> bool:
        source = {item: was for was, now in self._files for item in was.definitions.items() - now.definitions.items()}
        for was, now in self._files:
            for item in now.definitions.items() - was.definitions.items():
                if item not in source:
                    return False
                for name in item[1].uses:
                    if _means(name, source[item], before, modules) != _means(name, now, after, {}):
                        return False
        return True


def _uses(was: _Side, now: _Side, names: set[str]) -> bool:
    """Whether what stayed in a file uses one of the names."""
    if names & _words(now.others) or names & was.imports.keys() & now.imports.keys():
        return True  # others may import from here what is imported here
    kept = was.definitions.items() & now.definitions.items()
    return any(not names.isdisjoint(one.uses) for _, one in kept if one.may_use(names))


def _all(sides: Sequence[_Side]) -> Counter[tuple[str, Definition]]:
    return Counter(item for s in sides for item in s.definitions.items())


def _homes(sides: Sequence[_Side]) -> Homes:
    return {(s.module, name): one for s in sides for name, one in s.definitions.items()}


def _means(name: str, side: _Side, homes: Homes, modules: Mapping[str, str]) -> Meaning:
    """What a name stands for in a file; `modules` says where a renamed module stands now."""
    if name in side.definitions:
        return ("definition", name, side.definitions[name])
    if name in side.imports:
        module, own = side.imports[name]
        held = homes.get((module, own))
        if held is not None:
            return ("definition", own, held)
        return ("import", modules.get(module, module), own)
    if name in side.values:
        return ("logger",) if name == "logger" else ("value", modules.get(side.module, side.module), name)
    return ("elsewhere",)


def _words(texts: Sequence[str]) -> set[str]:
    return {w for t in texts for w in _WORD.findall(t)}


def _module(path: str) -> str:
    """`python/pkg/a/b.py` → `pkg.a.b`."""
    parts = path.rsplit(".", 1)[0].split("/")
    parts = parts[1:] if parts[0] in ("python", "src") else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _definitions(text: str) -> list[tuple[str, Definition]]:
    """The functions and classes at the top level."""
    lines = lines_of(text)
    return [
        (node.name, Definition(node, "\n".join(written(node, lines))))
        for node in parse(text).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    ]


def _side(module: str, text: str) -> _Side | None:
    """The top level of a file; None when it holds what could make a move matter."""
    side, lines = _Side(module), lines_of(text)
    for node in parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if node.name in side.definitions or node.name in side.imports:
                return None  # two of one name: their order decides
            one = side.definitions[node.name] = Definition(node, "\n".join(written(node, lines)))
            if one.tied:
                return None
        elif _bound_twice(node, side):
            return None
        elif not _import(node, side) and (bare := Bare().visit(node)) is not None:
            text_of = ast.unparse(bare)
            side.values.update(n.id for n in ast.walk(bare) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
            if not _LOGGER.match(text_of):
                side.others.append(text_of)
    return side


def _bound_twice(node: ast.stmt, side: _Side) -> bool:
    """An import of a name that the file has already: their order decides."""
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return False
    names = {a.asname or a.name for a in node.names if isinstance(node, ast.ImportFrom) or a.asname}
    return bool(names & (side.imports.keys() | side.definitions.keys()))


def _import(node: ast.stmt, side: _Side) -> bool:
    if isinstance(node, ast.Import):
        side.imports.update({a.asname or a.name.split(".")[0]: (a.name, "") for a in node.names})
        return True
    if not isinstance(node, ast.ImportFrom):
        return False
    if any(a.name == "*" for a in node.names) or node.module == "__future__":
        return False  # stays where it is, like any other statement
    origin = node.module or ""
    if node.level:
        base = side.module.split(".")
        base = base[: len(base) - node.level]
        origin = ".".join([*base, *([origin] if origin else [])])
    side.imports.update({a.asname or a.name: (origin, a.name) for a in node.names})
    return True
