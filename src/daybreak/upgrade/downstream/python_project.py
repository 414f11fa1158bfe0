"""The Python files of one project read together: a class of yours in one file is a base in another.

Files are read in the order of their imports, so that what a file imports is known when it is read; one that is read too
early, since files import each other in a circle, is read again with that knowledge. A file that no other one imports is
read last, in any order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from daybreak.core.model.upgrade import Use
from daybreak.core.projects import FAULTS, Unreadable, Wanted
from daybreak.upgrade.downstream.choices import HANDED, choice, handed
from daybreak.upgrade.downstream.python import read
from daybreak.upgrade.downstream.python_definitions import EXTENDING, NAMED, REGISTERED
from daybreak.upgrade.downstream.python_values import (
    STAR,
    Check,
    Instance,
    Own,
    OwnClass,
    Returning,
    Scope,
    Star,
    Value,
    is_class_name,
)
from daybreak.upgrade.downstream.python_walk import Beside
from daybreak.upgrade.downstream.python_words import Words, words_of

_FROM = re.compile(r"\n[ \t]*from[ \t]+([.\w]{1,200})[ \t]+import[ \t]+(\([^()]{0,5000}\)|[^\n]{0,500})")
_IMPORT = re.compile(r"\n[ \t]*import[ \t]+([\w.]{1,200})")
"""Line ends are searched several times as fast as line starts."""
_BY_NAME = re.compile(r"import_module\(\s{0,80}[\"']([\w.]{1,200})[\"']")
_NAME = re.compile(r"\w{1,100}")
_CLASS_NAMED = re.compile(r"[\"'](\w{1,100}(?:\.\w{1,100}){1,20})[.:]([A-Z]\w{0,100})[\"']")
_CLASS = re.compile(r"class\s+(\w{1,100})")
_HANDS_MOST = 5
"""Packages that hand a name on before it is let go."""
_EXTENSION = re.compile(
    r"(\b\w{1,100})[\"']?(?:\s{0,9}:\s{0,9}(?:str|Optional\[str\])(?: \| None)?)?\s{0,9}[:=,]\s{0,9}(?:\(\s{0,80})?f?[\"'](\{__name__\}|\w{1,100}(?:\.\w{1,100}){0,20})[.:](\w{1,100})[\"']"
)
_DEEPEST = 40
"""Folders of a file; those above are not looked at."""
Exports = dict[str, Value]
Stumbled = Callable[[str, BaseException], None]


def _unheard(_path: str, _error: BaseException) -> None:
    pass


class Project:
    """What the files of a project export that stands for something upstream."""

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.words: Words = words_of(wanted)
        self.names: Exports = {}
        """Dotted names by which other files may import them: `app.engine.Base`, `engine.Base`."""
        self.owners: dict[str, str] = {}
        """Dotted name of each name above -> the file that defines it; two files make a name nobody's."""
        self.imports: dict[str, tuple[tuple[str, frozenset[str]], ...]] = {}
        """File -> what it imports: module, names."""
        self.beside: dict[str, set[str]] = {}
        """Package -> the modules in it."""
        self.named: dict[str, set[str]] = {}
        """Class -> the modules that strings give for it (`"app.engine.Worker"`)."""
        self.extending: dict[str, str] = {}
        """Class, by its module, that a setting of upstream names -> the upstream class that gets its methods."""
        self.late: dict[str, list[str]] = {}
        """File -> modules that it imports by a string."""
        self.last: frozenset[str] = frozenset()
        """Files that nobody imports."""
        self.exports: dict[str, Exports] = {}
        """File -> what it exports, until others may see it."""
        self.clock = 0
        self.read_at: dict[str, int] = {}
        """File -> when it was read."""
        self.known: set[str] = set()
        """Modules that export something."""
        self.places: dict[str, list[str]] = {}
        """Dotted name -> the files that others may import by it."""
        self.given: dict[str, dict[str, list[tuple[str, str]]]] = {}
        """File -> what its functions are given by other files."""
        self.changed: dict[str, int] = {}
        """Name, module or package -> when something of it became known, or known to be something else."""

    def look(self, path: str, text: str) -> None:
        """Remember what a file imports; all files are looked at before the first one is read."""
        lines = f"\n{text}"
        imported = [
            (_absolute(one[1], path), frozenset(_NAME.findall(one[2])))
            for one in _FROM.finditer(lines)
            if not self.words.watches(one[1])
        ]
        imported += [(one[1], frozenset()) for one in _IMPORT.finditer(lines) if not self.words.watches(one[1])]
        self.imports[path] = tuple(imported)
        if "import_module" in text and (late := _BY_NAME.findall(text)):
            self.late[path] = late
        for module, name in _CLASS_NAMED.findall(text):
            if not self.words.watches(module):
                self.named.setdefault(name, set()).add(module)
        for key, upstream in self.wanted.extensions.items():
            if key in text or key.upper() in text:
                self.extending |= dict.fromkeys(_extending(path, text, key), upstream)
        package, _, name = _module(path).rpartition(".")
        self.beside.setdefault(package, set()).add(name)

    # --- in which order ------------------------------------------------------------------------------------------

    def levels(self) -> list[list[str]]:
        """The files that others import, each on a higher level than those it imports, as far as circles allow."""
        whole = {one for late in self.late.values() for one in late}
        asked = {one.rpartition(".")[0] for one in self.extending}
        for imported in self.imports.values():
            for module, names in imported:
                (asked if names else whole).add(module)
                asked.update(f"{module}.{name}" for name in names)
        by_name: dict[str, list[str]] = {}
        for path in self.imports:
            parts = _module(path).split(".")[-_DEEPEST:]
            if _is_asked(parts, whole, asked):
                for start in range(len(parts)):
                    by_name.setdefault(".".join(parts[start:]), []).append(path)
        self.places = by_name
        inner = dict.fromkeys(path for paths in by_name.values() for path in paths)
        self.last = frozenset(path for path in self.imports if path not in inner)
        needs = {path: self._needs(path, by_name) for path in self.imports if path in inner}
        level: dict[str, int] = {}
        made: list[list[str]] = []
        for path in _behind(needs):
            level[path] = 1 + max((level.get(one, -1) for one in needs[path]), default=-1)
            made += [[]] if level[path] == len(made) else []
            made[level[path]].append(path)
        return made

    def _needs(self, path: str, by_name: Mapping[str, Sequence[str]]) -> list[str]:
        """The files that a file imports."""
        modules = [(one, frozenset[str]()) for one in self.late.get(path, ())]
        named = (
            name
            for module, names in (*self.imports[path], *modules)
            for name in (module, *sorted(f"{module}.{one}" for one in names))
        )
        return [one for name in named for one in by_name.get(name, ())]

    def stale(self) -> list[str]:
        """The files that were read before something that they import was known, in the order of reading."""
        return [path for path, at in self.read_at.items() if path not in self.last and self._outrun(path, at)]

    def _outrun(self, path: str, at: int) -> bool:
        changed = self.changed
        for module, names in self.imports[path]:
            if changed.get(module, 0) <= at:
                continue
            if changed.get(f"{module}.{STAR}", 0) > at or any(changed.get(f"{module}.{x}", 0) > at for x in names):
                return True
            if not names and self._meets(path):  # `import app` reaches what lies below `app`, too
                return True
        return False

    # --- what files hand to each other ---------------------------------------------------------------------------

    def hand_over(self, uses: Iterable[Use]) -> list[str]:
        """The files of whose functions it has become known what other files give them."""
        given: dict[str, dict[str, list[tuple[str, str]]]] = {}
        for name, upstream in self.extending.items():
            if (place := self._function(name)) is not None:
                given.setdefault(place[0], {})[place[1]] = [(EXTENDING, upstream)]
        for use in uses:
            place = self._function(use.name.removeprefix(HANDED)) if use.name.startswith(HANDED) else None
            if place is not None and place[0] != use.path:
                pairs = [one.partition("=") for one in use.keywords]
                given.setdefault(place[0], {}).setdefault(place[1], []).extend((name, path) for name, _, path in pairs)
        news = [path for path, functions in given.items() if self.given.get(path) != functions]
        self.given = given
        return news

    def _function(self, name: str) -> tuple[str, str] | None:
        """The file that defines a function, and its name there; packages may hand it on."""
        for _ in range(_HANDS_MOST):
            module = name
            while module and module not in self.places:
                module = module.rpartition(".")[0]
            files = self.places.get(module, ())
            rest = name[len(module) + 1 :]
            if len(files) != 1 or not rest:
                return None
            first = rest.partition(".")[0]
            behind = next((one for one, names in self.imports[files[0]] if first in names), None)
            if behind is None:
                return files[0], f"{rest}.__init__" if is_class_name(rest.rpartition(".")[2]) else rest
            name = f"{behind}.{rest}"
        return None

    # --- reading -------------------------------------------------------------------------------------------------

    def uses(self, path: str, text: str, stumbled: Stumbled = _unheard) -> Iterator[Use]:
        """What a file uses by itself and through the files admitted before; what it exports waits to be admitted.

        `stumbled` is told the file that a fault of ours kept from being read together with the others.
        """
        beside = Beside(_package(path), given=self.given.get(path, {}))
        yield from self._with_named(path, self._uses(path, text, stumbled, beside))
        yield from (choice(path, _absolute(module, path), line, when) for module, line, when in beside.choices)
        yield from (handed(path, name, line, given) for name, line, given in dict.fromkeys(beside.handed))

    def _with_named(self, path: str, uses: Iterable[Use]) -> Iterator[Use]:
        """The same, with constructors of classes that a string names: upstream may call them."""
        module, own = f".{_module(path)}", ""
        for use in uses:
            if use.kind == "subclass" and (head := _CLASS.search(use.text)):
                own = head[1]
            named = use.kind == "override" and use.value != REGISTERED and use.name.endswith(".__init__")
            if named and any(module.endswith(f".{one}") for one in self.named.get(own, ())):
                yield replace(use, value=NAMED)
            else:
                yield use

    def _uses(self, path: str, text: str, stumbled: Stumbled, beside: Beside) -> Iterator[Use]:
        if path not in self.last:
            self.read_at[path] = self.clock
        if self._meets(path):
            scope = Scope()
            try:
                found = list(self._together(path, text, scope, beside))
            except Unreadable:
                pass  # it says so by itself, too
            except FAULTS as error:
                stumbled(path, error)
            else:
                self._export(path, scope)
                yield from found
                return
        scope = Scope()
        try:
            beside.project = {}
            beside.choices.clear()
            beside.handed.clear()
            yield from read(path, text, self.wanted, scope=scope, beside=beside)
        finally:
            self._export(path, scope)

    def _together(self, path: str, text: str, scope: Scope, beside: Beside) -> Iterator[Use]:
        beside.project = self.names
        return read(path, text, self.wanted, scope=scope, beside=beside)

    def _meets(self, path: str) -> bool:
        """Whether a file imports a name that is known, or its module as a whole."""
        for module, names in self.imports[path]:
            if any(f"{module}.{name}" in self.known for name in names):  # `from app import engine`
                return True
            if module not in self.known:
                continue
            if not names or f"{module}.{STAR}" in self.names or any(f"{module}.{name}" in self.names for name in names):
                return True
        return False

    def _export(self, path: str, scope: Scope) -> None:
        """Keep what a file defines that stands for something upstream."""
        if path in self.last:
            return
        lean: dict[int, OwnClass] = {}
        kept = {
            name: self._star(path, value, scope.names) if isinstance(value, Star) else self._kept(value, lean)
            for name, value in scope.names.items()
        }
        self.exports[path] = {name: value for name, value in kept.items() if value is not None}

    def admit(self, paths: Iterable[str]) -> None:
        """Let other files see what these export."""
        self.clock += 1
        for path in paths:
            parts = _module(path).split(".")[-_DEEPEST:]
            for name, kept in self.exports.pop(path, {}).items():
                for start in range(len(parts)):
                    if not self.words.leads_to(parts[start]):
                        self._enter(".".join(parts[start:]), name, path, kept)

    def _enter(self, module: str, name: str, path: str, kept: Value) -> None:
        full = f"{module}.{name}"
        if self.owners.setdefault(full, path) != path:
            self.owners[full] = ""
            kept = None
        if full in self.names and _alike(self.names[full], kept):
            return
        self.names[full] = kept
        self.known.add(module)
        self.changed[full] = self.clock
        while module:
            self.changed[module] = self.clock
            module = module.rpartition(".")[0]

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
        if isinstance(value, Check) and value.when:
            return value
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
        lean.own = {name: held if isinstance(held, Instance | str | Check) else None for name, held in one.own.items()}
        done.setdefault(id(one), lean)
    return done[id(value)]


