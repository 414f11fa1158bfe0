"""Reasons why something could not be had, in a reader's language: data keeps them in the reference language, as they were told.

The catalogue holds each sentence with its places; one that is found there is said in the other language, with what
stands in its places. What the catalogue does not know, such as the words of a plug-in, stays as it is.
"""

from __future__ import annotations

import re
from functools import cache

from daybreak.core.words.phrases import REFERENCE, table, take_apart

_LONGEST = 2000
"""Characters of a reason; a longer one is somebody's data."""
_APART = re.compile(r", (?![^()]*\))")
"""Between names; inside brackets they belong together: `releases, the rest (issues, tags)`."""
_SPACED = re.compile(r"(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])")
"""A blank that stands between Chinese words, because what took a place is no name."""
_DEEPEST = 4
"""A reason that another one tells of, which tells of another."""


def reason_in(language: str, text: str) -> str:
    """Why something was skipped, for readers of a language."""
    return _said(language, "reason", text, _DEEPEST)


def part_in(language: str, text: str) -> str:
    """What was skipped, for readers of a language: names stay, the words beside them do not."""
    return _said(language, "part", text, _DEEPEST)


def _said(language: str, family: str, text: str, depth: int) -> str:
    if language == REFERENCE or not depth or len(text) > _LONGEST:
        return text
    for key, pattern in _patterns(family):
        if match := pattern.fullmatch(text):
            given = {name: _listed(language, family, value, depth - 1) for name, value in match.groupdict().items()}
            return _SPACED.sub("", table(language, "skip")[key].format(**given))
    return text


def _listed(language: str, family: str, text: str, depth: int) -> str:
    """What stands in a place: a reason of its own, or names with commas between them."""
    whole = _said(language, family, text, depth)
    if whole != text or family != "part":
        return whole
    return ", ".join(_said(language, family, one, depth) for one in _APART.split(text))


@cache
def _patterns(family: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Those with most words of their own first, so that a place does not swallow another sentence's."""
    known = [(key, said) for key, said in table(REFERENCE, "skip").items() if key.startswith(f"{family}.")]
    known.sort(key=lambda row: -sum(len(piece.literal) for piece in take_apart(row[1])))
    return tuple((key, _pattern(said)) for key, said in known)


def _pattern(said: str) -> re.Pattern[str]:
    """A repository is one word; any other place takes what there is."""
    places = {"": "", "repo": r"(?P<repo>[^\s,]+)"}
    parts = (re.escape(piece.literal) + places.get(piece.name, f"(?P<{piece.name}>.+?)") for piece in take_apart(said))
    return re.compile("".join(parts), re.DOTALL)
