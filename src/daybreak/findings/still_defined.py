"""Looks a removed name up in the whole tree: what still stands elsewhere is not gone, what nobody used was gone before.

A diff cannot show the files it does not touch. Only names that mean the same wherever they stand are looked up:
environment variables, metrics, operators and models; and only those whose removal would be called breaking.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import NamedTuple

from msgspec.structs import replace

from daybreak.core.errors import GitError
from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Alias
from daybreak.findings.blobs import Surface
from daybreak.findings.kinds import Verb, kind_of, named
from daybreak.findings.languages import arch, operators, server
from daybreak.findings.languages.base import Fact
from daybreak.findings.trees import ASIDE_NAMES, Trees, Where

# --- Search of whole trees for texts: once for all that is asked of a change ---


CODE = Where(
    endings=(".py", ".pyi", ".cpp", ".cc", ".cu", ".cuh", ".h", ".hpp", ".rs", ".go", ".sh"), without=ASIDE_NAMES
)

Places = dict[tuple[str, str], set[str]]
"""(commit, text) -> files that hold it."""


def searched(trees: Trees, commits: Sequence[str], texts: Iterable[str], where: Where) -> Places | None:
    """The places of all texts in whole trees; None when one cannot be searched."""
    found: Places = {}
    rows = trees.matches(commits, texts, where)
    if rows is None:
        return None
    for commit, path, text in rows:
        found.setdefault((commit, text), set()).add(path)
    return found


def texts_at(trees: Trees, commit: str, paths: Iterable[str]) -> dict[str, str]:
    """Path -> text in the tree of a commit; what is not there, too large or no text is left out."""
    try:
        blobs = trees.blobs_at(f"{commit}:{path}" for path in paths)
    except GitError:
        return {}
    texts = dict(trees.contents(blobs.values()))
    return {name.partition(":")[2]: texts[oid] for name, oid in blobs.items() if oid in texts}


# --- Finds deleted sources that nobody compiled: all their neighbours are built by name, and no file names them ---
# A build that takes what it finds in a folder names nobody, so wherever one may do that, the file counts as compiled.


_SOURCES = (".cpp", ".cc", ".cu", ".cxx")
_BUILDS = (".py", ".cmake", ".bzl", ".bazel", ".mk", ".sh", ".build", "CMakeLists.txt", "Makefile", "BUILD")
_FEWEST_NAMED = 2
"""Neighbours that must be built by name before that is called the way of the folder."""
_UNCOMPILED_MOST_READ = 200
_WALKS = re.compile(r"\b(?:listdir|walk|iterdir|scandir|aux_source_directory) {0,4}\(")
_FINDS = re.compile(r"\bfind {1,4}[.$\w/\"]")
"""What reads a folder in Python and CMake, and in a shell."""
_GLOBS = re.compile(r"\b(?:[ir]?glob1?|fnmatch\w{0,9}|full_match)\b")
_ONLY_STARS = re.compile(r"\*+")
_QUOTED = re.compile(r"\"([^\"\n]{1,300})\"|'([^'\n]{1,300})'")
_BARE = re.compile(r"[^\s()\"',;]{1,300}")
_VARIABLE = re.compile(r"\$?\{[^{}]{0,200}\}|\$\([^()]{0,200}\)")


def uncompiled(trees: Trees, change: Change, paths: Iterable[str]) -> set[str]:
    """Those of the paths that the change deletes and that its parent did not build."""
    parent = change.parents[0]
    sources = sorted(path for path in paths if path.endswith(_SOURCES) and "/" in path)
    folders: dict[str, list[str]] = {}
    for path in sources:
        folders.setdefault(path.rpartition("/")[0], []).append(path)
    out: set[str] = set()
    for folder, some in folders.items():
        before, after = (trees.names(commit, folder) for commit in (parent, change.sha))
        deleted = [path for path in some if path in before - after]
        neighbours = sorted(PurePosixPath(path).name for path in before & after if path.endswith(_SOURCES))
        if deleted and len(neighbours) >= _FEWEST_NAMED:
            out |= _unnamed(trees, parent, folder, deleted, neighbours)
    return out


def _unnamed(trees: Trees, parent: str, folder: str, deleted: Sequence[str], neighbours: Sequence[str]) -> set[str]:
    """The deleted files that no file named, in a folder whose other files were built by name."""
    stems = {path: PurePosixPath(path).stem for path in deleted}
    parts = {word for part in folder.split("/") for word in (part, part.upper())}
    stars = {f"*{PurePosixPath(path).suffix}" for path in deleted}
    places = searched(trees, [parent], {*stems.values(), *neighbours, *parts, *stars}, Where())
    if places is None or not all(_builds(places, parent, name) for name in neighbours):
        return set()
    takers = sorted({path for text in (*parts, *stars) for path in _builds(places, parent, text)})
    texts = texts_at(trees, parent, takers) if len(takers) <= _UNCOMPILED_MOST_READ else {}
    if len(texts) < len(takers) or not takers or any(_walks(*file) for file in texts.items()):
        return set()
    return {
        path
        for path, stem in stems.items()
        if not places.get((parent, stem), set()) - {path}
        and not any(_may_take(text, PurePosixPath(path).name, build) for build, text in texts.items())
    }


def _builds(places: Places, parent: str, text: str) -> list[str]:
    return [path for path in places.get((parent, text), ()) if path.endswith(_BUILDS)]


def _walks(build: str, text: str) -> bool:
    return bool(_WALKS.search(text)) or (not build.endswith(".py") and bool(_FINDS.search(text)))


def _may_take(text: str, name: str, build: str) -> bool:
    """A pattern, or a name put together from variables, that the file's name would fit."""
    words = [a or b for a, b in _QUOTED.findall(text)]
    if not build.endswith(".py"):
        words += _BARE.findall(text)
    elif not _GLOBS.search(text):
        words = [word for word in words if not _ONLY_STARS.fullmatch(word)]  # as in `nargs="*"`
    return any(_fits(name, word) for word in words if "*" in word or "{" in word or "$" in word)


