"""Check: both languages name the same technical words and numbers, and do not say opposite things."""

from __future__ import annotations

import re
from collections.abc import Iterable

from daybreak.check.claims import tokens
from daybreak.check.claims.interface import Claim, Fault
from daybreak.check.claims.lexicon import lexicon
from daybreak.check.claims.sentences import Sentence
from daybreak.check.claims.stems import stem
from daybreak.glossary import folded

_FREE = frozenset({"id", "ok", "vs", "etc"})
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
        numbers = {n.value for n in zh.numbers} ^ {n.value for n in en.numbers}
        if numbers - _in_spans(zh, en):
            return Fault("languages_differ", min(numbers))
        units = {(n.value, n.unit) for n in zh.numbers if n.unit} ^ {(n.value, n.unit) for n in en.numbers if n.unit}
        if any(tokens.hard_unit(unit) for _, unit in units):
            return Fault("languages_differ", min(units)[0])
        return self._words(claim, zh, en) or _contrary(zh, en)

    def _words(self, claim: Claim, zh: Sentence, en: Sentence) -> Fault | None:
        for one, other in ((zh, en), (en, zh)):
            for token in dict.fromkeys(one.tokens):
                if one is zh and not tokens.technical(token):
                    continue  # a plain English word in Chinese prose: its Chinese word may stand on the other side
                if token.lower().removesuffix("s") in _FREE or any(t.common for t in claim.glossary.of(token)):
                    continue
                if not _named(token, other, claim):
                    return Fault("languages_differ", token[:80])
        return None


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
    said = [{c.name for word in sentence.words for c in word.concepts} for sentence in (zh, en)]
    for one, two in lexicon().opposite.items():
        if one in lexicon().loose:
            continue
        if one in said[0] and two not in said[0] and two in said[1] and one not in said[1]:
            return Fault("languages_differ", f"{one}/{two}")
    return None
