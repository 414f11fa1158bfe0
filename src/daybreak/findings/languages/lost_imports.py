"""Imports of a project's own modules that lead nowhere after a commit: whoever runs them gets an `ImportError`.

Asked are the imports that a commit writes, and those of other files that lead to what it took away. A module is there as a
file or a folder, a name as whatever a module binds at its top; where a module makes names as it runs, where an import is
guarded, and where something that a build makes may stand there, nothing is said.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from msgspec import Struct

from daybreak.core.errors import GitError
from daybreak.core.model.changes import Change
from daybreak.findings.languages.base import Fact, ReadFile
from daybreak.findings.languages.python_syntax import parsed
from daybreak.findings.paths import SOURCES, ships
from daybreak.findings.trees import ASIDE_NAMES, Trees, Where

_WRITES = re.compile(r"\s*(?:from|import)\s|\s+\w+(?:\s+as\s+\w+)?\s*,?\s*\)?\s*(?:#|$)")
"""An import, or a line of its list of names."""
_BINDS = re.compile(r"(?:(?:async\s+)?def|class|from|import)\s|\w+\s*(?::|=(?!=))|    \w+(?:\s+as\s+\w+)?\s*,\s*$")
"""A line at the top of a module that gives a name, or one of its list of names."""
_STATEMENT = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<module>[\w.]{0,300})[ \t]+import[ \t]+(?P<names>\([^()]{1,8000}\)|(?:[^\n(\\]|\\\n){1,400})"
    r"|import[ \t]+(?P<whole>[\w., \t]{1,400}))",
    re.MULTILINE,
)
_COMMENT = re.compile(r"#[^\n]*")
_AT_RUN_TIME = re.compile(r"\bglobals\s*\(|\bsys\.modules\b|\bsetattr\s*\(|\bexec\s*\(|\bdef __getattr__\b|\bvars\s*\(")
"""What makes names that no statement binds."""
_CAUGHT = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException", "AttributeError"})
_BUILDS = Where(
    endings=(
        *(".cmake", "CMakeLists.txt", "Makefile", "setup.py", "pyproject.toml", ".gitignore", ".gitmodules"),
        *(".in", ".proto", ".sh", ".bzl", ".bazel", ".build", ".rs", ".cpp", ".cu"),
    )
)
"""Files that may name a module that a build makes, fetches or compiles."""
_MOST_READ = 200
_AT_ONCE = 60
"""Texts of one search for a whole window."""
_PYTHON = Where(endings=(".py",))


class _Import(NamedTuple):
    path: str
    line: int
    end: int
    module: tuple[str, ...]
    """Folders and file, from the root of the tree, without an ending."""
    package: int
    """How many of them stand before the package."""
    names: tuple[str, ...]


class _Target(NamedTuple):
    """What an import leads to and the tree does not have."""

    module: str
    """The first part of the way that is not there; of a name its module."""
    name: str
    dotted: str


class Tree(Struct, frozen=True):
    """The files of one commit."""

    trees: Trees
    blobs: Mapping[str, str]
    folders: frozenset[str]

    def is_module(self, base: str) -> bool:
        """A source, a stub, something compiled, or a folder."""
        return base in self.folders or any(f"{base}{end}" in self.blobs for end in (".py", ".pyi", ".pyx", ".so"))

    def source(self, base: str) -> str | None:
        """The path of a module's own file."""
        return next((path for path in (f"{base}.py", f"{base}/__init__.py") if path in self.blobs), None)

    def texts(self, asked: Iterable[_Import]) -> dict[str, str]:
        """Blob -> what it holds, of the modules that names are taken from; nothing of what is too large for a source."""
        paths = {self.source("/".join(one.module)) for one in asked if one.names}
        return dict(self.trees.contents(sorted({self.blobs[path] for path in paths if path is not None})))

    def root(self, folders: Sequence[str]) -> int | None:
        """How many folders stand before the outermost package that holds the last of them."""
        depth = len(folders)
        while depth and "/".join((*folders[:depth], "__init__.py")) in self.blobs:
            depth -= 1
        return depth if depth < len(folders) else None


Bound = frozenset[str] | None
"""Names that a module binds at its top; None where it may make more of them as it runs."""


