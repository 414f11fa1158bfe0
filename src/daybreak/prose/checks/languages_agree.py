"""Check: both languages name the same technical words and numbers, and do not say opposite things."""

from __future__ import annotations

import re
from collections.abc import Iterable

from daybreak.prose.checks import amounts, tokens
from daybreak.prose.checks.interface import Claim, Fault
from daybreak.prose.checks.numbers import counted
from daybreak.prose.checks.sentences import Sentence, lexicon, stem
from daybreak.prose.glossary import folded

_FREE = frozenset({"id", "ok", "vs", "etc"})
_DENIES = re.compile(r"\b(?:not|no|never|without|unless|until|cannot|neither)\b|n't\b|[不未没无非]", re.IGNORECASE)
_UP, _DOWN = frozenset({"increase", "greater"}), frozenset({"decrease", "lesser"})
_SEVERAL = re.compile(r"\b(?:while|but|and|whereas|although)\b|[，；、]|而|但|并|且", re.IGNORECASE)
"""More than one thing is told."""
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")


class EditionsAgree:
    """The reader of one language learns what the reader of the other does."""

    def fault(self, claim: Claim) -> Fault | None:
        zh, en = claim.sentences["zh"], claim.sentences["en"]
        texts = claim.draft.text
        if set(_PLACEHOLDER.findall(texts["zh"])) != set(_PLACEHOLDER.findall(texts["en"])):
            return Fault("languages_differ", "placeholders")
        if set(zh.spans) != set(en.spans):
            return Fault("languages_differ", next(iter(set(zh.spans) ^ set(en.spans)))[:80])
        left = _unmatched(claim, zh, en) | _unmatched(claim, en, zh)
        if left := left - _in_spans(zh, en) - _in_words(zh, en):
            return Fault("languages_differ", min(left))
        units = _units(zh, en) ^ _units(en, zh)
        if any(tokens.hard_unit(unit) for _, unit in units):
            return Fault("languages_differ", min(units)[0])
        return self._words(claim, zh, en) or _contrary(zh, en)

    def _words(self, claim: Claim, zh: Sentence, en: Sentence) -> Fault | None:
        """Each names what the other does not: one may leave a name out, but not put another in its place."""
        alone = [self._alone(claim, one, other) for one, other in ((zh, en), (en, zh))]
        return Fault("languages_differ", " / ".join(names[0] for names in alone)[:80]) if all(alone) else None

    def _alone(self, claim: Claim, one: Sentence, other: Sentence) -> list[str]:
        """Technical words of one text that the other has in no spelling."""
        return [
            token
            for token in dict.fromkeys(one.tokens)
            if tokens.technical(token)
            and token.lower().removesuffix("s") not in _FREE
            and not any(t.common for t in claim.glossary.of(token))
            and not _named(token, other, claim)
        ]


def _units(one: Sentence, other: Sentence) -> set[tuple[str, str]]:
    """Numbers with their units; `twice` says 两倍 in a word that has no unit."""
    words = set(tokens.ordinals(" ".join(re.findall(r"[A-Za-z]+", other.outside))))
    return {(n.value, n.unit) for n in one.numbers if n.unit and not (n.unit == "x" and n.value in words)}


def _unmatched(claim: Claim, one: Sentence, other: Sentence) -> set[str]:
    """Numbers of one text that the other has in no writing."""
    theirs = {writing.value for number in other.numbers for writing in amounts.same(number)}
    mine = (n for n in one.numbers if not _idle(n, claim))
    return {n.value for n in mine if theirs.isdisjoint(w.value for w in amounts.same(n))}


def _idle(number: tokens.Number, claim: Claim) -> bool:
    """A count in words, which one language may leave to its list: `FP8、FP4 和 BF16 三条路径`."""
    return not number.written[:1].isdigit() and counted(number, claim)


def _in_words(*sentences: Sentence) -> set[str]:
    """Numbers that one text writes as a word or ordinal, which its other side may have in digits."""
    return {number for s in sentences for number in tokens.ordinals(s.outside)}


def _in_spans(*sentences: Sentence) -> set[str]:
    return {n for s in sentences for span in s.spans for n in tokens.loose_numbers(span)}


def _named(token: str, other: Sentence, claim: Claim) -> bool:
    """The other text has the word, in its own or in a glossary spelling."""
    text, low = folded(other.text), folded(token)
    if low in text or low.rstrip("s") in text or stem(token) in {stem(w) for w in re.findall(r"[A-Za-z]+", other.text)}:
        return True
    terms = (*claim.glossary.of(token), *claim.glossary.of(token.removesuffix("s")))
    return any(_spelled(term.spellings, text) for term in terms) or any(
        _named(part, other, claim) for part in _parts(token) if part != token
    )


def _spelled(spellings: Iterable[str], text: str) -> bool:
    return any(folded(spelling) in text for spelling in spellings)


def _parts(token: str) -> list[str]:
    parts = [part for part in re.split(r"[-/]", token) if part]
    return parts if len(parts) > 1 else []


def _contrary(zh: Sentence, en: Sentence) -> Fault | None:
    """One says up where the other says down."""
    if _DENIES.search(zh.outside) or _DENIES.search(en.outside):
        return None  # `not enabled` is what the other language may call disabled
    said = [{c.name for word in sentence.words for c in word.concepts} for sentence in (zh, en)]
    several = _SEVERAL.search(zh.outside) or _SEVERAL.search(en.outside)
    for one, two in lexicon().opposite.items():
        if one in lexicon().loose or (one in _UP | _DOWN and several):
            continue  # `falls while that takes longer`: which word is whose, only a reader sees
        if one in said[0] and two not in said[0] and two in said[1] and one not in said[1]:
            return Fault("languages_differ", f"{one}/{two}")
    ways = [(bool(names & _UP), bool(names & _DOWN)) for names in said]
    if not several and ways in ([(True, False), (False, True)], [(False, True), (True, False)]):
        return Fault("languages_differ", "up/down")
    return None
