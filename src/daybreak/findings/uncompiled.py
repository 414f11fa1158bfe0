"""Finds deleted sources that nobody compiled: all their neighbours are built by name, and no file names them.

A build that takes what it finds in a folder names nobody, so wherever one may do that, the file counts as compiled.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from daybreak.core.model.changes import Change
from daybreak.findings.searching import Places, searched, texts_at
from daybreak.findings.trees import Trees, Where

_SOURCES = (".cpp", ".cc", ".cu", ".cxx")
_BUILDS = (".py", ".cmake", ".bzl", ".bazel", ".mk", ".sh", ".build", "CMakeLists.txt", "Makefile", "BUILD")
_FEWEST_NAMED = 2
"""Neighbours that must be built by name before that is called the way of the folder."""
_MOST_READ = 200
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
    texts = texts_at(trees, parent, takers) if len(takers) <= _MOST_READ else {}
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