def _fits(name: str, word: str) -> bool:
    """The last part of a path as a pattern; a variable alone says nothing of which files it stands for."""
    last = _VARIABLE.sub("\0", word).rpartition("/")[2]
    return bool(last.strip("\0")) and fnmatchcase(name, last.replace("\0", "*"))


# --- Looks operators that went up in the whole tree: another file may register them, Python may keep the old name, or ---
# nobody may have compiled the file that registered them.


_COMPILED = (".cpp", ".cc", ".cu", ".cuh", ".h", ".hpp")
_MOST_READ = 60
"""Files that are opened for one change; a name that more of them write is too common to be told apart."""


class _Asked(NamedTuple):
    """One operator that went, and how a tree may still write it."""

    fact: Fact
    name: str

    @property
    def schema(self) -> str:
        return f'"{self.name}('

    @property
    def registers(self) -> tuple[str, ...]:
        return f'"{self.name}"', f"TVM_FFI_DLL_EXPORT_TYPED_FUNC({self.name},", self.schema

    @property
    def binds(self) -> tuple[str, ...]:
        return f"{self.name} =", f"as {self.name}"


def operators_confirmed(trees: Trees, change: Change, facts: Iterable[Fact]) -> dict[Fact, Fact | None]:
    """Facts that the trees contradict -> what is left of each; None for one that is not true at all."""
    asked = [_Asked(fact, fact.symbol.rsplit("::", 1)[-1].rsplit(".", 1)[-1]) for fact in facts]
    if not asked:
        return {}
    texts = {text for one in asked for text in (*one.registers, *one.binds)}
    places = searched(trees, [change.sha], texts, CODE)
    if places is None:
        return {}
    out = dict(_kept(trees, change.sha, asked, places))
    left = [one.fact for one in asked if one.fact not in out]
    dead = uncompiled(trees, change, {fact.path for fact in left})
    return out | {fact: replace(fact, breaking=False, alias=None) for fact in left if fact.path in dead}


