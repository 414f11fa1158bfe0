"""Net findings over a window: what one change does and a later one takes back asks nobody for anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from msgspec.structs import replace

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.report import Entry
from daybreak.findings.kinds import kind_of
from daybreak.judge.breaking import mark_of

Findings = tuple[Finding, ...]


def net(newest_first: Sequence[tuple[str, Findings]]) -> list[Findings]:
    """Of changes by their sha, what each did, without what cancels out among them, and with each name that a later one alters
    again as it is at the end.
    """
    ended = _as_at_the_end([found for _, found in newest_first])
    steps: dict[tuple[str, str, str], list[tuple[str, Finding]]] = {}
    for (sha, _), found in zip(reversed(newest_first), reversed(ended), strict=True):
        for finding in found:
            key = kind_of(finding.kind).family, finding.path, finding.symbol
            steps.setdefault(key, []).append((sha, finding))
    nothing = {finding.id for some in steps.values() if _cancels(some) for _, finding in some}
    return [tuple(f for f in found if f.id not in nothing) for found in ended]


def net_readings(changes: Sequence[Change], readings: Mapping[str, Reading]) -> dict[str, Reading]:
    """Readings of the changes of a window, the newest first, as they are at its end."""
    known = [(change.sha, readings[change.sha].findings) for change in changes if change.sha in readings]
    left = zip(known, net(known), strict=True)
    return {sha: replace(readings[sha], findings=found) for (sha, had), found in left if found != had}


def netted(entries: Sequence[Entry]) -> list[Entry]:
    """The entries, newest first, with what they did at the end."""
    found = net([(entry.change.sha, entry.reading.findings) for entry in entries])
    return [_with(entry, left) for entry, left in zip(entries, found, strict=True)]


def _as_at_the_end(newest_first: Sequence[Findings]) -> list[Findings]:
    """A name for another, which a later change takes away or names anew, is told once: by what the later one makes of it."""
    later: dict[tuple[str, str], Finding] = {}
    out: list[Findings] = []
    for every in newest_first:
        found = tuple(_ended(f, later.get((f.path, _renamed_to(f)))) for f in every)
        later |= {(f.path, f.symbol): f for f in found if kind_of(f.kind).change in _ALTERS}
        out.append(found)
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


def _with(entry: Entry, left: Findings) -> Entry:
    if left == entry.reading.findings:
        return entry
    breaks = entry.breaking and any(mark_of(finding) == "breaks" for finding in left)
    return replace(entry, reading=replace(entry.reading, findings=left), breaking=breaks)