def _alike(one: Value, other: Value) -> bool:
    """Whether two values tell other files the same."""
    if isinstance(one, Own) and isinstance(other, Own):
        return _alike(one.kind, other.kind)
    if isinstance(one, Returning) and isinstance(other, Returning):
        return _alike(one.value, other.value)
    if isinstance(one, OwnClass) and isinstance(other, OwnClass):
        return one.upstream == other.upstream and [(x.name, x.own) for x in one.line_up()] == [
            (x.name, x.own) for x in other.line_up()
        ]
    return one == other


def _behind(needs: Mapping[str, Sequence[str]]) -> list[str]:
    """Each after what it needs, as far as circles allow."""
    done: list[str] = []
    met: set[str] = set()
    for first in needs:
        waiting = [(first, iter(needs[first]))] if first not in met else []
        met.add(first)
        while waiting:
            path, rest = waiting[-1]
            needed = next((one for one in rest if one not in met), None)
            if needed is None:
                done.append(path)
                waiting.pop()
            else:
                met.add(needed)
                waiting.append((needed, iter(needs[needed])))
    return done


def _is_asked(parts: Sequence[str], whole: Container[str], asked: Container[str]) -> bool:
    """Whether a module is imported by its name from any folder above it, or stands below one imported as a whole."""
    for start in range(len(parts)):
        name = parts[start]
        for part in parts[start + 1 :]:
            if name in whole:
                return True
            name = f"{name}.{part}"
        if name in asked or name in whole:
            return True
    return False


def _extending(path: str, text: str, key: str) -> Iterator[str]:
    """Classes that a setting names: `key="app.workers.Worker"`, `KEY = f"{__name__}.Worker"`."""
    for found in _EXTENSION.finditer(text):
        if key in found[1].lower():
            yield f"{_module(path) if found[2].startswith('{') else found[2]}.{found[3]}"


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
