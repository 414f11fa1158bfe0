"""Two versions of files become what a surface language says of them, without a repository."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from types import ModuleType

from daybreak.core.model.changes import FileChange
from daybreak.findings import paths
from daybreak.findings.blobs import Surface
from daybreak.findings.compare import FilePair
from daybreak.findings.diff import hunks
from daybreak.findings.kinds import kinds
from daybreak.findings.languages.base import Fact, ReadFile, Whole

Told = tuple[str, str, str | None, str | None, bool]


def patch(before: str, after: str) -> str:
    """What git would print, from the first `@@`."""
    lines = difflib.unified_diff(before.split("\n"), after.split("\n"), lineterm="")
    return "\n".join(line for line in lines if not line.startswith(("---", "+++")))


def file_of(path: str, before: str | None, after: str | None, old_path: str | None = None) -> ReadFile:
    """A file of a change; None is a side that does not exist."""
    status = "A" if before is None else "D" if after is None else "R" if old_path else "M"
    text = patch(before or "", after or "")
    change = FileChange(path=path, status=status, old_path=old_path, patch=text)  # type: ignore[arg-type]
    return ReadFile(change, paths.area(path), tuple(hunks(text)))


def facts_of(
    module: ModuleType,
    files: Mapping[str, tuple[str | None, str | None]],
    complete: bool = True,
    old_path: str | None = None,
) -> list[Fact]:
    """The facts of one change, in the order of the page."""
    read = {path: file_of(path, *sides, old_path=old_path) for path, sides in files.items()}
    pairs = []
    for path, (before, after) in files.items():
        if module.touched(read[path]):
            sides = [Surface() if text is None else module.surface(path, text) for text in (before, after)]
            if not any(side.broken for side in sides):
                pairs.append(FilePair(read[path], *sides))
    whole = Whole(list(read.values()), complete)
    found = list(module.compare(pairs, whole)) if pairs else []
    assert all(fact.kind in kinds() for fact in found)
    return sorted(found, key=lambda f: (f.kind, f.symbol, f.line))


def told_of(module: ModuleType, path: str, before: str | None, after: str | None) -> list[Told]:
    """What one file's two versions say."""
    return [(f.kind, f.symbol, f.before, f.after, f.breaking) for f in facts_of(module, {path: (before, after)})]


def mirrored(facts: list[Fact]) -> set[tuple[str, str, str | None, str | None]]:
    """The facts as they read when the change is undone."""
    verbs = {"added": "removed", "removed": "added"}
    out = set()
    for fact in facts:
        head, _, verb = fact.kind.rpartition("_")
        symbol = fact.after if verb == "renamed" and fact.after else fact.symbol
        out.add((f"{head}_{verbs.get(verb, verb)}", symbol, fact.after, fact.before))
    return out


def plain(facts: list[Fact]) -> set[tuple[str, str, str | None, str | None]]:
    return {(f.kind, f.symbol, f.before, f.after) for f in facts}
