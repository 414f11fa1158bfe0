"""What follows by itself: code that still uses a removed thing fails, and a number that went from 10 to 30 rose."""

from __future__ import annotations

import re
from collections.abc import Iterator

from daybreak.core.plain_words import plain
from daybreak.findings.kinds import Kind, kind_of
from daybreak.prose.checks.before_after import turned, turns
from daybreak.prose.checks.evidence_index import Ground, Grounds, carries, turned_numbers
from daybreak.prose.checks.interface import Claim
from daybreak.prose.checks.lexicon import lexicon
from daybreak.prose.checks.name_fate import became
from daybreak.prose.checks.sentences import Word

_UP, _DOWN = frozenset({"increase", "greater"}), frozenset({"decrease", "lesser"})
_FAILS = frozenset({"fail", "breaking", "exception"})
_USES_OLD = re.compile(
    r"\b(?:still|old|former|previous|original|older|existing|rel(?:y|ies)|depends?|expects?|without|refers?|uses?|import\w*|pass(?:es)?|set|sets|calls?)\b"
    r"|仍|旧|原|依赖|继续|沿用|此前|引用|使用|传入|导入|调用|未",
    re.IGNORECASE,
)
_MENDED = re.compile(r"\b(?:no longer|not|never|avoids?|prevents?|instead of)\b|不再|避免|防止|不会", re.IGNORECASE)
_GONE = frozenset({"removed", "renamed", "required_added", "narrowed"})
_VERSION = re.compile(r"v?(\d{1,9}(?:\.\d{1,9}){0,4})")


def follows(word: Word, claim: Claim) -> bool:
    """Whether the change itself proves it, in no words of its own."""
    names = {concept.name for concept in word.concepts}
    if names & (_UP | _DOWN):
        up, down = _went(claim)
        return bool((up and names & _UP) or (down and names & _DOWN))
    if "fail" in names and claim.draft.role == "risk":
        return True  # what a risk is about
    if names & _FAILS and claim.draft.role in ("impact", "risk", "action"):
        text = " ".join(claim.shown.values())
        return bool(_USES_OLD.search(text)) and _takes_away(claim)
    return False


def mended(word: Word, claim: Claim) -> bool:
    """`No longer fails`, where the change's own message calls itself a fix."""
    if not {"fail", "wrong"} & {concept.name for concept in word.concepts} or claim.draft.role not in ("why", "impact"):
        return False
    if not _MENDED.search(" ".join(claim.shown.values())):
        return False
    told = [g for g in claim.grounds.pieces.values() if g.ref[:1] in "MP"]
    return carries(told, lexicon().named["fix"])


def _went(claim: Claim) -> tuple[bool, bool]:
    """Whether some number or version went up, and whether some went down: by a finding, or by a turn that is told."""
    up, down = turned_numbers(claim.grounds)
    for text in claim.shown.values():
        for before, after in turns(text):
            one, two = _value(before), _value(after)
            if one and two and one != two and turned(before, after, claim.grounds):
                up, down = up or two > one, down or two < one
    return up, down


def _value(text: str) -> tuple[int, ...]:
    found = _VERSION.fullmatch(text.replace(",", "").strip("=<>~ "))
    return tuple(map(int, found[1].split("."))) if found else ()


def _takes_away(claim: Claim) -> bool:
    """Something that others may use is gone or wants more: by a finding, by a name, or by the line that is quoted."""
    findings = claim.grounds.case.findings
    if any(f.breaking or _wants_more(kind_of(f.kind)) for f in findings):
        return True
    names = {name for sentence in claim.sentences.values() for name in sentence.spans}
    if any(became(name, claim.grounds) == "removed" for name in names):
        return True
    return on_removed_side(claim.draft.quote, claim.cited, claim.grounds)


def _wants_more(kind: Kind) -> bool:
    return kind.change in _GONE or kind.means("extension_method", "signature_changed")


def on_removed_side(quote: str, cited: tuple[Ground, ...], grounds: Grounds) -> bool:
    """The quote stands on lines that were taken out, and on none that came."""
    quoted = plain(quote).lstrip("+-").strip()
    diffs = [ground for ground in (*cited, *grounds.diffs) if ground.diff]
    gone, come = ({line for side in sides for line in _lines(side)} for sides in _sides(diffs))
    if quoted in gone and quoted not in come:
        return True
    return len(quoted) > 5 and any(quoted in line for line in gone) and not any(quoted in line for line in come)


def _sides(diffs: list[Ground]) -> tuple[list[str], list[str]]:
    return [ground.removed for ground in diffs], [ground.added for ground in diffs]


def _lines(side: str) -> Iterator[str]:
    return (plain(line).strip() for line in side.splitlines())
