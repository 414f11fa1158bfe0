"""Members of a Python class that went from it and that a base class gives it all the same: they are not gone.

The hunks show the class, seldom its bases: these are looked up in the tree at the commit, level by level. Of a base that
stands in another project nobody knows here what it gives; a class of settings that has one may well inherit the field.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from daybreak.core.model.changes import Change
from daybreak.findings.blobs import Row, Surface
from daybreak.findings.kinds import ANOTHER_NAME, kind_of, named
from daybreak.findings.languages.base import Fact
from daybreak.findings.languages.python_members import default_of
from daybreak.findings.languages.python_normal import same_value
from daybreak.findings.languages.python_public import bases, is_setting
from daybreak.findings.languages.python_surface import surface
from daybreak.findings.still_defined import texts_at
from daybreak.findings.trees import Trees, Where

_FAMILIES = frozenset({"field", "internal_field", "attribute", "function", "extension_method", "internal_method"})
_EVERYBODYS = frozenset({"object", "ABC", "Protocol", "Generic", "Enum"})
"""Bases that give a class no method of a name that it would choose itself."""
_PYTHON = Where(endings=(".py", ".pyi"))
_LEVELS = 8
_MOST = 60
"""Classes that are looked up of one change, and files that are read for each level."""
_NAME = re.compile(r"[A-Za-z_]\w*")


class _Class(NamedTuple):
    path: str
    name: str


def without_inherited(trees: Trees, change: Change, facts: Iterable[Fact]) -> set[Fact]:
    """The same facts without removals of members that the class has by a base."""
    found = set(facts)
    left = _inherited(trees, change, found)
    return (found - left.keys()) | {fact for fact in left.values() if fact is not None}


def _inherited(trees: Trees, change: Change, facts: Iterable[Fact]) -> dict[Fact, Fact | None]:
    """Facts of members that went → what is left of each; None where nothing is."""
    asked = [fact for fact in facts if _is_asked(fact)]
    owners = sorted({_Class(fact.path, fact.symbol.rpartition(".")[0]) for fact in asked})
    if not asked or len(owners) > _MOST:
        return {}
    lines = _Lines(trees, change.sha)
    lines.load(owners)
    out: dict[Fact, Fact | None] = {}
    for fact in asked:
        owner, _, short = fact.symbol.rpartition(".")
        found, outside = lines.member(_Class(fact.path, owner), short)
        if found is not None:
            out[fact] = _other_default(fact, found)
        elif outside and fact.breaking and kind_of(fact.kind).family == "field":
            out[fact] = replace(fact, breaking=False, alias=None)
        elif kind_of(fact.kind).means("internal_method", "removed") and lines.is_foreign(
            _Class(fact.path, owner), short
        ):
            out[fact] = None
    return out


def _is_asked(fact: Fact) -> bool:
    kind = kind_of(fact.kind)
    went = kind.change == "removed" or kind.change in ANOTHER_NAME
    return kind.family in _FAMILIES and went and "." in fact.symbol and fact.path.endswith((".py", ".pyi"))


def _other_default(fact: Fact, found: Row) -> Fact | None:
    """A field that the base gives with another default: who sets nothing has that now."""
    was = fact.before.partition(" = ")[2] if kind_of(fact.kind).means("field", "removed") and fact.before else ""
    now = default_of(found) if found.kind == "attribute" else None
    if not was or now is None or same_value(was, now):
        return None
    return Fact(named("field", "default_changed"), fact.path, fact.line, fact.symbol, was, now)


class _Lines:
    """Classes of one tree with their bases, as far as they were asked for."""

    def __init__(self, trees: Trees, commit: str) -> None:
        self._trees, self._commit = trees, commit
        self._read: dict[str, Surface] = {}
        self._bases: dict[_Class, list[_Class | str]] = {}

    def load(self, classes: Sequence[_Class]) -> None:
        """The classes, their bases and theirs; a base that the tree has not is kept by its name."""
        for _ in range(_LEVELS):
            self._open({one.path for one in classes})
            written = {one: self._written(one) for one in classes if one not in self._bases}
            places = self._defined({name for names in written.values() for name in names})
            for one, names in written.items():
                self._bases[one] = [base for name in names for base in self._base(one, name, places)]
            classes = [x for one in written for x in self._bases[one] if isinstance(x, _Class) and x not in self._bases]
            if not classes:
                return

    def member(self, owner: _Class, short: str) -> tuple[Row | None, str | None]:
        """What a base defines under the name, and else a base in another project that may."""
        outside: str | None = None
        for base in self._above(owner):
            if isinstance(base, str):
                outside = outside or (base if is_setting(base) or base.endswith("Arguments") else None)
                continue
            side = self._read.get(base.path)
            for kind in ("attribute", "method") if side else ():
                if side and (row := side.get((kind, f"{base.name}.{short}"))):
                    return row, None
        return None, outside

    def is_foreign(self, owner: _Class, short: str) -> bool:
        """A base that stands in another project may well give it; one that starts with an underscore is hardly an override."""
        names = (base.rpartition(".")[2] for base in self._above(owner) if isinstance(base, str))
        return not short.startswith("_") and any(name not in _EVERYBODYS for name in names)

    def _above(self, owner: _Class) -> Iterator[_Class | str]:
        left, seen = [*self._bases.get(owner, ())], set[_Class | str]()
        while left:
            one = left.pop(0)
            if one not in seen:
                seen.add(one)
                yield one
                left += self._bases.get(one, ()) if isinstance(one, _Class) else ()

    def _open(self, paths: set[str]) -> None:
        wanted = sorted(paths - self._read.keys())[:_MOST]
        for path, text in texts_at(self._trees, self._commit, wanted).items():
            self._read[path] = surface(path, text)

    def _written(self, one: _Class) -> list[str]:
        """Names of the bases as the class writes them, without what they are filled with."""
        row = self._read[one.path].get(("class", one.name)) if one.path in self._read else None
        plain = (base.split("[", 1)[0].strip() for base in bases(row) if "=" not in base)
        return [base for base in plain if _NAME.fullmatch(base.rpartition(".")[2])]

    def _defined(self, names: set[str]) -> dict[str, list[str]]:
        """Short name of a class → files that define it at their top."""
        texts = {f"class {name.rpartition('.')[2]}{mark}" for name in names for mark in "(:"}
        out: dict[str, list[str]] = {}
        for _, path, line in (self._trees.lines([self._commit], texts, _PYTHON) or ()) if texts else ():
            if line.startswith("class "):
                out.setdefault(_NAME.findall(line)[1], []).append(path)
        return out

    def _base(self, one: _Class, name: str, places: dict[str, list[str]]) -> list[_Class | str]:
        """The file of its own, else the one that it imports the base from, by the longest end that the paths share."""
        short = name.rpartition(".")[2]
        paths = places.get(short, [])
        if one.path in paths:
            return [_Class(one.path, short)]
        row = self._read[one.path].get(("import", name.partition(".")[0]))
        source = row.details["from"].lstrip(".") if row else ""
        ends = (source.replace(".", "/") + ".py", source.replace(".", "/") + "/__init__.py")
        exact = [path for path in paths if source and path.endswith(ends)]
        inside = exact or [path for path in paths if path.split("/")[0] == one.path.split("/")[0]]
        chosen = inside if row is None or row.details["from"].startswith(".") or exact else _of_package(inside, source)
        return [_Class(path, short) for path in chosen] or [short]


def _of_package(paths: Sequence[str], source: str) -> list[str]:
    """Files of the package that something is imported from; another project has classes of the same names."""
    top = source.partition(".")[0]
    return [path for path in paths if top in path.split("/")]