def _kept(trees: Trees, sha: str, asked: Sequence[_Asked], places: Places) -> Iterator[tuple[Fact, Fact | None]]:
    """Operators that the tree after the change still registers, or still offers by the old name."""
    at = {text: files for (_, text), files in places.items()}
    compiled = {one.fact: _files(at, one.registers, _COMPILED) for one in asked}
    python = {one.fact: _files(at, one.binds, _python_ends(one.fact)) for one in asked}
    wanted = sorted({path for some in (compiled, python) for files in some.values() for path in files})
    texts = texts_at(trees, sha, wanted) if len(wanted) <= _MOST_READ else {}
    surfaces = {path: operators.surface(path, text) for path, text in texts.items() if path.endswith(_COMPILED)}
    for one in asked:
        registered = next((p for p in compiled[one.fact] if p in surfaces and _offers(surfaces[p], one)), None)
        alias = next((p for p in python[one.fact] if _binds(texts.get(p, ""), one, p)), None)
        if _is_removal(one.fact) and (registered or at.get(one.schema)):
            yield one.fact, None
        elif keeper := alias or registered:
            yield one.fact, replace(one.fact, breaking=False, alias=Alias("kept", keeper))


def _is_removal(fact: Fact) -> bool:
    return kind_of(fact.kind).change == "removed"


def _files(at: Mapping[str, set[str]], texts: Iterable[str], ends: tuple[str, ...]) -> list[str]:
    return sorted({path for text in texts for path in at.get(text, ()) if path.endswith(ends)})


def _python_ends(fact: Fact) -> tuple[str, ...]:
    """Where an old name may be kept: what a package offers, and any file where the new name says what is meant."""
    return ("__init__.py",) if _is_removal(fact) else (".py",)


def _offers(surface: Surface, one: _Asked) -> bool:
    """An operator of torch with a schema is not kept by a function of a module that only has the same name."""
    row = surface.get(("operator", one.name))
    torch = _is_removal(one.fact) and "->" in (one.fact.before or "")
    return row is not None and not (torch and row.details["form"] == "pybind")


# --- names in Python ---------------------------------------------------------------------------------------------


def _binds(text: str, one: _Asked, path: str) -> bool:
    """At the top of the module the old name stands for something else: for the new name, or in a package for any."""
    package = path.rpartition("/")[2] == "__init__.py"
    targets = set(_bound_to(text, one.name))
    return one.fact.after in targets or (package and bool(targets))


def _bound_to(text: str, name: str) -> Iterator[str]:
    """What `name = other` and `from x import other as name` say; `name = lib.name` says only that it must be there."""
    if not re.search(rf"^{re.escape(name)} =|\bas {re.escape(name)}\b", text, re.MULTILINE):
        return  # parsing takes longer than looking
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in body:
        found: list[str] = []
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            found = [_last_name(node.value)]
        elif isinstance(node, ast.ImportFrom):
            found = [alias.name for alias in node.names if alias.asname == name]
        yield from (target for target in found if target not in ("", name))


def _last_name(value: ast.expr) -> str:
    """`a.b.c` -> `c`; nothing for a call, a number or `None`, which nobody can call in its place."""
    last = value.attr if isinstance(value, ast.Attribute) else value.id if isinstance(value, ast.Name) else ""
    while isinstance(value, ast.Attribute):
        value = value.value
    return last if isinstance(value, ast.Name) else ""


_TOLD_OF = Where(endings=(".md", ".mdx", ".rst"), within=("tests", "test"))
"""Where a project says which models it runs: pages and tests; what else lies beside pages is a picture or a recording."""
_DENIED = re.compile(
    r"remov|deprecat|no longer|unsupported|not supported|dropped|legacy|previously|obsolete", re.IGNORECASE
)
_ENTRY = re.compile(r"\s{0,80}[\"'][A-Z][A-Z0-9_]{2,100}[\"']\s?(?::\s?[\"'][^\"'A-Z]{0,100}[\"'])?,?\s{0,20}")
_TABLE = re.compile(r"^(?!\s)(.{1,200}?)=\s?[\[({]", re.MULTILINE)
_READS_ANY = re.compile(r"(?:environ\[|environ\.(?:get|pop)\(|getenv\()\s{0,40}(?![\"'\s])")
"""A variable whose name is not written there is read."""
_MOST_PATHS = 200
"""Paths that git is asked about one by one."""


