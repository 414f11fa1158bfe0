"""Order of arguments: which one stands in the place of which, where a function lists its parameters otherwise."""

from __future__ import annotations

from daybreak.core.model.findings import Finding
from daybreak.core.model.statements import Text
from daybreak.core.words import say
from daybreak.findings.kinds import kind_of


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
