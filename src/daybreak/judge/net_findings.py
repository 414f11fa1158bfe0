"""Net of findings over a window: what one change does and a later one takes back asks nobody for anything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from msgspec.structs import replace

from daybreak.core.model.findings import Finding
from daybreak.core.model.report import Entry
from daybreak.findings.kinds import kind_of
from daybreak.judge.breaking import mark_of


def netted(entries: Sequence[Entry]) -> list[Entry]:
    """The entries, newest first, without the findings that cancel out among them."""
    steps: dict[tuple[str, str, str], list[tuple[str, Finding]]] = {}
    for entry in reversed(entries):
        for finding in entry.reading.findings:
            key = kind_of(finding.kind).family, finding.path, finding.symbol
            steps.setdefault(key, []).append((entry.change.sha, finding))
    nothing = {finding.id for some in steps.values() if _cancels(some) for _, finding in some}
    return [_without(entry, nothing) for entry in entries] if nothing else list(entries)


def _cancels(steps: Sequence[tuple[str, Finding]]) -> bool:
    """Each step begins where the one before it ended, and the last ends where the first began."""
    found = [finding for _, finding in steps]
    if len({sha for sha, _ in steps}) < len(steps) or len(steps) < 2 or all(f.before == f.after for f in found):
        return False
    return found[0].before == found[-1].after and all(one.after == two.before for one, two in pairwise(found))


def _without(entry: Entry, nothing: Iterable[str]) -> Entry:
    left = tuple(f for f in entry.reading.findings if f.id not in nothing)
    if len(left) == len(entry.reading.findings):
        return entry
    breaks = entry.breaking and any(mark_of(finding) == "breaks" for finding in left)
    return replace(entry, reading=replace(entry.reading, findings=left), breaking=breaks)
