"""The end of a window: a comment that a later change of it took away again is not quoted, for nobody can read it there."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from daybreak.core.model.changes import Change, FileChange

Gone = Mapping[str, set[str]]
"""Path -> comments that later changes took away."""
_COMMENT = re.compile(r"\s{0,200}(?:#|//|/?\*)")
_TELLING = 12
"""Characters of a line that is known again."""


def still_said(newest_first: Iterable[Change]) -> dict[str, Change]:
    """By sha, changes without the comments that did not last; only those that had such."""
    gone, out = defaultdict[str, set[str]](set), dict[str, Change]()
    for change in newest_first:
        if (left := _left(change, gone)) is not None:
            out[change.sha] = left
        came = {line for file in change.files for line in _comments(file, "+")}
        for file in change.files:
            gone[file.old_path or file.path].update(line for line in _comments(file, "-") if line not in came)
    return out


def _left(change: Change, gone: Gone) -> Change | None:
    """The change with an empty line for each such comment, so that all others keep their numbers; None: it has none."""
    files = tuple(_blanked(file, gone[file.path]) if file.path in gone else file for file in change.files)
    return replace(change, files=files) if any(a is not b for a, b in zip(files, change.files, strict=True)) else None


def _blanked(file: FileChange, gone: set[str]) -> FileChange:
    if gone.isdisjoint(_comments(file, "+")):
        return file
    rows = (
        "+" if row[:1] == "+" and _COMMENT.match(row[1:]) and row[1:].strip() in gone else row
        for row in file.patch.split("\n")
    )
    return replace(file, patch="\n".join(rows))


def _comments(file: FileChange, sign: str) -> set[str]:
    rows = (row[1:] for row in file.patch.split("\n") if row[:1] == sign)
    return {text for row in rows if _COMMENT.match(row) and len(text := row.strip()) >= _TELLING}
