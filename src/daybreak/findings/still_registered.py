"""Looks operators that went up in the whole tree: another file may register them, Python may keep the old name, or
nobody may have compiled the file that registered them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Alias
from daybreak.findings.kinds import kind_of
from daybreak.findings.languages import operators
from daybreak.findings.languages.base import Fact
from daybreak.findings.searching import CODE, Places, searched, texts_at
from daybreak.findings.surface import Surface
from daybreak.findings.trees import Trees
from daybreak.findings.uncompiled import uncompiled

_COMPILED = (".cpp", ".cc", ".cu", ".cuh", ".h", ".hpp")
_MOST_READ = 60
"""Files that are opened for one change; a name that more of them write is too common to be told apart."""


class _Asked(NamedTuple):
    """One operator that went, and how a tree may still write it."""

    fact: Fact
    name: str

    @property
    def schema(self) -> str:
        return f'"{self.name}('

    @property
    def registers(self) -> tuple[str, ...]:
        return f'"{self.name}"', f"TVM_FFI_DLL_EXPORT_TYPED_FUNC({self.name},", self.schema

    @property
    def binds(self) -> tuple[str, ...]:
        return f"{self.name} =", f"as {self.name}"


def operators_confirmed(trees: Trees, change: Change, facts: Iterable[Fact]) -> dict[Fact, Fact | None]:
    """Facts that the trees contradict -> what is left of each; None for one that is not true at all."""
    asked = [_Asked(fact, fact.symbol.rsplit("::", 1)[-1].rsplit(".", 1)[-1]) for fact in facts]
    if not asked:
        return {}
    texts = {text for one in asked for text in (*one.registers, *one.binds)}
    places = searched(trees, [change.sha], texts, CODE)
    if places is None:
        return {}
    out = dict(_kept(trees, change.sha, asked, places))
    left = [one.fact for one in asked if one.fact not in out]
    dead = uncompiled(trees, change, {fact.path for fact in left})
    return out | {fact: replace(fact, breaking=False, alias=None) for fact in left if fact.path in dead}


def _kept(trees: Trees, sha: str, asked: Sequence[_Asked], places: Places) -> Iterator[tuple[Fact, Fact | None]]:
    """Operators that the tree after the change still registers, or still offers by the old name."""
    at = {text: files for (_, text), files in places.items()}
    compiled = {one.fact: _files(at, one.registers, _COMPILED) for one in asked}
    python = {one.fact: _files(at, one.binds, _python_ends(one.fact)) for one in asked}
    wanted = sorted({path for some in (compiled, python) for files in some.values() for path in files})
    texts = texts_at(trees, sha, wanted) if len(wanted) <= _MOST_READ else {}
    surfaces = {path: operators.surface(path, text) for path, text in texts.items() if path.endswith(_COMPILED)}
    for one in asked:
        registered = next((p for p in compiled[one.fact] if p in surfaces and _offers(surfaces[p], one)), None)
        alias = next((p for p in python[one.fact] if _binds(texts.get(p, ""), one, p)), None)
        if _is_removal(one.fact) and (registered or at.get(one.schema)):
            yield one.fact, None
        elif keeper := alias or registered:
            yield one.fact, replace(one.fact, breaking=False, alias=Alias("kept", keeper))


def _is_removal(fact: Fact) -> bool:
    return kind_of(fact.kind).change == "removed"


def _files(at: Mapping[str, set[str]], texts: Iterable[str], ends: tuple[str, ...]) -> list[str]:
    return sorted({path for text in texts for path in at.get(text, ()) if path.endswith(ends)})


def _python_ends(fact: Fact) -> tuple[str, ...]:
    """Where an old name may be kept: what a package offers, and any file where the new name says what is meant."""
    return ("__init__.py",) if _is_removal(fact) else (".py",)


def _offers(surface: Surface, one: _Asked) -> bool:
    """An operator of torch with a schema is not kept by a function of a module that only has the same name."""
    row = surface.get(("operator", one.name))
    torch = _is_removal(one.fact) and "->" in (one.fact.before or "")
    return row is not None and not (torch and row.details["form"] == "pybind")


# --- names in Python ---------------------------------------------------------------------------------------------


def _binds(text: str, one: _Asked, path: str) -> bool:
    """At the top of the module the old name stands for something else: for the new name, or in a package for any."""
    package = path.rpartition("/")[2] == "__init__.py"
    targets = set(_bound_to(text, one.name))
    return one.fact.after in targets or (package and bool(targets))


def _bound_to(text: str, name: str) -> Iterator[str]:
    """What `name = other` and `from x import other as name` say; `name = lib.name` says only that it must be there."""
    if not re.search(rf"^{re.escape(name)} =|\bas {re.escape(name)}\b", text, re.MULTILINE):
        return  # parsing takes longer than looking
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in body:
        found: list[str] = []
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            found = [_last_name(node.value)]
        elif isinstance(node, ast.ImportFrom):
            found = [alias.name for alias in node.names if alias.asname == name]
        yield from (target for target in found if target not in ("", name))


def _last_name(value: ast.expr) -> str:
    """`a.b.c` -> `c`; nothing for a call, a number or `None`, which nobody can call in its place."""
    last = value.attr if isinstance(value, ast.Attribute) else value.id if isinstance(value, ast.Name) else ""
    while isinstance(value, ast.Attribute):
        value = value.value
    return last if isinstance(value, ast.Name) else ""
