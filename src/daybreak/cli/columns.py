"""Text in columns of a terminal, where wide characters (Chinese, Japanese, Korean) take two of them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from daybreak.cli.console import harmless

_MORE = " …"
_LONGEST = 400
"""Characters of one piece: marks that take no column may be piled up without end."""
_CLINGS = "，。；：、！？）」』】》”’…"
"""Marks that do not begin a line."""
_OPENS = "（「『【《“‘"
"""Marks that do not end one."""


def width(text: str) -> int:
    """Columns that the text takes."""
    return len(text) if text.isascii() else sum(map(_width, text))


def _width(sign: str) -> int:
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 0 if unicodedata.combining(sign) else 1


def padded(text: str, columns: int) -> str:
    """The text with spaces up to so many columns."""
    return text + " " * (columns - width(text))


def cut(text: str, columns: int) -> str:
    """As much of the text as fits, with a sign when that is not all."""
    return text if width(text) <= columns else f"{_begin(text, columns - 1)}…"


def _begin(text: str, columns: int) -> str:
    used = 0
    for at, sign in enumerate(text):
        used += _width(sign)
        if used > columns:
            return text[:at]
    return text


def wrapped(text: str, columns: int, most: int = 6) -> list[str]:
    """At most so many lines of at most so many columns; a line breaks at spaces and between wide characters."""
    lines: list[str] = []
    line = ""
    for piece in _pieces(harmless(text[: columns * (most + 1) * 4]), columns):
        if line and width(line) + width(piece.rstrip()) > columns:
            lines.append(line.rstrip())
            line = ""
        line += piece if line else piece.lstrip()
    lines += [line.rstrip()] if line.strip() else []
    if len(lines) > most:
        lines = [*lines[: most - 1], _begin(lines[most - 1], columns - len(_MORE)).rstrip() + _MORE]
    return lines or [""]


def _pieces(text: str, columns: int) -> Iterator[str]:
    """What stays together: a word with the spaces behind it, a wide character with the marks around it."""
    word, used = "", 0
    for sign in text:
        size = _width(sign)
        if word and (used + size > columns or len(word) >= _LONGEST or _parts(word[-1], sign)):
            yield word
            word, used = "", 0
        word, used = word + sign, used + size
    if word:
        yield word


def _parts(before: str, sign: str) -> bool:
    """A line may break between these two."""
    if sign in _CLINGS or sign == " " or before in _OPENS:
        return False
    return before == " " or _width(before) == 2 or _width(sign) == 2
