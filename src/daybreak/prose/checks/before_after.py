"""Checks of before and after: what was and what is now are not swapped, and each stands on its side of the diff."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from daybreak.core.text import HELD_MARK, held_back, named, names_in, plain
from daybreak.prose.checks.direction import became
from daybreak.prose.checks.evidence_index import Ground, Grounds, whole
from daybreak.prose.checks.interface import Claim, Fault
from daybreak.prose.checks.tokens import value

# --- Check: before and after are not swapped in "from A to B", "replaces A with B", "B instead of A" and their like ---


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


# --- Check: what is told as new or as it is now does not stand in removed lines alone, and what was before not in added ones ---
# A sentence says when: each of its clauses is about what came, about how it is now, or about how it was. Only names that
# stand on one side of the change, and in no line around it, prove that a clause has the wrong one.


_Era = Literal["new", "now", "was"]
_CLAUSE = re.compile(
    r"[;；。！？!?，,]|\.(?=\s|$)|:(?=\s)|：|\b(?:where(?:as)?|while|because|since|so|but|which|after|before it)\b"
    r"|\band\b(?=\s(?:it\s|they\s)?(?:is\s|are\s|gets\s|does\s)?(?:so\s)?now\b)",
    re.IGNORECASE,
)
_WRITTEN: tuple[tuple[_Era, str], ...] = (
    ("was", r"\bused to\b|\bpreviously\b|\bformerly\b|(?:以前|原先|此前|先前|^\s*之前)(?!的|一样|相同)"),
    (
        "new",
        r"\b(?:gains?|gained|adds|added|introduces)\b|(?:新增|增加(?!到|至)|引入)(?!的|[^\ue000，。；]{0,16}后(?![端备缀续处]))",
    ),
    ("now", r"\bnow\b|现在"),
    ("now", r"\bbecomes?(?=\s\ue000)|(?:而是|改为|改成|变为|变成|换成)[^\ue000]{0,8}(?=\ue000)"),
)
_FRAMES = tuple((era, re.compile(form, re.IGNORECASE)) for era, form in _WRITTEN)
_ENDS = re.compile(
    r"\b(?:instead of|rather than|in place of|no longer|than|without|besides|replac\w+|from|not|over|unlike|if|when|unless|for code|old|former|previous)\b"
    r"|而不是|而非|不再|取代|代替|替代|替换|以替|而不|以外|之外|除了",
    re.IGNORECASE,
)
"""From here on a clause speaks of the other side, or of a condition."""
OTHERWISE = re.compile(
    r"\b(?:renam|replac|chang|switch|swap|mov(?:es|ed|e|ing)\b|revert|reject|refus|fail|rais|ignor|forbid|drop|remov|delet|strip"
    r"|skip|lack|miss|error|warn|deprecat|gone|convert|turn|translat|rewrit|treat|map|fold|merg|inlin|absorb|subsum|supersed|obsolet|avoid|bypass|stop|needless|unnecessar|eliminat"
    r"|clean|prevent|narrow|cut|reduc|shorten|split|combin|unif|consolidat|compar|equal|equivalent|same)\w*"
    r"|改名|重命名|更名|改为|改成|换成|变成|变为|改用|迁移|移到|移至|拒绝|报错|失败|抛|忽略|删除|移除|去掉|跳过|弃用|内联|合并|统一|避免|绕过|拆分|清理|等价|相同|一致|不|没|未|无|把|将|由",
    re.IGNORECASE,
)
"""What is now done to a name may well be its end."""
_PLACE = re.compile(
    r"(?:\b(?:to|in|into|on|onto|before|after|of|inside|within|at|near|around|like)\s(?:the\s|its\s)?(?:\w+\s)?|[在给为对]\s?)\ue000\d+\ue001",
    re.IGNORECASE,
)
"""Where something is added is not what is added."""
_DENIED = re.compile(r"\b(?:no longer|not|never|no|nor|neither|cannot|without)\b|n't\b|[不未没无]", re.IGNORECASE)
_OF_A_THING = re.compile(r"的(?!是)[^\ue000]*(?=\ue000)")
"""`原先重复的逻辑收进 X`: the thing is old, and what it goes to is not."""
_KINDS = (
    (re.compile(r"\bassert(?:ion|s)?\b|断言", re.IGNORECASE), r"\bassert"),
    (re.compile(r"(?:\braises?\s|抛出?\s?)`([A-Za-z]\w*)`", re.IGNORECASE), r"\braise {}\b"),
)
"""Kinds of lines that a statement may name by a word."""
_TURNED = re.compile(
    r"\b(?:turns?|turned|chang(?:es|ed)|switch(?:es|ed)|goes|went)\s(?:\w+\s)?from\s(?:an?\s|the\s)?(?:[\w-]+\s){0,2}`([^`]+)`"
    r"|由(?:[\u4e00-\u9fff]{0,6})\s?`([^`]+)`\s?(?:变成|变为|改为|改成|换成)",
    re.IGNORECASE,
)
_NOTE = re.compile(r"[+\- ]\s*(?:#|//|\*|/\*)")
"""A comment speaks of other places too."""
_CONSTANT = re.compile(r"None|True|False|null|nullptr|true|false|-?\d+(?:\.\d+)?")
_NOW_GETS = re.compile(
    rf"(?:now\s(?:receives|gets|is|are|takes|passes|returns|holds)|现在(?:会)?(?:换成|收到|传入|返回|是|为))\s?`({_CONSTANT.pattern})`"
    rf"|(?:now|现在)[^`]*(?:instead\sof|rather\sthan|而不是|而非)\s?`({_CONSTANT.pattern})`",
    re.IGNORECASE,
)
_REQUIRED = r"(?:\brequired|\bmandatory|必填|必需|必选|必须)"
_OPTIONAL = r"(?:\bdefaults?\b|\boptional|默认|可选)"
_LOOSENED = re.compile(
    rf"{_REQUIRED}[^。.;；]{{0,60}}(?:\b(?:in)?to\b|变为|变成|改为|成为)[^。.;；]{{0,30}}{_OPTIONAL}", re.IGNORECASE
)
_TIGHTENED = re.compile(
    rf"{_OPTIONAL}[^。.;；]{{0,60}}(?:\b(?:in)?to\b|变为|变成|改为|成为)[^。.;；]{{0,30}}{_REQUIRED}", re.IGNORECASE
)


class _Told(NamedTuple):
    """Names of one clause, and when they are said to be."""

    era: _Era
    names: tuple[str, ...]
    subjects: tuple[str, ...]
    """Names before the verb: what gains something."""
    clause: str
    """With its names in backticks."""


class WhenTold:
    """New, now and before agree with the signs of the lines."""

    def fault(self, claim: Claim) -> Fault | None:
        if not claim.grounds.diffs:
            return None
        for text in claim.shown.values():
            for told in _told(text):
                if wrong := _wrong(told, claim):
                    return Fault("added_removed" if told.era == "new" else "before_after", wrong[:80])
            for found in _TURNED.finditer(text):
                name = found[1] or found[2]
                if _sides(name, claim.grounds) == {"+"}:
                    return Fault("before_after", name[:80])
            if wrong := _default(text, claim.grounds):
                return Fault("before_after", wrong[:80])
        return None


def _told(text: str) -> Iterator[_Told]:
    shown, held = held_back(text)
    for clause in _CLAUSE.split(shown):
        for era, frame in _FRAMES:
            if found := frame.search(clause):
                if _DENIED.search(clause[: found.start()]):
                    break
                said = _ENDS.split(clause[found.end() :])[0]
                near = HELD_MARK.match(said.lstrip())
                if era == "now" and found[0].lower() not in ("now", "现在"):
                    said = near[0] if near else ""
                elif era == "was" and _of_old(said):
                    break
                elif era == "now" and OTHERWISE.search(said):
                    said = ""
                if era == "new":
                    said = _PLACE.sub(" ", said)
                names, subjects = (tuple(names_in(s, held)) for s in (said, clause[: found.start()]))
                yield _Told(era, names, subjects, HELD_MARK.sub(lambda m: f"`{held[int(m[1])]}`", clause))
                break


def _of_old(said: str) -> bool:
    """What was not there before, or an old thing of which something is told now."""
    return bool(_DENIED.search(said) or _OF_A_THING.search(said))


def _wrong(told: _Told, claim: Claim) -> str:
    """The name that stands on the wrong side; empty when none does."""
    sides = {name: _sides(name, claim.grounds) for name in told.names}
    alone = {"+"} if told.era == "was" else {"-"}
    if wrong := next((name for name, signs in sides.items() if signs == alone), ""):
        return wrong
    if told.era == "now" and (wrong := _constant(told, claim)):
        return wrong
    if told.era == "was":
        return ""
    subject = told.subjects[-1] if told.subjects else ""
    if subject and _loses_kind(told.clause, subject, claim.cited):
        return subject
    if told.era != "new":
        return ""
    return _not_new(sides, subject, claim)


def _constant(told: _Told, claim: Claim) -> str:
    """A constant stands everywhere: of the changed lines with what has it, only those that go, or that come, have it."""
    pair = _NOW_GETS.search(told.clause)
    if not pair or not told.subjects:
        return ""
    wanted, sign = (pair[1], "-") if pair[1] else (pair[2], "+")
    near = {named for named in (*told.subjects, *told.names) if not _CONSTANT.fullmatch(named)}
    lines = [line for g in claim.cited if g.diff for line in g.plain_lines if line[:1] in "+-"]
    mine = [line for line in lines if whole(wanted).search(line) and any(whole(plain(n)).search(line) for n in near)]
    other = any(whole(wanted).search(line) for line in lines if line[:1] != sign)
    return wanted if mine and not other else ""


def _not_new(sides: dict[str, set[str]], subject: str, claim: Claim) -> str:
    """Of what is said to come, no line is added, or its declaration goes, or what gets it only loses lines."""
    come = any("+" in signs for signs in sides.values())
    gone = "" if come else next((name for name, signs in sides.items() if "-" in signs), "")
    if gone:
        return gone
    if subject and _only_loses(subject, claim.cited):
        return subject
    if subject and sides and all(_leaves(name, subject, claim.cited) for name in sides):
        return next(iter(sides))
    return next((name for name in sides if _undeclared(name, claim.grounds)), "")


def _sides(name: str, grounds: Grounds) -> set[str]:
    """Signs of the lines it stands in; a blank for lines around the changed ones, headers and texts."""
    word, out = plain(name).strip("'"), set[str]()
    pattern = whole(word)
    for ground in grounds.diffs:
        if word in ground.plain:
            for line in ground.plain_lines:
                if word in line and pattern.search(line):
                    out.add(line[0] if line[0] in "+-" else " ")
    return out


def _undeclared(name: str, grounds: Grounds) -> bool:
    """A parameter or field whose declaration goes and does not come, wherever else its name stands."""
    if not name.isidentifier():
        return False
    declares = re.compile(rf"(?m)^[^\S\n]*{name}\s*:\s*[^=\n]+(?:=.*)?,?[^\S\n]*$")
    return any(declares.search(g.removed) for g in grounds.diffs) and not any(
        declares.search(g.added) for g in grounds.diffs
    )


def _only_loses(name: str, cited: Sequence[Ground]) -> bool:
    """Every hunk about it takes lines away and adds none."""
    hunks = _about(name, cited)
    return bool(hunks) and all(_signed("-", hunk) and not _signed("+", hunk) for hunk in hunks)


def _leaves(name: str, home: str, cited: Sequence[Ground]) -> bool:
    """Every hunk that has its home in code takes it away there and does not bring it: it went elsewhere."""
    where, what = whole(plain(home)), whole(plain(name))
    hunks = [h for h in _about(home, cited) if any(where.search(line) and not _NOTE.match(line) for line in h)]
    gone = any(what.search(plain(line)) for hunk in hunks for line in _signed("-", hunk))
    return gone and not any(what.search(plain(line)) for hunk in hunks for line in hunk if line[:1] != "-")


def _loses_kind(clause: str, name: str, cited: Sequence[Ground]) -> bool:
    """It is said to get an assertion, an exception or the like, and the hunks about it take such a line away and add none."""
    hunks = _about(name, cited)
    for said, written in _KINDS:
        if hunks and (found := said.search(clause)):
            line = re.compile(written.format(re.escape(found[found.lastindex]) if found.lastindex else ""))
            gone = any(line.search(one) for hunk in hunks for one in _signed("-", hunk))
            kept = any(line.search(one) for hunk in hunks for one in hunk if one[:1] != "-")
            if gone and not kept:
                return True
    return False


def _about(name: str, cited: Sequence[Ground]) -> list[list[str]]:
    """Hunks that have the name, in a line or in their header."""
    pattern = whole(plain(name))
    return [hunk for g in cited if g.diff for hunk in g.hunks if any(pattern.search(line) for line in hunk)]


def _signed(sign: str, hunk: Sequence[str]) -> list[str]:
    return [line for line in hunk if line[:1] == sign]


def _default(text: str, grounds: Grounds) -> str:
    """The name whose default came where it is said to go, or went where it is said to come."""
    loose, tight = _LOOSENED.search(text), _TIGHTENED.search(text)
    if bool(loose) == bool(tight):
        return ""
    for name in named(text):
        if not name.isidentifier():
            continue
        given = re.compile(rf"(?m)^\s*{name}\s*(?::[^=\n]*)?=\s*\S")
        bare = re.compile(rf"(?m)^\s*{name}\s*:[^=\n]*,?$")
        came, went = (
            any(given.search(two) and bare.search(one) and not given.search(one) for one, two in pairs)
            for pairs in (
                [(g.removed, g.added) for g in grounds.diffs],
                [(g.added, g.removed) for g in grounds.diffs],
            )
        )
        if (loose and went and not came) or (tight and came and not went):
            return name
    return ""
