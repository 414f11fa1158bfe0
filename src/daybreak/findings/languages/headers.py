"""C, C++ and CUDA headers as files: one that is gone, whatever it declared, breaks every `#include` of it.

What stands in a header is read in `cpp`; renamed host headers of the project's `include/` folder are told there too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from daybreak.core.model.findings import Alias
from daybreak.findings.languages.base import Fact, ReadFile
from daybreak.findings.languages.cpp import header_area, told_when_moved

_INSTALLED = re.compile(r"^include/.{1,300}\.(?:h|hh|hpp|cuh|inl|inc)$")
_SHIPPED = re.compile(r"^(?:[\w.-]{1,80}/){1,4}include/.{1,300}\.(?:h|hh|hpp|cuh|inl|inc)$")
"""Below a folder of its own: a package may ship it, but mostly the project's own sources include it."""
_INNER = re.compile(r"/(?:details?|impl|internal|experimental|trtllm|nv_internal)/|_impl\.\w+$")
NONE = Alias("none")


def header_facts(files: Sequence[ReadFile], complete: bool) -> Iterator[Fact]:
    """Headers of include folders that came, went or got another name; what is missing from the diff may have stayed."""
    stand = {_included(f.path) for f in files if f.change.status != "D"}
    for file in files:
        change = file.change
        was = change.old_path if change.status == "R" else change.path if change.status == "D" else None
        if was and _read(file, was) and complete and _included(was) not in stand:
            yield from _gone(file, was)
        elif change.status in "AC" and _read(file, file.path):
            name = _included(file.path)
            yield Fact("header_added", file.path, 1, name, None, name, inner=not _public(file.path))


def _gone(file: ReadFile, was: str) -> Iterator[Fact]:
    name, public = _included(was), _public(was)
    if file.change.status == "D":
        yield Fact("header_removed", was, 1, name, name, None, public, NONE, inner=not public)
    elif not told_when_moved(was):
        now = _included(file.path) if _known(file.path) else file.path
        yield Fact("cpp_renamed", file.path, 1, name, name, now, public, NONE, inner=not public)


def _read(file: ReadFile, path: str) -> bool:
    return header_area(file) and _known(path)


def _known(path: str) -> bool:
    return bool(_INSTALLED.search(path[:400]) or _SHIPPED.search(path[:400]))


def _public(path: str) -> bool:
    return bool(_INSTALLED.search(path[:400])) and not _INNER.search(path[:400])


def _included(path: str) -> str:
    """A header as an `#include` names it."""
    head, root, tail = path.rpartition("include/")
    return tail if root and (not head or head.endswith("/")) else path
