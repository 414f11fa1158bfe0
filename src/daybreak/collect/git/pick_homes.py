"""Where a pick's names must stand: a member in a file that defines its class, what is imported in the file of its module."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import PurePosixPath
from typing import NamedTuple

from daybreak.collect.git.line_heads import statements_of
from daybreak.collect.git.standing import NOTHING, Text, parsed
from daybreak.collect.git.tree_search import Tree

_CLASS = re.compile(r"[A-Z][A-Z0-9_]*[a-z]\w*")
_HEAD = re.compile(r"\s*(?:class|struct|enum(?:\s(?:class|struct))?)\s([A-Za-z_]\w*)")
_METHOD = re.compile(r"\bdef\s([A-Za-z_]\w*)")
_COMMENT = re.compile(r"(?:#|//).{0,400}$")
_ASKED = 60
"""Classes and files that are looked for."""


class Imported(NamedTuple):
    """What a file takes from a module of its own project."""

    name: str
    module: str
    """Path without its ending."""
    alias: str


class Homes:
    """The files of one tree in which names are defined."""

    def __init__(self, tree: Tree, endings: Iterable[str]) -> None:
        self._tree, self._endings = tree, endings

    def of_classes(self, names: Iterable[str]) -> dict[str, list[Text]]:
        """Class -> the files that define one of this name."""
        asked = sorted(set(names))[:_ASKED]
        rows = self._tree.places(
            [f"{word} {name}" for name in asked for word in ("class", "struct", "enum")], self._endings
        )
        found = [
            (match[1], path) for path, _, row in rows or () if (match := _HEAD.match(row[:400])) and match[1] in asked
        ]
        self._tree.load(path for _, path in found)
        out: dict[str, list[Text]] = {}
        for name, path in dict.fromkeys(found):
            out.setdefault(name, []).append(self._tree.text(path) or NOTHING)
        return out

    def defines(self, methods: Collection[str]) -> bool:
        """One file defines all of these."""
        rows = self._tree.places([f"def {name}" for name in sorted(methods)[:_ASKED]], self._endings)
        found: dict[str, set[str]] = {}
        for path, _, row in rows or ():
            found.setdefault(path, set()).update(_METHOD.findall(row[:400]))
        return any(names.issuperset(methods) for names in found.values())

    def has(self, one: Imported) -> bool | None:
        """A module has a name, or a part of that name; None where there is no such module."""
        places = (
            f"{one.module}.py",
            f"{one.module}/__init__.py",
            f"{one.module}/{one.name}.py",
            f"{one.module}/{one.name}/__init__.py",
        )
        self._tree.load(places)
        texts = [self._tree.text(path) for path in places]
        if not any(texts):
            return None
        stars = any(text is not None and ("import *" in text.raw or "__getattr__" in text.raw) for text in texts[:2])
        return any(texts[2:]) or stars or any(_says(text, one.name) for text in texts[:2] if text)


Reads = Iterable[tuple[str, str]]
"""Owner and name."""


def homeless(
    reads: Reads, now: Mapping[str, Text], was: Mapping[str, Text], sides: Callable[[], tuple[Homes, Homes]]
) -> list[str]:
    """Names that the branch has where they belong and the release has not: members of a class that both define, and what
    files import since. `now`, `was`: the files of the release with the change and without; `sides`: release and branch.
    """
    members = sorted({(owner, name) for owner, name in reads if _CLASS.fullmatch(owner)})
    taken = list(islice((one for path, text in now.items() for one in _new_imports(path, text, was.get(path))), _ASKED))
    if not members and not taken:
        return []
    release, branch = sides()
    there, here = (side.of_classes(owner for owner, _ in members) for side in (release, branch))
    lost = [name for owner, name in members if _names(here, owner, name) and _names(there, owner, name) is False]
    return [*lost, *(one.name for one in taken if branch.has(one) and not release.has(one))]


def _names(homes: Mapping[str, Sequence[Text]], owner: str, name: str) -> bool | None:
    return any(_says(text, name) for text in homes[owner]) if owner in homes else None


def _says(text: Text, name: str) -> bool:
    """A name stands in a file outside of comments and texts of several lines."""
    if not text.names(name):
        return False
    rows = (row for at, row in enumerate(text.raw.split("\n"), 1) if name in row and at not in text.quoted)
    return any(re.search(rf"(?<!\w){name}(?!\w)", _COMMENT.sub("", row[:400])) for row in rows)


def _new_imports(path: str, text: Text, before: Text | None) -> Iterator[Imported]:
    known = set(_imports(path, before)) if before is not None else set[Imported]()
    return (one for one in _imports(path, text) if one not in known)


def _imports(path: str, text: Text) -> Iterator[Imported]:
    """What a file of Python takes from others of its project, as far as its own path tells where they are."""
    tree = parsed(text.raw) if path.endswith(".py") else None
    for node in statements_of(tree) if tree else ():
        home = _home(path, node) if isinstance(node, ast.ImportFrom) else None
        if isinstance(node, ast.ImportFrom) and home is not None:
            yield from (Imported(one.name, home, one.asname or one.name) for one in node.names if one.name != "*")


def _home(path: str, node: ast.ImportFrom) -> str | None:
    folders = PurePosixPath(path).parent.parts
    parts = (node.module or "").split(".") if node.module else []
    if node.level:
        return "/".join((*folders[: len(folders) - node.level + 1], *parts)) if node.level <= len(folders) else None
    return "/".join((*folders[: folders.index(parts[0])], *parts)) if parts and parts[0] in folders else None
