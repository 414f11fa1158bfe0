"""Telling words: what is left of a text without endings and words that every change has, to see what two texts share."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]+")
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_COMMON = frozenset(
    re.findall(
        r"\S+",
        "the for and with from into that this add adds added support enable use fix fixes update improve make "
        "remove new in on of to by re land bugfix feature feat perf misc core model frontend doc docs ci test "
        "tests chore minor tiny part phase step bug is are be not no if else return self def none true false int "
        "str float bool import when as it or at an must can will only all any per elif pr commit change patch",
    )
)


@lru_cache(maxsize=1024)
def words(text: str) -> frozenset[str]:
    """Telling words in one form: parts of names, without endings."""
    found = (word.lower() for word in _WORD.findall(_HUMPS.sub(" ", text.replace("_", " "))))
    return frozenset(stem(word) for word in found if word not in _COMMON)


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """A word without its ending."""
    for ending in ("ings", "ing", "ied", "ies", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def stems(some: Iterable[str]) -> set[str]:
    """Beginnings of words, without the number of a version."""
    return {word.rstrip("0123456789")[:_STEM] or word for word in some}


_STEM = 6


def letters(text: str) -> str:
    """A name in whatever way it is written: its letters and digits, all small."""
    return "".join(filter(str.isalnum, text.lower()))
