"""Check: what runs first, and what moves where, is told as the hunks have it, and not the other way round."""

from __future__ import annotations

import re
from collections.abc import Sequence

from daybreak.core.plain_words import MARK, held_back, names_in, plain
from daybreak.prose.checks.evidence_index import whole
from daybreak.prose.checks.interface import Claim, Fault
from daybreak.prose.checks.stems import stem, stems

_FIRST = re.compile(
    rf"({MARK})[^.;,\ue000]{{0,30}}\bfirst\b,?\s(?:and\s)?([^.;]*?\b(?:then|afterwards|after that|later|next)\b[^.;]*)"
    rf"|先[^，。；\ue000]{{0,6}}({MARK})[^。；]{{0,12}}?(?:再|然后|之后|随后)([^。；]*)",
    re.IGNORECASE,
)
_ONLY_AFTER = re.compile(
    rf"({MARK})\s(?:is\s(?:called|run)\s)?only\safter\s(?:the\s|its\s)?((?:[\w-]+\s){{2,4}}?)(?:is|are|has|have|was|were)\s(?:been\s)?(?:done|finished|run|applied|complete)",
    re.IGNORECASE,
)
"""What is done first may be told in plain words alone: a comment above its lines has them."""
_MOVES = re.compile(
    rf"({MARK})[^.;\ue000]{{0,30}}\bmoves?(?:d)?\s(?:from\s[^.;]*?)?(?:in)?to\s[^.;\ue000]*({MARK})"
    rf"|({MARK})[^。；\ue000]{{0,12}}(?:从[^。；]*?)?(?:挪到|移到|搬到|移至|移入)[^。；\ue000]*({MARK})",
    re.IGNORECASE,
)
_OLD = re.compile(r"\b(?:before|used to|previously|no longer|not|was|were)\b|原先|之前|此前|以前|不再", re.IGNORECASE)
_IDLE = re.compile(r"[+\- ]?\s*(?:#|//|\*|/\*|import\b|from\b.*\bimport\b)")
"""Comments and imports say nothing about when a thing runs."""


class PlacesAgree:
    """First is what stands above, and a thing moves to where its added lines are."""

    def fault(self, claim: Claim) -> Fault | None:
        hunks = [hunk for ground in claim.cited if ground.diff for hunk in ground.hunks]
        for text in claim.bare.values():
            shown, held = held_back(text)
            for found in _FIRST.finditer(shown):
                first, then = (names_in(part, held) for part in _two(found))
                if then and not _OLD.search(found[0]) and _after(first[0], then, hunks):
                    return Fault("opposite", first[0][:80])
            for found in _ONLY_AFTER.finditer(shown):
                name = names_in(found[1], held)[0]
                if _above(name, {stem(word) for word in found[2].split()}, hunks):
                    return Fault("opposite", name[:80])
            for found in _MOVES.finditer(shown):
                what, where = (names_in(part, held)[0] for part in _two(found))
                if _came_from(what, where, hunks):
                    return Fault("before_after", f"{what} / {where}"[:80])
        return None


def _two(found: re.Match[str]) -> tuple[str, str]:
    one, two = (group for group in found.groups() if group is not None)
    return one, two


def _after(name: str, others: Sequence[str], hunks: Sequence[Sequence[str]]) -> bool:
    """In the new code it stands below each of the others, and above none of them."""
    seen = False
    for hunk in hunks:
        lines = [line for line in hunk if line[:1] in ("+", " ") and not _IDLE.match(line)]
        at, rest = _at(name, lines), [_at(other, lines) for other in others]
        if at and all(rest):
            if min(at) <= max(max(places) for places in rest):
                return False
            seen = True
    return seen


def _above(name: str, words: set[str], hunks: Sequence[Sequence[str]]) -> bool:
    """In the new code it stands above every line that has these words, and below none of them."""
    seen = False
    for hunk in hunks:
        lines = [line for line in hunk if line[:1] in ("+", " ")]
        at = _at(name, [line if not _IDLE.match(line) else "" for line in lines])
        told = [place for place, line in enumerate(lines) if words <= stems(line)]
        if at and told:
            if min(told) < max(at):
                return False
            seen = True
    return seen


def _came_from(name: str, home: str, hunks: Sequence[Sequence[str]]) -> bool:
    """Its home stands where it was taken out, and nowhere where it was put."""
    gone = [hunk for hunk in hunks if _at(name, [x for x in hunk if x[:1] == "-"])]
    come = [hunk for hunk in hunks if _at(name, [x for x in hunk if x[:1] == "+"])]
    if not gone or not come or any(hunk in come for hunk in gone):
        return False
    here, there = (any(_at(home, [x for x in h if not _IDLE.match(x)]) for h in some) for some in (gone, come))
    return here and not there


def _at(name: str, lines: Sequence[str]) -> list[int]:
    pattern = whole(plain(name))
    return [at for at, line in enumerate(lines) if pattern.search(plain(line))]
