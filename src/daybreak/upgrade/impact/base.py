"""Nets under the names users type: what the parts of the join share, and how a use's name meets one."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from msgspec import Struct

from daybreak.core.model.findings import Finding
from daybreak.core.model.upgrade import Certainty, Net, Use
from daybreak.core.source_roots import root_of
from daybreak.findings.kinds import ANOTHER_NAME, kind_of
from daybreak.upgrade.impact.source import Signature

Meeting = Literal["exact", "inside", "handed"]
"""exact: the very name; inside: something below it; handed: through a package that hands it on."""

UNREAD = "\0"
"""Stands for the text of a file that is there and cannot be had: a mirror may lack contents that nothing asked for."""
_ASIDE = frozenset({"tests", "test", "docs", "benchmarks", "examples", "tools", ".github", ".buildkite"})
_SYMBOL = re.compile(r"([\w.]{1,400})(?:\((\**\w{1,200})\))?")
_COUNTED = re.compile(r" \(\d[^()]{0,60}\)$")
_COMMON = frozenset(
    {
        "add", "apply", "args", "attention", "base", "build", "cache", "call", "check", "cleanup", "client",
        "close", "config", "context", "core", "create", "data", "decode", "default", "device", "dtype", "encode",
        "engine", "execute", "executor", "exit", "forward", "generate", "get", "handle", "helper", "id", "index",
        "info", "init", "input", "inputs", "install", "item", "items", "kernel", "key", "kind", "layer", "layers",
        "linear", "list", "load", "loader", "log", "logger", "main", "manager", "mapping", "max", "meta",
        "metadata", "metrics", "min", "mode", "model", "models", "module", "name", "names", "new", "node", "op",
        "open", "ops", "options", "output", "outputs", "params", "parse", "parser", "path", "plan", "platform",
        "prepare", "process", "profile", "quantize", "register", "release", "request", "reset", "response",
        "result", "run", "save", "scheduler", "send", "server", "session", "set", "setup", "shape", "size", "start",
        "state", "stats", "status", "step", "stop", "task", "tokenizer", "tool", "train", "type", "types", "update",
        "utils", "value", "version", "weight", "worker", "wrapper", "write",
    }
)  # fmt: skip
"""Names that several modules of one package may well have."""


class Address(Struct, frozen=True):
    """Where a finding's name stands for whoever uses it."""

    module: tuple[str, ...]
    """Dotted parts when the finding tells them; else the parts of its path, roots such as `python/` included."""
    symbol: tuple[str, ...]
    """Name inside the module; a constructor is its class. Empty for a module."""
    parameter: str | None = None
    dotted: bool = False
    """`module` is a dotted name already."""

    @property
    def last(self) -> str:
        return self.symbol[-1] if self.symbol else self.module[-1] if self.module else ""

    def under(self, top: str) -> tuple[str, ...] | None:
        """The module's dotted parts seen from its top-level package; None when that is not on its way."""
        if self.dotted:
            return self.module if self.module[:1] == (top,) else None
        for number, part in enumerate(self.module[:5]):
            if part == top:
                return self.module[number:]
            if part in _ASIDE:
                return None
        return None


def address(finding: Finding, roots: Iterable[str] = ()) -> Address | None:
    """Where users find what the finding is about, before the change; None when it cannot be told.

    `roots`: folders that imports of the repository start in, as far as it says so.
    """
    kind, before = kind_of(finding.kind), finding.before or ""
    path = finding.path[len(root_of(finding.path, roots)) :]
    if kind.family == "module":
        name = _COUNTED.sub("", finding.symbol if kind.change == "removed" else before or finding.symbol)
        return Address(tuple(name.removesuffix(".*").split(".")), (), dotted=True) if name else None
    if kind.means("export", "removed"):
        module, _, name = finding.symbol.rpartition(".")
        return Address(tuple(module.split(".")), (name,), dotted=True) if module else None
    found = _SYMBOL.fullmatch(finding.symbol)
    if found is None:
        return None
    if kind.means("message_field", "removed"):
        # What is generated from `a/b.proto` is imported as `a.b_pb2`.
        parts = path_parts(path)
        return Address((*parts[:-1], f"{parts[-1]}_pb2"), tuple(found[1].split("."))[-2:]) if parts else None
    symbol = _without_constructor(tuple(found[1].split(".")))
    if kind.change in ANOTHER_NAME and _is_dotted(before, symbol):
        parts = tuple(before.split("."))
        return Address(parts[: -len(symbol)], symbol, dotted=True)
    if kind.change == "renamed" and found[2] is None and before and before.replace(".", "").isidentifier():
        symbol = tuple(before.split(".")) if "." in before else (*symbol[:-1], before)
    return Address(path_parts(path), symbol, found[2])


