"""Check: plain words rest on the evidence too: a cause or effect in words that no evidence has is invented."""

from __future__ import annotations

from collections.abc import Iterable

from daybreak.check.claims.grounds import Ground, carries, turned_numbers
from daybreak.check.claims.interface import Claim, Fault
from daybreak.check.claims.lexicon import lexicon
from daybreak.check.claims.sentences import Sentence, Word

MOST_LOOSE = {"what": 0.5, "action": 0.6, "why": 0.4, "impact": 0.4, "risk": 0.45}
"""Share of the plain words that may be without support; measured on the first half of the corpus."""
MOST_UNREAD = 0.6
"""Share of Chinese characters that may be in no known word."""
LEAST_UNREAD = 8
MOST_NAMES = 3
"""Technical words, which stand by another check, count as words that rest; more than these say no more."""


class PlainWords:
    """Hard words (causes, effects, measures) need evidence one by one, the others in their majority.

    The majority is counted in English: the Chinese text is bound to it by its hard words, names and numbers.
    """

    def fault(self, claim: Claim) -> Fault | None:
        quoted = Ground("Q", "", claim.draft.quote)
        near = (*claim.grounds.near(claim.cited), quoted)
        far = (*claim.grounds.far(claim.cited), quoted)
        free = _free(claim)
        for language, sentence in claim.sentences.items():
            loose: list[str] = []
            every = min(len(sentence.spans) + len(sentence.tokens), MOST_NAMES)
            for word in dict.fromkeys(sentence.words):
                if word.weight == "plain" or word.written in free:
                    continue
                every += 1
                if word.weight == "hard":
                    if not (_rests(word, near) or _counted(word, claim)):
                        return Fault(_opposed(word, near), word.written)
                elif language == "en" and not (_rests(word, far) or _signed(word, claim)):
                    loose.append(word.written)
            if language == "en" and every == len(loose) and not _named(claim):
                return Fault("not_grounded", ", ".join(loose[:6]))
            if fault := _too_loose(claim, sentence, loose, every):
                return fault
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


def _rests(word: Word, grounds: Iterable[Ground]) -> bool:
    for ground in grounds:
        if word.stem and word.stem in ground.changed_stems:
            return True
        if any(carries((ground,), concept) for concept in word.concepts):
            return True
    return False


def _counted(word: Word, claim: Claim) -> bool:
    """More or less is borne out by a number that went up or down."""
    up, down = turned_numbers(claim.grounds)
    names = {concept.name for concept in word.concepts}
    if "fail" in names and claim.draft.role == "risk":
        return True  # what a risk is about
    return (up and "increase" in names) or (down and "decrease" in names)


def _signed(word: Word, claim: Claim) -> bool:
    """Added and removed lines bear out that something was added or removed."""
    names = {concept.name for concept in word.concepts}
    return any(("add" in names and g.added) or ("remove" in names and g.removed) for g in claim.cited)


def _opposed(word: Word, near: Iterable[Ground]) -> str:
    """`opposite` when the evidence has the contrary, else that it has no such thing."""
    table = lexicon()
    contrary = [table.named[table.opposite[c.name]] for c in word.concepts if c.name in table.opposite]
    return "opposite" if any(carries(near, concept) for concept in contrary) else "effect_not_in_evidence"
