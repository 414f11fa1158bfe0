"""One side of a Python file under its dotted name: what it defines, and what it hands on as a package."""

from __future__ import annotations

import re

from msgspec import Struct

from daybreak.findings.blobs import Row, Surface
from daybreak.findings.compare import FilePair
from daybreak.findings.languages.python_public import private

_TAKES = re.compile(r"\s*(?:from |import |[#)]|[\w.]{1,200}(?: as \w{1,200})?,?\)?\s{0,40}(?:#|$))")
"""A line of an import, or a name alone on its line as in a list of imported names."""
_WORD = re.compile(r"[A-Za-z_]\w*")
_QUOTED = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'")
_WIDEST = 2000


class Module(Struct, frozen=True):
    """One side of a file under its dotted name."""

    path: str
    name: str
    surface: Surface
    pair: FilePair

    def names(self) -> list[Row]:
        """What the module itself defines for others: functions, classes and constants."""
        rows = (r for r in self.defined("function", "class", "attribute") if "." not in r.name and not private(r.name))
        return [r for r in rows if r.name not in ("main", "logger")]

    def defined(self, *kinds: str) -> list[Row]:
        """Definitions; what stands in where an import fails or only types are checked is the import, in other words."""
        taken = self.surface.has
        return [r for r in self.surface.of(*kinds) if not ("many" in r.details and taken("import", r.name))]

    def offers(self, name: str) -> bool:
        return any(self.surface.has(kind, name) for kind in ("function", "class", "attribute", "import"))


def absolute(source: str, module: Module) -> str:
    """`.b` in package `a` → `a.b`."""
    bare = source.lstrip(".")
    dots = len(source) - len(bare)
    if not dots:
        return source
    up = module.name.split(".")
    up = up[: len(up) - dots + (1 if module.path.endswith("__init__.py") else 0)]
    return ".".join([*up, bare]).strip(".")


def exports(module: Module) -> list[Row]:
    """What a package hands on: its `__all__`, else what its `__init__` takes from its own modules."""
    listed = module.surface.of("export")
    if listed or not module.path.endswith("__init__.py"):
        return [r for r in listed if not private(r.name)]
    own, used = module.name.split(".")[0], _used_here(module)
    named = (r for r in module.surface.of("import") if r.details["name"] and "typing" not in r.details)
    taken = (r for r in named if r.details["from"].startswith(".") or r.details["from"].split(".")[0] == own)
    return [r for r in taken if not private(r.name) and r.name not in used]


def _used_here(module: Module) -> frozenset[str]:
    """Words of the changed code of a package's own `__init__`: what it takes to use it there, it does not hand on."""
    sign = "-" if module.surface is module.pair.old else "+"
    lines = (x.text[:_WIDEST] for hunk in module.pair.file.hunks for x in hunk.lines if x.sign == sign)
    return frozenset(word for text in lines if not _TAKES.match(text) for word in _WORD.findall(_QUOTED.sub("", text)))


def taken_inside(module: Module) -> frozenset[str]:
    """Names of imports that came within functions."""
    lines = (x.text[:_WIDEST] for hunk in module.pair.file.hunks for x in hunk.lines if x.sign == "+")
    inner = (text for text in lines if text[:1] in " \t" and _TAKES.match(text))
    return frozenset(word for text in inner for word in _WORD.findall(text))


def heads(old: str, new: str) -> tuple[str, str]:
    """The folders in which two paths differ, without what is the same behind them."""
    first, second = old.split("/"), new.split("/")
    while first and second and first[-1] == second[-1]:
        first.pop()
        second.pop()
    return "/".join(first), "/".join(second)
