"""The notes of a release as a page can quote them: a few lines, word for word, without marks that point or hide.

A line that could only be shown changed or cut is not shown: it is counted. Machine-made lines (`… by @name in ADDRESS`)
are quoted up to the name.
"""

from __future__ import annotations

import re

from msgspec import Struct

from daybreak.report.render.escape import faithful

LOOKED_AT = 40_000
"""Characters of the notes; what follows is not counted line by line, and `cut` says so."""
LONGEST = 240
NOTES, NOTES_IN_DEPTH = 6, 16
"""Lines of the notes on the day's page, and on the repository's own."""
_MOST_LINES = 2_000
_HEAD = re.compile(r" {0,3}#{1,6}[ \t]+(.*?)[ \t#]*")
_ITEM = re.compile(r"[ \t]{0,20}(?:[-*+•]|\d{1,3}[.)])[ \t]+(.*)")
_MADE = re.compile(r"(.{3,}?)[ \t]+by[ \t]+@\S{1,60}[ \t]+in[ \t]+https?://\S{1,200}")
_POINTS = re.compile(r"https?:|www\.|\]\(|\]\[|!\[|<[/!a-zA-Z]")
_FENCE = re.compile(r"[ \t]{0,20}(?:```|~~~)")
_EMPTY = re.compile(r"[\s|:+=*_~`-]*")
_MARKS = re.compile(r"\*\*|`")


class Notes(Struct, frozen=True):
    """Lines of a release's notes."""

    lines: tuple[tuple[str, bool], ...] = ()
    """Each with whether it is a heading."""
    omitted: int = 0
    """Lines beyond these, or that cannot be quoted."""
    cut: bool = False
    """There is more than was looked at."""


def notes_of(body: str, most: int) -> Notes:
    """The first lines that can be quoted; a heading counts only with a line under it."""
    found: list[tuple[str, bool]] = []
    omitted, fenced = 0, False
    rows = body[:LOOKED_AT].splitlines()
    for raw in rows[:_MOST_LINES]:
        if _FENCE.match(raw[:30]):
            fenced = not fenced
            continue
        if _EMPTY.fullmatch(raw[: LONGEST * 4]):
            continue
        line, heading = ("", False) if fenced else _told(raw)
        if not line or len(found) >= most:
            omitted += not heading
        elif heading and found and found[-1][1]:
            found[-1] = (line, True)
        else:
            found.append((line, heading))
    while found and found[-1][1]:
        found.pop()
    return Notes(tuple(found), omitted, len(body) > LOOKED_AT or len(rows) > _MOST_LINES)


def _told(raw: str) -> tuple[str, bool]:
    """One line without the marks of its form, and whether it is a heading; empty for one that cannot be quoted."""
    if len(raw) > LONGEST * 4:
        return "", False
    head = _HEAD.fullmatch(raw)
    item = _ITEM.fullmatch(raw)
    line = (head or item)[1] if head or item else raw  # type: ignore[index]
    made = _MADE.fullmatch(line.strip())
    line = _MARKS.sub("", made[1] if made else line).strip()
    good = 0 < len(line) <= LONGEST and not _POINTS.search(line) and faithful(line)
    return (line if good else ""), head is not None
