"""A whole tree of Python sources as its importers see it: modules, the names they offer, and where a name is defined.

A commit shows only the files it touches; between two releases of a library the whole of both trees is at hand, so
re-exports, star imports, inheritance and private modules behind a public name can be followed instead of guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Literal

from msgspec import Struct

from daybreak.findings.blobs import Row, Surface
from daybreak.findings.languages.python_public import bases, private
from daybreak.findings.languages.python_surface import surface

Kind = Literal["function", "class", "attribute", "module", "outside", "hidden"]
_DEPTH = 40
"""Steps from one name to the next, and from one class to its base; whoever needs more wants to tire us."""
_BASES = 100
_NOT_OFFERED = re.compile(
    r"(?:^|/)(?:tests?|testdata|docs?|docs_src|examples?|benchmarks?|scripts?|tools?|ci|\.[\w.-]+)/"
    r"|(?:^|/)(?:setup|conftest|noxfile|tasks|fabfile)\.py$",
    re.IGNORECASE,
)
_INTERNAL = re.compile(r"(?:TypeVar|ParamSpec|TypeVarTuple|NewType|getLogger|get_logger)\(")
PLAIN_BASES = frozenset({"object", "Generic", "ABC", "Protocol", "NamedTuple", "TypedDict"})
"""They give a class no member that somebody would miss."""
_ALIAS = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*){0,8}")
_QUOTED = re.compile(r"\"([^\"\\\n]{1,200})\"|'([^'\\\n]{1,200})'")
_DYNAMIC = re.compile(r"(?:^|[\s=+(*])([\w.]+)\.__all__")


class Module(Struct, frozen=True, dict=True):
    """One file under its dotted name."""

    name: str
    path: str
    surface: Surface
    text: str

    @property
    def package(self) -> bool:
        return self.path.endswith(("__init__.py", "__init__.pyi"))

    @cached_property
    def stars(self) -> tuple[str, ...]:
        """Dotted names of the modules whose names it takes over."""
        return tuple(self.absolute(row.name) for row in self.surface.of("star"))

    @cached_property
    def listed(self) -> dict[str, None]:
        """The names that `__all__` writes out."""
        return dict.fromkeys(row.name for row in self.surface.of("export"))

    @cached_property
    def served(self) -> frozenset[str]:
        """Strings of a file whose `__getattr__` or `globals()` makes names at run time: any of them may be one."""
        if not (self.surface.has("hook", "__getattr__") or self.surface.has("hook", "globals()")):
            return frozenset()
        return frozenset(m[1] or m[2] for m in _QUOTED.finditer(self.text))

    @cached_property
    def members(self) -> dict[str, list[tuple[str, Row]]]:
        """Class → what stands in it, by its short name."""
        out: dict[str, list[tuple[str, Row]]] = {}
        for row in self.surface.of("method", "attribute", "class"):
            owner, _, short = row.name.rpartition(".")
            if owner:
                out.setdefault(owner, []).append((short, row))
        return out

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    def absolute(self, source: str) -> str:
        """`.b` in package `a` → `a.b`."""
        bare = source.lstrip(".")
        dots = len(source) - len(bare)
        if not dots:
            return source
        up = self.name.split(".")
        up = up[: len(up) - dots + self.package]
        return ".".join(filter(None, [*up, bare]))


class Definition(Struct, frozen=True):
    """What a name stands for in the end; `hidden` is a name that only a hook of the module knows."""

    kind: Kind
    module: Module
    name: str
    row: Row | None = None

    @property
    def key(self) -> tuple[str, str]:
        return self.module.name, self.name


class Member(Struct, frozen=True):
    """A member of a class with the class that holds it; `given` is one that `__init__` sets."""

    kind: Literal["method", "attribute", "class", "given"]
    owner: Definition
    row: Row


class Tree:
    """The modules of one release."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        packages = {path.rpartition("/")[0] for path in texts if path.endswith(("/__init__.py", "/__init__.pyi"))}
        self.modules: dict[str, Module] = {}
        self.broken: list[str] = []
        for path in sorted(texts):  # `a.py` comes before `a.pyi`: what runs decides
            name = _dotted(path, packages)
            if name is None or name in self.modules:
                continue
            read = surface(path, texts[path])
            if read.broken:
                self.broken.append(path)
            self.modules[name] = Module(name, path, read, texts[path])
        self._found: dict[tuple[str, str], Definition | None] = {}
        self._offered: dict[str, dict[str, None]] = {}
        self._lines: dict[tuple[str, str], tuple[Definition, ...]] = {}
        self._depth = 0

    @cached_property
    def public(self) -> list[Module]:
        """Modules that users import: no part of their name is private, and they could be read."""
        hidden = set(self.broken)
        return [m for m in self.modules.values() if not _hidden(m.name) and m.path not in hidden]

    # --- names -----------------------------------------------------------------------------------------------------

    def offered(self, module: Module) -> dict[str, None]:
        """What the module says is for others: its `__all__`, else what it defines, and what a package hands on."""
        if module.name not in self._offered:
            self._offered[module.name] = {}  # whoever asks again on the way goes in a circle
            if self._depth <= _DEPTH:
                self._depth += 1
                self._offered[module.name] = self._offer(module)
                self._depth -= 1
        return self._offered[module.name]

    def _offer(self, module: Module) -> dict[str, None]:
        if module.listed or module.surface.has("hook", "__all__"):
            listed = dict(module.listed)
            for source in self._joined(module) if module.surface.has("hook", "__all__") else ():
                listed.update(self.offered(source))
            return listed
        rows = module.surface.of("function", "class", "attribute")
        own = dict.fromkeys(r.name for r in rows if _meant(r) and not _substitute(module, r))
        if module.package:
            top = module.name.split(".")[0]
            for row in module.surface.of("import"):
                inside = module.absolute(row.details["from"]).split(".")[0] == top
                if inside and row.details["name"] and not private(row.name):
                    own.setdefault(row.name)
            for star in module.stars:
                if star in self.modules:
                    own.update(self.offered(self.modules[star]))
        return own

    def _joined(self, module: Module) -> Iterator[Module]:
        """The modules whose `__all__` a module adds to its own."""
        for name in dict.fromkeys(m[1] for m in _DYNAMIC.finditer(module.text)):
            found = self.find(module.name, name.split(".")[0])
            if found is not None and found.kind == "module":
                yield found.module

    def find(self, module_name: str, name: str) -> Definition | None:
        """Where `module.name` is defined; None when the module has no such name."""
        key = (module_name, name)
        module = self.modules.get(module_name)
        if key not in self._found:
            self._found[key] = None  # whoever asks again on the way goes in a circle
            if module is not None and self._depth <= _DEPTH:
                self._depth += 1
                self._found[key] = self._find(module, name)
                self._depth -= 1
        return self._found[key]

    def _find(self, module: Module, name: str) -> Definition | None:
        for kind in ("class", "function", "attribute"):
            row = module.surface.get((kind, name))
            if row is not None:
                return self._alias(module, row) or Definition(row.kind, module, name, row)  # type: ignore[arg-type]
        row = module.surface.get(("import", name))
        if row is not None and ("typing" not in row.details or module.served):
            return self._imported(module, row)
        if f"{module.name}.{name}" in self.modules:
            return Definition("module", self.modules[f"{module.name}.{name}"], "")
        return self._starred(module, name) or (Definition("hidden", module, name) if name in module.served else None)

    def _alias(self, module: Module, row: Row) -> Definition | None:
        """`Old = New` stands for what `New` is."""
        value = row.details.get("value", "") if row.kind == "attribute" else ""
        if not value or not _ALIAS.fullmatch(value) or value in ("None", "True", "False"):
            return None
        head, *rest = value.split(".")
        found = self.find(module.name, head) if head != row.name else None
        for part in rest:
            found = self.find(found.module.name, part) if found and found.kind == "module" else None
        return found if found is not None and found.kind in ("function", "class") else None

    def _imported(self, module: Module, row: Row) -> Definition | None:
        source, name = module.absolute(row.details["from"]), row.details["name"]
        if not name:  # `import a.b` gives `a`, `import a.b as c` gives `a.b`
            name = row.name if source.split(".")[0] == row.name else source
            target = self.modules.get(name)
            return Definition("module", target, "") if target else Definition("outside", module, name)
        if source in self.modules:
            return self.find(source, name)
        return Definition("outside", module, f"{source}.{name}")

    def _starred(self, module: Module, name: str) -> Definition | None:
        unknown = False
        for star in module.stars:
            target = self.modules.get(star)
            if target is None:
                unknown = True
                continue
            handed = name in target.listed if target.listed else not name.startswith("_")
            found = self.find(target.name, name) if handed else None
            if found is not None:
                return found
        return Definition("outside", module, name) if unknown else None

    # --- classes ---------------------------------------------------------------------------------------------------

    def line(self, owner: Definition) -> tuple[Definition, ...]:
        """The class and its bases, nearest first; bases from other projects are `outside`."""
        if owner.key not in self._lines:
            self._lines[owner.key] = (owner,)  # whoever asks again on the way goes in a circle
            out: dict[tuple[str, str], Definition] = {owner.key: owner}
            self._depth += 1
            for base in bases(owner.row) if self._depth <= _DEPTH else ():
                for one in self._base(owner, base):
                    out.setdefault(one.key, one)
            self._depth -= 1
            self._lines[owner.key] = tuple(out.values())[:_BASES]
        return self._lines[owner.key]

    def _base(self, owner: Definition, written: str, depth: int = 0) -> tuple[Definition, ...]:
        plain = written.split("[", maxsplit=1)[0].strip()
        if "=" in written or not _ALIAS.fullmatch(plain):
            return () if "=" in written else (Definition("outside", owner.module, plain),)
        head, *rest = plain.split(".")
        found = self.find(owner.module.name, head)
        for part in rest:
            if found is None or found.kind != "module":
                name = f"{found.name}.{part}" if found is not None and found.kind == "outside" else plain
                found = Definition("outside", owner.module, name)
                continue
            found = self.find(found.module.name, part)
        if found is not None and found.kind == "attribute" and found.row is not None and depth < 4:
            value = found.row.details.get("value", "")  # `Base = Iterable[str]`
            if _ALIAS.fullmatch(value.split("[", maxsplit=1)[0].strip()):
                return self._base(Definition("attribute", found.module, found.name), value, depth + 1)
        if found is None or found.kind != "class":
            return (Definition("outside", owner.module, found.name if found and found.name else plain),)
        return self.line(found)

    def members(self, owner: Definition) -> dict[str, Member]:
        """Everything that objects of the class have as far as the tree shows it, nearest definition first."""
        out: dict[str, Member] = {}
        for one in self.line(owner):
            if one.kind == "class":
                for name, member in _own(one):
                    out.setdefault(name, member)
        return out

    def outside(self, owner: Definition) -> frozenset[str]:
        """Dotted names of the bases that are not in the tree, without those that have no members of their own."""
        found = (one.name.removeprefix("typing.") for one in self.line(owner) if one.kind != "class")
        return frozenset(name for name in found if name.split(".")[-1] not in PLAIN_BASES)