def confirmed(trees: Trees, change: Change, facts: Iterable[Fact]) -> set[Fact]:
    """The same facts without removals of what stands elsewhere; what was dead before its removal breaks nobody."""
    found = set(facts)
    asked = [fact for fact in found if fact.breaking] if change.parents else []
    unread = [fact for fact in _of(found, "env_read", "removed") if change.parents and not fact.breaking]
    left = _names_confirmed(trees, change, [fact for fact in (*asked, *unread) if _is_looked_up(fact)])
    left |= operators_confirmed(trees, change, _of(asked, "operator", "removed", "renamed"))
    left |= _models_confirmed(trees, change, _of(asked, "model", "removed"))
    left |= came_before(trees, change, found)
    left |= server.confirmed(trees, change, found, CODE)
    left |= _shut_before(trees, change, _of(asked, "registry", "removed"))
    left |= _listed_beside(trees, change, _of(asked, "registry", "removed"))
    left |= _archs_confirmed(trees, change, [fact for fact in _of(found, "arch", "removed") if not fact.breaking])
    return (found - left.keys()) | {fact for fact in left.values() if fact is not None}


def _of(facts: Iterable[Fact], family: str, *changes: Verb) -> list[Fact]:
    return [fact for fact in facts if kind_of(fact.kind).means(family, *changes)]


def _is_looked_up(fact: Fact) -> bool:
    kind = kind_of(fact.kind)
    return kind.means("env", "removed", "renamed") or (
        kind.family in ("metric", "env_read") and kind.change == "removed"
    )


def _names_confirmed(trees: Trees, change: Change, facts: Sequence[Fact]) -> dict[Fact, Fact | None]:
    """Facts that the trees contradict -> what is left of each; None for one that is not true at all."""
    asked = {fact: _written(fact) for fact in facts}
    if not asked:
        return {}
    prefixes = {fact: _prefix(fact) for fact in _of(asked, "env", "renamed")}
    declared = _of(asked, "env", "removed")
    read = {fact: _reads(fact.symbol) for fact in (*declared, *_of(asked, "env_read", "removed"))}
    texts = {*asked.values(), *filter(None, prefixes.values()), *(text for forms in read.values() for text in forms)}
    places = _places(trees, change, texts, [text for fact in read for text in (asked[fact], *read[fact])])
    if places is None:
        return {}
    out: dict[Fact, Fact | None] = {}
    for fact, text in asked.items():
        after = places.get((change.sha, text), set())
        forwarding = places.get((change.sha, prefixes.get(fact, "")), set())
        if fact in prefixes:
            if keeper := min(after | forwarding, default=None):
                out[fact] = replace(fact, breaking=False, alias=Alias("kept", keeper))
            continue
        # Quoted or not: of two texts that overlap, git tells only the longer one.
        before = set().union(*(places.get((change.parents[0], form), set()) for form in (text, *read.get(fact, ()))))
        if fact in read:
            # A message that names it, or `envs.NAME` that was forgotten, reads nothing.
            after = set().union(*(places.get((change.sha, form), set()) for form in read[fact]))
            after = _readers(trees, change, read[fact]) if after else after
        if after:
            out[fact] = None
        elif fact in declared and before <= {fact.path}:
            out[fact] = replace(fact, breaking=False)
    return out


def _readers(trees: Trees, change: Change, forms: Sequence[str]) -> set[str]:
    """Files that still read it: a line that says of a variable that it is gone or goes does not, nor a list of such."""
    found = trees.lines([change.sha], forms, CODE)
    lines = [(path, line) for _, path, line in found or () if not _DENIED.search(line)]
    tables = texts_at(trees, change.sha, {path for path, line in lines if _ENTRY.fullmatch(line)})
    return {path for path, line in lines if not _mourned(tables.get(path, ""), line)}


