"""Check: a value such as `True` or `None` stands in a line with the name that the statement gives it to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from daybreak.check.claims.grounds import Ground, whole
from daybreak.check.claims.interface import Claim, Fault
from daybreak.check.claims.tokens import value as value_of
from daybreak.check.words import plain

_VALUES = frozenset({"True", "False", "None", "true", "false", "null", "nullptr"})
_NAME = re.compile(r"[A-Za-z_][\w.:-]*|--[\w-]+")
_OTHER = {"True": "False", "False": "True", "ON": "OFF", "OFF": "ON", "true": "false", "false": "true"}
_GIVEN = re.compile(
    r"`([^`]{1,80})`\s?(?:is|are|equals|means|becomes|=|是|为|等于|即|变为)\s?(?:now\s)?(\d[\d,]*(?:\.\d+)?)(?![\w.])"
)
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
        return self._other_value(spans, near) or self._exchanged(claim, near)

    def _other_value(self, spans: Iterable[str], near: Sequence[Ground]) -> Fault | None:
        """One name and one value of two: every line with the name has the other value, and none has this one."""
        values = [span for span in spans if span in _OTHER]
        names = [span for span in spans if span not in _OTHER and _NAME.fullmatch(span)]
        if len(values) != 1 or len(names) != 1:
            return None
        mine, other = whole(values[0]), whole(_OTHER[values[0]])
        lines = [line for g in near for line in g.lines if names[0] in line and whole(names[0]).search(line)]
        if any(other.search(line) for line in lines) and not any(mine.search(line) for line in lines):
            return Fault("opposite", f"{names[0]}: {values[0]}"[:80])
        return None

    def _exchanged(self, claim: Claim, near: Sequence[Ground]) -> Fault | None:
        """`1k` is 1,024, where the evidence has 1,024 beside another name of the statement only."""
        for sentence in claim.sentences.values():
            spans = {plain(span) for span in sentence.spans}
            for found in _GIVEN.finditer(sentence.text):
                name, number = plain(found[1]), value_of(found[2])
                lines = [g.lines[at] for g in near for at in g.numbers.get(number, ())[:50]]
                if any(whole(name).search(plain(line)) for line in lines):
                    continue
                if any(whole(other).search(plain(line)) for line in lines for other in spans - {name}):
                    return Fault("number_not_in_evidence", f"{name}: {number}"[:80])
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
