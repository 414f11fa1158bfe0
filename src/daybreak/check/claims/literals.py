"""Check: a value such as `True` or `None` stands in a line with the name that the statement gives it to."""

from __future__ import annotations

import re

from daybreak.check.claims.grounds import Ground, whole
from daybreak.check.claims.interface import Claim, Fault

_VALUES = frozenset({"True", "False", "None", "true", "false", "null", "nullptr"})
_NAME = re.compile(r"[A-Za-z_][\w.:-]*|--[\w-]+")
_BESIDE = 2


class LiteralsBelong:
    """Both words of "`x` is `True`" stand somewhere in most diffs; they must stand together."""

    def fault(self, claim: Claim) -> Fault | None:
        spans = dict.fromkeys(claim.sentences["en"].spans)
        values = [span for span in spans if span in _VALUES]
        names = [span for span in spans if span not in _VALUES and _NAME.fullmatch(span)]
        near = claim.grounds.near(claim.cited)
        for value in values:
            if names and not any(_together(ground, value, names) for ground in near):
                return Fault("word_not_in_evidence", f"{names[0]}: {value}"[:80])
        return None


def _together(ground: Ground, value: str, names: list[str]) -> bool:
    wanted = [whole(name) for name in names]
    literal = whole(value)
    for at, line in enumerate(ground.lines):
        if value in line and literal.search(line):
            around = "\n".join(ground.lines[max(at - _BESIDE, 0) : at + _BESIDE + 1])
            if any(name.search(around) for name in wanted):
                return True
    return False
