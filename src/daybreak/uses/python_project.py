"""The Python files of one project read together: a class of yours in one file is a base in another.

Each file is read once by itself. When all are known, those that import a class, function or object of yours that stands
for something upstream are read again with that knowledge, a few times over for chains of files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from daybreak.upgrade import Use
from daybreak.uses.interface import FAULTS, Unreadable, Wanted
from daybreak.uses.python import read
from daybreak.uses.python_values import STAR, Instance, Own, OwnClass, Returning, Scope, Star, Value
from daybreak.uses.python_words import Words, words_of

_ROUNDS = 4
"""Files between an upstream class and the last class of yours that builds on it."""
_FROM = re.compile(r"\n[ \t]*from[ \t]+([.\w]{1,200})[ \t]+import[ \t]+(\([^()]{0,5000}\)|[^\n]{0,500})")
_IMPORT = re.compile(r"\n[ \t]*import[ \t]+([\w.]{1,200})")
"""Line ends are searched several times as fast as line starts."""
_NAME = re.compile(r"\w{1,100}")


class Project:
    """What the files of a project export that stands for something upstream."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.words: Words = words_of(wanted)
        self.names: dict[str, Value] = {}
        """Dotted names by which other files may import them: `app.engine.Base`, `engine.Base`."""
        self.modules: dict[str, str] = {}
        """Dotted name of each name above -> the file that defines it; two files make a name nobody's."""
        self.imports: dict[str, tuple[tuple[str, frozenset[str]], ...]] = {}
        """File -> what it imports: module, names."""
        self.beside: dict[str, set[str]] = {}
        """Package -> the modules in it."""

    def uses(self, path: str, text: str) -> Iterator[Use]:
        """What a file uses by itself; its exports and imports are remembered."""
        lines = f"\n{text}"
        imported = [
            (_absolute(one[1], path), frozenset(_NAME.findall(one[2])))
            for one in _FROM.finditer(lines)
            if not self.words.watches(one[1])
        ]
        imported += [(one[1], frozenset()) for one in _IMPORT.finditer(lines) if not self.words.watches(one[1])]
        if imported:
            self.imports[path] = tuple(imported)
        package, _, name = _module(path).rpartition(".")
        self.beside.setdefault(package, set()).add(name)
        scope = Scope()
        try:
            yield from read(path, text, self.wanted, scope=scope)
        finally:
            self._export(path, scope)

    def joined(
        self, text_of: Callable[[str], str | None], stumbled: Callable[[str, BaseException], None] | None = None
    ) -> Iterator[Use]:
        """What files use through classes, functions and objects of other files; all of their uses come again.

        `stumbled` is told the file that a fault of ours kept from being read again; the others go on.
        """
        for name, value in self.names.items():
            if isinstance(value, Star):  # only now is every file known
                self.names[name] = self._star(self.modules[name], value, value.own)
        fresh = set(self.names)
        for _ in range(_ROUNDS):
            modules = {name.rpartition(".")[0] for name in fresh}
            before = set(self.names)
            for path, imported in self.imports.items():
                if not any(self._meets(module, names, fresh, modules) for module, names in imported):
                    continue
                text = text_of(path)
                if text is None:
                    continue
                try:
                    yield from list(self._again(path, text))
                except FAULTS as error:
                    if stumbled is not None:
                        stumbled(path, error)
            fresh = set(self.names) - before
            if not fresh:
                return

    def _again(self, path: str, text: str) -> Iterator[Use]:
        scope = Scope()
        try:
            yield from read(path, text, self.wanted, scope=scope, package=_package(path), project=self.names)
        except Unreadable:
            return
        self._export(path, scope)

    def _meets(self, module: str, names: frozenset[str], fresh: set[str], modules: set[str]) -> bool:
        if module not in modules:
            return False
        return not names or f"{module}.{STAR}" in fresh or any(f"{module}.{name}" in fresh for name in names)

    def _export(self, path: str, scope: Scope) -> None:
        parts = _module(path).split(".")
        lean: dict[int, OwnClass] = {}
        for name, value in scope.names.items():
            kept = self._star(path, value, scope.names) if isinstance(value, Star) else self._kept(value, lean)
            if kept is None:
                continue
            for start in range(len(parts)):
                full = ".".join((*parts[start:], name))
                if self.words.leads_to(parts[start]):
                    continue
                owner = self.modules.setdefault(full, path)
                self.names[full] = kept if owner == path else None

    def _star(self, path: str, star: Star, own: Iterable[str]) -> Star:
        """What a star import hands on: not what the module defines itself, nor the modules beside it."""
        beside = self.beside.get(_package(path), ()) if path.endswith("__init__.py") else ()
        return Star(star.path, frozenset((*own, *beside)))

    def _kept(self, value: Value, lean: dict[int, OwnClass]) -> Value:
        """What of a module's names is worth telling other files, without the tree it was read from."""
        if isinstance(value, OwnClass) and value.upstream:
            return _lean(value, lean)
        if isinstance(value, Instance) and self.words.watches(value.path):
            return value
        if isinstance(value, Own) and value.kind.upstream:
            return Own(_lean(value.kind, lean))
        if isinstance(value, Returning):
            inner = self._kept(value.value, lean)
            inner = None if isinstance(inner, str) else inner
            return Returning(inner) if inner is not None else None
        return value if isinstance(value, str) and self.words.watches(value) else None


def _lean(value: OwnClass, done: dict[int, OwnClass]) -> OwnClass:
    """A class without the literals of its body, which would keep the whole file in memory."""
    waiting = [value]
    while waiting:  # bases first; a loop, since chains may be long
        one = waiting[-1]
        missing = [base for base in one.bases if isinstance(base, OwnClass) and id(base) not in done]
        if missing:
            waiting += missing
            continue
        waiting.pop()
        lean = OwnClass(one.name, tuple(done[id(base)] if isinstance(base, OwnClass) else base for base in one.bases))
        lean.own = {name: held if isinstance(held, Instance | str) else None for name, held in one.own.items()}
        done.setdefault(id(one), lean)
    return done[id(value)]


def _module(path: str) -> str:
    """`app/engine/__init__.py` is `app.engine`."""
    return path.rpartition(".")[0].removesuffix("/__init__").replace("/", ".")


def _package(path: str) -> str:
    return path.rpartition("/")[0].replace("/", ".")


def _absolute(module: str, path: str) -> str:
    """A relative module seen from the root that is read."""
    bare = module.lstrip(".")
    level = len(module) - len(bare)
    if not level:
        return bare
    parts = _package(path).split(".") if _package(path) else []
    parts = parts[: len(parts) - level + 1]
    return ".".join((*parts, bare)) if bare else ".".join(parts)
