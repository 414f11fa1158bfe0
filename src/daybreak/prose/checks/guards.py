"""Check: a check, a fallback or a branch that is said to be gone went, and a condition stands on the side it is told of.

Between the verb and the name stands a noun: `drops the fallback to X` speaks of what is done with X, and X itself may
well stand elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from daybreak.core.text import HELD_MARK, MARK, held_back, names_in, plain
from daybreak.prose.checks.direction import stays
from daybreak.prose.checks.evidence_index import Ground, whole
from daybreak.prose.checks.interface import Claim, Fault
from daybreak.prose.checks.pairs import told_of
from daybreak.prose.checks.sentences import stem, stems

_NOUN = r"(?:checks?|fallbacks?|guards?|branch(?:es)?|conditions?|tests?|validations?|assertions?|handling|lookups?)"
_NOUN_ZH = r"(?:检查|校验|判断|后备|回退|兜底|分支|断言|条件|处理)"
_GONE = r"(?:removed|deleted|dropped|gone|eliminated)"
_GONE_ZH = r"(?:移除|删除|去掉|去除|删掉|删去)"
_TAKES = re.compile(
    rf"\b(?:removes|drops|deletes|strips|eliminates)\s(?:the|its|an?|this)\s(?:[\w-]+\s){{0,2}}{_NOUN}\s"
    rf"(?:of|to|on|for|against|that|which|whether|when|if)\b[^.;,]*{MARK}"
    rf"|{_GONE_ZH}了?(?:对|从|到|向|在)\s?{MARK}[^，。；]{{0,10}}{_NOUN_ZH}",
    re.IGNORECASE,
)
_TAKEN = re.compile(
    rf"(?:^|[.;,]\s)(?:the|its|an?)\s(?:[\w-]+\s){{0,2}}{_NOUN}\s(?:of|to|on|for|against|that|which|when|if)\b[^.;,]*{MARK}"
    rf"[^.;,]*\s(?:is|are|was|were|has been)\s(?:now\s|also\s)?{_GONE}\b"
    rf"|(?:^|[，。；])[^，。；]*{MARK}[^，。；]*的[^，。；]{{0,4}}{_NOUN_ZH}[^，。；]{{0,4}}被[^，。；]{{0,6}}{_GONE_ZH}",
    re.IGNORECASE,
)
_BROUGHT = re.compile(
    rf"(?:^|[.;,]\s)(?:an?|the)\s(?:[\w-]+\s){{0,2}}{_NOUN}\s(?:of|to|on|for|against)\s(?:the\s)?{MARK}\s(?:is|are|was|were|has been)\s(?:now\s|also\s)?(?:added|introduced|new)\b"
    rf"|(?:新增|添加|加入|引入|增加)了?(?:对|从|到|向)\s?{MARK}\s?的[^，。；]{{0,4}}{_NOUN_ZH}",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(
    r"\b(?:if|when|whenever|once|unless|until|can|may|would|could|not|never|without|avoid\w*)\b[^,]*$|n't\b"
    r"|(?:若|如果|一旦|当|会|可|[不未没])[^，。；]*$",
    re.IGNORECASE,
)
"""It is denied, or it happens as code runs."""
_FAILURE = re.compile(r"\w*(?:Error|Exception|Warning)")
"""What a check raises is raised elsewhere too."""
_ERROR = re.compile(r"Error\b|Exception\b|ERROR")
_BRINGS = re.compile(
    r"\b(?:rais|throw|now|instead|reject|will|add|return|introduc|report)|抛|报|现在|改为", re.IGNORECASE
)
"""The author says that the change itself brings the error."""
_ASKED = re.compile(
    rf"\b(?:when|while|if|as long as)\s(?:the\s)?({MARK})\s(?:is|was|were|are|equals|equalled)\s({MARK}|None|True|False|\d+)(?![\w.])"
    rf"|({MARK})\s?(?:为|是|等于)\s?({MARK}|None|True|False|\d+)(?![\w.])",
    re.IGNORECASE,
)


class _Condition(NamedTuple):
    name: str
    value: str


class GuardsAgree:
    """Nothing is told as gone that came or stays, and no condition of the new code as one of the old."""

    def fault(self, claim: Claim) -> Fault | None:
        diffs = [ground for ground in claim.cited if ground.diff]
        if not claim.grounds.of_change or not claim.grounds.diffs:
            return None
        for text in claim.bare.values():
            if diffs and (wrong := _taken(text, claim, diffs) or _brought(text, diffs)):
                return Fault("added_removed", wrong[:80])
            if wrong := _asked_before(text, diffs) or _mended_error(text, claim):
                return Fault("before_after", wrong[:80])
        return None


def _taken(text: str, claim: Claim, diffs: Sequence[Ground]) -> str:
    """The name of what is said to be gone and is not; empty when there is none."""
    shown, held = held_back(text)
    for pattern in (_TAKES, _TAKEN):
        for found in pattern.finditer(shown):
            before = shown[: found.start()]
            if _OTHERWISE.search(before):
                continue
            asked = list(_conditions(found[0], held))
            if asked:
                if wrong := next((one.name for one in asked if _stands_on(one, diffs)), ""):
                    return wrong
                continue
            names = names_in(found[0], held)
            names = [name for name in names if not _FAILURE.fullmatch(name)]
            ahead = names_in(before, held)
            if wrong := _not_gone(names, ahead[-1:], claim, diffs):
                return wrong
    return ""


def _brought(text: str, diffs: Sequence[Ground]) -> str:
    """The name of what is said to come and only went; empty when there is none."""
    shown, held = held_back(text)
    hunks = [hunk for ground in diffs for hunk in ground.hunks]
    for found in _BROUGHT.finditer(shown):
        names = names_in(found[0], held)
        if not _OTHERWISE.search(shown[: found.start()]) and all(_signs(name, hunks) == {"-"} for name in names):
            return names[0]
    return ""


def _not_gone(names: Sequence[str], home: Sequence[str], claim: Claim, diffs: Sequence[Ground]) -> str:
    """Each name that the hunks about its home have on one side only came; or its only name stands as often as before."""
    hunks = [hunk for ground in diffs for hunk in ground.hunks]
    about = [hunk for hunk in hunks if any(_has(name.rpartition(".")[2], hunk) for name in home)]
    for some in (about, hunks):
        sides = {name: _signs(name, some) for name in names}
        if any("-" in signs and "+" not in signs for signs in sides.values()):
            return ""
        if came := next((name for name, signs in sides.items() if signs == {"+"}), ""):
            return came
    alone = names[0] if len(names) == 1 else ""
    return alone if alone and "+" in _signs(alone, hunks) and stays(alone, claim.grounds, wholly=True) else ""


def _signs(name: str, hunks: Sequence[Sequence[str]]) -> set[str]:
    """Signs of the changed lines that have the name."""
    return {line[0] for hunk in hunks for line in hunk if line[:1] in ("+", "-") and _has(name, [line])}


def _has(name: str, lines: Sequence[str]) -> bool:
    pattern = whole(plain(name).strip("'"))
    return any(pattern.search(plain(line)) for line in lines)


def _asked_before(text: str, diffs: Sequence[Ground]) -> str:
    """A condition that only added lines ask for, told of before; or one that only removed lines do, told of now."""
    told = told_of(text)
    if told is None:
        return ""
    for part, wrong in ((told.was, "+"), (told.now, "-")):
        for one in _conditions(part, told.names):
            if _asking(one, diffs) == {wrong} and not _asked_loosely(one, {"+", "-"} - {wrong}, diffs):
                return one.name
    return ""


def _mended_error(text: str, claim: Claim) -> str:
    """An error that only the message has, told as how things are: it is what the change mends, and not what comes of it."""
    told = told_of(text)
    for name in told.named(told.now) if told else ():
        code = (g.changed if g is claim.grounds.context else g.text for g in claim.grounds.diffs)
        if not _ERROR.search(name) or any(_has(name, [text]) for text in code):
            continue
        lines = [line for g in claim.grounds.pieces.values() if not g.diff for line in g.lines if _has(name, [line])]
        if lines and not any(_BRINGS.search(line) for line in lines):
            return name
    return ""


def _conditions(part: str, held: Sequence[str]) -> Iterator[_Condition]:
    for found in _ASKED.finditer(part):
        name, value = (
            held[int(mark[1])] if (mark := HELD_MARK.fullmatch(group)) else group for group in found.groups() if group
        )
        yield _Condition(name, value)


def _stands_on(one: _Condition, diffs: Sequence[Ground]) -> bool:
    """Some line of the new code asks for it, and none that went did."""
    asking = _asking(one, diffs)
    return bool(asking) and "-" not in asking and not _asked_loosely(one, {"-"}, diffs)


def _asked_loosely(one: _Condition, signs: set[str], diffs: Sequence[Ground]) -> bool:
    """`if not x` asks whether x is None, 0 or False as well."""
    form = re.compile(
        rf"(?:\b(?:if|elif|and|or|not|while)\s+|!)(?:self\.)?{whole(plain(one.name)).pattern}\s*(?:[:)?]|\b(?:and|or|else)\b|&&|\|\||$)"
    )
    return any(form.search(line) for g in diffs for line in g.lines if line[:1] in signs)


def _asking(one: _Condition, diffs: Sequence[Ground]) -> set[str]:
    """Signs of the lines that ask whether the name has this value."""
    form = re.compile(rf"{whole(plain(one.name)).pattern}\s*(?:is|==|===)\s*{re.escape(one.value)}(?!\w)")
    return {line[:1] if line[:1] in ("+", "-") else " " for g in diffs for line in g.lines if form.search(line)}


# --- Check: which value turns into which is told as the branches of the new code have it, and not the other way round ---


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


# --- Check: what runs first, and what moves where, is told as the hunks have it, and not the other way round ---


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
