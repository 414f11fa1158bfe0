"""Times during which a branch was at fault, and whether an end of a range lies inside.

An end lies inside when it holds the change at fault, or a copy of it, and not yet the one that repaired it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta

from msgspec import Struct

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Reading
from daybreak.core.model.upgrade import Outage
from daybreak.core.windows import elapsed
from daybreak.judge.change_kinds import QUIET, is_revert
from daybreak.judge.message_refs import Index, for_users, mends_fault, named, plain, reverted

# --- The same change on two branches: a cherry-pick is known by the sha it names, its pull request, or title and author ---


_PICKED = re.compile(r"\(?cherry[- ]picked from commit ([0-9a-f]{7,40})\b", re.IGNORECASE)
_LAST = re.compile(r"(?:\s{0,3}\(#\d{1,9}\)){1,6}\s*$")
"""Numbers in brackets at the end: those of the pull requests by which a change came, the pick's own last."""
_NUMBER = re.compile(r"#0*(\d{1,9})\b")
_SAYS_SO = re.compile(r"\bcherry[- ]?pick|\bback-?port|\brelease port\b", re.IGNORECASE)
"""A title that says so names what it picks: every number in it counts."""
_SHORT = 9
_LEAST_WORDS = 3
"""A shorter title (`Fix lint`) may be that of many changes of one author."""
_BODY = 20_000

Key = tuple[str, str]


def keys(change: Change) -> frozenset[Key]:
    """The names by which a change is known wherever it stands."""
    subject = change.subject[:400]
    out: set[Key] = {("sha", change.sha[:_SHORT])}
    out |= {("sha", sha[:_SHORT]) for sha in _PICKED.findall(change.body[:_BODY]) if len(sha) >= _SHORT}
    last = _LAST.search(subject)
    picks = _SAYS_SO.search(subject) is not None
    numbers = re.findall(r"#(\d{1,9})\b", subject if picks else last[0] if last else "")
    # The title of a revert may also give the number of what it takes back.
    out |= {("pr", number.lstrip("0")) for number in (numbers[-1:] if is_revert(subject) else numbers)}
    name = plain(_LAST.sub("", subject))
    if len(name.split()) >= _LEAST_WORDS:
        out.add(("title", f"{name}\n{change.author}"))
    return frozenset(out)


def held(changes: Iterable[Change]) -> frozenset[Key]:
    """The names of all of them."""
    return frozenset(key for change in changes for key in keys(change))


def among(change: Change, known: frozenset[Key]) -> bool:
    """Whether the change, or a copy of it, is one of those."""
    return not known.isdisjoint(keys(change))


def had(gained: Iterable[Change], lost: Sequence[Change]) -> tuple[str, ...]:
    """Those that the start has a copy of, and did not take back."""
    taken_back = {("pr", n) for one in lost if is_revert(one.subject) for n in _NUMBER.findall(one.subject[:400])}
    known = held(lost) - taken_back
    return tuple(change.sha for change in gained if among(change, known))


class Around(Struct, frozen=True):
    """The range and what stands around it; each list oldest first."""

    before: Sequence[Change]
    """Held by both ends."""
    gained: Sequence[Change]
    lost: Sequence[Change]
    after: Sequence[Change]
    """On the branch, held by neither end, and perhaps a repair (`may_mend`)."""


_RECENT = timedelta(days=15)
_MENDS = re.compile(
    r"fix|\bbug|revert|roll(?:ed|ing)?[ -]?back|back(?:ed|ing)? out|undo|re-?land|re-?appl|repair|restore|broke|breaks|"
    r"regress|correct",
    re.IGNORECASE,
)
"""Words of a title without which a change is no repair."""


def may_mend(subject: str) -> bool:
    """Whether a change with this title may be a repair: of those after a range, no others are looked at."""
    return bool(_MENDS.search(subject[:400]))


def outages(around: Around, readings: Mapping[str, Reading]) -> tuple[Outage, ...]:
    """Every time that begins or ends within the range, or in which one of its ends lies, oldest first."""
    common = held(around.before)
    ends = (common | held(around.lost), common | held(around.gained))
    known = {change.sha: change for change in (*around.before, *around.gained, *around.lost, *around.after)}
    within = {change.sha for change in (*around.gained, *around.lost)}
    told: set[tuple[str, Key]] = set()
    out: list[Outage] = []
    for outage in _on_lines(around, readings, known, ends):
        # A repair that was picked onto a release branch is the same one.
        names = {(outage.fault, key) for key in keys(known[outage.repair or outage.fault])}
        if told.isdisjoint(names) and (
            {outage.fault, outage.repair} & within or outage.holds_start or outage.holds_end
        ):
            out.append(outage)
        told |= names
    return tuple(sorted(out, key=lambda o: (o.start, o.fault, o.repair or "")))


def _on_lines(
    around: Around,
    readings: Mapping[str, Reading],
    known: Mapping[str, Change],
    ends: tuple[frozenset[Key], frozenset[Key]],
) -> Iterator[Outage]:
    last = around.after
    lines = ((*around.gained, *last), around.lost) if around.gained else ((*around.lost, *last),)
    for line in lines:
        for fault, repair in _mended(line, around.before, readings).items():
            start, end = (among(known[fault], side) and not among(repair, side) for side in ends)
            if line is around.lost and end and is_revert(repair.subject):
                continue  # only the release branch of the start took it back: the end has it on purpose
            titles = known[fault].subject, repair.subject
            yield Outage(fault, repair.sha, known[fault].committed_at, repair.committed_at, start, end, None, *titles)


def _mended(line: Sequence[Change], before: Sequence[Change], readings: Mapping[str, Reading]) -> dict[str, Change]:
    """Fault -> what repaired it: the last revert, or else the first fix that names it.

    A link needs a mark that cannot be chance, as in stories: a sha, a number or a quoted title.
    """
    index = Index(line, before)
    reverts: dict[str, Change] = {}
    fixes: dict[str, Change] = {}
    for change in line:
        if not may_mend(change.subject) or _quiet(change, readings):
            continue
        targets = reverted(change, index)
        if targets:
            if _at_fault(targets[0], change):
                reverts[targets[0].sha] = change
            continue
        found = None if is_revert(change.subject) or not mends_fault(change) else named(change, index)
        if found is not None and found[1] == "repairs" and not _quiet(found[0], readings):
            fixes.setdefault(found[0].sha, change)
    both = fixes | reverts
    return {sha: repair for sha, repair in both.items() if index.by_sha[sha].committed_at < repair.committed_at}


def _at_fault(target: Change, revert: Change) -> bool:
    """Older code that goes was not a fault all that time; a revert that is reverted brings back, it breaks nothing."""
    recent = elapsed(target.committed_at, revert.committed_at) <= _RECENT
    return recent and for_users(target) and not is_revert(target.subject)


def _quiet(change: Change, readings: Mapping[str, Reading]) -> bool:
    """It touches nothing but tests, CI, docs and the like; of a change before the range that is not known."""
    reading = readings.get(change.sha)
    return reading is not None and (not reading.areas or set(reading.areas) <= QUIET)
