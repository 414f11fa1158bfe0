"""Builds that stop with an error from now on: `message(FATAL_ERROR …)` in CMake, below a condition that stood for nobody's option.

An error that was there in other words, one of a file that came, and one that only who sets an option of this change meets are no
news to anybody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from daybreak.findings.diff import DiffHunk, SideLine, side
from daybreak.findings.languages.base import MAX_LINE, Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import PER_FILE, one_line, shown
from daybreak.findings.paths import BEHIND, ships

_FATAL = re.compile(r"\s*message\s*\(\s*(?:FATAL_ERROR|SEND_ERROR)\b", re.IGNORECASE)
_IF = re.compile(r"(\s*)(if|elseif|else)\s*\((.{0,400})\)\s*(?:#.*)?$", re.IGNORECASE)
_TEXT = re.compile(r"\"([^\"]{3,400})")
_OPTION = re.compile(r"\s*(?:option|cmake_dependent_option)\s*\(\s*(\w+)", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z_]\w{2,}")
_ROWS = 6
"""Lines of one message."""


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Errors that stop a build and came, as many in all as there are more of them now."""
    if file.area in BEHIND or file.change.status in "ACD" or not ships(file.path):
        return
    gone = sum(
        1 for hunk in file.hunks for line in hunk.lines if line.sign == "-" and _FATAL.match(line.text[:MAX_LINE])
    )
    come = [found for hunk in file.hunks for found in _came(hunk)]
    for line, asked, text in come[: min(PER_FILE, max(len(come) - gone, 0))]:
        if asked and not _is_option(asked, whole):
            yield Fact("build_refused", file.path, line, shown(text), None, shown(asked), True)


def _is_option(asked: str, whole: Whole) -> bool:
    """The condition asks for an option that the change brings."""
    lines = (line for line in whole.added_lines if "option" in line.lower())
    return bool({*_WORD.findall(asked)} & {m[1] for line in lines if (m := _OPTION.match(line[:MAX_LINE]))})


def _came(hunk: DiffHunk) -> Iterator[tuple[int, str, str]]:
    """Line, condition and text of each error on a line that came."""
    lines = side(hunk, "+")
    for at, line in enumerate(lines):
        if line.changed and _FATAL.match(line.text[:MAX_LINE]):
            said = _TEXT.search(one_line("\n".join(one.text[:MAX_LINE] for one in lines[at : at + _ROWS])))
            if said is not None:
                yield line.number, _condition(lines, at), said[1]


def _condition(lines: Sequence[SideLine], at: int) -> str:
    """The question around a line, as far as the hunk shows it: of an `else` that of its `if`, turned round."""
    depth = _depth(lines[at].text)
    turned = False
    for line in reversed(lines[:at]):
        found = _IF.match(line.text[:MAX_LINE])
        if found is None or len(found[1]) >= depth:
            continue
        if found[2].lower() == "else":
            turned, depth = True, len(found[1]) + 1
            continue
        return f"NOT ({found[3].strip()})" if turned else found[3].strip()
    return ""


def _depth(text: str) -> int:
    return len(text) - len(text.lstrip())
