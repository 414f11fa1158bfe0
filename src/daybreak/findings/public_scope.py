"""How far a reading reaches in a project that nobody surveyed.

Of a project with landmarks it is known what its users import (its profile). Of any other it is not. There the names are
public that its package's own `__init__` hands on; and where the reading is wide the rule is Python's own: a name without
an underscore in a module without one, or a name that a public package takes out of a private module.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from daybreak.core.errors import GitError
from daybreak.core.model.changes import Change
from daybreak.core.profiles import Profile, generic, landmarks
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


def opened(trees: Trees, changes: Sequence[Change], files: Files, wide: bool) -> Files:
    """The same files; those of a project that nobody surveyed with what its packages hand on in reach, or with all."""
    profile = next((file.profile for parsed in files.values() for file in parsed), generic())
    if profile.landmarks or (profile.repo and not wide):
        return files
    try:
        handed = _handed(trees, changes, files, wide)
    except (GitError, ValueError, IndexError):
        return files  # what cannot be asked is read as usual
    reach: Reach = "public" if wide else "usual"
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


def _handed(
    trees: Trees, changes: Sequence[Change], files: Mapping[str, Sequence[ReadFile]], wide: bool
) -> dict[tuple[str, str], frozenset[str]]:
    """(commit, module) → its names that packages above handed on before the commit; where all is in reach, of private ones."""
    asked: dict[tuple[str, str], dict[str, str]] = {}
    for change in changes:
        for file in files[change.sha] if change.parents else ():
            path = file.change.old_path or file.path
            if _python(file) and (hidden(path) or not wide):
                asked[change.sha, path] = {p: f"{change.parents[0]}:{p}/__init__.py" for p in _packages(path)}
    blobs = trees.blobs_at(dict.fromkeys(name for names in asked.values() for name in names.values()))
    texts = dict(trees.contents(blobs.values()))
    imports = {oid: [r for r in surface("", text).of("import") if not private(r.name)] for oid, text in texts.items()}
    names: dict[tuple[str, str], frozenset[str]] = {}
    for (sha, path), packages in asked.items():
        above = {package: imports.get(blobs[name], []) for package, name in packages.items() if name in blobs}
        names[sha, path] = frozenset((_by_any if wide else _by_first)(path, above))
    return names


def _by_any(path: str, above: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    """What any of the packages takes out of the module."""
    for package, rows in above.items():
        yield from _taken(rows, package, _inside(path, package)).values()


def _by_first(path: str, above: Mapping[str, Sequence[Row]]) -> Iterator[str]:
    """What the outermost package takes out of the module, itself or through a package between the two."""
    if not above:
        return
    first, *between = above
    yield from _taken(above[first], first, _inside(path, first)).values()
    for package in between:
        given = _taken(above[package], package, _inside(path, package))
        wanted = _taken(above[first], first, _inside(package, first)).values()
        yield from (given[name] for name in wanted if name in given)


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