def _is_dotted(before: str, symbol: Sequence[str]) -> bool:
    """`before` is the whole old name and not just the name inside its module."""
    parts = before.split(".")
    return (
        len(parts) > len(symbol) and tuple(parts[-len(symbol) :]) == tuple(symbol) and all(map(str.isidentifier, parts))
    )


def _without_constructor(symbol: tuple[str, ...]) -> tuple[str, ...]:
    return symbol[:-1] if len(symbol) > 1 and symbol[-1] in ("__init__", "__new__", "__post_init__") else symbol


def path_parts(path: str) -> tuple[str, ...]:
    """`python/sglang/srt/x.py` → python, sglang, srt, x; a package's own file is the package."""
    bare = path.rpartition(".")[0] if "." in path.rpartition("/")[2] else path
    parts = tuple(part for part in bare.split("/") if part)
    return parts[:-1] if parts and parts[-1] in ("__init__", "__main__") else parts


def package_of(path: str) -> str:
    """The top-level package that holds a file: past roots such as `python/` and `src/`."""
    parts = path_parts(path)
    for number, part in enumerate(parts[:-1]):
        if part in ("python", "src", "py_src", "lib"):
            return parts[number + 1]
    return parts[0] if parts else ""


def meets(name: Sequence[str], where: Address) -> Meeting | None:
    """How a used dotted name meets a finding's."""
    module = where.under(name[0]) if name else None
    if module is None:
        return None
    full = (*module, *where.symbol)
    if tuple(name[: len(full)]) == full:
        return "exact" if len(name) == len(full) else "inside"
    size = len(where.symbol)
    # Shortest head first: a package hands names on far more often than a module further down.
    for head in range(1, min(len(module), len(name) - size + 1)) if size else ():
        if tuple(name[:head]) != module[:head]:
            return None
        if tuple(name[head : head + size]) == where.symbol:
            return "handed"
    return None


def rest_of(name: Sequence[str], where: Address) -> int:
    """How many parts of the used name come after the finding's."""
    module = where.under(name[0]) or ()
    full = (*module, *where.symbol)
    if tuple(name[: len(full)]) == full:
        return len(name) - len(full)
    size = len(where.symbol)
    head = next((n for n in range(1, len(name)) if tuple(name[n : n + size]) == where.symbol), 0)
    return len(name) - head - size


def distinctive(where: Address) -> bool:
    """Hardly two modules of a package have the name."""
    first = where.symbol[0] if where.symbol else ""
    return len(first) > 2 and first.lower() not in _COMMON


# --- What the parts of the join share: a net under the name users type, and what is judged of a use that meets it ---

Role = Literal[
    "use", "reach", "pass", "lack", "omit", "place", "override", "implement", "patch", "set", "value", "unset", "send", "pin",
    "catch",
]  # fmt: skip
"""How a use relies on what changed; each has its sentence."""
_CLASS = re.compile(r"class\s+(\w{1,200})\s*(?:\[[^\]]{0,200}\])?\s*\(([^)]{0,400})")
_WORD = re.compile(r"\w{1,200}")


class Judged(NamedTuple):
    """How sure it is that a net touches a use, and through what."""

    certainty: Certainty
    role: Role
    what: str
    """Name the sentence is about: what you use, call, set or override."""
    part: str = ""
    """The parameter, value or program, where the role has one."""


class Known(Protocol):
    """What can be asked about a net's repository beside the net."""

    @property
    def programs(self) -> frozenset[str]:
        """Commands that it installs; empty when unknown."""

    def now(self, item: Item) -> Signature | None:
        """Parameters at the end of the function that an item is about."""

    def then(self, item: Item) -> Signature | None:
        """The same at the start."""

    def same(self, item: Item, name: Sequence[str]) -> bool | None:
        """Whether a dotted name, followed through the imports of the start, is what the finding is about."""

    def mentions(self, item: Item, word: str) -> bool | None:
        """Whether sources of the end still read a variable; None where they only name it, or cannot be asked."""

    def quotes(self, item: Item, word: str) -> bool | None:
        """Whether a table of the end has a name as a key; None when it cannot be asked."""

    def missing(self, item: Item) -> bool:
        """The finding's file is gone at the end."""

    def takes(self, item: Item, program: str) -> bool:
        """Whether a command of the end takes the options that the finding's file defines; no where that is not known."""

    def default(self, item: Item, variable: str) -> str | None:
        """What the finding's file takes at the start for a variable that nobody sets."""

    def abstract(self, item: Item) -> bool | None:
        """Whether the method that an item is about must be written by whoever subclasses."""


