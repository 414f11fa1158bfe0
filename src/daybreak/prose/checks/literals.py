"""Check: a value is not given to a name that has another one in every line of the evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from daybreak.core.plain_words import plain
from daybreak.prose.checks.evidence_index import Ground, whole
from daybreak.prose.checks.interface import Claim, Fault
from daybreak.prose.checks.tokens import value as value_of

_NAME = re.compile(r"[A-Za-z_][\w.:-]*|--[\w-]+")
_OTHER = {"True": "False", "False": "True", "ON": "OFF", "OFF": "ON", "true": "false", "false": "true"}
_GIVEN = re.compile(
    r"`([^`]{1,80})`\s?(?:is|are|equals|means|becomes|=|是|为|等于|即|变为)\s?(?:now\s)?(\d[\d,]*(?:\.\d+)?)(?![\w.])"
)
_SET = re.compile(
    r"`([A-Za-z_][\w.-]*|--[\w-]+)`\s?(?:(?:is\s|are\s)?(?:set|equal)\s?to|is|=|==|为|是|等于|设为|设成|设置为)\s?`([\w.-]{1,40})`"
)
_NOW = re.compile(
    r"`([A-Za-z_][\w.-]*|--[\w-]+)`\s?(?:(?:is|are)\snow\s(?:always\s)?(?:(?:fixed|set|pinned|hard-?coded|kept)\s)?(?:(?:at|to|as)\s)?"
    r"|现在(?:总是|始终|一律)?(?:固定|设置|设|写死)?(?:为|是|成)\s?)`([\w.-]{1,40})`"
)
_RETURNS = re.compile(r"(?:\breturns|\breturn|返回)\s?`(True|False|true|false)`")
_OLD = re.compile(
    r"\b(?:no longer|not|never|instead|rather|before|previous(?:ly)?|used to|earlier|old|was|were|otherwise)\b"
    r"|不再|不会|而不是|而非|之前|此前|原来|原先|以前|旧|否则",
    re.IGNORECASE,
)
"""Speaks of what was, or of two cases: a value in it need not be the new one."""
_LITERAL = re.compile(r"\d+(?:\.\d+)?|True|False|true|false")
_LONG = 2000
_BESIDE = 40
"""So many characters after a name its value stands."""


class LiteralsBelong:
    """Both words of "`x` is `1`" stand somewhere in most diffs; it is a lie where `x` has `0` and never `1`."""

    def fault(self, claim: Claim) -> Fault | None:
        near = claim.grounds.near(claim.cited)
        spans = dict.fromkeys(claim.sentences["en"].spans)
        return (
            self._other_value(spans, near)
            or self._exchanged(claim, near)
            or self._set_otherwise(claim)
            or self._set_before(claim)
            or self._returned(claim)
        )

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

    def _set_otherwise(self, claim: Claim) -> Fault | None:
        """`X` set to `1`, where another literal stands right after `X`, and `1` in no line with it."""
        for text in claim.bare.values():
            for found in _SET.finditer(text):
                name, said = found[1], found[2]
                if not _LITERAL.fullmatch(said) or said in _OTHER:
                    continue
                lines = [line for g in claim.grounds.far(claim.cited) for line in g.lines if name in line]
                if any(whole(said).search(line) for line in lines):
                    continue
                if any(_values(name, line[:_LONG]) for line in lines):
                    return Fault("opposite", f"{name}: {said}"[:80])
        return None

    def _set_before(self, claim: Claim) -> Fault | None:
        """`X` is now `1`, where the only line that gives it this value is taken out."""
        for text in claim.bare.values():
            for found in _NOW.finditer(text):
                given = re.compile(
                    rf"(?<![\w.]){re.escape(found[1])}[\"']?\]?\s?[:=]=?\s?[\"']?{re.escape(found[2])}(?![\w.])"
                )
                lines = [line for g in claim.grounds.diffs for line in g.lines if given.search(line)]
                if lines and all(line[:1] == "-" for line in lines):
                    return Fault("before_after", f"{found[1]}: {found[2]}"[:80])
        return None

    def _returned(self, claim: Claim) -> Fault | None:
        """Returns `True`, where the added lines return `False` and never `True`."""
        added = "\n".join(ground.added for ground in claim.cited if ground.diff)
        for text in claim.bare.values():
            for found in () if _OLD.search(text) else _RETURNS.finditer(text):
                if f"return {_OTHER[found[1]]}" in added and f"return {found[1]}" not in added:
                    return Fault("opposite", found[0][:80])
        return None


def _values(name: str, line: str) -> list[str]:
    """Literals right after the name: `X=0`, `"X", "0"`, `X: 0`."""
    found = re.finditer(rf"(?<!\w){re.escape(name)}[\"']?\s?(?:[:=]=?|,|\s)\s?[\"']?([\w.-]{{1,{_BESIDE}}})", line)
    return [one[1] for one in found if _LITERAL.fullmatch(one[1])]
