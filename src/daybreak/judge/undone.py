"""Changes of a window that a later one of it undoes: of these only the later one is told."""

from __future__ import annotations

import re
from collections.abc import Sequence

from daybreak.core.model.changes import Change
from daybreak.judge.change_kinds import front

_TELLING = 12
"""Characters of a line that is not everywhere."""
_SHARE = 2
"""Of the lines that it adds, one of so many must go again."""
_LARGEST = 200_000
_NAME = re.compile(r"[A-Za-z_]\w{2,}")
Lines = dict[str, set[str]]
"""By path."""


def undone_later(changes: Sequence[Change]) -> frozenset[str]:
    """Those of some changes, the newest first, of which a later one takes most lines away again, and with them all that they brought:
    a line that only goes on is there afterwards with its names.
    """
    undone = set[str]()
    later: list[tuple[Lines, Lines]] = []
    for change in changes:
        came, went = _lines(change, "+"), _lines(change, "-")
        if any(_undoes(came, went, *other) for other in later):
            undone.add(change.sha)
        later.append((came, went))
    return frozenset(undone)


def _undoes(came: Lines, went: Lines, again: Lines, gone: Lines) -> bool:
    lost = {path: lines & gone.get(path, set()) for path, lines in came.items()}
    if not any(lost.values()) or sum(map(len, lost.values())) * _SHARE < sum(map(len, came.values())):
        return False
    brought = _names(lost) - _names(went)
    return bool(brought) and brought.isdisjoint(_names({path: again.get(path, set()) for path in lost}))


def _lines(change: Change, sign: str) -> Lines:
    rows = {file.path: file.patch.split("\n") for file in front(change) if len(file.patch) < _LARGEST}
    return {
        path: {line for row in some if row[:1] == sign and _tells(line := row[1:].strip())}
        for path, some in rows.items()
    }


def _tells(line: str) -> bool:
    """Code: words move with anything."""
    return len(line) >= _TELLING and not line.startswith(("#", "//", "*", "/*", '"""', "'''"))


def _names(lines: Lines) -> set[str]:
    return {name for some in lines.values() for line in some for name in _NAME.findall(line)}
