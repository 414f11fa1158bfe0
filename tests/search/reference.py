"""What a query means, said as plainly as possible: the measure for every index."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from daybreak.store import Phrase, Wanted


def matches(wanted: Wanted, number: int, tokens: str) -> bool:
    row = tokens.split(" ")
    first, last = wanted.days
    return (
        all(any(stands(one, row) for one in group) for group in wanted.each)
        and not any(stands(one, row) for group in wanted.without for one in group)
        and not any(all(any(stands(one, row) for one in group) for group in some) for some in wanted.but)
        and first <= (number >> 24) & 0xFFFFF <= last
    )


def stands(phrase: Phrase, row: list[str]) -> bool:
    wide = len(phrase.tokens)
    return any(fits(phrase, row[at : at + wide]) for at in range(len(row) - wide + 1))


def fits(phrase: Phrase, here: list[str]) -> bool:
    *before, last = phrase.tokens
    return here[:-1] == before and (here[-1].startswith(last) if phrase.start else here[-1] == last)
