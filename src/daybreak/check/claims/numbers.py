"""Check: every number stands in the evidence with its unit, in a line that speaks of the same thing."""

from __future__ import annotations

from collections.abc import Iterable

from daybreak.check.claims import tokens
from daybreak.check.claims.counts import counted
from daybreak.check.claims.grounds import Ground
from daybreak.check.claims.interface import Claim, Fault
from daybreak.check.claims.lexicon import lexicon
from daybreak.check.claims.stems import parts, stems, words
from daybreak.check.words import plain

SHORT = 6
"""Lines of a text that is about one thing; in longer ones a number must stand near the statement's own words."""
LONG = 4000
"""Longer lines are data, not prose or code; their beginning has to do."""
_UNIT_WORDS = {
    "ms": {"ms", "msec", "millisecond"},
    "us": {"us", "usec", "microsecond"},
    "ns": {"ns", "nanosecond"},
    "s": {"s", "sec", "secs", "second"},
    "min": {"min", "minute"},
    "h": {"hour", "hr", "hours"},
    "day": {"day", "days"},
    "gb": {"gb", "gib", "gigabyte"},
    "mb": {"mb", "mib", "megabyte"},
    "kb": {"kb", "kib"},
    "b": {"byte", "bytes", "nbytes"},
    "%": {"percent", "pct", "percentage"},
}


class NumbersStand:
    """Wrong numbers, right numbers of other things, and wrong units do not pass."""

    def fault(self, claim: Claim) -> Fault | None:
        near = claim.grounds.near(claim.cited)
        about = _about(claim)
        spans = {plain(span) for sentence in claim.sentences.values() for span in sentence.spans}
        for sentence in claim.sentences.values():
            for number in sentence.numbers:
                if not (self._stands(number.value, near, about, spans) or counted(number, claim)):
                    return Fault("number_not_in_evidence", number.written)
                if tokens.hard_unit(number.unit) and not any(_with_unit(g, number) for g in near):
                    return Fault("unit_not_in_evidence", number.written)
        return None

    def _stands(self, value: str, near: Iterable[Ground], about: set[str], spans: set[str]) -> bool:
        for ground in near:
            for at in ground.numbers.get(value, ())[:200]:
                around = " ".join(line[:LONG] for line in ground.lines[max(at - 1, 0) : at + 2])
                if not about or about & stems(around) or len(ground.lines) < SHORT:
                    return True
                if any(span in plain(around) for span in spans):
                    return True
        return False


def _about(claim: Claim) -> set[str]:
    """Stems of what the statement is about, in names and in plain words."""
    out: set[str] = set()
    table = lexicon()
    for sentence in claim.sentences.values():
        for name in (*sentence.spans, *sentence.tokens):
            out.update(part for word in words(name) for part in parts(word))
        for word in sentence.words:
            if word.weight != "plain":
                out.add(word.stem)
                out.update(s for c in word.concepts for s in c.stems)
    out |= {part for text in claim.shown.values() for name in words(text) for part in parts(name)}
    return {s for s in out if len(s) > 1 and not any(c.weight == "plain" for c in table.by_stem.get(s, ()))}


def _with_unit(ground: Ground, number: tokens.Number) -> bool:
    """The number stands with this unit, or in a line whose names carry the unit."""
    for at in ground.numbers.get(number.value, ())[:200]:
        line = ground.lines[at][:LONG]
        stated = [n for n in tokens.numbers(line) if n.value == number.value]
        if any(n.unit == number.unit for n in stated):
            return True
        if any(tokens.hard_unit(n.unit) for n in stated):
            continue
        names = {part.lower() for word in words(line) for part in word.replace("-", "_").split("_")}
        if names & _UNIT_WORDS.get(number.unit, set()):
            return True
    return False
