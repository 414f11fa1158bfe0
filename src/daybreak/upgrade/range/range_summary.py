"""The first lines of an upgrade report: how much there is, what breaks and where, and whether an end is at fault."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from daybreak.core.model.changes import Skipped
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Statement, Text
from daybreak.core.model.upgrade import Net, Outage, Span
from daybreak.core.words import say, term
from daybreak.core.words.grammar import alike, joined
from daybreak.core.words.inline import code
from daybreak.judge.tally import tally

SURFACES = (
    "python", "cli", "environment", "config", "server", "metrics", "operators", "extension", "dependencies", "hardware",
    "models", "behaviour",
)  # fmt: skip
"""In the order in which a report shows them."""
_CITED = 8
_SHA = re.compile(r"[0-9a-fA-F]{7,64}")


def range_summary(
    span: Span,
    entries: Sequence[Entry],
    left: Sequence[Entry],
    nets: Sequence[tuple[Net, str]],
    outages: Sequence[Outage],
    skipped: Sequence[Skipped],
) -> tuple[Statement, ...]:
    """Up to five statements; each net comes with the surface it belongs to."""
    where = f"repo:{span.repo.name}"
    if not entries and not left:
        start, end = _ends(span)
        return (Statement("what", say("upgrade.range.nothing", start=start, end=end), (where,)),)
    return (
        *_counts(where, span, entries),
        *_breaks(where, entries, nets),
        *_faults(where, span, outages),
        *_left(where, span, left),
        *_unread(where, skipped),
    )


def _ends(span: Span) -> tuple[Text, Text]:
    """Both ends in words; a sha is no name that a sentence is better for."""
    start, end = span.start.name, span.end.name
    return (
        say("upgrade.range.start") if _SHA.fullmatch(start) else alike(code(start)),
        say("upgrade.range.end") if _SHA.fullmatch(end) else alike(code(end)),
    )


def _counts(where: str, span: Span, entries: Sequence[Entry]) -> Iterator[Statement]:
    if not entries or not span.repo.url:  # the one change between two folders of sources is made up
        return
    t = tally(entries)
    start, end = _ends(span)
    text = say("upgrade.range.counts", start=start, end=end, n=t.commits, levels=t.levels_text())
    yield Statement("what", text, (where,))


def _breaks(where: str, entries: Sequence[Entry], nets: Sequence[tuple[Net, str]]) -> Iterator[Statement]:
    found = [(net, surface) for net, surface in nets if net.finding.breaking]
    if not found:
        if any(entry.breaking and not any(f.breaking for f in entry.reading.findings) for entry in entries):
            yield Statement("what", say("upgrade.range.apart"), (where,), "compatibility")
        elif entries:
            yield Statement("what", say("upgrade.range.breaks_nothing"), (where,), "compatibility")
        return
    counts = Counter(surface for _, surface in found)
    named = (
        say("upgrade.range.surface", surface=term("upgrade.surface", name), n=counts[name])
        for name in SURFACES
        if counts[name]
    )
    text = say("upgrade.range.breaks", n=len(found), surfaces=joined(named, "list"))
    cited = tuple(f"finding:{net.finding.id}" for net, _ in found[:_CITED])
    yield Statement("action", text, (where, *cited), "compatibility")


def _faults(where: str, span: Span, outages: Sequence[Outage]) -> Iterator[Statement]:
    start, end = _ends(span)
    inside = sum(o.holds_end for o in outages)
    if inside:
        yield Statement("risk", say("upgrade.range.at_fault", end=end, n=inside), (where,))
    mended = sum(o.holds_start and not o.holds_end for o in outages)
    if mended:
        yield Statement("impact", say("upgrade.range.repaired", start=start, end=end, n=mended), (where,))
    between = len(outages) - inside - mended
    if between:
        more = "more" if inside or mended else "only"
        yield Statement("what", term("upgrade.range_between", more, n=between), (where,))


def _left(where: str, span: Span, left: Sequence[Entry]) -> Iterator[Statement]:
    if left:
        start, end = _ends(span)
        yield Statement("risk", say("upgrade.range.left", start=start, end=end, n=len(left)), (where,))


def _unread(where: str, skipped: Sequence[Skipped]) -> Iterator[Statement]:
    if skipped:
        yield Statement("risk", say("upgrade.range.lost", n=len(skipped)), (where,))
