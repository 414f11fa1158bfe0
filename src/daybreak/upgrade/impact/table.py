"""What a use is looked up in: nets by name, and what a repository holds at the two ends of a range."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.model.upgrade import Net
from daybreak.core.source_roots import module_of
from daybreak.findings.kinds import Kind, kind_of
from daybreak.upgrade.impact import native, python, server, settings
from daybreak.upgrade.impact.base import UNREAD, Address, Item, address, package_of, path_parts
from daybreak.upgrade.impact.bodies import Parsed
from daybreak.upgrade.impact.programs import Programs
from daybreak.upgrade.impact.source import Signature, Source, offers

Tree = Callable[[str, str], str | None]
"""Repository and path → text of the file; None when there is none, UNREAD when nobody can say what is in it."""
_LARGEST = 2_000_000
_HOPS = 8
_ROOTS = ("", "python/", "src/", "lib/")
_FILES = (".py", "/__init__.py", ".pyi", "/__init__.pyi")
_BASES = 12
_HANDS = 3
"""Modules that may pass everything on to each other before the question is given up."""


class Ends(Struct, frozen=True):
    """What can be asked of the repositories beside the findings."""

    tree: Tree | None = None
    """Files at the end."""
    start: Tree | None = None
    """Files at the start."""
    mentions: Callable[[str, str], bool | None] | None = None
    """Repository and variable → whether sources of the end still read it; None where they only name it."""
    quotes: Callable[[str, str], bool] | None = None
    """Repository and name → whether a table of the end has it as a key."""
    passes: Callable[[str, str, str, int | None, Sequence[str]], bool | None] | None = None
    """Repository, `.method`, function or class, a parameter with its place and the others → whether a call in the end's
    sources passes it; without a name, a call that passes two of the others as well.
    """
    decided: Callable[[str, frozenset[tuple[str, str]]], Mapping[tuple[str, str], tuple[str, str | None]]] | None = None
    """Repository, and words with the files they stood in → the last change that took or added each, and its release."""
    defined: Callable[[str, frozenset[str]], Mapping[str, tuple[str, ...]]] | None = None
    """Repository and names → the files of the end that define each of them."""
    programs: Mapping[str, frozenset[str]] = msgspec.field(default_factory=dict)
    """Repository → commands that it installs, where its project file says so."""
    versions: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Repository → the version that stands at the end, where its name is one."""
    started: Mapping[str, str] = msgspec.field(default_factory=dict)
    """The same for the start."""
    roots: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """Repository → folders that its imports start in, where its project files say so."""
    before: Callable[[str, str, str], str | None] | None = None
    """Repository, change and path → text of the file before the change."""
    spoken: Callable[[str, frozenset[str]], frozenset[str] | None] | None = None
    """Repository and words → those that sources of the end hold."""
    lost: Mapping[str, Mapping[str, str]] = msgspec.field(default_factory=dict)
    """Repository → names that the files of the start define and those of the end do not → one of those files."""
    scripts: Mapping[str, Mapping[str, str]] = msgspec.field(default_factory=dict)
    """Repository → scripts of the start that the end lacks → where the end has each; empty where it has none."""
    others: Mapping[str, frozenset[str]] = msgspec.field(default_factory=dict)
    """Repository → commits between the ends that nobody asked about."""


class Asked:
    """The ends of a range as far as they can be asked."""

    def __init__(self, ends: Ends | None) -> None:
        self.ends = ends or Ends()
        parsed = Parsed()
        roots = self.ends.roots
        self.end = Modules(self.ends.tree, parsed, roots) if self.ends.tree else None
        self.start = Modules(self.ends.start, parsed, roots) if self.ends.start else None
        self.programs = Programs(self.end) if self.end else None

    def known(self, repo: str) -> _Known:
        """What judging a net of a repository may ask."""
        return _Known(self, self.ends.programs.get(repo, frozenset()))

    def standing(self, item: Item, name: str) -> bool | None:
        """Whether a dotted name can still be reached at the end; None when that cannot be told."""
        return self.end.standing(item, name) if self.end else None

    def unmoved(self, item: Item) -> bool:
        """Whether the ends speak against what is told of a field or flag: a base has it now, the start none, or the same."""
        kind = kind_of(item.net.finding.kind)
        if kind.means("cli_flag", "default_changed"):
            return self.start is not None and self.start.lacks(item)
        if not kind.means("field", "removed", "default_changed") or "." not in item.net.finding.symbol:
            return False
        was, now = (end.field(item) if end else None for end in (self.start, self.end))
        return bool(now) if kind.change == "removed" else was == "" or (was is not None and was == now)

    def stood(self, item: Item, name: str) -> bool | None:
        """The same for the start."""
        return self.start.standing(item, name) if self.start else None


