"""Check: what was removed is not called added, what was added is not called removed, and "now" names the new."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from daybreak.check.claims import tokens
from daybreak.check.claims.interface import Claim, Fault
from daybreak.check.claims.whereabouts import became, stays

_CLAUSE = re.compile(
    r"[,;:，；：。！？!?]|\.(?=\s|$)|\b(?:and|but|while|whereas|so|instead of|rather than|in place of|because|by|since|after|before|when)\b|而|但|并(?!行|发)|且|以|因为|由于"
)
_ADDS = re.compile(
    r"\b(?:add(?:s|ed|ing)?|introduc(?:es|ed|ing|e)|new|creat(?:es|ed|e)|gains?|brings?)\b|新增|添加|加入|引入|新建|增加了?|加上|补上|新的",
    re.IGNORECASE,
)
_REMOVES = re.compile(
    r"\b(?:remov(?:es|ed|ing|e|al)|delet(?:es|ed|ing|e)|drop(?:s|ped|ping)?|eliminat(?:es|ed|e)|strips?|gone|no longer (?:has|accepts?|exists?|offers?|exposes?|supports?|available))\b"
    r"|移除|删除|去掉|去除|删掉|删去|取消|不再(?:提供|接受|支持|有|存在|可用)",
    re.IGNORECASE,
)
_TURNS = re.compile(
    r"\b(?:renam|replac|chang|switch|swap|mov|instead|from)\w*|改名|重命名|更名|替换|取代|换成|改为|改成|改用|迁移|移到|移至",
    re.IGNORECASE,
)
_SPAN = re.compile(r"`([^`]+)`")
_HELD = re.compile(r"\ue000(\d+)\ue001")
_PLACE = re.compile(
    r"\b(?:from|to|into|in|on|onto|beyond|with|within|at|under|over|above|below|through|via|between|against|than|per|if|that"
    r"|which|where|whose|outside|inside|past)\b",
    re.IGNORECASE,
)
"""Between a verb and a name: the name says where, and is not what the verb acts on."""
_PLACE_BEFORE = re.compile(
    rf"(?:{_PLACE.pattern})\s+(?:the |a |an |its )?(?:\w+\s)?$|(?:从|在|超过|对|按|由|经|向|给|为|除|自|到|于|当|若)\s?$",
    re.IGNORECASE,
)
_PASSIVE = re.compile(
    r"\b(?:is|are|was|were|be|been|being|gets?|got)\s(?:\w+\s){0,2}$|(?:被|已|已经|予以|一并|全部|都|也)$",
    re.IGNORECASE,
)
_REMOVES_IT = re.compile(r"remov(?:es|ed|e|ing)|delet(?:es|ed|e|ing)|移除|删除|去掉|删掉", re.IGNORECASE)
_AT_RUN = re.compile(r"drops|strips|strip|drop|dropping|adds", re.IGNORECASE)
_ACTED_ON = re.compile(r"(?:把|将)")
_NEW, _NEAR = ("new", "新的"), 24


class _Clause(NamedTuple):
    text: str
    """With names in backticks as marks, so that their punctuation does not count."""
    names: tuple[tuple[int, int, str], ...]
    """Where each technical name stands."""


class AddedOrRemoved:
    """The verb of a clause agrees with what became of the names it acts on."""

    def fault(self, claim: Claim) -> Fault | None:
        for text in claim.shown.values():
            for clause in _clauses(text):
                adds, removes = _ADDS.search(clause.text), _REMOVES.search(clause.text)
                verb = adds or removes
                if verb is None or (adds and removes) or _TURNS.search(clause.text) or _running(clause, verb):
                    continue
                wrong = "removed" if adds else "added"
                acted = _acted_on(clause, verb)
                fates = [(name, became(name, claim.grounds)) for name in acted]
                alone = acted[0] if len(acted) == 1 and fates[0][1] is None else ""
                if alone and _REMOVES_IT.fullmatch(verb[0]) and "/" not in alone and stays(alone, claim.grounds):
                    return Fault("added_removed", alone[:80])
                if any(fate == wrong for _, fate in fates) and not any(fate not in (wrong, None) for _, fate in fates):
                    return Fault("added_removed", next(name for name, fate in fates if fate == wrong)[:80])
        return None


def _running(clause: _Clause, verb: re.Match[str]) -> bool:
    """`X` drops the argument; which strips it: something does it while it runs, and not the change."""
    return bool(_AT_RUN.fullmatch(verb[0])) and bool(clause.text[: verb.start()].strip(" \ue001."))


def _acted_on(clause: _Clause, verb: re.Match[str]) -> list[str]:
    """Names that the verb adds or removes, and not those that say where, from what or by whom."""
    before = clause.text[: verb.start()]
    after = [
        name
        for start, _, name in clause.names
        if start >= verb.end() and not _PLACE.search(clause.text[verb.end() : start])
    ]
    if verb[0].lower() in _NEW:
        near = [n for s, _, n in clause.names if verb.end() <= s <= verb.end() + _NEAR]
        return near or [n for s, e, n in clause.names if e <= verb.start() <= e + 5]
    passive = _PASSIVE.search(before) or verb[0].lower().startswith(
        ("gone", "no longer exist", "no longer avail", "不再")
    )
    if after and not passive:
        return after
    if any(start >= verb.end() for start, _, _ in clause.names) and not passive:
        return []
    return _subjects(clause, before, passive=bool(passive)) or (after if passive else [])


def _subjects(clause: _Clause, before: str, *, passive: bool) -> list[str]:
    """Names before a verb that it acts on: `X` is removed; 把 `X` 移除; `X` removed."""
    acted = list(_ACTED_ON.finditer(before))
    least = acted[-1].end() if acted else 0
    active = verb_has_object(clause.text[len(before) :]) and not passive and not acted
    return [
        name
        for start, end, name in clause.names
        if least <= start
        and end <= len(before)
        and not active
        and not _PLACE_BEFORE.search(before[:start])
        and not (before[end : end + 2].lstrip().startswith("的"))
    ]


def verb_has_object(rest: str) -> bool:
    """`drops failed requests`: an active verb with an object of its own, which is no name."""
    return bool(re.match(r"(?:\w*s|\w*ing)\s+(?!\ue000)[a-z]{2,}", rest, re.IGNORECASE))


def _clauses(text: str) -> Iterator[_Clause]:
    """Clauses with the technical names in them."""
    held: list[str] = []

    def hide(match: re.Match[str]) -> str:
        held.append(match[1])
        return f"\ue000{len(held) - 1}\ue001"

    for clause in _CLAUSE.split(_SPAN.sub(hide, text)):
        names = [(m.start(), m.end(), held[int(m[1])]) for m in _HELD.finditer(clause)]
        rest = _HELD.sub(lambda m: " " * len(m[0]), clause)
        for token in dict.fromkeys(t for t in tokens.tokens(rest) if tokens.technical(t)):
            at = rest.find(token)
            names.append((at, at + len(token), token))
        if names:
            yield _Clause(clause, tuple(sorted(names)))
