"""How large evidence is and how it is cut into parts: by line, never silently, each part no larger than asked."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import ceil

_ASCII_A_TOKEN = 2.6
"""Characters of code and English that one token holds at the least, over the tokenizers in use; prose has four."""
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_BREAKS = re.compile(r"\r\n?|[\v\f\x85\u2028\u2029]")
GOES_ON = "[line goes on]"
"""Stands where a line was too long for one part: at the end of its beginning and at the beginning of its rest."""
LEAST = 24
"""Tokens below which a part would hold nothing but marks."""


def tokens(text: str) -> int:
    """An upper estimate of what a model counts: of other scripts, as many as the bytes they take."""
    if text.isascii():
        return ceil(len(text) / _ASCII_A_TOKEN)
    plain = len(text.encode("ascii", "ignore"))
    return ceil(plain / _ASCII_A_TOKEN) + len(text.encode("utf-8", "surrogatepass")) - plain


@lru_cache(maxsize=4096)
def _hides(character: str) -> bool:
    return character not in "\n\t" and unicodedata.category(character) in _HIDDEN


def visible(text: str) -> str:
    """Text of outside without what no reader sees: controls, direction and zero-width marks, broken bytes."""
    if text.isascii() and text.isprintable():
        return text
    text = _BREAKS.sub("\n", text)
    hidden = {c for c in set(text) if _hides(c)}
    return text.translate(dict.fromkeys(map(ord, hidden))) if hidden else text


def one_line(text: str) -> str:
    """The same in one line: for paths and titles."""
    return " ".join(visible(text).split())


def brief(text: str, most: int) -> str:
    """The same in at most so many characters; what is cut is marked."""
    line = one_line(text)
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def split_lines(text: str, most: int) -> Iterator[str]:
    """The text in parts of at most so many tokens, cut between lines; a line too long for a part is cut and marked."""
    held: list[str] = []
    most, size = max(most, LEAST), 0
    for line in _fitting(text.split("\n"), most):
        cost = tokens(line) + 1
        if held and size + cost > most:
            yield "\n".join(held)
            held, size = [], 0
        held.append(line)
        size += cost
    if held:
        yield "\n".join(held)


def _fitting(lines: Sequence[str], most: int) -> Iterator[str]:
    room = most - 2 * tokens(GOES_ON) - 2
    for line in lines:
        if tokens(line) + 1 <= most:
            yield line
            continue
        pieces = list(_chopped(line, max(room, 4)))
        for at, piece in enumerate(pieces):
            before = f"{GOES_ON} " if at else ""
            after = f" {GOES_ON}" if at < len(pieces) - 1 else ""
            yield before + piece + after


def _chopped(line: str, most: int) -> Iterator[str]:
    """Pieces of one long line, in linear time: a character costs at most its bytes."""
    start, cost = 0, 0.0
    for at, character in enumerate(line):
        step = 1 / _ASCII_A_TOKEN if character < "\x80" else len(character.encode("utf-8", "surrogatepass"))
        if cost + step > most:
            yield line[start:at]
            start, cost = at, 0.0
        cost += step
    yield line[start:]


def hunks(patch: str) -> list[str]:
    """The hunks of a patch, each from its `@@` on."""
    found: list[list[str]] = []
    for line in patch.rstrip("\n").split("\n"):
        if line.startswith("@@ ") or not found:
            found.append([])
        found[-1].append(line)
    return ["\n".join(lines) for lines in found if any(lines)]


def split_hunk(hunk: str, most: int) -> list[str]:
    """A hunk in parts; each after the first repeats the hunk's head, so that it can be read alone."""
    if tokens(hunk) <= most:
        return [hunk]
    head, _, rest = hunk.partition("\n")
    if not head.startswith("@@") or tokens(head) * 3 > most:
        return list(split_lines(hunk, most))
    room = most - tokens(head) - 4
    return [
        f"{head}\n{part}" if n == 0 else f"{head} (continued)\n{part}" for n, part in enumerate(split_lines(rest, room))
    ]
