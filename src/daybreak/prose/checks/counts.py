"""Number words that a reader counts: so many entries of one form, so many names in one list."""

from __future__ import annotations

import re
from collections import Counter

from daybreak.core.plain_words import plain
from daybreak.prose.checks.evidence_index import Ground
from daybreak.prose.checks.interface import Claim
from daybreak.prose.checks.tokens import Number, technical

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
