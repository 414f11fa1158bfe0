"""Repairs by their lines: a fix of few statements that shows itself what was wrong, whatever its author says.

What is handed out is copied from now on: until now two had the same memory. Or an argument is handed on that was taken
and never read.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.quotes import Quote
from daybreak.findings.diff import hunks, side
from daybreak.judge.change_kinds import front, is_front
from daybreak.judge.effect import statements
from daybreak.judge.hazards import Hazard

_FEW = 4
"""Statements of a side; among more, a copy or an argument is not what the fix is about."""
_COPIES = re.compile(r"\.(?:clone|copy|deepcopy)\(|\bcopy\.copy\(|\bdeepcopy\(")
_HANDS_OUT = re.compile(
    r"(?:yield|return)\b|self\.\w{1,60}(?:\[[^\]]{1,60}\])? ?=(?!=)|[\w.]{1,80}\.(?:append|put|send)\("
)
_HANDS_ON = re.compile(r"(?:[\w.]{1,80}\()?(\w{2,60})=(?:self\.)?\1\)?,?")
_LONGEST = 200


class Repair(NamedTuple):
    """What the statements of a fix show to have been wrong."""

    hazard: Hazard
    """Its word is the statement, or the name of the argument."""
    quote: Quote


def repaired_by_lines(change: Change) -> Repair | None:
    """What is wrong until a fix, by the few statements that it alters."""
    files = [file for file in front(change) if file.patch]
    if not files or any(file.patch_cut or len(file.patch) > _MOST for file in files):
        return None
    was = [line for file in files for line in statements(file, "-")]
    now = [(file, line[:_LONGEST]) for file in files for line in statements(file, "+")]
    if len(was) > _FEW or len(now) > _FEW or any(map(_COPIES.search, was)):
        return None
    for file, line in now:
        if _HANDS_OUT.match(line) and _COPIES.search(line):
            return Repair(Hazard("corrupts", "shared", line), _quote(file, line))
    ons = [match[1] for _, line in now if (match := _HANDS_ON.fullmatch(line))]
    if was or not ons or len(ons) < len(now):
        return None
    return Repair(Hazard("corrupts", "ignored", ons[0]), _quote(*now[0]))


def _quote(file: FileChange, text: str) -> Quote:
    lines = (line for hunk in hunks(file.patch) for line in side(hunk, "+") if line.changed and text in line.text)
    return Quote("line", file.path, next((line.number for line in lines), 0), "added", text)


_MOST = 20_000
"""Characters of a patch; a longer one has more statements than a few."""


def speaks_of_new_code(change: Change, path: str, line: int) -> bool:
    """Whether a comment stands over a call of what this change itself defines: its fault is in no release."""
    file = next((file for file in change.files if file.path == path), None)
    if file is None or file.status.startswith("A"):
        return file is not None
    new = {name for one in front(change) for name in _DEFINES.findall(one.patch)}
    for hunk in hunks(file.patch) if new else ():
        below = (one for one in side(hunk, "+") if one.number >= line and not _COMMENT.match(one.text))
        first = next(below, None)
        if first is not None and any(one.number == line for one in side(hunk, "+")):
            return first.changed and not new.isdisjoint(_CALLS.findall(first.text[:_LONGEST]))
    return False


def asserts_agreement(change: Change) -> bool:
    """The tests that come with it ask whether results agree, and not whether something is raised."""
    behind = "\n".join(file.patch[:_MOST] for file in change.files if not is_front(file.path))
    return _AGREES.search(behind) is not None and _RAISES.search(behind) is None


_AGREES = re.compile(r"(?m)^\+.{0,200}\b(?:assert_(?:all)?close|allclose|torch\.equal|(?:assert_)?array_equal)\(")
_RAISES = re.compile(r"(?m)^\+.{0,200}\b(?:raises|does_not_raise|assertRaises)\(")
_DEFINES = re.compile(r"(?m)^\+\s{0,80}(?:async )?(?:def|fn|func|class) (\w{1,80})")
_CALLS = re.compile(r"(\w{1,80})\(")
_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|$)")
