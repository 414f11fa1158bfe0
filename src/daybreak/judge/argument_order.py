"""Arguments of a signature: which are gone, new or at another place, in place of two lists to compare."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from daybreak.core.model.findings import Finding
from daybreak.core.model.statements import Text
from daybreak.core.text import arguments
from daybreak.core.words import say
from daybreak.core.words.grammar import joined, listing
from daybreak.findings.kinds import kind_of

_NAMED = 4
"""Arguments that are named of those that are gone, new or elsewhere."""


def other_order(finding: Finding) -> Text | None:
    """The first place that differs, and no two lists to compare."""
    kind = kind_of(finding.kind)
    listed = finding.before and finding.after and kind.family.endswith("parameter")
    if kind.change != "moved" or not listed:
        return None
    was, now = (side.split(", ") for side in (finding.before or "", finding.after or ""))
    turn = next((pair for pair in zip(was, now, strict=False) if pair[0] != pair[1]), None)
    if turn is None:
        return None
    return say("judge.finding.order", name=finding.symbol, before=turn[0], after=turn[1], path=finding.path)


def other_signature(finding: Finding) -> Text | None:
    """Of an operator or an extension point what its signature lost, won and takes at another place."""
    kind = kind_of(finding.kind)
    if kind.change != "signature_changed" or kind.family not in ("operator", "extension_method"):
        return None
    lost, come = lost_and_new(finding)
    was, now = ([name_of(part) for part in arguments(side or "")] for side in (finding.before, finding.after))
    elsewhere = _elsewhere(was, now)
    gone = [say("judge.finding.arguments_gone", names=listing(lost, _NAMED))] if lost else []
    new = [say("judge.finding.arguments_new", names=listing(come, _NAMED))] if come else []
    moved = [say("judge.finding.arguments_moved", names=listing(elsewhere, _NAMED))] if elsewhere else []
    if not (gone or new or moved):
        return None
    parts = joined((*gone, *new, *moved), "comma")
    if kind.family == "operator":
        return say("judge.finding.operator", name=finding.symbol, parts=parts, path=finding.path)
    return say("judge.finding.extension", name=finding.symbol, parts=parts, path=finding.path)


def _elsewhere(was: Sequence[str], now: Sequence[str]) -> list[str]:
    """Names of both that are not in the same order in both."""
    old, new = [name for name in was if name in now], [name for name in now if name in was]
    same = {
        n
        for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
        for n in old[block.a : block.a + block.size]
    }
    return [name for name in old if name not in same]


def lost_and_new(finding: Finding) -> tuple[list[str], list[str]]:
    """Arguments that a signature no longer has, and those that it has from now on; none where a side is cut."""
    was, now = (
        {name_of(part): part for part in arguments(side or "") if part} for side in (finding.before, finding.after)
    )
    lost, come = (
        [part for name, part in one.items() if _differs(part, other.get(name))]
        for one, other in ((was, now), (now, was))
    )
    whole = was and now and not any("…" in part for part in (*lost, *come))
    return (lost, come) if whole else ([], [])


def name_of(part: str) -> str:
    """The name of an argument, without its type and its default."""
    return re.split(r"[:=]", part, maxsplit=1)[0].strip()


def _differs(part: str, other: str | None) -> bool:
    """It is nowhere else, or of another type there: what only one side writes down is no change."""
    return other is None or (":" in part and ":" in other and part != other)
