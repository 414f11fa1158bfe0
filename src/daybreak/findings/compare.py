"""From surfaces to facts: what the files of a change offer now that they did not before, over all its files at once.

A language names its surface reader here; joining over files (a name that moved, a rename, a mass move, a shim that
keeps an old name) is one place for all languages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any

from msgspec import Struct

from daybreak.findings.blobs import Surface, SurfaceCache
from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.paths import MANIFESTS


class SurfaceLanguage(Struct, frozen=True):
    """One kind of surface: which files have it, which hunks can change it, who reads and compares it."""

    name: str
    version: int
    """Counted up whenever the reader says something else of the same file: cached surfaces are then read anew."""
    files: str
    """Pattern of file names."""
    module: str
    """Holds `surface(path, text) -> Surface`, `touched(file) -> bool` and
    `compare(pairs: Sequence[FilePair], whole) -> Iterator[Fact]`."""

    @property
    def key(self) -> str:
        return f"{self.name}{self.version}"

    def reads(self, path: str) -> bool:
        """Whether a file of this name may have such a surface."""
        return _pattern(self.files).search(path[-200:]) is not None


SURFACES: tuple[SurfaceLanguage, ...] = (
    SurfaceLanguage("python", 8, r"\.pyi?$", "daybreak.findings.languages.python_compare"),
    SurfaceLanguage("server", 7, r"\.(?:py|proto)$", "daybreak.findings.languages.server"),
    SurfaceLanguage("metrics", 5, r"\.py$", "daybreak.findings.languages.metrics"),
    SurfaceLanguage("registries", 5, r"\.py$", "daybreak.findings.languages.registries"),
    SurfaceLanguage("options", 4, r"\.pyi?$", "daybreak.findings.languages.options"),
    SurfaceLanguage(
        "environment",
        9,
        r"\.(?:pyi?|c|cc|cpp|cxx|cu|cuh|h|hpp|sh|bash)$",
        "daybreak.findings.languages.environment",
    ),
    SurfaceLanguage("cpp", 3, r"\.(?:h|hpp|hh|cuh|inl)$", "daybreak.findings.languages.cpp"),
    SurfaceLanguage("rust", 3, r"\.rs$", "daybreak.findings.languages.rust"),
    SurfaceLanguage("go", 2, r"\.go$", "daybreak.findings.languages.go"),
    SurfaceLanguage("typescript", 1, r"\.[cm]?tsx?$", "daybreak.findings.languages.typescript"),
    SurfaceLanguage("operators", 2, r"\.(?:pyi?|cc|cpp|cxx|cu|cuh|h|hpp)$", "daybreak.findings.languages.operators"),
    SurfaceLanguage("arch", 4, r"\.(?:py|txt|cmake)$|dockerfile[\w.-]{0,60}$", "daybreak.findings.languages.arch"),
    SurfaceLanguage(
        "containers",
        2,
        r"^(?:docker/)?Dockerfile$|(?:^|/)(?!test)[\w.-]{0,60}entrypoint\.sh$",
        "daybreak.findings.languages.containers",
    ),
    SurfaceLanguage(
        "dependencies",
        5,
        MANIFESTS,
        "daybreak.findings.languages.dependencies",
    ),
)


class FilePair(Struct, frozen=True):
    """A file with its surfaces before and after; an added or deleted side is empty."""

    file: ReadFile
    old: Surface
    new: Surface


class Surfaces:
    """Surfaces by language and blob id."""

    def __init__(self, cache: SurfaceCache) -> None:
        self._cache = cache
        self._languages: dict[int, tuple[SurfaceLanguage, ...]] = {}

    def languages(self, file: ReadFile) -> tuple[SurfaceLanguage, ...]:
        """The languages whose surface this file's hunks may have changed; asked several times, found out once."""
        found = self._languages.get(id(file))
        if found is None:
            found = self._languages[id(file)] = tuple(surface_languages(file))
        return found

    def unparsed(self, files: Iterable[ReadFile]) -> tuple[str, ...]:
        """Paths of files one of whose sides could not be understood."""
        return tuple(
            file.path for file in files if any(self._broken(language, file) for language in self.languages(file))
        )

    def _broken(self, language: SurfaceLanguage, file: ReadFile) -> bool:
        oids = (oid for oid in (file.change.old_blob, file.change.new_blob) if oid.strip("0"))
        return any(self._cache.broken(language.key, oid) for oid in oids)

    def get(self, language: str, oid: str) -> Surface | None:
        return self._cache.get(language, oid) if oid.strip("0") else Surface()

    def put(self, language: str, oid: str, surface: Surface) -> None:
        self._cache.put(language, oid, surface)


def surface_languages(file: ReadFile) -> Iterator[SurfaceLanguage]:
    """The languages whose surface this file's hunks may have changed."""
    if file.change.submodule or file.change.symlink or file.change.binary:
        return
    for language in SURFACES:
        if language.reads(file.path) and _module(language.module).touched(file):
            yield language


@lru_cache(maxsize=64)
def _pattern(files: str) -> re.Pattern[str]:
    return re.compile(files, re.IGNORECASE)


@lru_cache(maxsize=64)
def _module(name: str) -> Any:
    return import_module(name)


def read_surface(key: str, path: str, text: str) -> Surface:
    """One file's surface; whatever is in the file, this does not raise."""
    language = next(one for one in SURFACES if one.key == key)
    try:
        surface: Surface = _module(language.module).surface(path, text)
    except (ValueError, IndexError, KeyError, RecursionError, StopIteration, MemoryError):
        return Surface(broken=True)
    return surface


def compare_surfaces(files: Sequence[ReadFile], surfaces: Surfaces, whole: Whole, stumbled: set[str]) -> Iterable[Fact]:
    """Facts of all languages; a file one of whose sides is missing gives none, one that a reader fails on is named."""
    out: list[Fact] = []
    for language in SURFACES:
        pairs = list(_pairs(language, files, surfaces))
        if pairs:
            try:
                out.extend(_module(language.module).compare(pairs, whole))
            except (ValueError, IndexError, KeyError, RecursionError, StopIteration):
                stumbled.update(pair.file.path for pair in pairs)
    return out


def _pairs(language: SurfaceLanguage, files: Sequence[ReadFile], surfaces: Surfaces) -> Iterator[FilePair]:
    for file in files:
        if not any(one is language for one in surfaces.languages(file)):
            continue
        old = surfaces.get(language.key, file.change.old_blob)
        new = surfaces.get(language.key, file.change.new_blob)
        if old is not None and new is not None and not (old.broken or new.broken):
            yield FilePair(file, old, new)
