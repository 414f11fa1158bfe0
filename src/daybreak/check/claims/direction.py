"""Check: what was removed is not called added, what was added is not called removed, and "now" names the new."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from daybreak.check.claims import tokens
from daybreak.check.claims.interface import Claim, Fault
from daybreak.check.claims.whereabouts import became

_CLAUSE = re.compile(
    r"[,;:，；：。！？!?]|\.(?=\s|$)|\b(?:and|but|while|whereas|so|instead of|rather than|in place of|because|by|since|after|before|when)\b|而|但|并(?!行|发)|且|以|因为|由于"
)
_ADDS = re.compile(
    r"\b(?:add(?:s|ed|ing)?|introduc(?:es|ed|ing|e)|new|creat(?:es|ed|e)|gains?|brings?)\b|新增|添加|加入|引入|新建|增加了?|加上|补上|新的",
    re.IGNORECASE,
)
_REMOVES = re.compile(
    r"\b(?:remov(?:es|ed|ing|e|al)|delet(?:es|ed|ing|e)|drop(?:s|ped|ping)?|eliminat(?:es|ed|e)|strips?|gone|no longer (?:has|accepts?|exists?|offers?|exposes?|supports?|available))\b"
    r"|移除|删除|去掉|去除|删掉|删去|取消|不再(?:提供|接受|支持|有|存在|可用)|丢弃",
    re.IGNORECASE,
)
_TURNS = re.compile(
    r"\b(?:renam|replac|chang|switch|swap|mov|instead|from)\w*|改名|重命名|更名|替换|取代|换成|改为|改成|改用|迁移|移到|移至",
    re.IGNORECASE,
)
_SPAN = re.compile(r"`([^`]+)`")


class _Part(NamedTuple):
    text: str
    names: tuple[str, ...]


class AddedOrRemoved:
    """The verb of a clause agrees with what became of the names in it."""

    def fault(self, claim: Claim) -> Fault | None:
        for text in claim.shown.values():
            for part in _clauses(text):
                adds, removes = bool(_ADDS.search(part.text)), bool(_REMOVES.search(part.text))
                if adds == removes or _TURNS.search(part.text):
                    continue
                wrong = "removed" if adds else "added"
                fates = [(name, became(name, claim.grounds)) for name in part.names]
                if (
                    fates
                    and any(fate == wrong for _, fate in fates)
                    and not any(fate not in (wrong, None) for _, fate in fates)
                ):
                    return Fault("added_removed", next(name for name, fate in fates if fate == wrong)[:80])
        return None


def _clauses(text: str) -> Iterator[_Part]:
    """Clauses with the technical names in them; punctuation inside backticks does not count."""
    held: list[str] = []

    def hide(match: re.Match[str]) -> str:
        held.append(match[1])
        return f"\ue000{len(held) - 1}\ue001"

    hidden = _SPAN.sub(hide, text)
    for clause in _CLAUSE.split(hidden):
        names = [held[int(at)] for at in re.findall(r"\ue000(\d+)\ue001", clause)]
        rest = re.sub(r"\ue000\d+\ue001", " ", clause)
        names += [t for t in tokens.tokens(rest) if tokens.technical(t)]
        if names:
            yield _Part(rest, tuple(names))
