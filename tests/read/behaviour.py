"""Real-looking patches (three lines of context, as git prints them) and the findings of one reader."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable

from daybreak.core.model.changes import FileChange, Status
from daybreak.findings.diff import hunks
from daybreak.findings.languages.base import Fact, ReadFile, Whole
from daybreak.findings.paths import area

Told = tuple[str, str, str | None, str | None]


def patch(before: str, after: str, context: str = "") -> str:
    """A unified diff from its first `@@` on, with git's context line behind each header."""
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=3))[2:]
    return "\n".join(f"{x} {context}".rstrip() if x.startswith("@@") else x for x in lines)


def file_of(
    path: str, before: str, after: str, context: str = "", status: Status = "M", old_path: str | None = None
) -> ReadFile:
    text = patch(before, after, context)
    rows = text.split("\n")
    change = FileChange(
        path=path,
        status=status,
        old_path=old_path,
        added=sum(x.startswith("+") for x in rows),
        deleted=sum(x.startswith("-") for x in rows),
        old_blob="" if status == "A" else before or "\n",
        new_blob="" if status == "D" else after or "\n",
        patch=text,
    )
    return ReadFile(change, area(path), tuple(hunks(text)))


def facts_of(
    reader: Callable[[ReadFile, Whole], Iterable[Fact]], *files: ReadFile, complete: bool = True
) -> list[Told]:
    sides = (oid for file in files for oid in (file.change.old_blob, file.change.new_blob))
    whole = Whole(files, complete, sources={oid: oid for oid in sides})  # a blob is named by its text
    return [(f.kind, f.symbol, f.before, f.after) for file in files for f in reader(file, whole)]
