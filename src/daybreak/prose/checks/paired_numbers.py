"""Check: two amounts that the evidence gives together ("16 rows / 1 warp") are told together as it has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from daybreak.prose.checks.evidence_index import Ground
from daybreak.prose.checks.interface import Claim, Fault
from daybreak.prose.checks.stems import stem

_COUPLE = re.compile(
    r"(?<![\w.])(\d{1,9})\s([a-z]{3,})\s?(?:and|with|by|per|,\s?and|,|/|x)\s?(\d{1,9})\s([a-z]{3,})(?!\w)",
    re.IGNORECASE,
)
_SIGNS = re.compile(r"\s*\n[+\- ]?\s*(?:#|//|\*)?\s*")
"""A comment goes on in its next line."""


class _Couple(NamedTuple):
    """Kinds of two amounts, in the order of their names, and the amounts."""

    kinds: tuple[str, str]
    amounts: tuple[str, str]


class CouplesAgree:
    """Where the evidence couples two kinds of amounts, the statement's couple is one of its own."""

    def fault(self, claim: Claim) -> Fault | None:
        near = claim.grounds.near(claim.cited)
        for told in _couples(claim.bare["en"]):
            known = {one.amounts for g in near for one in _couples(_SIGNS.sub(" ", g.text)) if one.kinds == told.kinds}
            if known and told.amounts not in known and not any(_in_one_line(told, g) for g in near):
                return Fault("number_not_in_evidence", " / ".join(told.amounts))
        return None


def _couples(text: str) -> Iterator[_Couple]:
    for found in _COUPLE.finditer(text):
        first, second = sorted(((stem(found[2]), found[1]), (stem(found[4]), found[3])))
        yield _Couple((first[0], second[0]), (first[1], second[1]))


def _in_one_line(told: _Couple, ground: Ground) -> bool:
    """`rows=32, num_warps=4`: code couples them without their names."""
    one, two = (set(ground.numbers.get(amount, ())) for amount in told.amounts)
    return bool(one & two)
