"""Brief sentences: cut between words, with what is open closed, so that a row of a table holds one."""

from __future__ import annotations

import re

from daybreak.core.model.statements import Text

_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\s\u3400-\u9fff]+|\s+")
_END = re.compile(r"(?:(?<=[^\W_]{3})|(?<=[`)]))[.!?](?=\s+(?:[-*•]\s)?(?:[^\Wa-z]|`))|[。！？]")
"""Where a sentence ends and another follows; an abbreviation of one or two letters ends none."""
_AT_PATH = re.compile(r"\s?[（(]`[^`]*`[）)](?=[.。]?$)")
_CLOSED_BY = {"“": "”", "「": "」", "(": ")", "（": "）"}


_MARKS = re.compile(r"^(?:\[[^\]]{1,40}\]\s*)+(?=\S)|\s*\(#\d+\)\s*$")


def bare_title(title: str) -> str:
    """A title without the marks before it and the number behind it: a list has both beside it."""
    return _MARKS.sub("", title)


def unplaced(text: Text) -> Text:
    """A sentence without the file that it ends with."""
    return {language: unplaced_line(said) for language, said in text.items()}


def unplaced_line(said: str) -> str:
    """The same of one language: `… (`engine/args.py`)` ends before the bracket."""
    return _AT_PATH.sub("", said)


def brief(text: Text, words: int) -> Text:
    """At most so many words in every language; two Han characters are a word."""
    return {language: brief_line(said, words) for language, said in text.items()}


def brief_line(said: str, words: int) -> str:
    """The same of one language; whole where it fits."""
    left, end = 2 * words, 0
    for token in _TOKEN.finditer(said):
        if not token[0].isspace():
            left -= 1 if token[0] >= "\u3400" and len(token[0]) == 1 else 2
        if left < 0:
            return _closed(said[:end].rstrip())
        end = token.end()
    return said


def _closed(start: str) -> str:
    """Whole sentences where they are most of it; else what was cut off is marked. What it left open is closed."""
    whole = next((m.end() for m in reversed(list(_END.finditer(start)))), 0)
    if 2 * whole >= len(start) and start[:whole].count("`") % 2 == 0:
        return start[:whole] + _open(start[:whole])
    start = start.rstrip(" ,;:，；：、—-.")
    if start.count("`") % 2:
        return f"{start}…`{_open(start[: start.rindex('`')])}"
    return f"{start}…{_open(start)}"


def _open(start: str) -> str:
    found: list[str] = []
    for n, part in enumerate(start.split("`")):
        if n % 2:
            continue  # code has brackets of its own
        for char in part:
            if char in _CLOSED_BY:
                found.append(_CLOSED_BY[char])
            elif found and char == found[-1]:
                found.pop()
    return "".join(reversed(found))
