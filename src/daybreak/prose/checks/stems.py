"""Stems of English words, and the parts of names: enough to see that `caches`, `cached` and `kv_cache` share a word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

_ENDS = (
    "izations", "isations", "ization", "isation", "fulness", "ations", "ements", "ation", "ement", "ities", "ingly",
    "ments", "ables", "ance", "ence", "ment", "able", "ible", "ings", "ions", "ated", "ates", "ally", "ness", "ing",
    "ion", "ied", "ies", "ers", "ity", "ous", "ive", "ize", "ise", "ed", "es", "er", "ly", "al", "s", "e", "y",
)  # fmt: skip
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_APART = {
    **dict.fromkeys(("util", "utils", "utility", "utilities"), "utility"),
    **dict.fromkeys(("precede", "precedes", "preceding", "precedence"), "preced"),
}
"""Words that would share a stem with one of another meaning: `utils.py` is no utilization, precedence no precision."""
_LEAST = 3
_LEAST_OF_LONG = 4
"""What must be left when an ending of three letters or more is taken off: `disable` is no form of `dis`."""


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The part of a word that stays: `reduces`, `reduced` and `reduction` come close enough."""
    word = word.lower()
    if word in _APART:
        return _APART[word]
    for _ in range(2):
        for end in _ENDS:
            if word.endswith(end) and len(word) - len(end) >= (_LEAST if len(end) < 3 else _LEAST_OF_LONG):
                word = word[: -len(end)]
                break
        else:
            break
    if len(word) > _LEAST and word[-1] in "iy":
        word = word[:-1]
    if len(word) > _LEAST and word[-1] == word[-2] and word[-1] not in "aeiou":
        word = word[:-1]
    return word


@lru_cache(maxsize=65536)
def parts(name: str) -> tuple[str, ...]:
    """Words of a name: `maxNumTokens` and `max_num_tokens` have three, and each may be found by its stem."""
    found = [stem(part) for part in _PART.findall(name) if len(part) > 1]
    whole = stem(name)
    return (*found, whole) if whole not in found else tuple(found)


def words(text: str) -> Iterator[str]:
    """Words and names of a text, as written."""
    return (found[0] for found in _WORD.finditer(text))


def stems(text: str) -> set[str]:
    """Stems of every word and of every part of a name."""
    out: set[str] = set()
    for name in set(_WORD.findall(text)):
        out.update(parts(name))
    return out