def _mourned(text: str, line: str) -> bool:
    """An entry of a table of variables that are gone: it maps to no other variable, and nobody reads what is in it."""
    before, found, _ = text.partition(line)
    heads = _TABLE.findall(before) if found and _ENTRY.fullmatch(line) and not _READS_ANY.search(text) else []
    return bool(heads) and _DENIED.search(heads[-1]) is not None


def _models_confirmed(trees: Trees, change: Change, facts: Sequence[Fact]) -> dict[Fact, Fact | None]:
    """Models that tests still run or docs still list: their row went, and something else loads them now.

    The project's own code does not count: tables and messages of it name models long after they are gone. A registry that
    still names one which it no longer offers lists it among those that are gone, whatever else docs say of it.
    """
    quoted = {fact: tuple(f"{mark}{fact.symbol}{mark}" for mark in "\"'`") for fact in facts}
    if not quoted:
        return {}
    lines = trees.lines([change.sha], {text for forms in quoted.values() for text in forms}, _TOLD_OF)
    said = [line for _, _, line in lines or () if not _DENIED.search(line)]
    held = texts_at(trees, change.sha, {fact.path for fact in facts})
    return {
        fact: replace(fact, breaking=False, alias=None)
        for fact, forms in quoted.items()
        if not any(form in held.get(fact.path, "") for form in forms)
        and any(_says(line, form) for line in said for form in forms)
    }


def _shut_before(trees: Trees, change: Change, facts: Sequence[Fact]) -> dict[Fact, Fact | None]:
    """Registered names that a list beside the registry did not let in: nobody could choose them before they went."""
    texts = texts_at(trees, change.parents[0], {fact.path for fact in facts}) if facts else {}
    return {
        fact: replace(fact, breaking=False, alias=None)
        for fact in facts
        if _gate_lacks(texts.get(fact.path, ""), fact.symbol.partition(":")[2])
    }


def _listed_beside(trees: Trees, change: Change, facts: Sequence[Fact]) -> dict[Fact, Fact | None]:
    """Registered names that a table of the same folder held before and holds still: one of two ways to register went."""
    keys = {fact: fact.symbol.partition(":")[2] for fact in facts}
    ends = (*change.parents[:1], change.sha)
    rows = trees.lines(ends, {f'"{name}"' for name in keys.values()}, _PYTHON) if keys else None
    held = {(end, path.rpartition("/")[0], key[1]) for end, path, line in rows or () if (key := _KEY.match(line))}
    places = {fact: fact.path.rpartition("/")[0] for fact in keys}
    return {fact: None for fact, name in keys.items() if all((end, places[fact], name) in held for end in ends)}


_KEY = re.compile(r"\s{1,80}\"([^\"]{1,100})\"\s?:")
_BUILT_BY = Where(endings=(".txt", ".cmake", ".py"), without=ASIDE_NAMES)


def _archs_confirmed(trees: Trees, change: Change, facts: Sequence[Fact]) -> dict[Fact, Fact | None]:
    """Architectures that one list lost and a list of another file still has: told of the list alone."""
    lost = {fact: fact.symbol.partition(" (")[0].split(", ") for fact in facts}
    texts = {form for names in lost.values() for name in names for form in arch.spellings(name)}
    places = searched(trees, [change.sha], texts, _BUILT_BY) if texts else {}
    paths = sorted({path for files in (places or {}).values() for path in files})[:_MOST_READ]
    held = {name for path, text in texts_at(trees, change.sha, paths).items() for name in arch.held(path, text)}
    return {fact: arch.of_list(fact) for fact, names in lost.items() if held.issuperset(map(arch.family, names))}


