"""Waiting notes: comments that say what must happen elsewhere before this code can go (`remove once torch 2.9 …`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from daybreak.core.profiles import field
from daybreak.findings.diff import DiffHunk, SideLine, side
from daybreak.findings.languages.base import MAX_LINE, Fact, ReadFile, Whole
from daybreak.findings.languages.blocks import PER_FILE, moved, quiet, shown

_MARK = re.compile(r"#(?!include|if|define|pragma|endif|else|undef)|//|^\s*\*(?!/)|/\*")
_GO = (
    r"(?:remov(?:e|ed|al)|delet(?:e|ed)|drop(?:ped)?|revert(?:ed)?|clean(?:ed)? ?up|re-?enabled?|un-?pin|unskip"
    r"|switch(?:ed)?(?: back)?|replaced?|get rid of|enabled?)"
)
_WHEN = r"(?:once|after|when(?:ever)?|until|as soon as|if|in favou?r of)"
_ELSEWHERE = (
    "|".join(field().awaited) + r"|upstream|[\w.-]+/[\w.-]+#\d+|https?://\S*(?:pull|issues|commit)\S*"
    r"|#\d{3,6}|\bv?\d+\.\d+(?:\.\d+)?\b|next release|minimum|lands?\b|is merged|gets merged|is released"
)
_WAITING = re.compile(
    rf"\b{_GO}\b.{{0,120}}?\b{_WHEN}\b.{{0,160}}?(?:{_ELSEWHERE})|\b{_WHEN}\b.{{0,120}}?(?:{_ELSEWHERE}).{{0,120}}?\b{_GO}\b",
    re.IGNORECASE,
)
_TODO = re.compile(r"\b(?:TODO|FIXME|HACK|XXX|WAR|WORKAROUND|temporar\w*|for now)\b|\bremove\b", re.IGNORECASE)
_LONGEST = 8
"""Lines of one comment."""


def facts(file: ReadFile, whole: Whole) -> Iterator[Fact]:
    """Waiting notes that came or went; one that moved or was reworded stays where it was."""
    lowered = file.change.patch.lower()
    if quiet(file) or not any(word in lowered for word in ("todo", "fixme", "hack", "remove", "workaround", "tempora")):
        return
    found = [(sign, line, text) for hunk in file.hunks for sign in "-+" for line, text in _notes(hunk, sign)]
    told = {"-": 0, "+": 0}
    signs = {sign for sign, _, _ in found}
    for sign, line, text in found:
        if len(signs) > 1 and _reworded(text, [t for s, _, t in found if s != sign]):
            continue
        if (sign == "-" and not whole.complete) or moved(whole, text[:80], sign):
            continue
        told[sign] += 1
        if told[sign] > PER_FILE:
            continue
        if sign == "+":
            yield Fact("waiting_note_added", file.path, line, file.path.rsplit("/", 1)[-1], None, shown(text))
        else:
            yield Fact("waiting_note_removed", file.path, line, file.path.rsplit("/", 1)[-1], shown(text), None)


def _reworded(text: str, others: Sequence[str]) -> bool:
    words = set(text.lower().split())
    return any(len(words & set(o.lower().split())) * 2 >= len(words) for o in others)


def _notes(hunk: DiffHunk, sign: str) -> Iterator[tuple[int, str]]:
    """Line and text of each waiting note whose first line changed on one side."""
    lines = side(hunk, "+" if sign == "+" else "-")
    at = 0
    while at < len(lines):
        text = _comment(lines[at])
        if text is None or not lines[at].changed:
            at += 1
            continue
        start, parts = at, [text]
        at += 1
        while at < len(lines) and len(parts) < _LONGEST and lines[at].changed:
            more = _comment(lines[at], alone=True)
            if more is None:
                break
            parts.append(more)
            at += 1
        yield from _waiting(lines[start].number, parts)


def _waiting(line: int, parts: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The sentence of a comment that waits, from its mark (`TODO`) on."""
    for n, part in enumerate(parts):
        if not _TODO.search(part):
            continue
        text = " ".join(" ".join(parts[n : n + 4]).split())
        match = _WAITING.search(text[:600])
        if match:
            end = text.find(". ", match.end())
            yield line + n, text[: end + 1] if end > 0 else text
            return


def _comment(line: SideLine, *, alone: bool = False) -> str | None:
    """The comment of a line; `alone`: only when the line is nothing else."""
    text = line.text
    if len(text) > MAX_LINE:
        return None
    mark = _MARK.search(text)
    if mark is None or (alone and text[: mark.start()].strip()):
        return None
    if "http" in text[: mark.start() + 1].lower() and mark[0] == "//":
        return None
    if text[: mark.start()].count('"') % 2 or text[: mark.start()].count("'") % 2:
        return None
    return text[mark.end() :].strip(" */#")
