"""Spelling: the word of a title that somebody may have meant who misspelt it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from daybreak.site.search.tokens import LONGEST, atoms, lower, runs

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]{3,}")
"""What may be misspelt: a shorter word is near to too many."""
_PLAIN = re.compile(r"[a-z][a-z0-9]{3,}")


def vocabulary(titles: Iterable[str]) -> Counter[str]:
    """How often each word stands in titles: as it is read, and the parts of names."""
    found: Counter[str] = Counter()
    for title in titles:
        for run in runs(title):
            some = {*run.row, *atoms(run.text)} if run.text else ()
            found.update(word for word in some if _PLAIN.fullmatch(word))
    return found


def respelt(query: str, words: Mapping[str, int]) -> str:
    """The query with the nearest known word for each that no title has; the same query where there is none."""
    return " ".join(_piece(piece, words) for piece in query.split())


def _piece(piece: str, words: Mapping[str, int]) -> str:
    if ":" in piece or piece.startswith("-") or piece.endswith("*"):
        return piece

    def meant(found: re.Match[str]) -> str:
        word = lower(found[0])
        return found[0] if word in words else _nearest(word[:LONGEST], words) or found[0]

    return _WORD.sub(meant, piece)


def _nearest(word: str, words: Mapping[str, int]) -> str | None:
    """The known word that differs least; of several the commonest, then the first by its letters."""
    most, letters = _slips(word), set(word)
    best: tuple[int, int, str] | None = None
    for other, times in words.items():
        if abs(len(other) - len(word)) > most or len(letters ^ set(other)) > 2 * most:
            continue
        one = (distance(word, other), -times, other)
        if one[0] <= most and (best is None or one < best):
            best = one
    return best[2] if best else None


def _slips(word: str) -> int:
    return 1 if len(word) < 6 else 2


def near(word: str, choices: Sequence[str]) -> str | None:
    """The choice that differs least, when that is one slip, or two in a longer word."""
    word = word[:24]
    apart, choice = min((distance(word, one), one) for one in choices)
    return choice if apart <= _slips(word) else None


def distance(a: str, b: str) -> int:
    """Signs that must be put in, taken out or replaced."""
    before = list(range(len(b) + 1))
    for row, sign in enumerate(a, 1):
        now = [row]
        for column, other in enumerate(b, 1):
            now.append(min(now[-1] + 1, before[column] + 1, before[column - 1] + (sign != other)))
        before = now
    return before[-1]
