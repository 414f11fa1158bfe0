"""Check: what was and what is now are told as lines that took each other's place have them, and not the other way round.

A name may stand on both sides of a change and all around it: where one line gives way to another, it still stands in
the old one or in the new one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from daybreak.core.text import HELD, HELD_MARK, held_back, named, names_in, plain
from daybreak.prose.checks.before_after import BECOMES, OTHERWISE, turns
from daybreak.prose.checks.evidence_index import Pair, whole
from daybreak.prose.checks.interface import Claim, Fault
from daybreak.prose.checks.sentences import Concept, lexicon, stem, stems

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