def _own(owner: Definition) -> Iterator[tuple[str, Member]]:
    for short, row in owner.module.members.get(owner.name, ()):
        yield short, Member(row.kind, owner, row)  # type: ignore[arg-type]
    made = owner.module.surface.get(("method", f"{owner.name}.__init__"))
    for short in made.details.get("sets", "").split("\n") if made is not None else ():
        if short:
            yield short, Member("given", owner, Row("attribute", f"{owner.name}.{short}", made.line if made else 1))


def _place(path: str, packages: set[str]) -> str | None:
    """The path from its outermost package on; a lone module stands at the top or in `src`; None: nobody imports it."""
    folders = path.split("/")[:-1]
    for depth in range(1, len(folders) + 1):
        if "/".join(folders[:depth]) in packages:
            return "/".join(path.split("/")[depth - 1 :])
    inside = path.removeprefix("src/")
    return None if "/" in inside else inside


def _dotted(path: str, packages: set[str]) -> str | None:
    place = _place(path, packages)
    if place is None or _NOT_OFFERED.search(place):
        return None
    return re.sub(r"(?:/__init__)?\.pyi?$", "", place).replace("/", ".")


def _hidden(name: str) -> bool:
    return any(part.startswith("_") for part in name.split("."))


def _meant(row: Row) -> bool:
    """A definition that others can import."""
    return not ("." in row.name or private(row.name) or row.name.startswith("__") or row.name == "main")


def _substitute(module: Module, row: Row) -> bool:
    """`name = None` for where an import failed: the name is another project's."""
    return row.details.get("value") == "None" and ("many" in row.details or module.surface.has("import", row.name))


def is_internal(row: Row) -> bool:
    """Type variables and loggers are a module's own, though their names have no underscore."""
    return row.kind == "attribute" and (
        row.name in ("logger", "log") or _INTERNAL.search(row.details.get("value", "")[:200]) is not None
    )