class _Known(Struct, frozen=True):
    asked: Asked
    programs: frozenset[str]

    def now(self, item: Item) -> Signature | None:
        return self.asked.end.signature(item) if self.asked.end else None

    def then(self, item: Item) -> Signature | None:
        return self.asked.start.signature(item) if self.asked.start else None

    def same(self, item: Item, name: Sequence[str]) -> bool | None:
        outer = name[: len(name) - len(item.where.symbol) + 1]
        for end in (self.asked.start, self.asked.end):
            found = end.origin(item, outer) if end else None
            if found is not None:
                return found == _old_path(item)
        return None

    def mentions(self, item: Item, word: str) -> bool | None:
        mentions = self.asked.ends.mentions
        return mentions(item.repo, word) if mentions else None

    def quotes(self, item: Item, word: str) -> bool | None:
        quotes = self.asked.ends.quotes
        return quotes(item.repo, word) if quotes else None

    def missing(self, item: Item) -> bool:
        return self.asked.end is not None and self.asked.end.text(item.repo, item.net.finding.path) is None

    def abstract(self, item: Item) -> bool | None:
        return self.asked.end.abstract(item) if self.asked.end else None

    def takes(self, item: Item, program: str) -> bool:
        programs = self.asked.programs
        return programs is not None and programs.defines(item.repo, program, item.net.finding.path)

    def default(self, item: Item, variable: str) -> str | None:
        return self.asked.start.default(item.repo, item.net.finding.path, variable) if self.asked.start else None


def _old_path(item: Item) -> str:
    """The finding's file; for what moved, the file it was in."""
    finding = item.net.finding
    if not item.where.dotted or not item.where.module:
        return finding.path
    parts = path_parts(finding.path)
    top = item.where.module[0]
    root = "".join(f"{part}/" for part in parts[: parts.index(top)]) if top in parts else ""
    return f"{root}{'/'.join(item.where.module)}.py"


