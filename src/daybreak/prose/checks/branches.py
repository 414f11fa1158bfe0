"""Check: which value turns into which is told as the branches of the new code have it, and not the other way round."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from daybreak.core.plain_words import MARK, held_back, names_in
from daybreak.prose.checks.evidence_index import Ground
from daybreak.prose.checks.interface import Claim, Fault

_MARKS = rf"{MARK}(?:(?:,\s?and|,|、|\sand|\sor|\s?和|\s?与|\s?或)\s?{MARK}){{0,5}}"
_MAPS = re.compile(
    rf"\b(?:maps?|mapped|turns?|converts?|translates?|normali[sz]es?|folds?|resolves?)\s({_MARKS})\s(?:in)?to\s({MARK})"
    rf"|({_MARKS})\s(?:is|are)\s(?:now\s)?(?:mapped|turned|converted|translated|normali[sz]ed|folded|resolved)\s(?:in)?to\s({MARK})"
    rf"|(?:把|将)?\s?({_MARKS})\s?(?:一律|都|统一)?(?:归为|归成|映射为|映射成|映射到|转为|转成|折算成|当作|视为)\s?({MARK})",
    re.IGNORECASE,
)
"""So many keys, and the value that they get."""
_TURNS = re.compile(
    rf"\bwhen\s{MARK}\sis\s({MARK})[^.;]*?\b(?:switches|changes|sets|falls\sback|resets)\s[^.;\ue000]{{0,40}}?\bto\s({MARK})",
    re.IGNORECASE,
)
_ASKS = re.compile(r"^\s*(?:if|elif|else if|case|when|\}\s?else if)\b")
_TEXT = re.compile(r"[\"']([^\"'\s]{1,40})[\"']")
_PAIR = re.compile(r"[\"']([^\"'\s]{1,40})[\"']\s*(?::|=>|,)\s*[\"']([^\"'\s]{1,40})[\"']")
"""A table says it in one line: `"a": "b"`."""
_GIVES = re.compile(r"(?:[^=!<>]=|\breturn)\s*[\"']([^\"'\s]{1,40})[\"']\s*[;,]?\s*$")


class _Branch(NamedTuple):
    """Texts that a condition asks for, and texts that its body gives."""

    asked: frozenset[str]
    given: frozenset[str]


class BranchesAgree:
    """`a` becomes `b` where the code has it so, and not where it makes `a` of `b`."""

    def fault(self, claim: Claim) -> Fault | None:
        new = [_new(ground) for ground in claim.cited if ground.diff]
        known = [branch for lines in new for branch in _branches(lines)]
        if not known:
            return None
        pairs = {pair for lines in new for line in lines for pair in _PAIR.findall(line)}
        for text in claim.bare.values():
            for keys, value, strict in _told(text):
                if any((key, value) not in pairs and _wrong(key, value, known, strict=strict) for key in keys):
                    return Fault("opposite", f"{keys[0]} -> {value}"[:80])
        return None


def _told(text: str) -> Iterator[tuple[tuple[str, ...], str, bool]]:
    """Keys, their value, and whether the text says outright that the one is turned into the other."""
    shown, held = held_back(text)
    for pattern, strict in ((_MAPS, True), (_TURNS, False)):
        for found in pattern.finditer(shown):
            ends = [group for group in found.groups() if group]
            names = [tuple(name.strip("'\"") for name in names_in(group, held)) for group in ends]
            yield names[0], names[-1][-1], strict


def _wrong(key: str, value: str, known: Sequence[_Branch], *, strict: bool) -> bool:
    """Some branch asks for the key and gives something else, or gives it where the value is asked for; none does so."""
    if key == value or any(key in one.asked and value in one.given for one in known):
        return False
    if any(value in one.asked and key in one.given and key not in one.asked for one in known):
        return True
    return strict and any(key in one.asked and one.given for one in known)


def _new(ground: Ground) -> list[str]:
    """Lines as they are after the change."""
    return [line[1:] for line in ground.lines if line[:1] in ("+", " ")]


def _branches(lines: Sequence[str]) -> Iterator[_Branch]:
    for at, line in enumerate(lines):
        if _ASKS.match(line):
            condition, begin = _condition(lines, at)
            depth = _depth(line)
            given: set[str] = set()
            for body in lines[begin:]:
                if body.strip() and _depth(body) <= depth:
                    break
                given.update(_GIVES.findall(body))
            yield _Branch(frozenset(_TEXT.findall(condition)), frozenset(given))


def _condition(lines: Sequence[str], at: int) -> tuple[str, int]:
    """The condition, which may take several lines, and where its body begins."""
    depth = _depth(lines[at])
    text = lines[at]
    end = at + 1
    while end < len(lines) and not text.rstrip().endswith((":", "{")) and end - at < 12:
        text += " " + lines[end]
        end += 1
        if _depth(lines[end - 1]) < depth:
            break
    return text, end


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())