def _gate_lacks(text: str, name: str) -> bool:
    """The module has a list or `Literal` of most other keys of the table that holds the name, and not of the name."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    tables = [keys for node in nodes if isinstance(node, ast.Dict) and name in (keys := _strings(node.keys))]
    lists = [_strings(node.elts) for node in nodes if isinstance(node, ast.Tuple | ast.List | ast.Set)]
    gates = [(table, gate) for table in tables for gate in lists if len(gate & table) * 2 >= len(table) > _FEWEST_KEYS]
    return bool(gates) and not any(name in gate for _, gate in gates)


def _strings(nodes: Iterable[ast.expr | None]) -> frozenset[str]:
    return frozenset(node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))


_FEWEST_KEYS = 3
"""A smaller table shares its keys with some list by chance."""


def _says(line: str, text: str) -> bool:
    """The text stands in the line, and no comment begins before it; a heading of Markdown is no place for a model."""
    before, found, _ = line.partition(text)
    return bool(found) and "#" not in before and "<!--" not in before and "//" not in before


def _reads(name: str) -> tuple[str, ...]:
    """How code writes a variable that it reads: as a string of its own, or with the shell's mark."""
    return f'"{name}"', f"'{name}'", f"${name}", f"${{{name}"


def _prefix(fact: Fact) -> str:
    """The quoted old prefix of a variable whose prefix changed: code that names it alone forwards every such variable."""
    old, new = ((x or "").partition("_")[0] for x in (fact.before, fact.after))
    return f'"{old}_"' if old and old != new else ""


def _written(fact: Fact) -> str:
    """The name as code writes it; a counter is exposed with `_total` whether it is written or not."""
    if kind_of(fact.kind).family == "metric":
        return fact.symbol.removesuffix("_total")
    return fact.symbol


def _places(trees: Trees, change: Change, texts: set[str], before: Sequence[str]) -> Places | None:
    """Where the texts stand after the change, and where those of `before` stood before it; None when the trees cannot
    be searched. Both are searched for all texts: of two that overlap, git tells the longer one.

    What the change did not touch stands on both sides alike, so of the tree before it only the rest is searched.
    """
    parent = change.parents[0]
    if not before:
        return searched(trees, [change.sha], texts, CODE)
    touched = _touched(change)
    if touched is None:
        return searched(trees, [change.sha, parent], texts, CODE)
    after = searched(trees, [change.sha], texts, CODE)
    old = searched(trees, [parent], texts, Where(paths=tuple(touched))) if touched else {}
    if after is None or old is None:
        return None
    changed = {name for file in change.files for name in (file.path, file.old_path)}
    for text in before:
        kept = after.get((change.sha, text), set()) - changed
        after[parent, text] = kept | old.get((parent, text), set())
    return after


def _touched(change: Change) -> list[str] | None:
    """Files of code as they were called before the change; None when they are too many, or not all known."""
    if not change.files or len(change.files) < change.files_total or len(change.files) > _MOST_PATHS:
        return None
    names = [file.old_path or file.path for file in change.files if file.status != "A"]
    if any("\ufffd" in name for name in names):
        return None  # not what git calls it
    return [name for name in names if CODE.holds(name)]


# Names that a commit seems to bring, looked up in the tree before it: a port to other hardware brings no new model.
_PYTHON = Where(endings=(".py",), without=("tests", "test", "docs", "benchmarks", "examples"))


def came_before(trees: Trees, change: Change, facts: Iterable[Fact]) -> dict[Fact, Fact | None]:
    """Facts that the tree before contradicts -> what is left of each; a variable that nobody read before is a new one."""
    if not change.parents:
        return {}
    models = {fact: (f'"{fact.symbol}"', f"class {fact.symbol}(") for fact in facts if _is(fact, "model")}
    reads = {fact: (fact.symbol,) for fact in facts if _is(fact, "env_read") and _own(fact)}
    asked = {**models, **reads}
    texts = {text for forms in asked.values() for text in forms}
    rows = trees.matches(change.parents[:1], texts, _PYTHON) if asked else None
    if rows is None:
        return {}
    stood = {text for _, _, text in rows}
    known = {fact for fact, forms in asked.items() if stood.intersection(forms)}
    new = {fact: replace(fact, kind=named("env", "added")) for fact in reads if fact not in known}
    return {**{fact: None for fact in models if fact in known}, **new}


def _is(fact: Fact, family: str) -> bool:
    return kind_of(fact.kind).means(family, "added")


def _own(fact: Fact) -> bool:
    """The first word of the variable is one of the path: what is read of other projects is not new with this one."""
    return f"{fact.symbol.partition('_')[0].lower()}" in fact.path.lower().replace("/", "_").split("_")
