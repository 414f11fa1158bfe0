"""Check: every number stands in the evidence with its unit, in a line that speaks of the same thing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from daybreak.core.text import plain
from daybreak.prose.checks import tokens
from daybreak.prose.checks.amounts import same
from daybreak.prose.checks.evidence_index import Ground
from daybreak.prose.checks.interface import Claim, Fault
from daybreak.prose.checks.sentences import lexicon, parts, stems, words
from daybreak.prose.checks.tokens import Number, technical

# --- Number words that a reader counts: so many entries of one form, so many names in one list ---


MOST = 12
"""More than these nobody writes as a word. A count in digits is for code to put in."""
_LEAST = 2
_ITEM = r"(?:`[^`]{1,80}`|[A-Za-z][\w.+/-]*)(?:\s?[\w\u4e00-\u9fff-]{1,12})?"
_ENUMERATION = re.compile(
    rf"{_ITEM}(?:(?:\s?[、,，]\s?(?:and |or )?){_ITEM}){{0,10}}\s?(?:和|与|及|以及|或|and|or)\s?(?:the )?{_ITEM}"
)
_JOINT = re.compile(r"\s?[、,，]\s?(?:and |or )?|\s?(?:和|与|以及|及|或)\s?|\s(?:and|or)\s")
_MOST_LINES, _LONG = 4000, 400
_STRING = re.compile(r"\"[^\"]{0,200}\"|'[^']{0,200}'")
_LONE = re.compile(r"[+\- ]\s*[\"']?[\w.*=-]+[\"']?(?:\s?[:=]\s?[^,]{1,80})?,$")
_COUNTING = re.compile(r"[个种项条处份套类组列]")
_DIGITS = re.compile(r"\d+")
_LIST = re.compile(
    r"^\s*(?:for\s+)?([\w.*]+(?:\s*,\s*[\w.*]+){1,11})\s*(?:=[^=]|\bin\b|$)|[(\[{]([^()\[\]{}]{3,300})[)\]}]"
)


def counted(number: Number, claim: Claim) -> bool:
    """Whether the statement lists so many, cites so many pieces or files, or the cited lines have so many of one form."""
    if number.unit or not number.value.isdigit():
        return False
    wanted = int(number.value)
    if not _LEAST <= wanted <= MOST:
        return False
    if wanted in _enumerated(claim) or wanted in _cited(claim):
        return True
    if number.written[:1].isdigit() and not _COUNTING.search(number.written):
        return False
    cited = [ground for ground in claim.cited if ground.diff]
    return wanted in _occurrences(claim) or any(
        wanted in _forms(g) or wanted in _listed(g) or wanted in _runs(g) for g in cited
    )


def _enumerated(claim: Claim) -> set[int]:
    """How long the lists are that the statement itself gives, and how many names it has."""
    named = claim.sentences["en"]
    names = len(dict.fromkeys((*named.spans, *(t for t in named.tokens if technical(t)))))
    lists = (found for text in claim.shown.values() for found in _ENUMERATION.finditer(text))
    lengths = {len(_JOINT.split(found[0])) for found in lists}
    return {count for count in (names, *lengths) if count > _LEAST}


def _cited(claim: Claim) -> set[int]:
    """How many pieces it cites of one sort, and how many files the change has."""
    kinds = Counter(ground.ref[:1] for ground in claim.cited if ground.ref[:1] in "DF")
    files = {g.id for g in claim.grounds.pieces.values() if g.diff}
    return {*kinds.values(), len({g.id for g in claim.cited if g.diff}), len(files)}


def _occurrences(claim: Claim) -> set[int]:
    """On how many added, and on how many removed lines a name of the statement stands."""
    out: set[int] = set()
    shown = [ground for ground in claim.grounds.pieces.values() if ground.diff]
    for span in dict.fromkeys(map(plain, claim.sentences["en"].spans)):
        for sides in ([g.added for g in shown], [g.removed for g in shown]):
            out.add(sum(span in line for side in sides for line in side.splitlines()))
    return out


def _forms(ground: Ground) -> set[int]:
    """How many added lines, and how many removed ones, have the same form, strings and digits aside."""
    found: Counter[str] = Counter()
    for line in ground.lines[:_MOST_LINES]:
        if line[:1] in "+-" and len(line) > 3:
            found[_DIGITS.sub("0", _STRING.sub("S", line[:_LONG])).rstrip(" ,")] += 1
    return {count for form, count in found.items() if any(c.isalnum() for c in form)}


def _listed(ground: Ground) -> set[int]:
    """How many items the lists of the changed lines have."""
    out: set[int] = set()
    for line in ground.lines[:_MOST_LINES]:
        if line[:1] in "+-":
            for found in _LIST.finditer(line[1:_LONG]):
                items = [item for item in (found[1] or found[2]).split(",") if item.strip()]
                out.add(len(items))
    return out - {0, 1}


def _runs(ground: Ground) -> set[int]:
    """How many lines with one item each stand together: arguments of a call, entries of a list."""
    out, run = set[int](), 0
    for line in (*ground.lines[:_MOST_LINES], ""):
        if line[:1] in "+- " and _LONE.match(line[:_LONG].rstrip()):
            run += 1
        else:
            out.add(run)
            run = 0
    return out - {0, 1}


_SEVERAL = re.compile(r"\b(?:more|greater) than (?:one|1)\b|(?:大于|超过|多于)\s?[1一](?![\d.])", re.IGNORECASE)
"""More than one is no amount: it says that there are several."""
SMALL = 16
"""Numbers up to this one stand in every diff; a larger one is seldom met by chance."""
AROUND = 3
SHORT = 6
"""Lines of a text that is about one thing; in longer ones a number must stand near the statement's own words."""
LONG = 4000
"""Longer lines are data, not prose or code; their beginning has to do."""
_UNIT_WORDS = {
    "ms": {"ms", "msec", "millisecond"},
    "us": {"us", "usec", "microsecond"},
    "ns": {"ns", "nanosecond"},
    "s": {"s", "sec", "secs", "second", "timeout", "sleep", "ttl"},
    "min": {"min", "minute"},
    "h": {"hour", "hr", "hours"},
    "day": {"day", "days"},
    "gb": {"gb", "gib", "gigabyte"},
    "mb": {"mb", "mib", "megabyte"},
    "kb": {"kb", "kib"},
    "b": {"byte", "bytes", "nbytes"},
    "%": {"percent", "pct", "percentage"},
}
_POWERS = {
    "kb": r"\s?(?:\*\s?1024\b|<<\s?10)",
    "mb": r"\s?(?:\*\s?1024\s?\*\s?1024\b|\*\s?1024\s?\*\*\s?2|<<\s?20)",
    "gb": r"\s?(?:\*\s?1024\s?\*\s?1024\s?\*\s?1024|\*\s?1024\s?\*\*\s?3|<<\s?30)",
}
"""How code writes a size: `50 * 1024 * 1024`."""
_MULTIPLE = r"[*×]\s?{0}(?![\w.])|(?<![\w.]){0}\s?[*×]|(?<![\w.]){0}(?:\s?x\b|-fold|\s?倍)"
_TWICE = re.compile(r"\b(?:twice|doubl(?:e|es|ed|ing))\b|两倍|翻倍|加倍", re.IGNORECASE)
"""So many times as much: a factor in code, or a word of its own."""


