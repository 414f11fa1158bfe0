"""Which part of a diff a model reads first: what findings were read from, then sources, tests, and last what programs write."""

from __future__ import annotations

import re
from collections.abc import Sequence

from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.findings import Finding
from daybreak.judge.places import is_front

_MADE = re.compile(
    r"(?:^|/)(?:_?generated|autogen|__generated__|3rdparty\w{0,9}|third[-_]?party|vendor|vendored|_vendor|thirdparty)/"
    r"|\.lock$|(?:^|/)(?:package-lock\.json|pnpm-lock\.yaml|go\.sum)$|_pb2(?:_grpc)?\.pyi?$|\.pb\.(?:go|cc|h|rs)$"
    r"|\.min\.(?:js|css)$|(?:^|/)_version\.py$|\.(?:ipynb|csv|jsonl)$",
    re.IGNORECASE,
)
_HEAD = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")


def in_reading_order(change: Change, findings: Sequence[Finding]) -> list[tuple[int, FileChange]]:
    """The files with their number in the change (from 1), most telling first."""
    told: dict[str, int] = {}
    for finding in findings:
        told[finding.path] = max(told.get(finding.path, 0), 2 if finding.breaking else 1)
    numbered = list(enumerate(change.files, start=1))
    return sorted(numbered, key=lambda one: (_rank(one[1], told), one[0]))


def _rank(file: FileChange, told: dict[str, int]) -> int:
    """0 breaking findings, 1 other findings, 2 sources, 3 tests and docs, 4 locks and generated files."""
    short = file.path[-300:]
    if _MADE.search(short):
        return 4
    known = max(told.get(file.path, 0), told.get(file.old_path or "", 0))
    if known:
        return 2 - known
    return 2 if is_front(file.path) else 3


def telling_hunks_first(hunks: Sequence[str], findings: Sequence[Finding], path: str) -> list[str]:
    """Hunks that hold the line of a finding before the others; otherwise as they stand."""
    lines = [(f.line, f.breaking) for f in findings if f.path == path]
    return sorted(hunks, key=lambda hunk: _holds(hunk, lines)) if lines else list(hunks)


def _holds(hunk: str, lines: Sequence[tuple[int, bool]]) -> int:
    found = _HEAD.match(hunk)
    if not found:
        return 2
    old, new = int(found[1]), int(found[3])
    spans = (range(old, old + int(found[2] or 1)), range(new, new + int(found[4] or 1)))
    held = [breaking for line, breaking in lines if any(line in span for span in spans)]
    return (0 if any(held) else 1) if held else 2