class Item(Struct, frozen=True, eq=False):
    """A net of a repository under one of the names by which users meet it."""

    repo: str
    net: Net
    where: Address
    lone: bool = True
    """No other module of the range has a finding on the same name."""
    beside: frozenset[str] = frozenset()
    """Kinds of the range's other findings on the same function."""
    holds: Callable[[str], bool] | None = None
    """Whether the finding's file offers a name at the end; None when the end cannot be asked."""
    known: Known | None = None
    """What is known of the range's ends; it tells no two items apart."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Item) and self._told_apart_by() == other._told_apart_by()

    def __hash__(self) -> int:
        return hash(self._told_apart_by())

    def _told_apart_by(self) -> tuple[object, ...]:
        return self.repo, self.net, self.where, self.lone, self.beside, self.holds


@dataclass(slots=True)
class Yours:
    """Your uses, by the questions that judging one of them asks of the others."""

    written: dict[tuple[str, str, int], set[str]] = field(default_factory=lambda: defaultdict(set))
    """(file, base class, line of your subclass) → methods that it defines."""
    classes: set[str] = field(default_factory=set)
    """Names of your subclasses."""
    used: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """File → upstream names that it uses."""

    @classmethod
    def of(cls, uses: Iterable[Use]) -> Yours:
        found = cls()
        lines: dict[tuple[str, str], list[int]] = defaultdict(list)
        overrides: list[Use] = []
        for use in uses:
            if use.kind == "override":
                overrides.append(use)
            elif use.kind == "subclass":
                lines[use.path, use.name].append(use.line)
                head = _CLASS.search(use.text)
                found.classes |= {head[1]} if head else set()
            elif use.kind in ("import", "attribute", "call", "patch"):
                found.used[use.path].add(use.name)
        ordered = {key: sorted(numbers) for key, numbers in lines.items()}
        for use in overrides:
            base, _, method = use.name.rpartition(".")
            above = ordered.get((use.path, base), [])
            number = bisect_right(above, use.line)
            found.written[use.path, base, above[number - 1] if number else 0].add(method)
        return found

    def indirect(self, use: Use) -> bool:
        """A class of yours below another one of yours, which is told itself."""
        head = _CLASS.search(use.text)
        return head is not None and any(word in self.classes for word in _WORD.findall(head[2]))

    def tries(self, use: Use, new: str) -> bool:
        """The file of a use has the new name as well, so that it is ready for both."""
        last = new.rpartition(".")[2]
        others = (name for name in self.used.get(use.path, ()) if name != use.name)
        return any(name == new or name.endswith(f".{new}") or name.rpartition(".")[2] == last for name in others)


def provided(uses: Iterable[Use]) -> set[tuple[str, str]]:
    """Names that your code gives a value: what it patches, for all files, and what a function sets on `self`, for its own."""
    found: set[tuple[str, str]] = set()
    for use in uses:
        last = use.name.rpartition(".")[2]
        if use.kind == "patch":
            # A constructor of yours that takes anything hands it on to the one that was there.
            hands = last == "__init__" and any(word.startswith("*") for word in use.keywords)
            found |= set() if hands else {("", use.name)}
        elif use.kind == "attribute" and re.search(
            rf"\bself\s?\.\s?{re.escape(last)}\s*(?:[:,][^=]*)?=(?!=)", use.text
        ):
            found.add((use.path, use.name))
    return found


def saved(uses: Iterable[Use]) -> set[tuple[str, int, str]]:
    """Places at which a file keeps what it puts something of its own in the place of, further down."""
    patched = {(use.path, use.name): use.line for use in uses if use.kind == "patch"}
    return {
        (use.path, use.line, use.name)
        for use in uses
        if use.kind == "attribute"
        and use.line < patched.get((use.path, use.name), 0)
        and re.fullmatch(rf"\s*[\w.]{{1,200}}\s*=\s*[\w.]{{1,400}}\.{re.escape(use.name.rpartition('.')[2])}", use.text)
    }


def settled(judged: Judged, use: Use, net: Net, alias: bool = True) -> Judged | None:
    """The same after what weakens it: an alias that still works, a use that is ready for the name to be absent.

    `alias` is False where the end is known to have none, whatever the changes said of themselves.
    """
    known = net.finding.alias
    if alias and known is not None and known.status != "none":
        judged = judged._replace(certainty="look")
    if use.guarded:
        return None if judged.certainty == "look" else judged._replace(certainty="look")
    return judged


def is_key(use: Use) -> bool:
    """A keyword by itself, on another line than the call that passes it."""
    return use.kind == "call" and use.positional is None and len(use.keywords) == 2 and use.keywords[1] == "**"


def gives_value(use: Use) -> bool:
    """A class of yours gives something a value that its base has as well, and defines no method."""
    return use.kind == "override" and not use.keywords and use.positional is None


def unknown_rest(use: Use) -> bool:
    """`*args` or `**kwargs` may pass anything."""
    return use.positional is None or any(word.startswith("*") for word in use.keywords) or "**" in use.text
