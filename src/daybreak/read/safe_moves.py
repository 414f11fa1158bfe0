"""Proof that Python definitions only changed places: each stands unchanged somewhere, and its names mean the same."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from daybreak.read.safe_python import Bare, parse

Meaning = tuple[str, ...]
"""What a name stands for: a definition by its content, an import by its origin, a value by its file."""

_LOGGER = re.compile(r"logger = [\w.]+\(__name__\)$")


@dataclass(slots=True)
class _Side:
    """The top level of one file before or after."""

    module: str
    definitions: dict[str, str] = field(default_factory=dict)
    uses: dict[str, frozenset[str]] = field(default_factory=dict)
    """Definition → names it reads."""
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Bound name → module and name in it."""
    others: list[str] = field(default_factory=list)
    values: set[str] = field(default_factory=set)


class Moves:
    """Files that differ, to be explained together by definitions that changed places."""

    def __init__(self) -> None:
        self._files: list[tuple[_Side, _Side]] = []

    @property
    def empty(self) -> bool:
        return not self._files

    def add(self, old_path: str, path: str, old: str, new: str) -> bool:
        """Takes one file; False when it holds what no move explains."""
        before, after = _side(_module(old_path), old), _side(_module(path), new)
        if before is None or after is None or before.others != after.others:
            return False
        self._files.append((before, after))
        return True

    def proved(self, places: Sequence[tuple[str, str]]) -> bool:
        """Every definition is still there, and every name that a file or definition uses means what it meant.

        `places` are old and new paths of files of the change, renamed ones among them.
        """
        old, new = [f[0] for f in self._files], [f[1] for f in self._files]
        if _all(old) != _all(new):
            return False
        modules = {_module(a): _module(b) for a, b in places}
        before, after = _homes(old), _homes(new)
        for was, now in self._files:
            kept = was.definitions.items() & now.definitions.items()
            used = {name for d, _ in kept for name in now.uses[d]} | _words(now.others)
            used |= was.imports.keys() & now.imports.keys()  # others may import them from here
            if any(_means(n, was, before, modules) != _means(n, now, after, {}) for n in used):
                return False
        return self._moved_mean_the_same(before, after, modules)

    def _moved_mean_the_same(
        self, before: Mapping[tuple[str, str], str], after: Mapping[tuple[str, str], str], modules: Mapping[str, str]
    ) -> bool:
        source = {item: was for was, now in self._files for item in was.definitions.items() - now.definitions.items()}
        for was, now in self._files:
            for item in now.definitions.items() - was.definitions.items():
                if item not in source:
                    return False
                for name in now.uses[item[0]]:
                    if _means(name, source[item], before, modules) != _means(name, now, after, {}):
                        return False
        return True


def _all(sides: Sequence[_Side]) -> Counter[tuple[str, str]]:
    return Counter(item for s in sides for item in s.definitions.items())


def _homes(sides: Sequence[_Side]) -> dict[tuple[str, str], str]:
    return {(s.module, name): dump for s in sides for name, dump in s.definitions.items()}


def _means(name: str, side: _Side, homes: Mapping[tuple[str, str], str], modules: Mapping[str, str]) -> Meaning:
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
    return {w for t in texts for w in re.findall(r"[A-Za-z_]\w*", t)}


def _module(path: str) -> str:
    """`python/pkg/a/b.py` → `pkg.a.b`."""
    parts = path.rsplit(".", 1)[0].split("/")
    parts = parts[1:] if parts[0] in ("python", "src") else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _side(module: str, text: str) -> _Side | None:
    """The top level of a file; None when it holds what could make a move matter."""
    side = _Side(module)
    for node in Bare().visit(parse(text)).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if node.name in side.definitions or node.name in side.imports:
                return None  # two of one name: their order decides
            side.definitions[node.name] = ast.dump(node)
            side.uses[node.name] = frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name))
            if any(isinstance(n, ast.Global | ast.ImportFrom) and getattr(n, "level", 1) for n in ast.walk(node)):
                return None  # a state of its module, or an import relative to its place
        elif _bound_twice(node, side):
            return None
        elif not _import(node, side):
            text_of = ast.unparse(node)
            side.values.update(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
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