def bound_names(trees: Trees, changes: Sequence[Change], files: Mapping[str, Sequence[ReadFile]]) -> dict[str, Bound]:
    """Blob -> its names, of modules that changes of a window may take some from.

    Who imports what went is asked here for all of them at once: near that tree the others are searched in what differs.
    """
    losers = {change.sha: _losers(files[change.sha]) for change in changes if change.parents}
    oids = {oid for some in losers.values() for file in some for oid in _sides(file)}
    known: dict[str, Bound] = {}
    for oid, text in trees.contents(sorted(oids)):
        with suppress(ValueError, RecursionError, SystemError):  # it stumbles again where its change is read
            known[oid] = _bound(text)
    whole = [some for some in losers.values() if all(oid in known for file in some for oid in _sides(file))]
    texts = {text for some in whole for text in _imported(dict(_gone(some, known)))}
    if len(changes) > 1 and texts:
        trees.lines([changes[len(changes) // 2].sha], sorted(texts)[:_AT_ONCE], _PYTHON)
    return known


def lost_imports(
    trees: Trees, change: Change, files: Sequence[ReadFile], known: Mapping[str, Bound] | None = None
) -> set[Fact]:
    """Imports that the commit writes, or leaves behind, and that fail; `known`: names of blobs that were read before."""
    writers = [f for f in files if _read_here(f) and (f.change.status == "R" or _changed(f, "+", _WRITES))]
    losers = _losers(files)
    if not change.parents or not (writers or losers):
        return set()
    try:
        return set(_lost(trees, change, writers, losers, known or {}))
    except GitError:
        return set()  # what cannot be asked is not said


def _losers(files: Sequence[ReadFile]) -> list[ReadFile]:
    """Files that went, or of which a name may have gone."""
    return [f for f in files if _read_here(f) and (f.change.status in "DR" or _changed(f, "-", _BINDS))]


def _sides(file: ReadFile) -> list[str]:
    """The blobs that tell which names went; of a module that went itself none is asked."""
    change = file.change
    return [] if change.status in "DR" else [oid for oid in (change.old_blob, change.new_blob) if oid.strip("0")]


def _lost(
    trees: Trees, change: Change, writers: Sequence[ReadFile], losers: Sequence[ReadFile], known: Mapping[str, Bound]
) -> Iterator[Fact]:
    tree = tree_of(trees, change.sha)
    unknown = {oid for file in losers for oid in _sides(file) if oid not in known}
    wanted = {file.change.new_blob for file in writers} | unknown
    texts = dict(trees.contents(oid for oid in wanted if oid.strip("0")))
    held = {file.path: texts.get(file.change.new_blob, "") for file in writers}
    asked = {one for file in writers for one in _imports(tree, file.path, held[file.path]) if _written(file, one)}
    gone = dict(_gone(losers, {**known, **{oid: _bound(texts[oid]) for oid in unknown if oid in texts}}))
    for path, text in _users(trees, change.sha, gone):
        held[path] = text
        asked |= {one for one in _imports(tree, path, text) if _led_to(gone, one)}
    sources = tree.texts(asked)
    failing = {(one, target) for one in asked for target in _targets(tree, one, sources)}
    unguarded = {path: _unguarded(held[path]) for path in {one.path for one, _ in failing}}
    failing = {(one, target) for one, target in failing if one.line in unguarded[one.path]}
    told = _unexplained(tree, change, {target for _, target in failing})
    new = {file.path for file in writers if file.change.status == "A"}
    for one, target in failing:
        if target in told:
            breaks = one.path not in new  # who runs a new file ran nothing of it before
            yield Fact("import_failing", one.path, one.line, target.dotted, None, target.dotted, breaks)


def _written(file: ReadFile, one: _Import) -> bool:
    """The commit wrote a line of the import, or moved the file that it stands in."""
    added = (x.new for h in file.hunks for x in h.lines if x.sign == "+")
    return file.change.status == "R" or any(one.line <= line <= one.end for line in added)


def _led_to(gone: Mapping[str, frozenset[str]], one: _Import) -> bool:
    names = gone.get("/".join(one.module))
    return names is not None and (not names or bool(names.intersection(one.names)))


def tree_of(trees: Trees, commit: str) -> Tree:
    blobs = trees.files(commit)
    folders = {path.rpartition("/")[0] for path in blobs}
    for folder in tuple(folders):
        while folder := folder.rpartition("/")[0]:
            folders.add(folder)
    return Tree(trees, blobs, frozenset(folders))


def _read_here(file: ReadFile) -> bool:
    return file.path.endswith(".py") and file.area in SOURCES and ships(file.path)


def _changed(file: ReadFile, sign: str, form: re.Pattern[str]) -> bool:
    return any(x.sign == sign and form.match(x.text[:400]) for h in file.hunks for x in h.lines)


# --- what is written ------------------------------------------------------------------------------------------------


def _imports(tree: Tree, path: str, text: str) -> Iterator[_Import]:
    """Imports of modules of the same package, by their look: whether one is a statement that runs is asked later."""
    folders = path.split("/")[:-1]
    root = tree.root(folders)
    if root is None:
        return
    for found in _STATEMENT.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        end = line + found[0].count("\n")
        names = tuple(_listed(found["names"] or ""))
        for module in [found["module"]] if found["module"] else _listed(found["whole"] or ""):
            parts = _absolute(module, folders, root)
            if len(parts) > root:
                yield _Import(path, line, end, parts, root, names)


def _listed(names: str) -> Iterator[str]:
    """`a, b as c` without what they are called here."""
    for part in _COMMENT.sub("", names.replace("\\\n", " ")).strip("()").split(","):
        words = part.split()
        if words and words[0] != "*":
            yield words[0]


def _absolute(module: str, folders: Sequence[str], root: int) -> tuple[str, ...]:
    """From the root of the tree; nothing for a module of another package."""
    name = module.lstrip(".")
    level, parts = len(module) - len(name), name.split(".") if name else []
    if level:
        return (*folders[: len(folders) - level + 1], *parts)
    return (*folders[:root], *parts) if parts[0] == folders[root] else ()


def _unguarded(text: str) -> set[int]:
    """Lines of imports that nothing catches, and that are made when the program runs."""
    found: set[int] = set()
    left: list[ast.AST] = [parsed(text) or ast.Module([], [])]
    while left:
        node = left.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.add(node.lineno)
        elif isinstance(node, ast.Try) and any(map(_catches, node.handlers)):
            left += [*node.handlers, *node.orelse, *node.finalbody]
        elif isinstance(node, ast.If) and _words(node.test) & {"TYPE_CHECKING", "find_spec"}:
            left += node.orelse
        elif not (isinstance(node, ast.With) and any("suppress" in _words(item) for item in node.items)):
            left += [child for child in ast.iter_child_nodes(node) if isinstance(child, _BLOCKS)]
    return found


_BLOCKS = (ast.stmt, ast.ExceptHandler, ast.match_case)


def _words(node: ast.AST) -> set[str]:
    return {
        part.id if isinstance(part, ast.Name) else part.attr
        for part in ast.walk(node)
        if isinstance(part, ast.Name | ast.Attribute)
    }


def _catches(handler: ast.ExceptHandler) -> bool:
    return handler.type is None or bool(_words(handler.type) & _CAUGHT)


# --- what a module has ----------------------------------------------------------------------------------------------


def _bound(text: str) -> Bound:
    if _AT_RUN_TIME.search(text):
        return None
    found: set[str] = set()
    tree = parsed(text) or ast.Module([], [])
    left: list[ast.AST] = list(tree.body)
    if not left and text.strip():
        return None
    while left:
        node = left.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = {(alias.asname or alias.name).split(".")[0] for alias in node.names}
            if "*" in names:
                return None
            found |= names
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, _GIVES) and ":=" not in text:
            # The value binds nothing, and is most of a file of tables.
            left += node.targets if isinstance(node, ast.Assign) else [node.target]
        else:
            left += ast.iter_child_nodes(node)
    if _GLOBAL.search(text):
        found |= {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
    return frozenset(found)


_GLOBAL = re.compile(r"(?:^|[:;])[ \t\f]*global\b", re.MULTILINE)
"""Where such a statement may stand: the word alone is in every other docstring."""
_GIVES = ast.Assign | ast.AnnAssign | ast.AugAssign


_PLAINLY = re.compile(r"^(?:(?:async )?def |class )?([^\W\d]\w*)\s*[(:=]", re.MULTILINE)
"""What most modules are asked for, seen without reading all of them."""


def _gone(losers: Iterable[ReadFile], bound: Mapping[str, Bound]) -> Iterator[tuple[str, frozenset[str]]]:
    """Module -> names that it binds no more; none where the module itself went."""
    for file in losers:
        change = file.change
        if change.status in "DR":
            yield _base(change.old_path or change.path), frozenset()
            continue
        old, new = bound.get(change.old_blob), bound.get(change.new_blob)
        if old is not None and new is not None and old - new:
            yield _base(change.path), old - new


def _base(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__")


def _imported(gone: Iterable[str]) -> set[str]:
    """What stands in a line that takes names from one of these modules."""
    return {f"{base.rpartition('/')[2]} import" for base in gone}


def _users(trees: Trees, sha: str, gone: Mapping[str, frozenset[str]]) -> Iterator[tuple[str, str]]:
    """Files that may import what went."""
    texts = _imported(gone)
    rows = trees.lines([sha], texts, _PYTHON) if texts else None
    paths = sorted({path for _, path, _ in rows or () if ships(path)})[:_MOST_READ]
    blobs = trees.blobs_at(f"{sha}:{path}" for path in paths)
    found = dict(trees.contents(blobs.values()))
    return ((name.partition(":")[2], found[oid]) for name, oid in blobs.items() if oid in found)


def _targets(tree: Tree, one: _Import, sources: Mapping[str, str]) -> Iterator[_Target]:
    """What of an import the tree does not have."""
    for end in range(one.package + 1, len(one.module) + 1):
        base = "/".join(one.module[:end])
        if not tree.is_module(base):
            yield _Target(base, "", ".".join(one.module[one.package :]))
            return
    base, names = "/".join(one.module), one.names
    path = tree.source(base)
    text = sources.get(tree.blobs[path]) if path is not None else None
    if text is None:  # what the mirror lacks, or is too large to be read, may bind anything
        return
    plain = {match[1] for match in _PLAINLY.finditer(text)}
    open_ = [n for n in names if n not in plain and not tree.is_module(f"{base}/{n}") and not n.startswith("__")]
    bound = _bound(text) if open_ else None
    for name in open_:
        if bound is not None and name not in bound:
            yield _Target(base, name, ".".join((*one.module[one.package :], name)))


def _unexplained(tree: Tree, change: Change, targets: set[_Target]) -> set[_Target]:
    """Those that no build makes, and that did not fail before: what was there went, and what nobody asked for never came."""
    trees = tree.trees
    old = tree_of(trees, change.parents[0]) if targets else None
    new = {t for t in targets if old is not None and not old.is_module(_place(t))}
    modules = {t for t in new if not t.name or _may_be_module(tree, t)}
    if old is None or not new or trees.partial:
        return targets - modules
    parts = {t: _place(t).rpartition("/")[2] for t in new}
    made = trees.matches([change.sha], {parts[t] for t in modules}, _BUILDS) if modules else ()
    asked = trees.lines(change.parents[:1], set(parts.values()), Where(endings=(".py",), without=ASIDE_NAMES))
    if made is None or asked is None:
        return targets - modules
    built = {text for _, _, text in made} | {part for part in parts.values() if _from_proto(tree, part)}
    imported = {module for _, path, line in asked for module in _asked_for(old, path, line)}
    return targets - {t for t in modules if parts[t] in built} - {t for t in new if _place(t) in imported}


def _may_be_module(tree: Tree, target: _Target) -> bool:
    """What is taken from a package may be a file of it: `from pkg import wire_pb2`."""
    return f"{target.module}/__init__.py" in tree.blobs and (target.name.islower() or target.name.startswith("_"))


def _from_proto(tree: Tree, name: str) -> bool:
    """The compiler of protocol buffers names its modules by the file that they are made of."""
    stem = name.removesuffix("_grpc").removesuffix("_pb2")
    return stem != name and any(path.rpartition("/")[2] == f"{stem}.proto" for path in tree.blobs)


def _place(target: _Target) -> str:
    return f"{target.module}/{target.name}" if target.name else target.module


_ASKS = re.compile(r"\s*(?:from|import)[ \t]+([\w.]+)")


def _asked_for(tree: Tree, path: str, line: str) -> Iterator[str]:
    """The module of its own package that a line imports, and the packages around it: one that the tree does not have comes from
    elsewhere, with the wheel or a build.
    """
    folders = path.split("/")[:-1]
    root, found = tree.root(folders), _ASKS.match(line[:400])
    if root is not None and found:
        parts = _absolute(found[1], folders, root)
        yield from ("/".join(parts[:end]) for end in range(1, len(parts) + 1))


# --- where a file takes a name from ---------------------------------------------------------------------------------


class Imported(NamedTuple):
    """A name of a module of the same package."""

    path: str
    name: str


def imported(tree: Tree, path: str, text: str) -> dict[str, Imported]:
    """Name in a file → where it is taken from, of modules that stand in the tree. Packages may lack their `__init__`: what is
    found by its whole way is there.
    """
    folders, found = path.split("/")[:-1], dict[str, Imported]()
    for node in ast.walk(parsed(text) or ast.Module([], [])):
        if isinstance(node, ast.ImportFrom):
            home = next((one for way in _ways(folders, node) if (one := tree.source("/".join(way))) is not None), None)
            found |= {} if home is None else {a.asname or a.name: Imported(home, a.name) for a in node.names}
    return found


def _ways(folders: Sequence[str], node: ast.ImportFrom) -> Iterator[tuple[str, ...]]:
    """Where the module may stand: from the folder of the file, or below the folder of its package's name."""
    parts = tuple((node.module or "").split(".")) if node.module else ()
    if node.level:
        yield (*folders[: len(folders) - node.level + 1], *parts)
        return
    yield from ((*folders[:depth], *parts) for depth, name in enumerate(folders) if name == parts[0])
    yield from ((*root, *parts) for root in _ROOTS)


_ROOTS: tuple[tuple[str, ...], ...] = ((), ("python",), ("src",))
"""Folders that packages stand in, for files that do not belong to the package."""
