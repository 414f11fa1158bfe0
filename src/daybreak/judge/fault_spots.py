"""Spots of a fix: the hunks of what runs in which a statement went. There stood what was wrong; elsewhere stands what came along."""

from __future__ import annotations

import re
from collections.abc import Iterator

from daybreak.core.model.changes import Change
from daybreak.findings.diff import hunks, side
from daybreak.findings.paths import area

_RUNS = frozenset({"code", "api", "kernel"})
_STATEMENT = re.compile(r"\s{0,200}[^\s#/*\"'(){}\[\];,]")
"""A line that begins as no comment, no literal and no bracket."""


def spots(change: Change) -> Iterator[tuple[str, int, int]]:
    """File, first and last line of each, as they stand now."""
    for file in change.files:
        for hunk in hunks(file.patch) if file.patch and area(file.path) in _RUNS else ():
            if any(line.sign == "-" and _STATEMENT.match(line.text) for line in hunk.lines):
                now = [line.number for line in side(hunk, "+")]
                yield file.path, min(now, default=0), max(now, default=0)