class NumbersStand:
    """Wrong numbers, right numbers of other things, and wrong units do not pass."""

    def fault(self, claim: Claim) -> Fault | None:
        near = claim.grounds.near(claim.cited)
        about = _about(claim)
        spans = {plain(span) for sentence in claim.sentences.values() for span in sentence.spans}
        for sentence in claim.sentences.values():
            for number in sentence.numbers:
                if number.value == "1" and _SEVERAL.search(sentence.outside):
                    continue
                writings = list(same(number))
                if not (any(self._stands(w.value, near, about, spans) for w in writings) or counted(number, claim)):
                    return Fault("number_not_in_evidence", number.written)
                if tokens.hard_unit(number.unit) and not any(_measured(g, w) for g in near for w in writings):
                    return Fault("unit_not_in_evidence", number.written)
        return None

    def _stands(self, value: str, near: Iterable[Ground], about: set[str], spans: set[str]) -> bool:
        """In what is cited; a small one, which stands everywhere, beside words of the statement."""
        large = not value.isdigit() or len(value) > 2 or int(value) > SMALL
        for ground in near:
            for at in ground.numbers.get(value, ())[:200]:
                if large or not about or len(ground.lines) < SHORT:
                    return True
                around = " ".join(line[:LONG] for line in ground.lines[max(at - AROUND, 0) : at + AROUND + 1])
                if about & stems(around) or any(span in plain(around) for span in spans):
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


def _measured(ground: Ground, number: tokens.Number) -> bool:
    """With its unit; a writing that needs none, such as 0.9 for 90 %, stands by its digits."""
    if _times(ground, number):
        return True
    return _with_unit(ground, number) if number.unit else number.value in ground.numbers


def _times(ground: Ground, number: tokens.Number) -> bool:
    return number.unit == "x" and number.value == "2" and bool(_TWICE.search(ground.text))


def _with_unit(ground: Ground, number: tokens.Number) -> bool:
    """The number stands with this unit, or in a line whose names carry the unit."""
    for at in ground.numbers.get(number.value, ())[:200]:
        line = ground.lines[at][:LONG]
        stated = [n for n in tokens.numbers(line) if n.value == number.value]
        if any(n.unit == number.unit for n in stated):
            return True
        if any(tokens.hard_unit(n.unit) for n in stated):
            continue
        if number.unit == "x" and re.search(_MULTIPLE.format(re.escape(number.value)), line):
            return True
        if number.unit in _POWERS and re.search(rf"(?<![\w.]){re.escape(number.value)}{_POWERS[number.unit]}", line):
            return True
        names = {part.lower() for word in words(line) for part in word.replace("-", "_").split("_")}
        if names & _UNIT_WORDS.get(number.unit, set()):
            return True
    return False
