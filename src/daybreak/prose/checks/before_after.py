"""Check: before and after are not swapped in "from A to B", "replaces A with B", "B instead of A" and their like."""

from __future__ import annotations

import re
from collections.abc import Iterator

from daybreak.core.plain_words import plain
from daybreak.prose.checks.evidence_index import Ground, Grounds, whole
from daybreak.prose.checks.interface import Claim, Fault
from daybreak.prose.checks.name_fate import became
from daybreak.prose.checks.tokens import value

_X = r"(?:`([^`]{1,160})`|(?<![\w`])([-\w./+:%]{0,80}[\w%]))"
_NAME = r"(?:`([^`]{1,160})`|(?<![\w`.])(\d[\d.,]{0,20}))"
"""Only what stands in backticks, or a number: `is no longer imported on ROCm` tells of no turn."""
_GAP = r"[^`。；;，,]{0,40}?"
BECOMES = "改为|改成|变为|变成|换成|换为|提高到|提升到|升到|升至|升级到|降到|降至|降低到|增加到|增至|调到|调整为|调整到|调高到|调低到|调至|迁移到|移到|移至|切换到|切到|扩大到|缩小到|改到|放宽到|放宽为|收窄到|收窄为|转为"
"""Who does it stands behind 由 too: a bare 到 makes a turn of it only where nothing stands between."""
_IN_ORDER = tuple(
    re.compile(p, re.IGNORECASE)
    for p in (
        rf"\bfrom\s(?:the |a |an )?(?:[a-z]+\s)?{_X}{_GAP}\s(?:in)?to\s(?:the |a |an )?(?:[a-z]+\s)?{_X}",
        rf"\breplac(?:es|ed|ing|e)\s(?:the |a |an )?(?:[a-z]+\s)?{_X}{_GAP}\s(?:with|by)\s(?:the |a |an )?(?:[a-z]+\s)?{_X}",
        rf"\brenam(?:es|ed|ing|e)\s(?:the |a |an )?(?:[a-z]+\s)?{_X}{_GAP}\s(?:to|as|into)\s{_X}",
        rf"{_X}\s?(?:->|→|=>)\s?{_X}",
        rf"{_X}\s(?:is|was|has been|are|were)\s(?:now\s)?(?:renamed|replaced|changed|switched|superseded|moved)\s(?:to|by|with|as|into)\s{_X}",
        rf"(?:从|自)\s?(?:所有|任意|全部)?\s?{_X}{_GAP}(?:{BECOMES}|到|至)\s?{_X}",
        rf"由\s?{_X}(?:{_GAP}(?:{BECOMES})|\s?[到至])\s?{_X}",
        rf"{_X}\s?(?:被|已)?(?:改为|改成|改名为|重命名为|更名为|换成|替换为|替换成|更换为|变为|取代为|升级为)\s?{_X}",
        rf"{_X}\s?被\s?{_X}\s?(?:取代|替换|替代|代替)",
        rf"(?:把|将)\s?{_X}{_GAP}(?:改为|改成|改名为|重命名为|更名为|换成|替换为|替换成|换为|调整为)\s?{_X}",
    )
)
_REVERSED = tuple(
    re.compile(p, re.IGNORECASE)
    for p in (
        rf"{_X}{_GAP}\s(?:instead of|rather than|in place of|takes the place of|replaces|supersedes)\s(?:the |a |an )?(?:[a-z]+\s)?{_X}",
        rf"{_NAME}{_GAP}\sno longer\s(?:the |a |an )?(?:[a-z]+\s)?{_NAME}",
        rf"\b(?:to|is now|now)\s{_X}\s(?:from|\(was|, was|\(previously|, previously|\(before:)\s{_X}",
        rf"(?:用|以)\s?{_X}{_GAP}(?:取代|替换|代替|替代|换掉)\s?(?:了|原来的|原有的)?\s?{_X}",
        rf"(?:改用|换用|使用|采用|调用|用)\s?{_X}{_GAP}(?:而不是|而非|不再使用|不再用|代替|取代)\s?{_X}",
    )
)


_HUNG = "`'\"=<>~^ "
_PLAIN = re.compile(r"[a-z]+")
_TURNS_TO = re.compile(
    r"(?<!\bthe )(?<!\ba )\b(?:switch(?:es|ed)?|mov(?:es|ed)|f[ae]lls? back|migrat(?:es|ed)|redirect(?:s|ed))\s(?:[\w-]+\s){0,3}to\s(?:the\s)?`([^`]{2,160})`"
    r"|`([^`]{2,160})`(?:\s\w+)?\sinstead(?!\sof)"
    r"|(?:改用|换用|切换到|切到|回退到|退回到|改走|转用|转到)\s?`([^`]{2,160})`",
    re.IGNORECASE,
)
_NOT_SO = re.compile(r"(?:不再|不会|并未|没有)(?:把|将)?\s?$")
"""A turn that no longer happens has no before and after."""
_FALLS_BACK = re.compile(r"f[ae]lls? back|回退到|退回到", re.IGNORECASE)
"""What code turns to as it runs: the same before and after a change that moves it."""
_WAS = re.compile(r"\bused to\s[^.;`]{0,30}$", re.IGNORECASE)
_TELLS = re.compile(
    r"\b(?:from|replac|renam|instead|rather|supersed|chang|switch|now|mov)|->|→|=>|[从由改换用为]", re.IGNORECASE
)


