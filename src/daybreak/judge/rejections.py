"""Rejections: changes that do nothing but refuse what went through before, starts that a warning let pass until now, and
clearer errors for what failed before as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from msgspec.structs import replace

from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.findings import Finding, Reading
from daybreak.findings.diff import hunks
from daybreak.findings.kinds import kind_of
from daybreak.findings.quotes import quotes
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


def without_clearer(change: Change, reading: Reading) -> Reading:
    """The reading in which a check that only says sooner what failed anyway, as its author tells, breaks nobody."""
    said = list(_failed_before(change)) if any(map(_is_new_break, reading.findings)) else []
    if not said:
        return reading
    found = (replace(f, breaking=False) if _is_new_break(f) and _speaks_of(said, f) else f for f in reading.findings)
    return replace(reading, findings=tuple(found))


def _is_new_break(finding: Finding) -> bool:
    return finding.breaking and kind_of(finding.kind).means("guard", "added")


def _failed_before(change: Change) -> Iterator[str]:
    """Sentences in which its author says that it fails in another way now."""
    notes = (quote.text for quote in quotes(change) if quote.side == "added" and quote.source in _NOTES)
    texts = (f"{change.subject[:_WIDEST]}. {' '.join(change.body[:_BODY].split())}", *notes)
    return (one for text in texts for one in _SENTENCE.split(text) if _ANYWAY.search(one))


def _speaks_of(said: Sequence[str], finding: Finding) -> bool:
    """It names where the check stands, or what it asks."""
    names = {finding.symbol.rpartition(".")[2], *_WORD.findall((finding.after or "").partition(": raise")[0])}
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", one) for one in said for name in names if name)


_NOTES = frozenset({"comment", "docstring"})
_BODY = 4000
_SENTENCE = re.compile(r"(?<=[.;!?])\s")
_WORD = re.compile(r"[A-Za-z_]\w{3,}")
_ANYWAY = re.compile(
    r"\b(?:instead of|rather than)\s(?!\w{0,20}\s?silent)(?:\w{1,20}\s){0,3}?(?:fail|crash|hang|segfault|abort|deadlock|stall)"
    r"(?:s|ed|ing)?\b(?!\ssilent)",
    re.IGNORECASE,
)
"""What was met until now: whoever meets the check ran into that."""
