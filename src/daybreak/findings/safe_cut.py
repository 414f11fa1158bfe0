"""The parts of two Python files between which they differ, cut where definitions begin: cheaper to parse than both files.

What stands before and behind is the same on both sides, so the files differ in what the parts differ in, and in
nothing else. A cut is made only at a definition that surely begins a statement; else the parts are the whole files.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from daybreak.findings.languages.python_text import without_texts

_TOP = re.compile(r"(?:async )?def |class |@[A-Za-z_]")
_METHOD = re.compile(r" {4}(?:(?:async )?def |@[A-Za-z_])")
_NO_HEAD = " \t#)]}\"'.,\f\x0b"
_CLASS = "class _:\n    pass\n"


class _File:
    """A file's lines, and the same with its long texts taken out."""

    def __init__(self, lines: list[str], code: list[str]) -> None:
        self.lines, self.code = lines, code

    def begins(self, at: int, pattern: re.Pattern[str], indent: str = "") -> bool:
        """A definition or its first decorator stands there, and the line before it does not go on."""
        if not pattern.match(self.code[at]) or (at and self.code[at - 1].endswith("\\")):
            return False
        before = self.head_before(at, indent)
        return before < 0 or not self.code[before].startswith("@", len(indent))

    def head_before(self, at: int, indent: str = "") -> int:
        """The last line before that a statement of this indent may start at, or one further to the left; else -1."""
        return next((n for n in range(at - 1, -1, -1) if self._head(n, indent)), -1)

    def _head(self, at: int, indent: str) -> bool:
        line = self.code[at]
        bare = line.lstrip(" ")
        return bool(bare) and len(line) - len(bare) <= len(indent) and bare[0] not in _NO_HEAD

    def one_class(self, start: int, end: int) -> int:
        """Where the class begins that these lines are, behind its decorators; -1 when they are anything else."""
        lines = self.code[start:end]
        heads = [at for at, line in enumerate(lines, start) if line and line[0] not in _NO_HEAD]
        if not heads or not self.code[heads[-1]].startswith("class "):
            return -1
        odd = any(line[:1] == " " and line[:4] != "    " for line in lines)  # not indented by four
        return -1 if odd or any(self.code[at][0] != "@" for at in heads[:-1]) else heads[-1]


class _Span(NamedTuple):
    start: int
    old: int
    new: int
    """Where the part ends in the old and in the new file."""


def parts(old: list[str], new: list[str], *, inside: bool) -> tuple[str, str]:
    """The two parts, given the lines of the files; `inside`: down to the methods of a class, in a class of no name."""
    texts = "\n".join(old), "\n".join(new)
    code = without_texts(texts[0]), without_texts(texts[1])
    if code[0] is None or code[1] is None:
        return texts
    was, now = _File(old, code[0].split("\n")), _File(new, code[1].split("\n"))
    found = _between(was, now, 0, (len(old), len(new)), _TOP)
    if inside and (deeper := _methods(was, now, found)) is not None:
        return _CLASS + "\n".join(old[deeper.start : deeper.old]), _CLASS + "\n".join(new[deeper.start : deeper.new])
    return "\n".join(old[found.start : found.old]), "\n".join(new[found.start : found.new])


def _between(
    was: _File, now: _File, first: int, ends: tuple[int, int], pattern: re.Pattern[str], indent: str = ""
) -> _Span:
    """From the last cut before the first line that differs to the first one behind the last."""
    lead, least = first, min(ends)
    while lead < least and was.lines[lead] == now.lines[lead]:
        lead += 1
    tail = 0
    while tail < least - lead and was.lines[ends[0] - 1 - tail] == now.lines[ends[1] - 1 - tail]:
        tail += 1
    start = next((n for n in range(lead - 1, first, -1) if was.begins(n, pattern, indent)), first)
    for left in range(tail, 0, -1):
        behind = ends[0] - left, ends[1] - left
        if was.begins(behind[0], pattern, indent) and now.begins(behind[1], pattern, indent):
            return _Span(start, *behind)
    return _Span(start, *ends)


def _methods(was: _File, now: _File, around: _Span) -> _Span | None:
    """The same inside the one class that the part is; None when it is anything else."""
    begin = was.one_class(around.start, around.old)
    if begin < 0 or begin != now.one_class(around.start, around.new):
        return None
    found = _between(was, now, around.start, (around.old, around.new), _METHOD, "    ")
    return found if found.start > begin else None
