"""Two whole trees of a Python library compared: what its importers, callers and subclasses must write otherwise.

Public is what can be reached by a dotted path without an underscore, or what `__all__` lists; a private module behind
a public name counts through that name. Commits are read by `python_compare`, whose idea of public is narrower, since
in the applications that are watched most modules without an underscore are nobody's API.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property

from daybreak.core.model.findings import Alias
from daybreak.findings.languages.base import Fact
from daybreak.findings.languages.python_library_members import Classes, compared
from daybreak.findings.languages.python_public import private
from daybreak.findings.languages.python_tree import Definition, Module, Tree, is_internal

__all__ = ["library_facts"]

NONE = Alias("none")
_FEW = 3
_MANY = 50
_MASS = 0.5
"""Share of a module's names that must stand in another one for it to have moved there."""


def library_facts(old: Mapping[str, str], new: Mapping[str, str]) -> list[Fact]:
    """The facts between two trees, given as path → text of every Python file."""
    return list(dict.fromkeys(_Comparison(Tree(old), Tree(new)).facts()))


class _Comparison:
    """Both trees, and what was told already."""

    def __init__(self, old: Tree, new: Tree) -> None:
        self.old, self.new = old, new
        self._told: set[tuple[str, str]] = set()
        self._pairs: set[tuple[tuple[str, str], tuple[str, str]]] = set()
        self._classes = Classes(old, new)
        self._unread = {m.name for m in new.modules.values() if m.path in set(new.broken)}

    def facts(self) -> Iterator[Fact]:
        for module in self.old.public:
            if module.name in self._unread:
                continue
            if module.name not in self.new.modules and not self._served(module.name):
                yield from self._gone_module(module)
                continue
            for name in self.old.offered(module):
                yield from self._name(module, name)

    def _served(self, name: str) -> bool:
        """The package still hands on a module of this name, which it takes from elsewhere."""
        parent, _, short = name.rpartition(".")
        found = self.new.find(parent, short) if parent else None
        return found is not None and found.kind in ("module", "outside", "hidden")

    # --- modules ---------------------------------------------------------------------------------------------------

    def _gone_module(self, module: Module) -> Iterator[Fact]:
        """A module that is no longer there; one inside a package that went with it is told by the package."""
        parent = module.name.rpartition(".")[0]
        if parent and parent in self.old.modules and parent not in self.new.modules:
            return
        names = list(self.old.offered(module))
        if not module.package and not module.text.strip():
            return
        target = self._new_home(module, names)
        kind, after = ("module_moved", target) if target else ("module_removed", None)
        path = self.new.modules[target].path if target else module.path
        yield Fact(kind, path, 1, module.name, module.name, after, True, NONE)
        self._told.update((module.name, name) for name in names)

    def _new_home(self, module: Module, names: list[str]) -> str | None:
        """The new public module that offers most of the names; a few names alone may be chance unless it is called alike."""
        meant = [name for name in names if module.surface.has("function", name) or module.surface.has("class", name)]
        count = Counter(one for name in meant for one in self._newly.get(name, ()))
        best = max(count, key=lambda name: (count[name], name), default="")
        alike = best.rpartition(".")[2] == module.name.rpartition(".")[2]
        return best if count[best] >= max(1 if alike else _FEW, len(meant) * _MASS) else None

    @cached_property
    def _newly(self) -> dict[str, list[str]]:
        """Name → new public modules that offer it, not more than can matter."""
        out: dict[str, list[str]] = defaultdict(list)
        for one in self.new.public:
            for name in self.new.offered(one) if one.name not in self.old.modules else ():
                if len(out[name]) < _MANY:
                    out[name].append(one.name)
        return out

    @cached_property
    def _come(self) -> dict[tuple[str, str], Definition]:
        """(kind, name) → where a public module defines it now that did not before."""
        out: dict[tuple[str, str], Definition] = {}
        for module in self.new.public:
            for row in module.surface.of("function", "class"):
                if "." not in row.name and (row.kind, row.name) not in out and not self.old.find(module.name, row.name):
                    out[row.kind, row.name] = Definition(row.kind, module, row.name, row)  # type: ignore[arg-type]
        return out

    @cached_property
    def _bodies(self) -> dict[tuple[str, str, str], Definition]:
        """(module, kind, digest of the body) → a public definition that its module did not have before."""
        out: dict[tuple[str, str, str], Definition] = {}
        for one in self._come_all():
            assert one.row is not None
            body = one.row.details.get("body")
            if body and not private(one.name):
                out.setdefault((one.module.name, one.row.kind, body), one)
        return out

    def _come_all(self) -> Iterator[Definition]:
        for module in self.new.modules.values():
            was = self.old.modules.get(module.name)
            for row in module.surface.of("function", "class"):
                if was is not None and "." not in row.name and not was.surface.has(row.kind, row.name):
                    yield Definition(row.kind, module, row.name, row)  # type: ignore[arg-type]

    # --- names -----------------------------------------------------------------------------------------------------

    def _name(self, module: Module, name: str) -> Iterator[Fact]:
        was = self.old.find(module.name, name)
        if was is None or was.kind in ("module", "outside", "hidden"):
            if was is not None and self.new.find(module.name, name) is None and not private(name):
                yield from self._lost_export(module, name, was)
            return
        now = self.new.find(module.name, name) or self._submodule(module, name)
        if now is None:
            yield from self._lost(module, name, was)
        elif (was.key, now.key) not in self._pairs:
            self._pairs.add((was.key, now.key))
            if now.kind == "hidden":
                yield from self._hidden(was, now)
            else:
                yield from compared(self._classes, was, now)

    def _submodule(self, module: Module, name: str) -> Definition | None:
        found = self.new.modules.get(f"{module.name}.{name}")
        return Definition("module", found, "") if found else None

    def _lost_export(self, module: Module, name: str, was: Definition) -> Iterator[Fact]:
        """A listed name that is not defined in the tree, or a module that a package handed on."""
        if was.kind == "module" or not module.surface.has("export", name) or module.name not in self.new.modules:
            return
        path = self.new.modules[module.name].path
        yield Fact("export_removed", path, 1, f"{module.name}.{name}", name, None, True, NONE)

    def _lost(self, module: Module, name: str, was: Definition) -> Iterator[Fact]:
        """A public path that leads nowhere now: the definition is gone, or only this way to it."""
        alias = module.surface.get(("attribute", name))
        if alias is not None and name != was.name:
            shown = f"{name} = {alias.text}"[:200]
            yield Fact("attribute_removed", module.path, alias.line, name, shown, None, True, NONE)
            return
        stands = self.new.find(was.module.name, was.name)
        if stands is not None and was.key != (module.name, name):
            row = module.surface.get(("export", name)) or module.surface.get(("import", name))
            path, line = self.new.modules[module.name].path, row.line if row else 1
            yield Fact("export_removed", path, line, f"{module.name}.{name}", name, None, True, NONE)
            return
        if was.key in self._told or was.row is None:
            return
        self._told.add(was.key)
        target = self._target(was)
        if target is None:
            shown = was.row.text if was.kind != "attribute" else f"{name} = {was.row.text}"
            breaks = module.surface.has("export", name) or not (is_internal(was.row) or self._borrowed(was))
            place = (was.module.path, was.row.line, was.name)
            yield Fact(f"{was.kind}_removed", *place, shown[:200], None, breaks, NONE)
        else:
            yield self._went(was, target)

    def _borrowed(self, was: Definition) -> bool:
        """`name = other.name` of another project in a plain module is an import in other words."""
        value = was.row.details.get("value", "") if was.row is not None and was.kind == "attribute" else ""
        head = value.split(".")[0]
        if not value.replace(".", "").isidentifier() or was.module.package:
            return False
        found = self.old.find(was.module.name, head)
        return found is not None and found.kind == "outside"

    def _went(self, was: Definition, target: Definition) -> Fact:
        assert target.row is not None
        far = target.module.name != was.module.name
        verb = "moved" if target.name == was.name else "renamed"
        before, after = (f"{d.module.name}.{d.name}" if far else d.name for d in (was, target))
        place = (target.module.path, target.row.line, was.name)
        return Fact(f"{was.kind}_{verb}", *place, before, after, True, NONE)

    def _target(self, was: Definition) -> Definition | None:
        """The same name in another public module, or the same body under another name in the same one."""
        if was.kind == "attribute" or was.row is None:
            return None
        moved = self._come.get((was.kind, was.name))
        return moved or self._bodies.get((was.module.name, was.kind, was.row.details.get("body", "")))

    def _hidden(self, was: Definition, now: Definition) -> Iterator[Fact]:
        """The module's `__getattr__` still serves the name, most often with a warning."""
        hook = now.module.surface.get(("function", "__getattr__"))
        warned = bool(re.search(r"eprecat|warn\(", now.module.text)) if hook else False
        alias = Alias("deprecated" if warned else "kept", now.module.path)
        if was.row is not None:
            line = hook.line if hook else 1
            shown = was.row.text[:200] or was.name
            yield Fact(f"{was.kind}_removed", now.module.path, line, was.name, shown, None, False, alias)