class Modules:
    """Files of one end, each read once."""

    def __init__(self, tree: Tree, parsed: Parsed, roots: Mapping[str, tuple[str, ...]] | None = None) -> None:
        self._tree = tree
        self._roots = roots or {}
        self._parsed = parsed
        self._texts: dict[tuple[str, str], str | None] = {}
        self._sources: dict[tuple[str, str], Source | None] = {}

    def text(self, repo: str, path: str) -> str | None:
        """A file; None when there is none, UNREAD when it cannot be had."""
        key = (repo, path)
        if key not in self._texts:
            text = self._tree(repo, path)
            self._texts[key] = None if text is None else text[:_LARGEST]
        return self._texts[key]

    def default(self, repo: str, path: str, variable: str) -> str | None:
        """What a file takes an environment variable for that nobody sets."""
        text = self.text(repo, path)
        asked = rf"(?:getenv|environ\.get)\(\s{{0,80}}[\"']{re.escape(variable)}[\"']\s{{0,80}},\s{{0,80}}[\"']?([\w.-]{{0,40}})"
        found = re.search(asked, text) if text and text != UNREAD else None
        return found[1] if found else None

    def is_on(self, repo: str, path: str, variable: str) -> bool:
        """Whether an environment variable that nobody sets is taken for on."""
        return (self.default(repo, path, variable) or "0").lower() in ("1", "true", "on", "yes")

    def offers(self, repo: str, path: str, name: str) -> bool:
        """Whether a file defines, imports or lists a name."""
        return self._offered(repo, path, name, _HANDS) is True

    def offered(self, repo: str, path: str, name: str) -> bool | None:
        """The same; None when a hook or another module decides."""
        return self._offered(repo, path, name, _HANDS)

    def standing(self, item: Item, name: str) -> bool | None:
        """Whether a dotted name can still be reached where you reach for it; None when files do not tell.

        Of a name's parts the modules count and the first one after them; of what is inside a class only what the
        class says itself.
        """
        parts = name.split(".")
        root = self.root(item, parts[0])
        if root is None:
            return None
        size = next((n for n in range(len(parts), 0, -1) if self.file(item.repo, root, parts[:n])), 0)
        path = self.file(item.repo, root, parts[:size]) if size else None
        if path is None:
            return None
        if size == len(parts):
            return True
        found = self._offered(item.repo, path, parts[size], _HANDS)
        if not found or size + 1 == len(parts) or len(item.where.symbol) < 2:
            return found
        return self._inside(item, path, parts[size:])

    def origin(self, item: Item, name: Sequence[str]) -> str | None:
        """The file in which a dotted name is defined, followed through imports; None when it is lost on the way."""
        root = self.root(item, name[0]) if name else None
        path = self.file(item.repo, root, name[:-1]) if root is not None and len(name) > 1 else None
        found = self._defined(item.repo, path, name[-1]) if path else None
        return found[0] if found else None

    def _defined(self, repo: str, path: str, name: str) -> tuple[str, str] | None:
        """Where what a file calls by a name is defined, and its name there."""
        place: str | None = path
        for _ in range(_HOPS):
            found = self.source(repo, place) if place else None
            if place is None or found is None:
                return None
            if name in found.tops:
                return place, name
            module, name = found.origins.get(name, ("", ""))
            place = self.reached(repo, place, module) if name else None
        return None

    def signature(self, item: Item) -> Signature | None:
        """Parameters of what the finding is about."""
        found = self.source(item.repo, item.net.finding.path)
        return found.signature(item.where.symbol) if found is not None else None

    def abstract(self, item: Item) -> bool | None:
        """Whether the method that an item is about must be written by whoever subclasses."""
        found = self.source(item.repo, item.net.finding.path)
        return found.abstract(item.where.symbol) if found is not None else None

    def has_member(self, item: Item, owner: str, member: str) -> bool | None:
        """Whether a class of the finding's file has a member; None when the file has no such class."""
        found = self.source(item.repo, item.net.finding.path)
        members = found.members(owner) if found is not None else None
        return None if members is None else member in members

    def takes(self, item: Item, owners: Iterable[str], keyword: str) -> bool | None:
        """Whether one of the classes of the finding's file, or a base, has a field; None when the file has none of them."""
        lines = [one for owner in owners for one in self._line(item.repo, item.net.finding.path, owner)]
        return any(keyword in (found.members(name) or ()) for found, name in lines) if lines else None

    def classes(self, repo: str, path: str) -> tuple[str, ...]:
        """Functions and classes at the top of a file."""
        found = self.source(repo, path)
        return tuple(found.tops) if found is not None else ()

    def root(self, item: Item, top: str) -> str | None:
        """The folder that holds the top-level package, as the finding's own path shows it."""
        path = item.net.finding.path
        known = [one for one in self._roots.get(item.repo, ()) if path.startswith(f"{one}{top}/")]
        if known:
            return max(known, key=len)
        parts = path_parts(path)
        if top not in parts:
            return None
        return "".join(f"{part}/" for part in parts[: parts.index(top)])

    def lacks(self, item: Item) -> bool:
        """Whether the finding's file is there without the finding's flag, or the field that makes it."""
        text = self.text(item.repo, item.net.finding.path)
        flag = settings.plain(item.net.finding.symbol)
        return text not in (None, UNREAD) and flag not in settings.plain(text or "")

    def field(self, item: Item) -> str | None:
        """What the finding's class or one of its bases gives its field; empty for no such field, None for no such class."""
        owner, _, name = item.net.finding.symbol.rpartition(".")
        classes = self._line(item.repo, item.net.finding.path, owner)
        given = [found.field(place, name) for found, place in classes]
        return next(filter(None, given), "") if given else None

    def _line(self, repo: str, path: str, owner: str) -> Iterator[tuple[Source, str]]:
        """A class and its bases, as far as files of the repository have them: each file's names, and the name there."""
        waiting: list[tuple[str, str]] = [(path, owner)]
        for _ in range(_BASES):
            place = self._defined(repo, *waiting.pop(0)) if waiting else None
            found = self.source(repo, place[0]) if place else None
            if place is None or found is None:
                continue
            yield found, place[1]
            waiting += [(self._holder(repo, place[0], base), base.rpartition(".")[2]) for base in found.bases(place[1])]

    def _holder(self, repo: str, path: str, name: str) -> str:
        """The file in which a name is looked up: `module.Name` in the module's."""
        head = name.rpartition(".")[0]
        found = self.source(repo, path)
        module, last = found.origins.get(head, ("", "")) if found and head else ("", "")
        dotted = f"{module}{'' if module.endswith('.') else '.'}{last}"
        return (self.reached(repo, path, dotted) if last else None) or path

    def _inside(self, item: Item, path: str, parts: Sequence[str]) -> bool | None:
        """A member that the class has again, or one of its bases; None when neither is seen to."""
        classes = self._line(item.repo, path, parts[0])
        return True if any(parts[1] in (found.members(name) or ()) for found, name in classes) else None

    def roots(self, repo: str) -> tuple[str, ...]:
        """Folders that packages lie in."""
        return *self._roots.get(repo, ()), *_ROOTS

    def dotted(self, repo: str, path: str) -> str:
        """The name by which a file is imported."""
        return module_of(path, self._roots.get(repo, ()))

    def file(self, repo: str, root: str, parts: Sequence[str]) -> str | None:
        """The file of a module below a folder; of one that is compiled, its stub."""
        place = root + "/".join(parts)
        return next((one for end in _FILES if self.text(repo, one := f"{place}{end}") is not None), None)

    def _offered(self, repo: str, path: str, name: str, hands: int) -> bool | None:
        text = self.text(repo, path)
        if text is None:
            return False
        if not hands or text == UNREAD:
            return None
        found = self.source(repo, path)
        if found is None:
            return offers(text, name)
        answer = found.offers(name)
        if answer is not None or found.hook:
            return answer
        answers = [self._from_star(repo, path, star, name, hands - 1) for star in found.stars]
        return True if True in answers else None if None in answers else False

    def _from_star(self, repo: str, path: str, star: str, name: str, hands: int) -> bool | None:
        """What `from x import *` in a file brings."""
        found = self.reached(repo, path, star)
        return self._offered(repo, found, name, hands) if found else None

    def reached(self, repo: str, path: str, module: str) -> str | None:
        """The file of a module that a file imports."""
        dots = len(module) - len(module.lstrip("."))
        folder = path.split("/")[:-1]
        words = [word for word in module.lstrip(".").split(".") if word]
        if dots:
            return self.file(repo, "", [*folder[: len(folder) - dots + 1], *words])
        beside = (
            ["".join(f"{one}/" for one in folder[: folder.index(words[0])])] if words and words[0] in folder else []
        )
        script = "".join(f"{one}/" for one in folder)  # what is started by its path imports from where it lies
        bases = [*self._roots.get(repo, ()), *beside, script] if words else []
        return next((found for base in bases if (found := self.file(repo, base, words))), None)

    def source(self, repo: str, path: str) -> Source | None:
        """A file's names; None when it does not parse or is not there."""
        key = (repo, path)
        if key not in self._sources:
            text = self.text(repo, path)
            if text is None or not path.endswith((".py", ".pyi")):
                self._sources[key] = None
                return None
            self._sources[key] = self._parsed.source(key, text)
        return self._sources[key]


