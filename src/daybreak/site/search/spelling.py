"""Spelling: what somebody may have meant who found nothing: a word misspelt, or a name of which parts alone are told."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile

from daybreak.site.search.tokens import LONGEST, SHORTEST_START, atoms, lower, runs

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]{3,}")
"""What may be misspelt: a shorter word is near to too many."""
_PLAIN = re.compile(r"[a-z][a-z0-9]{3,}")
_PART = re.compile(r"[A-Za-z0-9]+")
MOST_PARTS = 5
"""Words that stand side by side and may be one name."""
_NAME = re.compile(r"(?:--)?[0-9A-Za-z_](?:[0-9A-Za-z_./-]|::)*")
MOST_WORDS = 8
"""Of a query that is asked again in parts."""


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


def is_name(query: str) -> bool:
    """Whether a query is one flag, variable or name of several parts, which changes where it is told of and not else."""
    found = list(runs(query)) if _NAME.fullmatch(query) else []
    return len(found) == 1 and len(found[0].row) > 1


def called(query: str) -> list[str]:
    """Words side by side as one name (`max model len` is `max_model_len`), the longest first, then words that may be names."""
    pieces = query.replace('"', " ").split()
    joined = []
    for at in range(len(pieces)):
        some = list(takewhile(_PART.fullmatch, pieces[at : at + MOST_PARTS]))
        joined += ["_".join(some[:end]) for end in range(2, len(some) + 1)]
    joined.sort(key=lambda one: -one.count("_"))
    return list(dict.fromkeys((*joined, *(piece for piece in pieces if ":" not in piece.replace("::", "")))))


def parted(query: str) -> list[str]:
    """The query with its names in words, the nearest first: all words, fewer from the front, any of them."""
    pieces = query.split()
    if "OR" in pieces or '"' in query:
        return []
    asked = [piece for piece in pieces if ":" in piece.replace("::", "") or piece.endswith("*") or _left_out(piece)]
    words = list(dict.fromkeys(word for piece in pieces if piece not in asked for word in _words(piece)))
    if not 1 < len(words) <= MOST_WORDS or len(asked) > MOST_WORDS:
        return []
    telling = [word for word in words if len(word) >= SHORTEST_START or not word.isascii()]
    rows = [words, *(words[:end] for end in range(len(words) - 1, 1, -1) if len(pieces) == 1)]
    found = [*map(" ".join, rows), " OR ".join(telling)]
    return [" ".join((text, *asked)) for text in found if text and text != " ".join(pieces)]


def loosened(query: str) -> list[str]:
    """The query without one of its filters, each in turn, the last first (what is written last narrows most), or all."""
    pieces = query.split()
    if "OR" in pieces or '"' in query or not 1 < len(pieces) <= MOST_WORDS:
        return []
    filters = [at for at, piece in enumerate(pieces) if ":" in piece.replace("::", "")]
    bare = [piece for at, piece in enumerate(pieces) if at not in filters] if len(filters) > 1 else []
    return [" ".join(row) for row in (*(pieces[:at] + pieces[at + 1 :] for at in reversed(filters)), bare) if row]


def _left_out(piece: str) -> bool:
    return piece.startswith("-") and not piece.startswith("--")


def _words(piece: str) -> list[str]:
    return [word for run in runs(piece) for word in (run.row if run.text else (run.han,))]


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
    """Signs that must be put in, taken out or replaced, and neighbours that changed places."""
    earlier, before = [0], list(range(len(b) + 1))
    for row, sign in enumerate(a, 1):
        now = [row]
        for column, other in enumerate(b, 1):
            now.append(min(now[-1] + 1, before[column] + 1, before[column - 1] + (sign != other)))
            if row > 1 < column and sign != other and sign == b[column - 2] and other == a[row - 2]:
                now[-1] = min(now[-1], earlier[column - 2] + 1)
        earlier, before = before, now
    return before[-1]
