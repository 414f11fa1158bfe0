"""Python as text: strings over several lines taken out, comments cut, brackets counted, parameters split."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"#|\"\"\"|'''|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?")
_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?")


def without_texts(text: str) -> str | None:
    """The file with each triple-quoted string replaced by `""`, line numbers kept; None when one never closes."""
    out: list[str] = []
    at = 0
    marks = [('"""', text.find('"""')), ("'''", text.find("'''"))]
    while (found := _first(text, marks, at)) is not None:
        quote, start = found
        opened, skip = _opens(text, at, start)
        if not opened:
            out.append(text[at:skip])
            at = skip
            continue
        closed = _closing(text, start + 3, quote)
        if closed < 0:
            return None
        lines = text.count("\n", start, closed)
        out.append(text[at:start])
        out.append('""')
        if lines:
            end = text.find("\n", closed)
            rest = text[closed : end if end >= 0 else len(text)].strip()
            # what follows a long text is deep inside, so that it never looks like a statement of its own
            out.append("\n" * lines + (" " * 80 if rest else ""))
        at = closed
    out.append(text[at:])
    return "".join(out)


def _first(text: str, marks: list[tuple[str, int]], at: int) -> tuple[str, int] | None:
    """The nearest of the marks from `at` on; each is looked for only behind where it was last seen.

    Two plain searches are many times faster than one pattern that may begin with either.
    """
    for number, (quote, seen) in enumerate(marks):
        if 0 <= seen < at:
            marks[number] = (quote, text.find(quote, at))
    return min((mark for mark in marks if mark[1] >= 0), key=_place, default=None)


def _place(mark: tuple[str, int]) -> int:
    return mark[1]


def _opens(text: str, start: int, at: int) -> tuple[bool, int]:
    """Whether the three quotes at `at` open a string; if not, from where to look on (never before `at`)."""
    line = max(text.rfind("\n", start, at) + 1, start)
    while line < at:
        token = _TOKEN.search(text, line)
        if token is None or token.start() >= at:
            return True, at
        if token[0] == "#":
            end = text.find("\n", at)
            return False, end if end >= 0 else len(text)
        if token.end() > at:
            return False, max(token.end(), at + 1)
        line = token.end()
    return True, at


def _closing(text: str, at: int, quote: str) -> int:
    """Where a triple-quoted string ends, or -1."""
    while (end := text.find(quote, at)) >= 0:
        slashes = 0
        while end - 1 - slashes >= at and text[end - 1 - slashes] == "\\":
            slashes += 1
        if slashes % 2 == 0:
            return end + 3
        at = end + 1
    return -1


def before_hash(line: str) -> str:
    """The line without its comment and the white space before it."""
    if "#" not in line:
        return line.rstrip()
    for mark in _TOKEN.finditer(line):
        if mark[0] == "#":
            return line[: mark.start()].rstrip()
    return line.rstrip()


def depth_of(line: str) -> int:
    """Opening minus closing brackets, those in strings not counted."""
    if '"' in line or "'" in line:
        line = _STRING.sub("", line)
    opened = line.count("(") + line.count("[") + line.count("{")
    return opened - line.count(")") - line.count("]") - line.count("}")


def split_default(part: str) -> tuple[str, str | None]:
    """`x: int = 3` → (`x: int`, `3`); an equals sign inside brackets or a string does not count."""
    depth = at = 0
    while at < len(part):
        char = part[at]
        if char in "\"'":
            token = _STRING.match(part, at)
            at = token.end() if token else at + 1
            continue
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "=" and depth == 0 and part[at + 1 : at + 2] != "=" and part[at - 1 : at] not in tuple("=!<>:"):
            return part[:at].strip(), part[at + 1 :].strip()
        at += 1
    return part.strip(), None