# --- Nets under the names users type: what a use is looked up in ---

FORWARDS = {"LLM": "EngineArgs", "AsyncEngineArgs": "EngineArgs", "Engine": "ServerArgs"}
"""Entry classes that hand their keywords on to the class of the command line's arguments."""
_NOWHERE = Address((), ())
ARGUMENTS = re.compile(r"(?:^|/)(?:\w{0,40}_)?arg(?:ument)?s?(?:_utils)?\.py$")
"""Files in which the entry classes' keywords are the flags."""


@dataclass(slots=True)
class Table:
    """Items by key: the kind of name, a space, and the name."""

    by_name: dict[str, list[Item]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, nets: Mapping[str, Sequence[Net]], asked: Asked) -> Table:
        """All nets; where the end can be asked, moved modules know which names went there."""
        table = cls()
        for repo, found in nets.items():
            known = asked.known(repo)
            for item in _python_items(repo, found, asked.end):
                table._put_python(replace(item, known=known))
            for net in found:
                for one in native.at_end(net, partial(asked.end.text, repo) if asked.end else None):
                    table._put(Item(repo, one, _NOWHERE, known=known), asked)
        return table

    def found(self, keys: Iterable[str]) -> Iterator[Item]:
        """Items under any of the keys, each once."""
        seen: set[int] = set()
        for key in keys:
            for item in self.by_name.get(key, ()):
                if id(item) not in seen:
                    seen.add(id(item))
                    yield item

    def _put_python(self, item: Item) -> None:
        self.by_name[f"python {item.where.last}"].append(item)
        kind = kind_of(item.net.finding.kind)
        if kind.means("module", "moved") and len(item.where.module) > 2:
            self.by_name[f"python {item.where.module[-2]}"].append(item)
        if kind.means("extension_method", "added") and len(item.where.symbol) > 1:
            self.by_name[f"base {item.where.symbol[-2]}"].append(item)
        for entry, owner in FORWARDS.items():
            if item.where.symbol == (owner,) and item.where.parameter:
                self.by_name[f"forwarded {entry}"].append(_forwarded(item, entry, item.where.parameter))

    def _put(self, item: Item, asked: Asked) -> None:
        finding = item.net.finding
        kind = kind_of(finding.kind)
        for part in (settings, server, native):
            for key in part.keys(item) if part.concerns(kind) else ():
                self.by_name[key].append(item)
        if kind.means("cli_flag", "removed", "renamed") and ARGUMENTS.search(finding.path):
            keyword = settings.plain(finding.symbol).replace("-", "_")
            start = asked.start
            for entry, owner in FORWARDS.items():
                if start is None or start.takes(item, (entry, owner), keyword) is not False:
                    self.by_name[f"forwarded {entry}"].append(_forwarded(item, entry, keyword))
            for one in _fields(item, keyword, asked):
                self.by_name[f"python {one.where.last}"].append(one)


