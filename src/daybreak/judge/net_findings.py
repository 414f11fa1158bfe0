"""Net findings over a window: what one change does and a later one takes back asks nobody for anything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from msgspec.structs import replace

from daybreak.core.model.findings import Finding
from daybreak.core.model.report import Entry
from daybreak.findings.kinds import kind_of
from daybreak.judge.breaking import mark_of


def netted(entries: Sequence[Entry]) -> list[Entry]:
    """The entries, newest first, without the findings that cancel out among them, and with each name that a later one alters
    again as it is at the end.
    """
    entries = _as_at_the_end(entries)
    steps: dict[tuple[str, str, str], list[tuple[str, Finding]]] = {}
    for entry in reversed(entries):
        for finding in entry.reading.findings:
            key = kind_of(finding.kind).family, finding.path, finding.symbol
            steps.setdefault(key, []).append((entry.change.sha, finding))
    nothing = {finding.id for some in steps.values() if _cancels(some) for _, finding in some}
    return [_without(entry, nothing) for entry in entries] if nothing else list(entries)


def _as_at_the_end(entries: Sequence[Entry]) -> list[Entry]:
    """A name for another, which a later change takes away or names anew, is told once: by what the later one makes of it."""
    later: dict[tuple[str, str], Finding] = {}
    out: list[Entry] = []
    for entry in entries:
        found = tuple(_ended(f, later.get((f.path, _renamed_to(f)))) for f in entry.reading.findings)
        later |= {(f.path, f.symbol): f for f in found if kind_of(f.kind).change in _ALTERS}
        out.append(entry if found == entry.reading.findings else _with(entry, found))
    return out


_ALTERS = frozenset({"renamed", "removed"})


def _renamed_to(finding: Finding) -> str:
    """The symbol that a thing has under its new name; empty where it keeps its own."""
    if kind_of(finding.kind).change != "renamed" or not finding.before or not finding.after:
        return ""
    head, _, tail = finding.symbol.rpartition(finding.before)
    return f"{head}{finding.after}{tail}"


def _ended(finding: Finding, later: Finding | None) -> Finding:
    same = later is not None and kind_of(later.kind).family == kind_of(finding.kind).family
    return replace(finding, kind=later.kind, after=later.after) if later and same else finding


def _cancels(steps: Sequence[tuple[str, Finding]]) -> bool:
    """Each step begins where the one before it ended, and the last ends where the first began."""
    found = [finding for _, finding in steps]
    if len({sha for sha, _ in steps}) < len(steps) or len(steps) < 2 or all(f.before == f.after for f in found):
        return False
    return found[0].before == found[-1].after and all(one.after == two.before for one, two in pairwise(found))


def _without(entry: Entry, nothing: Iterable[str]) -> Entry:
    left = tuple(f for f in entry.reading.findings if f.id not in nothing)
    return entry if len(left) == len(entry.reading.findings) else _with(entry, left)


def _with(entry: Entry, left: tuple[Finding, ...]) -> Entry:
    breaks = entry.breaking and any(mark_of(finding) == "breaks" for finding in left)
    return replace(entry, reading=replace(entry.reading, findings=left), breaking=breaks)
