"""Rejections: changes that do nothing but refuse what went through before, and starts that a warning let pass until now."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.findings import Finding
from daybreak.findings.diff import hunks
from daybreak.findings.kinds import kind_of
from daybreak.judge.change_kinds import front
from daybreak.judge.effect import statements

_MOST = 40_000
"""Characters of a patch; a longer one does more than refuse."""
_REFUSES = re.compile(r"(?:raise|throw)\b|\w{0,40}(?:CHECK|ENFORCE)\w{0,40}\(|(?:self\.|parser\.)?(?:error|fail)\(")
_ASKS = re.compile(r"[})\s]*(?:if|elif|else|else if)\b|import\b|from\b|#include\b|[()\[\]{}:;,]*$")
_SETS = re.compile(r"((?:self\.)?[A-Za-z_]\w*)(?:\s?:[^=]{1,80})?\s?=(?!=)")
_NAME = re.compile(r"(?:self\.)?[A-Za-z_]\w*")
_WARNS = re.compile(r"\b(?:log\w{0,8}\.warn\w{0,12}|warnings\.warn|LOG\(WARNING)\b", re.IGNORECASE)
_WIDEST = 400


def only_rejects(change: Change) -> bool:
    """All that comes are refusals, what they ask, and values that are read for that; what went are such values."""
    files = [file for file in front(change) if file.patch]
    if not files or any(file.patch_cut or len(file.patch) > _MOST or file.status != "M" for file in files):
        return False
    came = [piece for file in files for piece in _pieces(statements(file, "+"))]
    asks = [piece for piece in came if _ASKS.match(piece)]
    asked = {name for piece in asks for name in _NAME.findall(piece[:_WIDEST])}
    for piece in reversed(came):  # what a value that is asked for is made of
        asked.update(_NAME.findall(piece[:_WIDEST]) if _sets_one_of(piece, asked) else ())
    if not any(map(_REFUSES.match, came)) or not all(_is_of_refusal(piece, asked) for piece in came):
        return False
    return all(_is_asked(piece, asks) for file in files for piece in _pieces(statements(file, "-")))


def _is_asked(piece: str, asks: Sequence[str]) -> bool:
    """A value that went is one that a refusal asks for: whoever comes through has it still."""
    found = _SETS.match(piece)
    value = piece[found.end() :].strip() if found else ""
    return found is not None and any(found[1] in one and value in one for one in asks)


def _is_of_refusal(piece: str, asked: set[str]) -> bool:
    return bool(_REFUSES.match(piece) or _ASKS.match(piece)) or _sets_one_of(piece, asked)


def _sets_one_of(piece: str, asked: set[str]) -> bool:
    """A value of a name that is asked for, or nothing at all."""
    found = _SETS.match(piece)
    return _ASKS.fullmatch(piece) is not None or (found is not None and found[1] in asked)


def _pieces(lines: Iterator[str]) -> Iterator[str]:
    """Statements: a bracket that stays open is followed to its end."""
    held, depth = "", 0
    for line in lines:
        held = f"{held} {line}".strip()
        depth = max(0, depth + sum(map(line.count, "([")) - sum(map(line.count, ")]")))
        if not depth:
            yield held
            held = ""
    if held:
        yield held


def refuses_start(change: Change, finding: Finding) -> bool:
    """Where the program warned and set a value itself, it refuses: whoever started with the warning does not start."""
    if not kind_of(finding.kind).means("guard", "added"):
        return False
    file = next((one for one in front(change) if one.path == finding.path), None)
    return file is not None and len(file.patch) <= 10 * _MOST and any(_turns(file, finding.line))


def _turns(file: FileChange, line: int) -> Iterator[bool]:
    """Places next to a line where a warning and a value went, and a refusal came."""
    for hunk in hunks(file.patch):
        for changed, some in groupby(hunk.lines, lambda one: one.sign != " "):
            rows = list(some)
            if changed and any(one.new and abs(one.new - line) <= 1 for one in rows):
                went, came = ([one.text.strip()[:_WIDEST] for one in rows if one.sign == sign] for sign in "-+")
                yield _corrected(went) and any(map(_REFUSES.match, came))


def _corrected(went: Sequence[str]) -> bool:
    return any(map(_WARNS.search, went)) and any(
        (found := _SETS.match(text)) is not None and found[1].startswith("self.") for text in went
    )
