"""Exposure of a release: whether it has what a fix puts right, and how a deployment comes by the fix."""

from __future__ import annotations

import re
from collections.abc import Collection

from msgspec.structs import replace

from daybreak.core.model.changes import Change, Collected, Exposure
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.report import Entry, Story
from daybreak.core.model.statements import Text
from daybreak.core.words import say
from daybreak.findings.kinds import GONE, kind_of

_MENDS = frozenset({"fix", "security"})
_LEAF = re.compile(r"\w[\w-]*")
REPAIRS = frozenset({"fix", "security", "branch_fix"})
"""Groups of the first screen that one remedy settles."""


def exposure_of(entry: Entry, story: Story | None, collected: Collected) -> Exposure | None:
    """Who has what a fix puts right: by the lines that it replaces, and where its story names the change at fault, by
    whether the release holds that.
    """
    names, release = collected.absent.get(entry.change.sha, ()), collected.newest.get(entry.change.sha)
    found = collected.exposed.get(entry.change.sha) if entry.kind in _MENDS else None
    if found is None:
        return Exposure(release, absent=names) if names and release else None
    found = replace(found, absent=names)
    cause = story.commits[0] if story is not None and story.kind == "fixup" else None
    if cause is None or cause == entry.change.sha or cause not in collected.younger or found.picked:
        return found
    first = next((c for c in (*collected.changes, *collected.late, *collected.recent) if c.sha == cause), None)
    candidate = found.candidate or _candidate(cause, found, collected)
    return replace(found, has=False, cause=_name(first) if first else cause[:9], candidate=candidate)


def _candidate(cause: str, found: Exposure, collected: Collected) -> str | None:
    """The candidate that brought the fault, where the fix came after it."""
    tag = collected.released.get(cause)
    return tag if tag and tag != found.release else None


def released_part(reading: Reading, absent: Collection[str]) -> Reading:
    """The reading without what takes away names that came after the newest release: no reader of one ever had them."""
    left = tuple(f for f in reading.findings if not _is_unreleased(f, absent)) if absent else reading.findings
    return reading if len(left) == len(reading.findings) else replace(reading, findings=left)


def _is_unreleased(finding: Finding, absent: Collection[str]) -> bool:
    takes = (finding.breaking or kind_of(finding.kind).change in GONE) and not finding.inner
    return takes and not set(absent).isdisjoint(_LEAF.findall(finding.symbol)[-2:])


def met(entry: Entry) -> Entry:
    """The change as readers of a release meet it."""
    return replace(entry, reading=released_part(entry.reading, entry.exposure.absent)) if entry.exposure else entry


def unaffected(entry: Entry) -> bool:
    """No release has what it puts right."""
    return entry.exposure is not None and entry.exposure.has is False and not entry.exposure.picked


def dated(text: Text, entry: Entry, group: str) -> Text:
    """In which release the reader meets it; of a repair, which one has what it puts right."""
    found = entry.exposure if group in REPAIRS else None
    if found is not None and (found.has is not None or found.picked):
        return _exposed(text, found, entry.released)
    if entry.released:
        return say("judge.action.released", text=text, tag=entry.released)
    return say("judge.action.branch_only", text=text, tag=entry.after) if entry.after else text


def _exposed(text: Text, found: Exposure, released: str | None) -> Text:
    tag = found.release
    if found.picked:
        return say("judge.action.picked", text=text, tag=tag)
    if found.has and released:
        return say("judge.action.affects_released", text=text, tag=tag, released=released)
    if found.has:
        return say("judge.action.affects", text=text, tag=tag)
    if found.candidate:
        return say("judge.action.candidate", text=text, candidate=found.candidate, tag=tag)
    return say("judge.action.unaffected", text=text, tag=tag)


def pickable(entry: Entry) -> bool:
    """It applies to the release as it stands, and takes nothing away that the release offers."""
    narrows = any(
        f.breaking or kind_of(f.kind).effect == "tightened" or kind_of(f.kind).change in GONE
        for f in entry.reading.findings
    )
    if narrows or entry.breaking:
        return False
    return entry.exposure is not None and entry.exposure.applies


def take(entry: Entry) -> Text:
    """How a deployment comes by a repair: with a release that has it, by a pick that applies, or else from the branch."""
    if entry.released:
        return say("judge.action.take_release")
    if pickable(entry):
        return say("judge.action.take_pick")
    return say("judge.action.take_build") if entry.kind == "security" else say("judge.action.take_branch")


def _name(change: Change) -> str:
    return f"#{change.pr}" if change.pr else change.short
