"""Check: plain words rest on the evidence too: a cause or effect in words that no evidence has is invented."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from daybreak.check.claims.consequences import follows, mended
from daybreak.check.claims.grounds import Ground, carries
from daybreak.check.claims.interface import Claim, Fault
from daybreak.check.claims.lexicon import lexicon
from daybreak.check.claims.sentences import Sentence, Word
from daybreak.check.claims.stems import stem

MOST_LOOSE = {"what": 0.5, "action": 0.6, "why": 0.5, "impact": 0.5, "risk": 0.5}
"""Share of the plain words that may be without support; measured on the first half of the corpus."""
MOST_UNREAD = 0.6
"""Share of Chinese characters that may be in no known word."""
LEAST_UNREAD = 8
_FAULTS = frozenset({"wrong", "wrongly", "exception", "fail", "missing", "stale", "breaking"})
HEAVY = 2
"""A hard word without support counts as so many others."""
_BOTH_SIDES = frozenset({"differ", "replace", "upgrade", "old"})
MOST_NAMES = 3
"""Technical words, which stand by another check, count as words that rest; more than these say no more."""


class _Read(NamedTuple):
    """What a statement's words are held against."""

    claim: Claim
    near: tuple[Ground, ...]
    far: tuple[Ground, ...]
    meant: frozenset[str]
    """Names of all that the English text means."""


class PlainWords:
    """Symptoms and measures need evidence one by one, the other words in their majority.

    The majority is counted in English: the Chinese text is bound to it by its hard words, names and numbers.
    """

    def fault(self, claim: Claim) -> Fault | None:
        quoted = Ground("Q", "", claim.draft.quote)
        meant = frozenset(c.name for word in claim.sentences["en"].words for c in word.concepts)
        near, far = claim.grounds.near(claim.cited), claim.grounds.far(claim.cited)
        read = _Read(claim, (*near, quoted), (*far, quoted), meant)
        for sentence in claim.sentences.values():
            if fault := self._of(sentence, read):
                return fault
        return None

    def _of(self, sentence: Sentence, read: _Read) -> Fault | None:
        english, free = sentence.language == "en", _free(read.claim)
        loose: list[str] = []
        every = min(len(sentence.spans) + len(sentence.tokens), MOST_NAMES)
        for word in dict.fromkeys(sentence.words):
            if word.weight == "plain" or word.written in free:
                every += word.weight != "plain" and english and _rests(word, read.far, around=True)
                continue
            every += 1
            if word.weight == "hard":
                if fault := _hard(word, read, english=english):
                    return fault
                if english and not _borne(word, read) and not _rests(word, read.far):
                    if _nameless_fault(word, sentence, read.claim):
                        return Fault("effect_not_in_evidence", word.written)
                    loose += [word.written] * HEAVY
                    every += HEAVY - 1
            elif english and not (_rests(word, read.far, around=True) or _signed(word, read.claim)):
                loose.append(word.written)
        if english and every == len(loose) and not _named(read.claim):
            return Fault("not_grounded", ", ".join(loose[:6]))
        return _too_loose(read.claim, sentence, loose, every)


def _borne(word: Word, read: _Read) -> bool:
    return _rests(word, read.near) or follows(word, read.claim) or mended(word, read.claim)


def _translates(word: Word, claim: Claim) -> bool:
    """A Chinese word with several meanings stands for an English one that is judged there."""
    said = claim.sentences["en"]
    known = {stem(one) for one in re.findall(r"[A-Za-z]+", said.text)}
    return not lexicon().also.get(word.written, frozenset()).isdisjoint(known)


def _nameless_fault(word: Word, sentence: Sentence, claim: Claim) -> bool:
    """Something was wrong or missing, says a statement that names nothing it could be held against."""
    named = sentence.spans or sentence.tokens or _named(claim)
    return not named and any(concept.name in _FAULTS for concept in word.concepts)


def _hard(word: Word, read: _Read, *, english: bool) -> Fault | None:
    """What is wrong with a hard word: a symptom or measure that nothing carries, or the opposite of what is carried."""
    if _borne(word, read) or (not english and _translates(word, read.claim)):
        return None
    reason = _opposed(word, read)
    if not all(concept.loose for concept in word.concepts):
        return Fault(reason, word.written)
    if reason == "opposite" and (english or not any(concept.name in read.meant for concept in word.concepts)):
        return Fault(reason, word.written)
    return None


def _free(claim: Claim) -> set[str]:
    """Words of glossary terms, whose standing another check looks at."""
    text = claim.sentences["en"].outside
    chinese = "".join(claim.glossary.phrases(claim.sentences["zh"].outside))
    out = {w.written for w in claim.sentences["zh"].words if w.written in chinese}
    out |= {word for phrase in claim.glossary.phrases(text) for word in phrase.split()}
    for word in claim.sentences["en"].words:
        if any(term.common for term in claim.glossary.of(word.written)):
            out.add(word.written)
    return out


def _named(claim: Claim) -> bool:
    """It names a file, an item, a number or a term: something that code put in or that another check found."""
    sentence = claim.sentences["en"]
    terms = (claim.glossary.of(phrase) for phrase in claim.glossary.phrases(sentence.outside))
    return (
        claim.shown["en"] != claim.bare["en"] or bool(sentence.numbers) or any(not t.common for ts in terms for t in ts)
    )


def _too_loose(claim: Claim, sentence: Sentence, loose: list[str], every: int) -> Fault | None:
    if sentence.language == "en" and every and len(loose) > 1 and len(loose) / every > MOST_LOOSE[claim.draft.role]:
        return Fault("not_grounded", ", ".join(loose[:6]))
    if (
        sentence.language == "zh"
        and sentence.unread > MOST_UNREAD
        and sentence.unread * len(sentence.outside) > LEAST_UNREAD
    ):
        return Fault("not_grounded", "zh")
    return None


def _rests(word: Word, grounds: Iterable[Ground], *, around: bool = False) -> bool:
    """Whether the evidence has the word or its meaning; `around`: the lines beside the changed ones do for it."""
    for ground in grounds:
        known = ground.stems if around else ground.changed_stems
        if word.stem in known and word.stem and not any(concept.spoken for concept in word.concepts):
            return True
        if any(carries((ground,), concept) for concept in word.concepts):
            return True
    return False


def _signed(word: Word, claim: Claim) -> bool:
    """Added and removed lines bear out that something was added or removed, and both that something differs now."""
    names = {concept.name for concept in word.concepts}
    if names & _BOTH_SIDES and any(g.added and g.removed for g in claim.cited):
        return True
    return any(("add" in names and g.added) or ("remove" in names and g.removed) for g in claim.cited)


def _opposed(word: Word, read: _Read) -> str:
    """`opposite` when the evidence's words have the contrary and the statement has not, else that there is no such thing."""
    table = lexicon()
    contrary = [table.named[table.opposite[c.name]] for c in word.concepts if c.name in table.opposite]
    told = [c for c in contrary if read.meant.isdisjoint((c.name, *(kin.name for kin in c.kin)))]
    return "opposite" if any(carries(read.near, concept) for concept in told) else "effect_not_in_evidence"
