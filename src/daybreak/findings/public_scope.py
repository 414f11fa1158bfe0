"""How far a reading reaches in a project that nobody surveyed.

Of a project with landmarks it is known what its users import (its profile). Of any other it is not. There the names are
public that its package's own `__init__` hands on, or a package below it lists in `__all__`; and where the reading is wide
the rule is Python's own: a name without an underscore in a module without one, or a name that a public package takes out
of a private module.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.errors import GitError
from daybreak.core.model.changes import Change
from daybreak.core.profiles import Profile, generic, landmarks
from daybreak.core.source_roots import project_files, source_roots
from daybreak.findings.blobs import Row
from daybreak.findings.kinds import kind_of
from daybreak.findings.languages.base import Fact, Reach, ReadFile
from daybreak.findings.languages.python_public import hidden, private, read_at_all
from daybreak.findings.languages.python_surface import surface
from daybreak.findings.paths import ships, within
from daybreak.findings.trees import Trees

_PYTHON = re.compile(r"\.pyi?$")
Files = dict[str, list[ReadFile]]


def fork_profile(trees: Trees, sha: str) -> Profile:
    """The profile of the project whose landmark stands in the tree; the generic one where none does."""
    known = landmarks()
    try:
        found = trees.blobs_at([f"{sha}:{path}" for path in known])
    except (GitError, ValueError, IndexError):
        return generic()
    return next((profile for path, profile in known.items() if f"{sha}:{path}" in found), generic())


def rooted(trees: Trees, sha: str, profile: Profile) -> Profile:
    """The same with the folders that imports start in, as the project files of the tree tell them."""
    try:
        files = trees.files(sha)
        wanted = {path: files[path] for path in project_files(files)}
        held = dict(trees.contents(dict.fromkeys(wanted.values())))
        texts = {path: held[oid] for path, oid in wanted.items() if oid in held}
    except (GitError, ValueError, IndexError):
        return profile
    found = tuple(one for one in source_roots(files, texts) if one not in profile.layout.roots)
    return _with_roots(profile, found) if found else profile


@lru_cache(maxsize=64)
def _with_roots(profile: Profile, roots: tuple[str, ...]) -> Profile:
    """One profile for the same roots: its patterns are made once."""
    return replace(profile, layout=replace(profile.layout, roots=(*profile.layout.roots, *roots)))


def opened(trees: Trees, changes: Sequence[Change], files: Files, wide: bool) -> Files:
    """The same files; those of a project that nobody surveyed with what its packages hand on in reach, or with all."""
    profile = next((file.profile for parsed in files.values() for file in parsed), generic())
    surveyed = bool(profile.landmarks) or (bool(profile.repo) and not wide)
    if surveyed and profile.public.imported:
        return files
    try:
        handed = _handed(trees, changes, files, _by_list if surveyed else _by_any if wide else _by_first)
    except (GitError, ValueError, IndexError):
        return files  # what cannot be asked is read as usual
    reach: Reach = "public" if wide and not surveyed else "usual"
    return {
        sha: [
            replace(f, reach=reach, handed=handed.get((sha, f.change.old_path or f.path), frozenset()))
            if _python(f)
            else f
            for f in parsed
        ]
        for sha, parsed in files.items()
    }


def reached(facts: Iterable[Fact], handed: Mapping[str, frozenset[str]]) -> set[Fact]:
    """The same facts; what stands in a file that nobody is given breaks nobody, and private Python is told to nobody.

    `handed`: path of a module → its names that a public package hands on.
    """
    return {_reached(fact, handed.get(fact.path, frozenset())) for fact in facts}


def _reached(fact: Fact, handed: frozenset[str]) -> Fact:
    if fact.breaking:
        return fact if ships(fact.path) else replace(fact, breaking=False, alias=None)
    aside = within(fact.path, fact.symbol) and fact.symbol.split(".")[0].partition("(")[0] not in handed
    return replace(fact, inner=True) if aside and kind_of(fact.kind).surface == "python" else fact


def _python(file: ReadFile) -> bool:
    return _PYTHON.search(file.path[-10:]) is not None and read_at_all(file) and ships(file.path)


class _Package(Struct, frozen=True):
    """What a package takes from its modules, and what of it its `__all__` lists or `import x as x` hands on."""

    taken: Sequence[Row]
    listed: frozenset[str]


Above = Mapping[str, _Package]
"""Packages above a module, the outermost first."""


def _package(text: str) -> _Package:
    found = surface("", text)
    taken = [row for row in found.of("import") if not private(row.name)]
    again = (row.name for row in taken if "again" in row.details)
    return _Package(taken, frozenset((*(row.name for row in found.of("export")), *again)))


def _handed(
    trees: Trees,
    changes: Sequence[Change],
    files: Mapping[str, Sequence[ReadFile]],
    how: Callable[[str, Above], Iterator[str]],
) -> dict[tuple[str, str], frozenset[str]]:
    """(commit, module) → its names that packages above handed on before the commit; where all is in reach, of private ones."""
    asked: dict[tuple[str, str], dict[str, str]] = {}
    for change in changes:
        for file in files[change.sha] if change.parents else ():
            path = file.change.old_path or file.path
            if _python(file) and (hidden(path) or how is not _by_any):
                asked[change.sha, path] = {p: f"{change.parents[0]}:{p}/__init__.py" for p in _packages(path)}
    blobs = trees.blobs_at(dict.fromkeys(name for names in asked.values() for name in names.values()))
    packages = {oid: _package(text) for oid, text in trees.contents(blobs.values())}
    names: dict[tuple[str, str], frozenset[str]] = {}
    for (sha, path), ways in asked.items():
        known = {folder: packages.get(blobs[name]) for folder, name in ways.items() if name in blobs}
        names[sha, path] = frozenset(how(path, {folder: one for folder, one in known.items() if one}))
    return names


def _by_any(path: str, above: Above) -> Iterator[str]:
    """What any of the packages takes out of the module."""
    for package, about in above.items():
        yield from _taken(about.taken, package, _inside(path, package)).values()


def _by_list(path: str, above: Above) -> Iterator[str]:
    """What the outermost package, or one in it, takes out of the module and lists as its own.

    Further in, a list says only what the project shares with itself.
    """
    for package, about in list(above.items())[:2]:
        if path == f"{package}/__init__.py":
            yield from about.listed  # what it hands on itself, wherever it takes it from
        given = _taken(about.taken, package, _inside(path, package))
        yield from (given[name] for name in given if name in about.listed)


def _by_first(path: str, above: Above) -> Iterator[str]:
    """What the outermost package takes out of the module, itself or through a package between the two, or one of them lists."""
    if not above:
        return
    first, *between = above
    yield from _taken(above[first].taken, first, _inside(path, first)).values()
    for package in between:
        given = _taken(above[package].taken, package, _inside(path, package))
        wanted = _taken(above[first].taken, first, _inside(package, first)).values()
        yield from (given[name] for name in wanted if name in given)
    yield from _by_list(path, above)


def _taken(rows: Sequence[Row], package: str, module: str) -> dict[str, str]:
    """Name in the package → name in the module it is taken from."""
    return {row.name: row.details["name"] for row in rows if module and _from(row.details["from"], package) == module}


def _packages(path: str) -> list[str]:
    """The folders above a module that have no private one on their way."""
    parts = path.split("/")[:-1]
    return [folder for n in range(1, len(parts) + 1) if not hidden(folder := "/".join(parts[:n]))]


def _inside(path: str, package: str) -> str:
    bare = _PYTHON.sub("", path.removeprefix(f"{package}/")).removesuffix("/__init__")
    return bare.replace("/", ".")


def _from(source: str, package: str) -> str:
    """The module an import names, as seen from the package that holds the import; empty when it lies elsewhere."""
    if source.startswith("..") or not source:
        return ""
    if source.startswith("."):
        return source[1:]
    parts = package.split("/")
    for n in range(len(parts)):
        head = ".".join(parts[n:]) + "."
        if source.startswith(head):
            return source[len(head) :]
    return ""
