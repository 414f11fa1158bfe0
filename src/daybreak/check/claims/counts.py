"""Number words that a reader counts: so many entries of one form, so many names in one list."""

from __future__ import annotations

import re
from collections import Counter

from daybreak.check.claims.grounds import Ground
from daybreak.check.claims.interface import Claim
from daybreak.check.claims.tokens import Number, technical

MOST = 12
"""More than these nobody writes as a word. A count in digits is for code to put in."""
_LEAST = 2
_MOST_LINES, _LONG = 4000, 400
_STRING = re.compile(r"\"[^\"]{0,200}\"|'[^']{0,200}'")
_DIGITS = re.compile(r"\d+")
_LIST = re.compile(
    r"^\s*(?:for\s+)?([\w.*]+(?:\s*,\s*[\w.*]+){1,11})\s*(?:=[^=]|\bin\b|$)|[(\[{]([^()\[\]{}]{3,300})[)\]}]"
)


def counted(number: Number, claim: Claim) -> bool:
    """Whether the cited lines, or the statement itself, have so many of one form."""
    if number.unit or number.written[:1].isdigit() or not number.value.isdigit():
        return False
    wanted = int(number.value)
    if not _LEAST <= wanted <= MOST:
        return False
    named = claim.sentences["en"]
    if len(dict.fromkeys((*named.spans, *(t for t in named.tokens if technical(t))))) == wanted and wanted > _LEAST:
        return True
    return any(wanted in _forms(ground) or wanted in _listed(ground) for ground in claim.cited if ground.diff)


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
