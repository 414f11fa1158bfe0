"""Two versions of a few files become the facts of one surface reader, as the reader of changes would ask it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from daybreak.core.model.changes import FileChange, Status
from daybreak.findings import paths
from daybreak.findings.blobs import Surface
from daybreak.findings.compare import FilePair
from daybreak.findings.diff import hunks
from daybreak.findings.languages.base import Fact, ReadFile, Whole
from read.made import patch_of

Told = tuple[str, str, str | None, str | None, bool]
"""Kind, symbol, before, after, breaking."""


class Offers(Protocol):
    """A module of `read/languages` with a surface."""

    def surface(self, path: str, text: str) -> Surface: ...
    def touched(self, file: ReadFile) -> bool: ...
    def compare(self, pairs: Sequence[FilePair], whole: Whole) -> Iterator[Fact]: ...


def file_of(path: str, before: str | None, after: str | None) -> ReadFile:
    status: Status = "A" if before is None else "D" if after is None else "M"
    patch = patch_of(before or "", after or "")
    change = FileChange(path=path, status=status, patch=patch, old_blob="1" * 40, new_blob="2" * 40)
    return ReadFile(change, paths.area(path), tuple(hunks(patch)))


def facts_of(module: Offers, files: Mapping[str, tuple[str | None, str | None]]) -> list[Fact]:
    """Facts over all files: path → (before, after), None where the file is not there."""
    pairs, read = [], [file_of(path, *ends) for path, ends in files.items()]
    for file, (path, (before, after)) in zip(read, files.items(), strict=True):
        if module.touched(file):
            old = Surface() if before is None else module.surface(path, before)
            new = Surface() if after is None else module.surface(path, after)
            assert not old.broken
            assert not new.broken
            pairs.append(FilePair(file, old, new))
    whole = Whole(read, True)
    return sorted(module.compare(pairs, whole), key=lambda f: (f.path, f.kind, f.symbol))


def told(facts: Sequence[Fact]) -> list[Told]:
    return [(f.kind, f.symbol, f.before, f.after, f.breaking) for f in facts]


def mirrored(facts: Sequence[Fact]) -> set[tuple[str, str | None, str | None]]:
    """What the same facts say when time runs backwards; symbols and breaking differ by nature."""
    turn = {"added": "removed", "removed": "added"}
    out = set()
    for fact in facts:
        stem, _, verb = fact.kind.rpartition("_")
        out.add((f"{stem}_{turn.get(verb, verb)}", fact.after, fact.before))
    return out


def plainly(facts: Sequence[Fact]) -> set[tuple[str, str | None, str | None]]:
    return {(f.kind, f.before, f.after) for f in facts}
