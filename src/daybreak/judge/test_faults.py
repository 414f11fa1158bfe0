"""What broke tests, where the fix of them names nobody: the change that took away a module which they still imported, or that
brought the very line which the fix takes back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta

from daybreak.core.model.changes import Change
from daybreak.core.source_roots import module_of
from daybreak.core.windows import elapsed
from daybreak.judge.message_refs import is_fix, title

_SOON = timedelta(days=7)
"""So long broken tests stay as they are at most: later it is hardly the same fault."""
_IMPORT = re.compile(
    r"^-\s{0,40}(?:from\s+([\w.]{3,200})\s+import\s+(\(?[\w ,]{1,400})|import\s+([\w.]{3,200}))", re.MULTILINE
)
_WORD = re.compile(r"\w+")
_BREAKS = re.compile(r"\b(?:break(?:s|ing|age)?|broken?|fail(?:s|ing|ed|ures?)?)\b", re.IGNORECASE)
_SHORT = 12
_MOST = 40
"""Imports of a fix that are looked for."""


def broke_tests(fix: Change, before: Sequence[Change]) -> Change | None:
    """The change of the days before, newest first in `before`, that broke what a fix of tests mends; None where nothing shows it."""
    lately = [one for one in before if elapsed(one.committed_at, fix.committed_at) <= _SOON]
    if not is_fix(fix) or not lately:
        return None
    wanted = set(_given_up(fix))
    moved = next((one for one in lately if wanted & set(_taken_away(one))), None) if wanted else None
    if moved is not None or not _BREAKS.search(title(fix)):
        return moved
    gone = _lines(fix, "-")
    return next((one for one in lately if gone and gone <= _lines(one, "+")), None)


def _lines(change: Change, sign: str) -> set[tuple[str, str]]:
    """Lines that came or went, each with its file; what is too short to be told from another is none."""
    every = ((file.path, line) for file in change.files for line in file.patch.split("\n") if line.startswith(sign))
    return {(path, line[1:].strip()) for path, line in every if len(line.strip()) > _SHORT}


def _given_up(fix: Change) -> Iterator[str]:
    """Modules that the fix imports no more: `from a.b import c` may be of `a.b` and of `a.b.c`."""
    found = (match for file in fix.files for match in _IMPORT.finditer(file.patch))
    for _, match in zip(range(_MOST), found, strict=False):
        module = match[1] or match[3]
        yield module
        yield from (f"{module}.{name}" for name in _WORD.findall(match[2] or ""))


def _taken_away(change: Change) -> Iterator[str]:
    """Modules that no longer stand where they stood."""
    for file in change.files:
        gone = file.old_path if file.status == "R" else file.path if file.status == "D" else None
        if gone and gone.endswith(".py") and "." in (module := module_of(gone)):
            yield module