def items_of(nets: Mapping[str, Sequence[Net]], wanted: Callable[[Kind], bool], asked: Asked) -> list[Item]:
    """Nets of some kinds, in their order."""
    return [
        Item(repo, net, _NOWHERE, known=asked.known(repo))
        for repo, found in nets.items()
        for net in found
        if wanted(kind_of(net.finding.kind))
    ]


def _fields(item: Item, keyword: str, asked: Asked) -> Iterator[Item]:
    """The field that a flag fills, as an attribute and as a keyword of its class, where the class had it."""
    path, start, end = item.net.finding.path, asked.start, asked.end
    found = end.classes(item.repo, path) if end else ()
    for name in [one for one in found if settings.ARGUMENTS_CLASS.fullmatch(one)] or {*FORWARDS.values()}:
        had = start is None or start.takes(item, (name,), keyword) is not False
        if had and (end is None or not end.has_member(item, name, keyword)):
            yield replace(item, where=Address(path_parts(path), (name, keyword)))
            yield replace(item, where=Address(path_parts(path), (name,), keyword))


def _forwarded(item: Item, entry: str, keyword: str) -> Item:
    top = package_of(item.net.finding.path)
    return replace(item, where=Address((top,), (entry,), keyword, dotted=True))


def _first_names(placed: Sequence[tuple[Net, Address]]) -> Iterator[tuple[Net, Address]]:
    """What moved or was renamed before it went is typed by its first name."""
    for net, where in placed:
        if net.names and python.is_whole(net.finding.kind) and where.symbol:
            parts = tuple(net.names[0].split("."))
            size = len(where.symbol)
            if len(parts) > size and parts[-size:] == where.symbol and all(map(str.isidentifier, parts)):
                yield net, Address(parts[:-size], where.symbol, where.parameter, dotted=True)


def _is_field(kind: Kind) -> bool:
    """Whether it is about something that has a class, and with which the class is built."""
    built = kind.means("field", "removed", "renamed", "required_added", "default_changed")
    return built or kind.means("message_field", "removed") or kind.means("literal", "narrowed")


def _python_items(repo: str, nets: Sequence[Net], modules: Modules | None) -> Iterator[Item]:
    wanted = [net for net in nets if python.concerns(kind_of(net.finding.kind))]
    roots = modules.roots(repo) if modules else ()
    placed = [(net, where) for net in wanted if (where := address(net.finding, roots))]
    places: dict[tuple[str, ...], set[str]] = defaultdict(set)
    kinds: dict[tuple[str, tuple[str, ...]], set[str]] = defaultdict(set)
    for net, where in placed:
        places[where.symbol].add(net.finding.path)
        kinds[net.finding.path, where.symbol].add(net.finding.kind)
    for net, where in [*placed, *_first_names(placed)]:
        finding, kind = net.finding, kind_of(net.finding.kind)
        known = kind.means("module", "moved") and modules is not None
        item = Item(
            repo,
            net,
            where,
            lone=len(places[where.symbol]) == 1,
            beside=frozenset(kinds[finding.path, where.symbol]),
            holds=partial(modules.offers, repo, finding.path) if known and modules else None,
        )
        yield item
        if _is_field(kind) and len(where.symbol) > 1:
            # A field is also the keyword with which its class is built.
            owner = Address(where.module, where.symbol[:-1], where.symbol[-1], where.dotted)
            yield replace(item, where=owner)