class BeforeAfter:
    """The old one stands on the removed side, the new one on the added side."""

    def fault(self, claim: Claim) -> Fault | None:
        for text in claim.shown.values():
            for before, after in turns(text):
                if swapped(before, after, claim.grounds) or _of_another(text, before, after, claim.grounds):
                    return Fault("before_after", f"{before} / {after}"[:80])
        return _turned_to(claim)


def _turned_to(claim: Claim) -> Fault | None:
    """What a change turns to is not what it took out, and stands in what was changed or beside what is quoted."""
    if not claim.grounds.of_change or not claim.grounds.diffs:
        return None
    for text in claim.bare.values():
        for found in _TURNS_TO.finditer(text):
            if _WAS.search(text[: found.start()]):
                continue  # `it used to cut that one instead`: what was, and not what a change turns to
            name = plain(found[1] or found[2] or found[3])
            if became(name, claim.grounds) == "removed" and not _FALLS_BACK.match(found[0]):
                return Fault("before_after", name[:80])
            if not any(name in text for text in _touched(claim)):
                return Fault("effect_not_in_evidence", name[:80])
    return None


def _touched(claim: Claim) -> Iterator[str]:
    """Changed lines, what was said about them, and all of the pieces that the statement quotes or, without a quote, cites."""
    quote = plain(claim.draft.quote or "")
    for ground in claim.grounds.far(claim.cited):
        whole_piece = not ground.diff or (ground in claim.cited and quote in ground.plain)
        yield ground.plain if whole_piece else plain(ground.changed)


def _of_another(text: str, before: str, after: str, grounds: Grounds) -> bool:
    """This very turn is that of one finding, and the text names the symbol of another one instead."""
    findings = grounds.case.findings
    mine = [
        f
        for f in findings
        if f.before is not None and f.after is not None and _same(f.before, before) and _same(f.after, after)
    ]
    if not mine or any(_in(f.symbol.rpartition(".")[2], text) for f in mine):
        return False
    return any(_in(f.symbol.rpartition(".")[2], text) for f in findings if f not in mine)


def turns(text: str) -> Iterator[tuple[str, str]]:
    """(before, after) as the text tells it."""
    for patterns, flip in ((_IN_ORDER, False), (_REVERSED, True)):
        for pattern in patterns:
            for found in pattern.finditer(text):
                if _NOT_SO.search(text[: found.start()]):
                    continue
                first, second = found[1] or found[2], found[3] or found[4]
                if flip and bool(found[1]) != bool(found[3]) and _PLAIN.fullmatch(found[2] or found[4] or ""):
                    continue  # `the whole buffer instead of its last row`: a name and a word are no pair
                if first and second and first != second and _says(first) and _says(second):
                    yield (second, first) if flip else (first, second)


def _says(side: str) -> bool:
    """A lone sign stands everywhere in code and tells nothing about before and after."""
    return any(char.isalnum() for char in side)


def swapped(before: str, after: str, grounds: Grounds) -> bool:
    """The evidence has this turn the other way round, and nowhere this way."""
    straight = turned(before, after, grounds)
    return not straight and turned(after, before, grounds)


def turned(before: str, after: str, grounds: Grounds) -> bool:
    """Whether a finding, a message or the diff's sides show this turn."""
    for finding in grounds.case.findings:
        if (
            finding.before is not None
            and finding.after is not None
            and _in(before, finding.before)
            and _in(after, finding.after)
        ):
            return not (_in(before, finding.after) and _in(after, finding.before))
    if any(_paired(g, before, after) for g in grounds.diffs):
        return True
    told = [g for g in grounds.pieces.values() if not g.diff]
    return any((_same(b, before) and _same(a, after)) for g in told for b, a in told_turns(g))


def told_turns(ground: Ground) -> tuple[tuple[str, str], ...]:
    """Turns that a message or a discussion tells; read once."""
    if ground.turns is None:
        lines = (line[:400] for line in ground.lines[:1000] if _TELLS.search(line[:400]))
        ground.turns = tuple(turn for line in lines for turn in turns(line))
    return ground.turns


def _paired(ground: Ground, before: str, after: str) -> bool:
    """The old one on a removed line, the new one on an added line, and not the other way round."""
    return (
        _in(before, ground.removed)
        and _in(after, ground.added)
        and not (_in(before, ground.added) and _in(after, ground.removed))
    )


def _same(one: str, two: str) -> bool:
    one, two = one.lower().strip(_HUNG), two.lower().strip(_HUNG)  # `==0.1.2` is the pin of 0.1.2
    return one == two or value(one) == value(two)


def _in(word: str, text: str) -> bool:
    word = plain(word)
    if word[:1].isdigit() and word.replace(".", "", 1).replace(",", "").isdigit():
        return word in text and bool(re.search(rf"(?<![A-Za-z0-9_.,]){re.escape(word)}(?!\d|[.,]\d)", text))
    return word.lower() in text.lower() and bool(whole(word.lower()).search(text.lower()))
