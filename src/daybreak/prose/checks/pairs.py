"""Check: what was and what is now are told as lines that took each other's place have them, and not the other way round.

A name may stand on both sides of a change and all around it: where one line gives way to another, it still stands in
the old one or in the new one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from daybreak.core.text import HELD, HELD_MARK, held_back, named, names_in, plain
from daybreak.prose.checks.before_after import BECOMES, OTHERWISE, turns
from daybreak.prose.checks.evidence_index import Ground, Pair, whole
from daybreak.prose.checks.interface import Claim, Fault
from daybreak.prose.checks.sentences import Concept, lexicon, stem, stems
from daybreak.prose.checks.tokens import value as value_of

_Era = Literal["was", "now"]
_SAID: tuple[tuple[_Era, str], ...] = (
    ("was", r"\bused to\b|\bpreviously\b|\bformerly\b|\b(?:turns?|turned|narrow(?:s|ed)|widen(?:s|ed)|goes|went|moves?|chang(?:es|ed)|switch(?:es|ed))\s(?:\w+\s)?from\b"),
    ("was", r"\bwhere\s(?:it|they)\s(?=(?:\w+ed|was|were|took|had|got|held|read|gave)\b)"),
    ("was", rf"(?:以前|原先|过去|原来|原本|此前|先前|(?:^|[，。；])\s?之前)(?!的|一样|相同|那样)|[从由](?=[^，。；]{{0,12}}\ue000\d+\ue001[^，。；]{{0,8}}(?:{BECOMES}))"),
    ("was", r"\bbefore (?:this|the) (?:change|commit|fix)\b|(?:^|[.;]\s)before,|\b(?:was|were|had|took|got|held)\b(?=[^.;]*\bnow\b)|\b(?:could|would)\b(?=[^.;]*\bbefore\b)|原为|改动(?:之)?前|修改前"),
    ("now", r"\bafter (?:this|the) (?:change|commit|fix)\b|现为|改动(?:之)?后|修改后"),
    ("now", r"\bnow\b|(?<=\s)into\b|现在|如今"),
    ("now", BECOMES),
)  # fmt: skip
_MARKERS = tuple((era, re.compile(form, re.IGNORECASE)) for era, form in _SAID)
_INTO = re.compile(r"\s(?:in)?to\s", re.IGNORECASE)
_ENDS = re.compile(r"[。!?！？]|\.(?=\s|$)")
_OTHER = re.compile(
    r"\b(?:instead of|rather than|in place of|no longer|than|without|besides|replac\w+|from|unlike|because|since)\b|(?<!is )\bnot\b"
    r"|而不是|而非|不再|取代|代替|替代|替换|以外|之外|除了|因为|由于",
    re.IGNORECASE,
)
"""From here on it speaks of the other side, or of causes."""
_AMOUNT = re.compile(rf"{HELD}|(?<![\w.\ue000])\d+(?:\.\d+)?(?![\w.\ue001]|\.\d)")
_DENIED = re.compile(
    r"\b(?:not|never|no|nor|neither|cannot|without|fail\w*|lack\w*|ignor\w*|reject\w*|refus\w*|skip\w*|drop\w*|miss\w*|omit\w*|los\w*)\b|n't\b|[不未没无]|忽略|拒绝|跳过|丢|缺|漏",
    re.IGNORECASE,
)
_CONSTANTS = frozenset({"None", "True", "False", "null", "nullptr", "true", "false"})
"""They stand everywhere."""
_LEAST_WORDS = 3
"""So many words on the wrong side, and none on the right one, are no chance."""
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]+")


class Told(NamedTuple):
    """What a text says of before and of now; texts with marks for their names."""

    subjects: tuple[str, ...]
    was: str
    now: str
    names: tuple[str, ...]

    def amounts(self, text: str) -> list[str]:
        """Its names, and its bare numbers."""
        return [self.names[int(found[1])] if found[1] else found[0] for found in _AMOUNT.finditer(text)]

    def named(self, text: str) -> list[str]:
        """Its names; bare numbers stand everywhere, and other checks look at them."""
        names = names_in(text, self.names)
        return [name for name in names if any(char.isalpha() for char in name)]


class PairsAgree:
    """The old one stands on the line that went, the new one on the line that came."""

    def fault(self, claim: Claim) -> Fault | None:
        for language, text in claim.bare.items():
            told, turned = told_of(text), _turned(text)
            if not told and not turned:
                continue
            pairs = [pair for ground in claim.grounds.diffs for pair in ground.replaced]
            near = [pair for ground in claim.cited if ground.diff for pair in ground.replaced]
            wrong = next((f"{a} / {b}" for a, b in turned if _reversed(a, b, pairs)), "")
            if told and not wrong:
                wrong = _swapped(told, pairs) or _one_sided(told, near)
                if not wrong and language == "en":
                    wrong = _wordwise(told, near)
            if wrong:
                return Fault("before_after", wrong[:80])
        return None


def _turned(text: str) -> list[tuple[str, str]]:
    """Names of `B instead of A` and its like, each in backticks: the old one and the new one."""
    names = set(named(text))
    return [(old, new) for old, new in turns(text) if old in names and new in names]


def told_of(text: str) -> Told | None:
    """What the text says of before, and of now."""
    shown, held = held_back(text)
    found = _markers(shown)
    said: dict[_Era, str] = {"was": "", "now": ""}
    for at, (start, end, era) in enumerate(found):
        until = found[at + 1][0] if at + 1 < len(found) else len(shown)
        part = _ENDS.split(shown[end:until])[0]
        if shown[start:end].lower().endswith("from"):
            part, _, turned = _INTO.sub("\n", part, count=1).partition("\n")
            said["now"] = said["now"] or turned
        said[era] = said[era] or _OTHER.split(part)[0]
    if not said["was"] or _DENIED.search(said["was"]):
        return None
    ahead = HELD_MARK.findall(shown[: found[0][0]])
    return Told(tuple(held[int(n)] for n in ahead), said["was"], said["now"], tuple(held))


def _markers(shown: str) -> list[tuple[int, int, _Era]]:
    """Where the text turns to before or to now; a second word for the same turns to nothing new."""
    found = sorted((m.start(), m.end(), era) for era, form in _MARKERS for m in form.finditer(shown))
    return [one for at, one in enumerate(found) if at == 0 or found[at - 1][2] != one[2]]


def _swapped(told: Told, pairs: Sequence[Pair]) -> str:
    """Some pair has the two names the other way round, and none has them this way."""
    for old in told.amounts(told.was):
        for new in told.amounts(told.now):
            if _reversed(old, new, pairs):
                return f"{old} / {new}"
    return ""


def _reversed(old: str, new: str, pairs: Sequence[Pair]) -> bool:
    """Some pair has them the other way round, and none has them this way."""
    if whole(old).search(new) or whole(new).search(old):
        return False
    sides = {(_side(old, pair), _side(new, pair)) for pair in pairs}
    return ("come", "gone") in sides and ("gone", "come") not in sides


def _one_sided(told: Told, pairs: Sequence[Pair]) -> str:
    """On every line that has what it is said of, the name stands on the wrong side."""
    about = [pair for pair in pairs if any(_both(name, pair) for name in told.subjects)]
    now = "" if OTHERWISE.search(told.now) else told.now  # what is now done to a name may well be its end
    for text, wrong, right in ((told.was, "come", "gone"), (now, "gone", "come")):
        for name in told.named(text):
            if name in told.subjects or name in _CONSTANTS:
                continue
            sides = {_side(name, pair) for pair in about}
            if wrong in sides and right not in sides:
                return name
    return ""


def _wordwise(told: Told, pairs: Sequence[Pair]) -> str:
    """The plain words of before stand on lines that came, those of now on lines that went."""
    was, now = _words(told, told.was), _words(told, told.now)
    was, now = was - now, now - was
    swapped = ""
    for pair in pairs:
        gone, come = stems(pair.gone), stems(pair.come)
        gone, come = gone - come, come - gone
        if (was & gone) and (now & come):
            return ""
        wrong = (was & come) | (now & gone)
        if was & come and now & gone and len(wrong) >= _LEAST_WORDS and not (was & gone or now & come):
            swapped = " ".join(sorted(wrong))
    return swapped


def _words(told: Told, text: str) -> set[str]:
    table = lexicon()
    full = HELD_MARK.sub(lambda m: told.names[int(m[1])], text)
    every = {stem(word) for word in _WORD.findall(full)}
    return {word for word in every if not _idle(table.by_stem.get(word, ()))} - _LITTLE


def _idle(concepts: Sequence[Concept]) -> bool:
    """Words that every report uses, in each of their senses: a list is a thing, though to list is to say."""
    return bool(concepts) and all(concept.weight == "plain" for concept in concepts)


_LITTLE = frozenset(stem(w) for w in "the and for with from that this its are was were has had not but into onto when now of to in on at by as is it an or so be".split())  # noqa: SIM905  # fmt: skip


def _both(name: str, pair: Pair) -> bool:
    pattern = whole(plain(name).rpartition(".")[2])
    return bool(pattern.search(pair.gone) and pattern.search(pair.come))


def _side(name: str, pair: Pair) -> str:
    """The side of the pair that has the name and the other has not; empty when there is none."""
    pattern = whole(plain(name).strip("'"))
    gone, come = bool(pattern.search(pair.gone)), bool(pattern.search(pair.come))
    return "" if gone == come else "gone" if gone else "come"


# --- Check: a value is not given to a name that has another one in every line of the evidence ---


_NAME = re.compile(r"[A-Za-z_][\w.:-]*|--[\w-]+")
_LITERALS_OTHER = {"True": "False", "False": "True", "ON": "OFF", "OFF": "ON", "true": "false", "false": "true"}
_GIVEN = re.compile(
    r"`([^`]{1,80})`\s?(?:is|are|equals|means|becomes|=|是|为|等于|即|变为)\s?(?:now\s)?(\d[\d,]*(?:\.\d+)?)(?![\w.])"
)
_SET = re.compile(
    r"`([A-Za-z_][\w.-]*|--[\w-]+)`\s?(?:(?:is\s|are\s)?(?:set|equal)\s?to|is|=|==|为|是|等于|设为|设成|设置为)\s?`([\w.-]{1,40})`"
)
_NOW = re.compile(
    r"`([A-Za-z_][\w.-]*|--[\w-]+)`\s?(?:(?:is|are)\snow\s(?:always\s)?(?:(?:fixed|set|pinned|hard-?coded|kept)\s)?(?:(?:at|to|as)\s)?"
    r"|现在(?:总是|始终|一律)?(?:固定|设置|设|写死)?(?:为|是|成)\s?)`([\w.-]{1,40})`"
)
_RETURNS = re.compile(r"(?:\breturns|\breturn|返回)\s?`(True|False|true|false)`")
_OLD = re.compile(
    r"\b(?:no longer|not|never|instead|rather|before|previous(?:ly)?|used to|earlier|old|was|were|otherwise)\b"
    r"|不再|不会|而不是|而非|之前|此前|原来|原先|以前|旧|否则",
    re.IGNORECASE,
)
"""Speaks of what was, or of two cases: a value in it need not be the new one."""
_LITERAL = re.compile(r"\d+(?:\.\d+)?|True|False|true|false")
_LONG = 2000
_BESIDE = 40
"""So many characters after a name its value stands."""


class LiteralsBelong:
    """Both words of "`x` is `1`" stand somewhere in most diffs; it is a lie where `x` has `0` and never `1`."""

    def fault(self, claim: Claim) -> Fault | None:
        near = claim.grounds.near(claim.cited)
        spans = dict.fromkeys(claim.sentences["en"].spans)
        return (
            self._other_value(spans, near)
            or self._exchanged(claim, near)
            or self._set_otherwise(claim)
            or self._set_before(claim)
            or self._returned(claim)
        )

    def _other_value(self, spans: Iterable[str], near: Sequence[Ground]) -> Fault | None:
        """One name and one value of two: every line with the name has the other value, and none has this one."""
        values = [span for span in spans if span in _LITERALS_OTHER]
        names = [span for span in spans if span not in _LITERALS_OTHER and _NAME.fullmatch(span)]
        if len(values) != 1 or len(names) != 1:
            return None
        mine, other = whole(values[0]), whole(_LITERALS_OTHER[values[0]])
        lines = [line for g in near for line in g.lines if names[0] in line and whole(names[0]).search(line)]
        if any(other.search(line) for line in lines) and not any(mine.search(line) for line in lines):
            return Fault("opposite", f"{names[0]}: {values[0]}"[:80])
        return None

    def _exchanged(self, claim: Claim, near: Sequence[Ground]) -> Fault | None:
        """`1k` is 1,024, where the evidence has 1,024 beside another name of the statement only."""
        for sentence in claim.sentences.values():
            spans = {plain(span) for span in sentence.spans}
            for found in _GIVEN.finditer(sentence.text):
                name, number = plain(found[1]), value_of(found[2])
                lines = [g.lines[at] for g in near for at in g.numbers.get(number, ())[:50]]
                if any(whole(name).search(plain(line)) for line in lines):
                    continue
                if any(whole(other).search(plain(line)) for line in lines for other in spans - {name}):
                    return Fault("number_not_in_evidence", f"{name}: {number}"[:80])
        return None

    def _set_otherwise(self, claim: Claim) -> Fault | None:
        """`X` set to `1`, where another literal stands right after `X`, and `1` in no line with it."""
        for text in claim.bare.values():
            for found in _SET.finditer(text):
                name, said = found[1], found[2]
                if not _LITERAL.fullmatch(said) or said in _LITERALS_OTHER:
                    continue
                lines = [line for g in claim.grounds.far(claim.cited) for line in g.lines if name in line]
                if any(whole(said).search(line) for line in lines):
                    continue
                if any(_values(name, line[:_LONG]) for line in lines):
                    return Fault("opposite", f"{name}: {said}"[:80])
        return None

    def _set_before(self, claim: Claim) -> Fault | None:
        """`X` is now `1`, where the only line that gives it this value is taken out."""
        for text in claim.bare.values():
            for found in _NOW.finditer(text):
                given = re.compile(
                    rf"(?<![\w.]){re.escape(found[1])}[\"']?\]?\s?[:=]=?\s?[\"']?{re.escape(found[2])}(?![\w.])"
                )
                lines = [line for g in claim.grounds.diffs for line in g.lines if given.search(line)]
                if lines and all(line[:1] == "-" for line in lines):
                    return Fault("before_after", f"{found[1]}: {found[2]}"[:80])
        return None

    def _returned(self, claim: Claim) -> Fault | None:
        """Returns `True`, where the added lines return `False` and never `True`."""
        added = "\n".join(ground.added for ground in claim.cited if ground.diff)
        for text in claim.bare.values():
            for found in () if _OLD.search(text) else _RETURNS.finditer(text):
                if f"return {_LITERALS_OTHER[found[1]]}" in added and f"return {found[1]}" not in added:
                    return Fault("opposite", found[0][:80])
        return None


def _values(name: str, line: str) -> list[str]:
    """Literals right after the name: `X=0`, `"X", "0"`, `X: 0`."""
    found = re.finditer(rf"(?<!\w){re.escape(name)}[\"']?\s?(?:[:=]=?|,|\s)\s?[\"']?([\w.-]{{1,{_BESIDE}}})", line)
    return [one[1] for one in found if _LITERAL.fullmatch(one[1])]
