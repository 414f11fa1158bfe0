"""Python names that left their module: removed, renamed, or moved to another file, over all files of a commit.

A name is asked for under its dotted module, so `a.py` that became `a/__init__.py` lost nothing. Three and more names
that went the same way, or a renamed file, are one finding.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.model.findings import Alias
from daybreak.core.source_roots import module_of
from daybreak.findings.blobs import Row
from daybreak.findings.compare import FilePair
from daybreak.findings.languages.base import Fact, Whole
from daybreak.findings.languages.python_masses import MASS, NONE, Mass, mass_moves
from daybreak.findings.languages.python_modules import Module, absolute, exports, heads, taken_inside
from daybreak.findings.languages.python_public import called_by_others, exported, forked, hidden, is_root, serves
from daybreak.findings.languages.renames import (
    agree,
    is_used_instead,
    likely,
    shortened,
    similar,
)
from daybreak.findings.languages.text_surface import quiet_file

_DEFINITIONS = ("function", "class")
_REGISTERS = re.compile(r"(?:^|[\n.@])_?register(?:_\w+)?(?:\(|\n|$)|\.register\b")
_HEAD = re.compile(r"\s*(?:(?:async\s+)?def|class)\s|\s*#")
_SHORT = 3
"""Letters of a line that stands everywhere, such as a bracket."""
_PACKAGE = re.compile(
    r"(?<![\w.])([A-Za-z_][\w.]{0,100}+)[\"']?[ \t]{0,9}[=:][ \t]{0,9}[\"']?([\w.-]{1,100}+(?:/[\w.-]{1,100}+){0,9})/?[\"']?[ \t]{0,9}(?=[,}\n]|\Z)"
)
_PROJECT = re.compile(r"(?:^|/)(?:pyproject\.toml|setup\.py)$")


class _Left(Struct, frozen=True):
    """A definition that is no longer in its module, with where it went."""

    module: Module
    row: Row
    target: tuple[Module, Row] | None
    alias: Alias | None


def _place(x: _Left) -> tuple[Module, Row]:
    """Where it stands now, of what is known to stand somewhere."""
    assert x.target is not None
    return x.target


class Moves:
    """The modules of a commit before and after."""

    def __init__(self, pairs: Sequence[FilePair], whole: Whole) -> None:
        self._whole = whole
        self.before: dict[str, Module] = {}
        self.after: dict[str, Module] = {}
        for pair in pairs:
            change = pair.file.change
            if change.status not in "AC":
                path = change.old_path or change.path
                name = module_of(path, pair.file.profile.layout.roots)
                self.before[name] = Module(path, name, pair.old, pair)
            if change.status != "D":
                name = module_of(self._import_path(change.old_path, change.path), pair.file.profile.layout.roots)
                self.after[name] = Module(change.path, name, pair.new, pair)
        self._come: dict[tuple[str, str], list[tuple[Module, Row]]] = defaultdict(list)
        self._bodies: dict[tuple[str, str], list[tuple[Module, Row]]] = defaultdict(list)
        self._here: dict[tuple[str, str], list[Row]] = defaultdict(list)
        for module in self.after.values():
            was = self.before.get(module.name)
            for row in module.names():
                if was is None or not any(
                    was.surface.has(kind, row.name) for kind in ("function", "class", "attribute")
                ):
                    self._come[row.kind, row.name].append((module, row))
                    self._here[module.name, row.kind].append(row)
                    if row.details.get("body"):
                        self._bodies[row.kind, row.details["body"]].append((module, row))
        self.used: set[tuple[str, str]] = set()
        """(module, name) of new definitions that are old ones under another name or in another place."""

    def _import_path(self, old: str | None, new: str) -> str:
        """The path that imports follow: a tree that moved with its own project file keeps its import names."""
        return old if old and heads(old, new) in self._roots else new

    @cached_property
    def _roots(self) -> set[tuple[str, str]]:
        """Folders before and after of projects that moved as a whole."""
        return {heads(old, new) for old, new in self._whole.renames if _PROJECT.search(new) and _PROJECT.search(old)}

    def facts(self) -> Iterator[Fact]:
        """Everything that left, each thing told once."""
        left = [one for module in self.before.values() for one in self._left(module) if not called_by_others(one.row)]
        lost_exports = dict(self._lost_exports())
        elsewhere = {x.row.name for x in left if self._handed_elsewhere(x, lost_exports.get(x.row.name))}
        seen = [x for x in left if x.row.name not in elsewhere]
        removed = [x for x in seen if x.target is None]
        yield from self._moved(
            [x for x in seen if x.target is not None and x.target[1].name == x.row.name], lost_exports
        )
        for x in seen:
            if x.target is not None and x.target[1].name != x.row.name:
                yield self._renamed(x, lost_exports)
        yield from self._removed(removed, lost_exports)
        yield from (self._new_export(x, lost_exports[x.row.name]) for x in left if x.row.name in elsewhere)
        told = {x.row.name for x in left}
        for name, fact in lost_exports.items():
            if name not in told:
                yield fact

    def _handed_elsewhere(self, x: _Left, lost: Fact | None) -> bool:
        """Users know it by a package beside its private module alone: `acme.llm` hands on what `acme._core` holds."""
        package = lost.symbol.rpartition(".")[0] if lost else ""
        return lost is not None and hidden(x.module.path) and not f"{x.module.name}.".startswith(f"{package}.")

    def _new_export(self, x: _Left, lost: Fact) -> Fact:
        """What a package no longer hands on; under its new name where the package hands that on."""
        package, name = lost.symbol.rpartition(".")[0], x.target[1].name if x.target else x.row.name
        now = self.after[package]
        row = now.surface.get(("import", name)) if name != x.row.name else None
        if row is None or x.row.kind not in _DEFINITIONS:
            return lost
        self.used.add((package, name))
        return Fact(f"{x.row.kind}_renamed", now.path, row.line, x.row.name, x.row.name, name, lost.breaking, NONE)

    # --- where a name went -----------------------------------------------------------------------------------------

    def _left(self, module: Module) -> Iterator[_Left]:
        now = self.after.get(module.name)
        for row in module.names():
            here = next((k for k in ("function", "class") if now and now.surface.has(k, row.name)), None)
            if here is not None or (now and row.kind == "attribute" and now.offers(row.name)):
                yield from self._wrapped(module, row, now)
                continue
            target = self._target(module, row)
            if target is not None:
                self.used.add((target[0].name, target[1].name))
            shim = self._shim(module, now, row.name) or self._mapped(module, target)
            yield _Left(module, row, target, shim or (self._handed_on(module, row.name) if target else None))

    def _wrapped(self, module: Module, row: Row, now: Module | None) -> Iterator[_Left]:
        """The old name stands, but its body now has a new name: a rename that keeps the old name for a while."""
        body = row.details.get("body")
        if now is None or row.kind not in _DEFINITIONS or not body or not now.surface.has(row.kind, row.name):
            return
        wrapper = now.surface[row.kind, row.name]
        if wrapper.details.get("body") == body:
            return
        for target in self._bodies.get((row.kind, body), ())[:1]:
            self.used.add((target[0].name, target[1].name))
            status = "deprecated" if wrapper.details.get("deprecated") else "kept"
            yield _Left(module, row, target, Alias(status, now.path))

    def _target(self, module: Module, row: Row) -> tuple[Module, Row] | None:
        """The name made private here, the same name in another module, else the same body under another name (here first)."""
        now, hidden = self.after.get(module.name), (row.kind, f"_{row.name}")
        if now is not None and hidden not in module.surface and (kept := now.surface.get(hidden)) is not None:
            return now, kept
        same = [x for x in self._come.get((row.kind, row.name), ()) if x[0].name != module.name]
        if same:
            alike = [x for x in same if x[1].details.get("body") == row.details.get("body") or x[1].text == row.text]
            taken = same[0][0].pair.old.has("import", row.name)  # who imported it defines it now
            at_home = [
                x for x in same if x[0].pair is module.pair
            ]  # the file moved, and defines it, whatever it is now
            if (
                alike
                or at_home
                or (len(same) == 1 and len(row.name) >= 6 and (taken or _brought(module, row, *same[0])))
            ):
                return (at_home or alike or same)[0]
        aliases = [x for x in self._come.get(("attribute", row.name), ()) if _is_its_base(row, x[1])]
        if len(aliases) == 1 and aliases[0][0].name != module.name:
            return aliases[0][0], replace(aliases[0][1], kind=row.kind)
        body = row.details.get("body")
        found = self._bodies.get((row.kind, body), []) if body else []
        free = [x for x in found if (x[0].name, x[1].name) not in self.used]
        ordered = sorted(free, key=lambda x: (x[0].name != module.name, x[0].name, x[1].line))
        return ordered[0] if ordered else self._lookalike(module, row)

    def _lookalike(self, module: Module, row: Row) -> tuple[Module, Row] | None:
        """The one new definition of the same module, or of what its file is called now, with the words of its name, or nearly
        the name and of its shape.
        """
        home = self._home(module)
        here = self._here[home, row.kind]
        if not here or len(here) > 200 or row.kind not in _DEFINITIONS:
            return None
        now = self.after[home].surface
        here = [r for r in here if (home, r.name) not in self.used and agree(module.surface, row, now, r)]
        free = likely(module.surface, row, now, here)
        if not free and not self._seen(row.name):  # who used the one uses the other in its place
            file, alike = (
                module.pair.file,
                [r for r in here if similar(r.name, row.name) or shortened(r.name, row.name)],
            )
            free = [r for r in alike if is_used_instead(file, self._whole, row.name, r.name)]
        return (self.after[home], free[0]) if len(free) == 1 else None

    def _home(self, module: Module) -> str:
        """The module as it is called now: that of its file, which may have another path."""
        moved = (one.name for one in self.after.values() if one.pair is module.pair)
        return module.name if module.name in self.after else next(moved, module.name)

    def _mapped(self, module: Module, target: tuple[Module, Row] | None) -> Alias | None:
        """The packaging names the new folder as it named the old one: what users import is the same."""
        if target is None or target[0].name == module.name:
            return None
        old, new = heads(module.path, target[0].path)
        name, roots = self._packages.get(new), module.pair.file.profile.layout.roots
        known = name == module_of(old, roots) or (name == module_of(new, roots) and name in self._whole.removed_words)
        return Alias("kept", name) if name and old and known else None

    def _handed_on(self, module: Module, name: str) -> Alias | None:
        """A package that others take the name from, and nobody from its module, hands it on as before."""
        file = module.pair.file
        if name not in file.handed or file.profile.public.is_imported.search(module.path[-400:]):
            return None
        for package, was in self.before.items():
            taken = was.surface.get(("import", name)) if was.path.endswith("/__init__.py") else None
            now = self.after.get(package) if f"{module.name}.".startswith(f"{package}.") else None
            here = taken is not None and absolute(taken.details["from"], was) == module.name
            if here and now is not None and now.offers(name):
                return Alias("kept", f"{package}.*")
        return None

    @cached_property
    def _packages(self) -> dict[str, str]:
        """Folder → import name, from standing lines such as `name=folder`; they count only if the name is a module."""
        return {m[2]: m[1] for m in _PACKAGE.finditer(self._whole.standing)}

    def _shim(self, module: Module, now: Module | None, name: str) -> Alias | None:
        """What keeps the old name working in the old module."""
        if now is None:
            return None
        if now.surface.has("import", name) or now.surface.has("attribute", name):
            return Alias("kept", now.path)
        if now.surface.of("star"):
            return Alias("kept", now.path)
        hooks = [r for r in now.surface.of("hook") if r.name != "__all__"]
        guard = now.surface.get(("function", "__getattr__"))
        before = module.surface.get(("function", "__getattr__"))
        same = guard is None or (before is not None and before.details["body"] == guard.details["body"])
        stood = same and all(module.surface.has("hook", hook.name) for hook in hooks)
        if not hooks or (stood and not self._seen(name)):
            return None  # a hook that stood there before, and no new line that tells it the name
        if guard and len(hooks) == 1 and not serves(now.surface, guard, name):
            return None
        return Alias("deprecated" if guard and guard.details.get("deprecated") else "kept", now.path)

    # --- what is told ----------------------------------------------------------------------------------------------

    def _breaking(self, x: _Left, lost_exports: dict[str, Fact]) -> bool:
        if x.alias is not None or x.row.kind not in _DEFINITIONS:
            return False
        lost = lost_exports.get(x.row.name)
        if lost is not None and lost.breaking:
            return True
        return exported(x.module.pair.file, x.module.surface, x.row, x.module.path)

    def _renamed(self, x: _Left, lost_exports: dict[str, Fact]) -> Fact:
        module, row = _place(x)
        far = module.name != x.module.name
        before, after = (f"{m.name}.{r.name}" if far else r.name for m, r in ((x.module, x.row), (module, row)))
        breaks = self._breaking(x, lost_exports)
        return Fact(f"{x.row.kind}_renamed", module.path, row.line, x.row.name, before, after, breaks, x.alias or NONE)

    def _moved(self, moved: list[_Left], lost_exports: dict[str, Fact]) -> Iterator[Fact]:
        groups: dict[tuple[str, str], list[_Left]] = defaultdict(list)
        for x in moved:
            groups[x.module.name, _place(x)[0].name].append(x)
        masses: list[Mass] = []
        for (old, new), group in groups.items():
            module = group[0].module
            file = module.pair.file
            renamed = file.change.status == "R" and module_of(file.path, file.profile.layout.roots) == new
            whole = len(group) == len(module.names()) and (renamed or len(group) > 1)
            # a module that still defines something did not move; of one whose names went several ways few are told alone
            stays = old in self.after and bool(self.after[old].names())
            # a module that still hands on what others import keeps the old way in
            open_ends = any(self._breaking(x, lost_exports) for x in group)
            kept = [x for x in group if x.alias is not None]
            most = len(kept) * 2 > len(group) or any(x.row.name in file.handed for x in kept)
            # of one that hands on a part of them each name is told by itself: some are lost, and others are not
            alike = not kept or (most and not open_ends)
            if not stays and alike and (whole or len(group) >= MASS):
                alias = kept[0].alias if kept else NONE
                masses.append(Mass(old, new, len(group), _place(group[0])[0].path, open_ends, alias))
                continue
            yield from (self._moved_one(x, lost_exports) for x in group if x.row.kind in _DEFINITIONS)
            lone = [x for x in group if x.row.kind not in _DEFINITIONS and x.alias is None]
            yield from (fact for x in lone if self._whole.wide for fact in self._constant(x))
        yield from mass_moves(masses, self._packages_left())

    def _nearest(self, group: Sequence[_Left]) -> str:
        """Where to import what moved together from now on: its package where that hands all of it on, else its module."""
        target = _place(group[0])[0].name
        package = target.rpartition(".")[0]
        now = self.after.get(package)
        handed = {row.name for row in exports(now)} if now else set()
        return package if package != group[0].module.name and handed.issuperset(x.row.name for x in group) else target

    def _moved_one(self, x: _Left, lost_exports: dict[str, Fact]) -> Fact:
        module, row = _place(x)
        breaks = self._breaking(x, lost_exports)
        before, after = f"{x.module.name}.{x.row.name}", f"{self._nearest([x])}.{row.name}"
        return Fact(f"{row.kind}_moved", module.path, row.line, row.name, before, after, breaks, x.alias or NONE)

    def _removed(self, removed: list[_Left], lost_exports: dict[str, Fact]) -> Iterator[Fact]:
        groups: dict[str, list[_Left]] = defaultdict(list)
        for x in removed:
            groups[x.module.name].append(x)
        packages = self._packages_gone(groups)
        for package in sorted(set(packages.values())):
            some = [x for name, group in groups.items() if packages.get(name) == package for x in group]
            breaks = any(self._breaking(x, lost_exports) and not self._seen(x.row.name) for x in some)
            yield Fact("module_removed", self.before[package].path, 1, package, package, None, breaks, NONE)
        for name, group in groups.items():
            if name in packages:
                continue
            module = group[0].module
            breaking = {x.row.name for x in group if self._breaking(x, lost_exports) and not self._seen(x.row.name)}
            if name not in self.after and len(group) >= MASS and len(group) == len(module.names()):
                yield Fact("module_removed", module.path, 1, name, name, None, bool(breaking), NONE)
                continue
            for x in group:
                if x.alias is not None:
                    yield from self._kept(x)
                elif x.row.kind in _DEFINITIONS:
                    fact = _gone(x, f"{x.row.kind}_removed", x.row.name in breaking)
                    yield replace(fact, inner=not fact.breaking and (self._of_one_file(x) or self._is_registered(x)))
                else:
                    yield from self._constant(x)

    def _packages_left(self) -> list[str]:
        """Packages that there were, and are not: what makes a folder one went from it."""
        return [
            name for name, one in self.before.items() if one.path.endswith("/__init__.py") and name not in self.after
        ]

    def _packages_gone(self, groups: Mapping[str, Sequence[_Left]]) -> dict[str, str]:
        """Module -> the outermost package that went with it as a whole: nothing of it stays, and nothing went elsewhere."""
        out: dict[str, str] = {}
        for head in sorted(self._packages_left(), key=lambda name: name.count(".")):
            below = [name for name in self.before if name == head or name.startswith(f"{head}.")]
            stays = any(name.startswith(f"{head}.") for name in self.after)
            whole = all(len(groups.get(name, ())) == len(self.before[name].names()) for name in below)
            if (
                len(below) > MASS
                and whole
                and not stays
                and not any(x.alias for name in below for x in groups.get(name, ()))
            ):
                out |= {name: head for name in below if name not in out}
        return out

    def _of_one_file(self, x: _Left) -> bool:
        """A helper: what used it stood in its own file and left with it, and no other file of the commit speaks of it. From a
        class others derive all the same.
        """
        if x.row.kind == "class":
            return False
        file, word = x.module.pair.file, re.compile(rf"\b{re.escape(x.row.name)}\b")
        gone = (line.text for hunk in file.hunks for line in hunk.lines if line.sign == "-")
        used = any(word.search(text) and not _HEAD.match(text) for text in gone)
        others = (f for f in self._whole.files if f is not file and x.row.name in f.change.patch)
        return used and not any(word.search(f.change.patch) for f in others)

    def _is_registered(self, x: _Left) -> bool:
        """A decorator hands it to a table, by which alone it is called, and no module of the commit imported it."""
        handed = _REGISTERS.search(x.row.details.get("decorators", "")) is not None
        return handed and not any(m.surface.has("import", x.row.name) for m in self.before.values())

    def _constant(self, x: _Left) -> Iterator[Fact]:
        """A constant that left its module."""
        module = x.module
        if exported(module.pair.file, module.surface, x.row, module.path):
            listed = module.surface.has("export", x.row.name)
            yield _gone(x, "attribute_removed", listed and not self._seen(x.row.name))
        elif not self._used(x.row.name) and (kind := self._other_name(module, x.row)):
            yield _gone(x, f"{kind}_removed", False)
        elif self._whole.wide:
            yield replace(_gone(x, "attribute_removed", False), inner=True)

    def _used(self, name: str) -> bool:
        """Some module that is no test defines it or takes it now."""
        return any(m.offers(name) for m in self.after.values() if not quiet_file(m.pair.file))

    def _other_name(self, module: Module, row: Row) -> str | None:
        """What a variable was to others: another name of a definition, or a value that other modules took from it."""
        value = row.details.get("value", "")
        if kind := next((kind for kind in _DEFINITIONS if module.surface.has(kind, value)), None):
            return kind
        others = (m.surface.get(("import", row.name)) for m in self.before.values() if m.name != module.name)
        inside = forked(file := module.pair.file, row.name) and self._whole.left(file.path, row.name)
        return "attribute" if inside or any(one is not None and one.details["name"] for one in others) else None

    def _kept(self, x: _Left) -> Iterator[Fact]:
        """The module takes the name from elsewhere now, or gives it another; behind a hook nobody knows."""
        now = self.after[x.module.name]
        taken = now.surface.get(("import", x.row.name))
        given = now.surface.get(("attribute", x.row.name))
        if x.row.kind not in _DEFINITIONS:
            return
        if taken is not None and taken.details["name"]:
            if not self._comes(x.row.kind, taken.details["name"]):
                return  # it stood there before: what went was a second one
            source = absolute(taken.details["from"], now) + "." + taken.details["name"]
            before = f"{x.module.name}.{x.row.name}"
            verb = "moved" if taken.details["name"] == x.row.name else "renamed"
            yield Fact(f"{x.row.kind}_{verb}", now.path, taken.line, x.row.name, before, source, False, x.alias)
        elif given is not None and self._comes(x.row.kind, given.details["value"].rpartition(".")[2]):
            # what stood there before it only called: `def now(): return time.time()` is `now = time.time`
            names = (x.row.name, given.details["value"])
            yield Fact(f"{x.row.kind}_renamed", now.path, given.line, x.row.name, *names, False, x.alias)

    def _comes(self, kind: str, name: str) -> bool:
        """Some module of the commit defines it that did not before."""
        new = (m for m in self.after.values() if m.surface.has(kind, name))
        return any(m.name not in self.before or not self.before[m.name].surface.has(kind, name) for m in new)

    def _seen(self, name: str) -> bool:
        """Some new line of the commit still uses the name: then it has not gone from the world."""
        return name in self._whole.added_words

    # --- packages --------------------------------------------------------------------------------------------------

    def _lost_exports(self) -> Iterator[tuple[str, Fact]]:
        """Names that a package no longer hands on."""
        for module in self.before.values():
            now = self.after.get(module.name)
            if now is None:
                continue
            open_end = now.surface.of("hook") or module.surface.of("hook")
            for row in exports(module):
                if now.offers(row.name) or now.surface.has("export", row.name) or open_end:
                    continue
                if row.kind == "import" and row.name in taken_inside(now):
                    continue  # what a function takes when it runs, the package took for itself
                if hidden(module.path) and self._is_had_above(module, row.name):
                    continue  # its users know it by the package above, which keeps it or is told to lose it
                if now.surface.of("star") and not self._left_its_home(module, row):
                    continue  # a module whose names are all taken may still bring it
                if any(module.surface.has(kind, row.name) for kind in ("function", "class", "attribute")):
                    continue  # defined here: told as removed or moved
                file, path = module.pair.file, module.path
                breaks = exported(file, module.surface, row, path) or is_root(file, path)
                yield (
                    row.name,
                    Fact(
                        "export_removed", now.path, row.line, f"{module.name}.{row.name}", row.name, None, breaks, NONE
                    ),
                )

    def _is_had_above(self, module: Module, name: str) -> bool:
        """A public package of the commit that holds the module handed the name on."""
        above = (one for one in self.before.values() if f"{module.name}.".startswith(f"{one.name}."))
        return any(one.path.endswith("/__init__.py") and not hidden(one.path) and one.offers(name) for one in above)

    def _left_its_home(self, module: Module, row: Row) -> bool:
        """The module that a package took a name from went as a whole, or is there and has it no more."""
        name = absolute(row.details["from"], module) if row.kind == "import" else ""
        home = self.after.get(name)
        if home is None:
            return name in self.before
        return not (home.offers(row.name) or home.surface.of("star") or home.surface.of("hook"))


def _is_its_base(row: Row, alias: Row) -> bool:
    """A class that only gave its base a name is a plain name for it now."""
    base = row.text.partition("(")[2].rpartition(")")[0]
    return row.kind == "class" and bool(base) and "".join(alias.details["value"].split()) == "".join(base.split())


def _brought(module: Module, row: Row, target: Module, there: Row) -> bool:
    """Half of the lines of a definition came along: a name alone may be given to something else."""
    if row.kind not in _DEFINITIONS:
        return True
    gone, come = (_lines(*one) for one in ((module, row, "-"), (target, there, "+")))
    return not (gone and come) or 2 * sum(line in come for line in gone) >= len(gone)


def _lines(module: Module, row: Row, sign: str) -> list[str]:
    """The changed lines of a definition on one side, as far as the hunks show them, without their margins."""
    end = row.line + int(row.details["size"])
    lines = (x for hunk in module.pair.file.hunks for x in hunk.lines if x.sign == sign)
    own = (x.text.strip() for x in lines if row.line <= (x.new if sign == "+" else x.old) <= end)
    return [text for text in own if len(text) > _SHORT]


def _gone(x: _Left, kind: str, breaks: bool) -> Fact:
    shown = x.row.text if x.row.kind in _DEFINITIONS else x.row.name
    return Fact(kind, x.module.pair.file.path, x.row.line, x.row.name, shown[:200], None, breaks, x.alias or NONE)
