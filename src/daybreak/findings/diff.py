r"""A patch as git prints it, parsed into hunks with line numbers.

Parsing trusts nothing: a header that lies about its counts or text that is no diff gives fewer hunks, never an error.
Lines are cut at `\n` only, since everything else (form feeds, carriage returns) may stand inside a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from msgspec import Struct

from daybreak.core.file_cache import LastUsed

HEADER = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@(.*)")
HEAD = re.compile(
    r"(?:(?:async|pub(?:\([\w:]{1,40}\))?|export|default|static|inline|const|constexpr|unsafe|extern|virtual|public|private"
    r"|protected|abstract|final|__\w{4,20}__)\s+){0,6}"
    r"(?:def|class|fn|func|function|void|struct)\s+(?:(?:__\w{4,20}__)?\([^()]{0,80}\)\s*)?([A-Za-z_]\w{1,80})\s*[(<:{\[]"
)
"""How a function or a class begins, in whatever language, and its name."""


class DiffLine(NamedTuple):
    """One line of a hunk; `old` and `new` are its numbers before and after, 0 where it does not exist."""

    sign: str
    text: str
    old: int
    new: int


class DiffHunk(Struct, frozen=True):
    """One hunk: numbers, the line git shows behind `@@` as context, and its lines."""

    header: str
    context: str
    lines: tuple[DiffLine, ...]
    raw: tuple[str, ...]
    """Header and lines as git printed them, `\\ No newline` marks included."""

    @property
    def text(self) -> str:
        return "\n".join(self.raw)


class SideLine(NamedTuple):
    """A line as it stands before or after the change."""

    text: str
    number: int
    changed: bool


_KEPT = 40_000
"""Lines of patches that are kept parsed: those of a large change, all of whose readers ask for them again and again."""


def _count(made: tuple[DiffHunk, ...]) -> int:
    return 1 + sum(len(hunk.lines) for hunk in made)


_PARSED = LastUsed[str, tuple[DiffHunk, ...]](_KEPT, _count)


def hunks(patch: str) -> tuple[DiffHunk, ...]:
    """The hunks of one file's patch, in order; what one reader asks of a patch the next one asks as well."""
    made = _PARSED.get(patch)
    if made is None:
        made = tuple(_hunks(patch))
        _PARSED.put(patch, made)
    return made


def _hunks(patch: str) -> Iterator[DiffHunk]:
    lines = patch.split("\n")
    at, end = 0, len(lines)
    while at < end:
        match = HEADER.match(lines[at]) if lines[at].startswith("@@ ") else None
        at += 1
        if match is None:
            continue
        start = at - 1
        body, at = _body(lines, at, match)
        yield DiffHunk(lines[start], match[5].strip(), body, tuple(lines[start:at]))


def _body(lines: list[str], at: int, header: re.Match[str]) -> tuple[tuple[DiffLine, ...], int]:
    """The lines that belong to a header, and where the next thing starts; the header's counts bound them."""
    old, new = int(header[1]), int(header[3])
    old_left = int(header[2]) if header[2] is not None else 1
    new_left = int(header[4]) if header[4] is not None else 1
    out: list[DiffLine] = []
    while at < len(lines) and (old_left > 0 or new_left > 0):
        line = lines[at]
        sign = line[:1]
        if sign == "+" and new_left > 0:
            out.append(DiffLine("+", line[1:], 0, new))
            new, new_left = new + 1, new_left - 1
        elif sign == "-" and old_left > 0:
            out.append(DiffLine("-", line[1:], old, 0))
            old, old_left = old + 1, old_left - 1
        elif sign in ("", " ") and old_left > 0 and new_left > 0 and (line or at + 1 < len(lines)):
            out.append(DiffLine(" ", line[1:], old, new))
            old, new, old_left, new_left = old + 1, new + 1, old_left - 1, new_left - 1
        elif sign != "\\":
            break
        at += 1
    if at < len(lines) and lines[at].startswith("\\"):
        at += 1
    return tuple(out), at


def side(hunk: DiffHunk, sign: Literal["+", "-"]) -> list[SideLine]:
    """The hunk's lines as they stand after (`+`) or before (`-`) the change, context included."""
    if sign == "+":
        return [SideLine(x.text, x.new, x.sign == "+") for x in hunk.lines if x.sign != "-"]
    return [SideLine(x.text, x.old, x.sign == "-") for x in hunk.lines if x.sign != "+"]
