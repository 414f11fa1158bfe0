"""Check: nothing is told as lost where the cited lines only bring something, nor as gained where they only take away.

No name is needed for it: a change of `if a:` to `if a or b:` takes no word away, whatever a statement says it drops.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from daybreak.core.plain_words import held_back, named, plain
from daybreak.prose.checks.evidence_index import Ground
from daybreak.prose.checks.interface import Claim, Fault

_LOSES = re.compile(
    r"\b(?:remov(?:es|ed)|drop(?:s|ped)|delet(?:es|ed)|loses?|lost)\b|移除|删除|去掉|去除|删掉|删去|失去", re.IGNORECASE
)
_GAINS = re.compile(r"\b(?:adds|added|gains|gained|introduces|introduced)\b|新增|添加了|增加了|引入了", re.IGNORECASE)
_CLAUSE = re.compile(
    r"[,;:，；：。！？!?]|\.(?=\s|$)|\b(?:and|but|while|so|that|which|who|whose|where)\b", re.IGNORECASE
)
_ABILITY = re.compile(
    r"\b(?:loses?|lost)\s(?:the|its|an?)\s(?:ability|support)\b|(?:去掉|失去)了?[^，。；]{0,30}(?:能力|支持)",
    re.IGNORECASE,
)
"""Nothing that code does as it runs."""
_OTHERWISE = re.compile(
    r"\b(?:if|when|whenever|once|unless|until|while|can|may|would|could|not|no|never|without|cannot|nor|avoid\w*|already|were|was)\b|n't\b"
    r"|若|如果|一旦|当|时|会|可|被[^，。；]{0,2}$|[的不未没无]|避免|防止|以免",
    re.IGNORECASE,
)
"""It is denied, it happens as code runs, or it was so before."""
_TAKES = re.compile(
    r"(?<![A-Za-z])(?:remov|delet|drop|pop|del\b|discard|strip|filter|evict|purg|clear|free|releas|unregist|skip|continue|exclud|ignor"
    r"|los[et]|truncat|cut|trim|not\b|rm\b|unset|unlink|without|retir|clean|revert|disabl|stop|no longer)|!=|\[\S*:\S*\]",
    re.IGNORECASE,
)
"""Words and signs of something that takes away, as it runs or by what its author says."""
_BRINGS = re.compile(
    r"(?<![A-Za-z])(?:add|append|insert|extend|introduc|new|creat|put|push|regist|updat|gain|support)|\+", re.IGNORECASE
)
_WORD = re.compile(r"[A-Za-z_]\w*|\d+(?:\.\d+)?")


class NothingTaken:
    """What is lost was there, and what is gained was not."""

    def fault(self, claim: Claim) -> Fault | None:
        diffs = [ground for ground in claim.cited if ground.diff]
        if not diffs or not claim.grounds.of_change:
            return None
        told = [g for g in claim.grounds.pieces.values() if not g.diff and (g in claim.cited or g.ref[:1] in "MPI")]
        for text in claim.bare.values():
            if wrong := _lost(text, diffs, told) or _gained(text, diffs, told):
                return Fault("added_removed", wrong)
        return None


def _lost(text: str, diffs: Sequence[Ground], told: Sequence[Ground]) -> str:
    said = _said(_LOSES, text)
    if not said or _more("removed", "added", diffs) or _stands(text, _side("removed", diffs)):
        return ""
    if _ABILITY.search(held_back(text)[0]):
        return said
    return "" if any(_TAKES.search(line) for line in (*_side("added", diffs), *(g.text for g in told))) else said


def _gained(text: str, diffs: Sequence[Ground], told: Sequence[Ground]) -> str:
    said = _said(_GAINS, text)
    if not said or _more("added", "removed", diffs) or _stands(text, _side("added", diffs)):
        return ""
    return "" if any(_BRINGS.search(g.text) for g in told) else said


def _said(verb: re.Pattern[str], text: str) -> str:
    """The verb as a sentence says it of the change itself; empty when none does."""
    for clause in _CLAUSE.split(held_back(text)[0]):
        found = verb.search(clause)
        if found and not _OTHERWISE.search(clause[: found.start()]):
            return found[0]
    return ""


def _stands(text: str, side: Sequence[str]) -> bool:
    """A name of the text stands there: what became of it is for the check of names."""
    return any(plain(name) in plain(lines) for name in named(text) for lines in side)


def _more(one: str, other: str, diffs: Sequence[Ground]) -> bool:
    """Whether this side has a word that the other has not, or has it less often."""
    mine, theirs = (Counter(w for line in _side(side, diffs) for w in _WORD.findall(line)) for side in (one, other))
    return bool(mine - theirs)


def _side(side: str, diffs: Sequence[Ground]) -> list[str]:
    return [getattr(ground, side) for ground in diffs]
