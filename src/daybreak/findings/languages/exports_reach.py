"""Reach of exported names: whether somebody outside could use a name before it went, asked of the tree before.

Of a native module the front of a Python package takes the name out of it: then it is a function of that package.

Of Rust every module on the way from `lib.rs` is public, or one of them hands the name on; a crate without a `lib.rs` is a
program. Of Go the module is more than programs and what they share. Of npm the package is not private. And a name of Go
that another file of its folder declares (for another system) is not gone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from msgspec.structs import replace

from daybreak.core.errors import GitError
from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Alias
from daybreak.findings.blobs import Row
from daybreak.findings.kinds import GONE, kind_of, named
from daybreak.findings.languages.base import Fact
from daybreak.findings.languages.python_signature import differences, pushed_back, signature
from daybreak.findings.languages.python_surface import surface
from daybreak.findings.still_defined import searched, texts_at
from daybreak.findings.trees import ASIDE_NAMES, Trees, Where

_FAMILIES = frozenset({"symbol", "internal_symbol", "extension_method", "name"})
_SOURCE = re.compile(r"\.(rs|go|[cm]?tsx?)$")
_MOST = 60
"""Names of one change that are asked for; a change with more is a rewrite."""
_MACRO = re.compile(r"(cfg_\w{1,80})!")
_CONDITION = re.compile(r"#\[cfg\([^\]]{1,300}\)\]")
_PRIVATE = re.compile(r"\"private\"\s*:\s*true")
_PROGRAM = re.compile(r"^package main\b", re.MULTILINE)


def reach_exports(trees: Trees, change: Change, facts: Iterable[Fact]) -> set[Fact]:
    """The facts without names that nobody outside could reach; those of a program break nobody."""
    found = set(facts)
    asked = [f for f in found if kind_of(f.kind).family in _FAMILIES and _SOURCE.search(f.path)]
    if not asked or not change.parents:
        return found
    tree = _Tree(trees, change.parents[0], change.sha)
    out = found.difference(asked)
    for number, fact in enumerate(sorted(asked, key=lambda f: (f.path, f.line, f.kind, f.symbol))):
        try:
            left = tree.left(fact) if number < _MOST else replace(fact, breaking=False, alias=None)
        except (GitError, ValueError, IndexError):
            left = fact
        if left is not None:
            out.add(left)
    return out


# --- native modules of Python packages ---


_FRONTS = Where(endings=("/__init__.py",), without=ASIDE_NAMES)
_COMPILED = re.compile(r"\.(?:c(?:c|pp|xx|u|uh)|h(?:pp)?)$")
_OPTIONAL = re.compile(r"=(?=[,)])")


def as_functions(trees: Trees, change: Change, facts: set[Fact]) -> set[Fact]:
    """The same facts; what a native module offers and the front of a package takes out of it is told as a function."""
    asked = {f for f in facts if kind_of(f.kind).family == "operator" and f.before and _COMPILED.search(f.path)}
    if not asked or not change.parents:
        return facts
    before, after = (_taken(trees, commit, {f.symbol for f in asked}) for commit in (change.parents[0], change.sha))
    told = {f: [*_as_function(f, f.symbol in after)] for f in asked if f.symbol in before}
    return {one for f in facts for one in told.get(f) or [f]}


def _taken(trees: Trees, commit: str, names: set[str]) -> set[str]:
    """Those of the names that fronts of packages import from a module which no file of Python is."""
    found = searched(trees, [commit], names, _FRONTS) or {}
    fronts = sorted({path for paths in found.values() for path in paths})[:_MOST]
    taken: set[str] = set()
    for path, text in texts_at(trees, commit, fronts).items():
        folder = path.rpartition("/")[0]
        beside = trees.names(commit, folder)
        rows = [row for row in surface("", text).of("import") if row.details["from"].startswith(".")]
        own = (row for row in rows if not {f"{folder}/{row.details['from'][1:]}{end}" for end in ("", ".py")} & beside)
        taken |= {row.name for row in own if row.name in names and row.details["name"] == row.name}
    return taken


def _as_function(fact: Fact, stands: bool) -> Iterator[Fact]:
    """What a caller meets; nothing where nobody has to write anything otherwise. Of one that the front no longer takes it is
    not known which parameters its place has.
    """
    change = kind_of(fact.kind).change
    if change in GONE and not stands:
        kind = named("function", "renamed" if fact.after else "removed")
        yield replace(fact, kind=kind, breaking=True, alias=Alias("none"))
    heads = [_OPTIONAL.sub("=…", f"def {text}:") for text in (fact.before, fact.after) if text]
    old, *new = (signature(Row("function", fact.symbol, 0, head, {})) for head in heads)
    if change != "signature_changed" or not stands or old is None or not new or new[0] is None:
        return
    found = [d for d in differences(old, new[0]) if d.breaks] or [*pushed_back(old, new[0])]
    for d in found:
        symbol = f"{fact.symbol}({d.name})" if d.name else fact.symbol
        yield replace(fact, kind=d.kind, symbol=symbol, before=d.before, after=d.after, breaking=True, alias=None)


class _Tree:
    """The tree before a change, asked file by file; each answer is kept."""

    def __init__(self, trees: Trees, parent: str, sha: str) -> None:
        self._trees, self._parent, self._sha = trees, parent, sha
        self.text = lru_cache(maxsize=400)(self._text)
        self.names = lru_cache(maxsize=200)(self._names)

    def _text(self, path: str, after: bool = False) -> str | None:
        commit = self._sha if after else self._parent
        oids = self._trees.blobs_at([f"{commit}:{path}"])
        return next((text for _, text in self._trees.contents(oids.values())), None) if oids else None

    def _names(self, folder: str, after: bool = False) -> frozenset[str]:
        commit = self._sha if after else self._parent
        if folder:
            return frozenset(self._trees.names(commit, folder))
        return frozenset(path.partition("/")[0] for path in self._trees.files(commit))

    def left(self, fact: Fact) -> Fact | None:
        """What is true of a fact: all, less, or nothing."""
        if fact.path.endswith(".rs"):
            return self._rust(fact)
        return self._go(fact) if fact.path.endswith(".go") else self._typescript(fact)

    def _above(self, path: str, name: str) -> tuple[str, str] | None:
        """(folder, text) of the nearest such file above."""
        parts = path.split("/")[:-1]
        for count in range(len(parts), -1, -1):
            folder = "".join(f"{part}/" for part in parts[:count])
            text = self.text(folder + name)
            if text is None and count == len(parts):
                text = self.text(folder + name, True)
            if text is not None:
                return folder, text
        return None

    # --- Rust ---

    def _rust(self, fact: Fact) -> Fact | None:
        crate = self._above(fact.path, "Cargo.toml")
        if crate is None or not fact.path.startswith(f"{crate[0]}src/"):
            return fact
        after = self.text(f"{crate[0]}src/lib.rs") is None
        library = self.text(f"{crate[0]}src/lib.rs", after)
        if library is None:
            return None
        if not self._open(fact, f"{crate[0]}src/", library, after):
            return None
        fact = self._gated(fact, f"{crate[0]}src/")
        program = self.text(f"{crate[0]}src/main.rs") is not None or "[[bin]]" in crate[1]
        forks = kind_of(fact.kind).mark == "internals"  # who builds on it has its sources, whatever else it makes
        return replace(fact, breaking=False, alias=None) if program and not forks else fact

    def _gated(self, fact: Fact, root: str) -> Fact:
        """A gate that a macro of the crate puts up, as the condition that users have to meet."""
        macro = _MACRO.match(fact.after or "")
        if macro is None:
            return fact
        for path in ("macros/cfg.rs", "macros/mod.rs", "macros.rs", "lib.rs"):
            body = (self.text(root + path, True) or "").partition(f"macro_rules! {macro[1]} ")[2]
            gate = _CONDITION.search(body.partition("macro_rules!")[0][:2000])
            if gate:
                return replace(fact, after=" ".join(gate[0].split()) + macro.string[macro.end() :])
        return fact

    def _open(self, fact: Fact, root: str, library: str, after: bool) -> bool:
        """Every module on the way is public, or one on the way hands the name or all of a module on."""
        parts = re.sub(r"(?:/mod)?\.rs$", "", fact.path.removeprefix(root)).split("/")
        parts = [] if parts in (["lib"], ["main"]) else parts
        name = re.split(r"::|\.", fact.symbol)[0].rstrip("!")
        held = [library]
        for count in range(1, len(parts) + 1):
            folder = root + "/".join(parts[:count])
            held.append(self.text(f"{folder}.rs", after) or self.text(f"{folder}/mod.rs", after) or "")
        for place, part in enumerate(parts):
            if not re.search(rf"\bpub\s+mod\s+{re.escape(part)}\b", held[place]):
                return any(_hands(text, name, parts[place:]) for text in held[: place + 1])
        return True

    # --- Go ---

    def _go(self, fact: Fact) -> Fact | None:
        change = kind_of(fact.kind).change
        folder = fact.path.rpartition("/")[0]
        if change == "removed" and self._beside(fact, folder):
            return None
        module = self._above(fact.path, "go.mod")
        if module is None:
            return fact
        root = module[0].rstrip("/")
        names = self.names(root)
        sources = [n for n in names if n.endswith(".go") and not n.endswith("_test.go")]
        programs = any(n.rpartition("/")[2] == "cmd" for n in names)
        library = any(not _PROGRAM.search(self.text(n) or "") for n in sources[:5])
        alone = not library and (programs or bool(sources))
        return replace(fact, breaking=False, alias=None) if alone else fact

    def _beside(self, fact: Fact, folder: str) -> bool:
        """Another file of the package declares it still."""
        from daybreak.findings.languages.go import surface

        for path in sorted(self.names(folder, True))[:80]:
            if path.endswith(".go") and not path.endswith("_test.go") and path != fact.path:
                text = self.text(path, True) or ""
                if fact.symbol.rpartition(".")[2] in text and surface(path, text).has("export", fact.symbol):
                    return True
        return False

    # --- TypeScript ---

    def _typescript(self, fact: Fact) -> Fact | None:
        package = self._above(fact.path, "package.json")
        if package is None or _PRIVATE.search(package[1]):
            return None
        return fact if self._indexed(fact, package[0]) else None

    def _indexed(self, fact: Fact, root: str) -> bool:
        """The package's index hands it on, itself or through those of folders; without an index, each module is one."""
        inside = re.sub(r"(?:/index)?\.[cm]?tsx?$", "", fact.path.removeprefix(root))
        starts = [folder for folder in ("", "src/") if self._index(root + folder) is not None]
        name = fact.symbol.split(".")[0]
        return not starts or any(self._handed(root + one, inside.removeprefix(one), name) for one in starts)

    def _index(self, folder: str) -> str | None:
        return self.text(f"{folder}index.ts") or self.text(f"{folder}index.tsx")

    def _handed(self, folder: str, inside: str, name: str) -> bool:
        text = self._index(folder) or ""
        if inside in ("", "index") or re.search(rf"\b{re.escape(name)}\b", text):
            return True
        for found in re.finditer(r"export\s+\*\s+from\s+[\"']\./([\w./-]{1,200}?)(?:\.[jt]s)?[\"']", text):
            rest = inside.removeprefix(found[1])
            if rest == "" or (rest.startswith("/") and self._handed(f"{folder}{found[1]}/", rest[1:], name)):
                return True
        return False


def _hands(text: str, name: str, modules: Sequence[str]) -> bool:
    """`pub use a::Name;`, `pub use a::{Name, …};` or `pub use a::*;`."""
    for match in re.finditer(r"\bpub\s+use\s+([^;]{1,2000});", text):
        used = match[1]
        if re.search(rf"\b{re.escape(name)}\b", used):
            return True
        if used.rstrip("} ").endswith("*") and any(re.search(rf"\b{re.escape(m)}\b", used) for m in modules):
            return True
    return False
