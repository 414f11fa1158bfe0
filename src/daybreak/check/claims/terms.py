"""Check: every technical word stands in the evidence, in the findings or in the glossary."""

from __future__ import annotations

import re

from daybreak.check.claims.grounds import Ground, stands_term
from daybreak.check.claims.interface import Claim, Fault
from daybreak.check.claims.stems import parts, stem
from daybreak.check.words import plain
from daybreak.glossary import Term

_FREE = frozenset({"id", "ok", "vs", "etc", "bug", "bugs", "i", "a", "app", "demo"})
_SPLIT = re.compile(r"[-/+:=.]+")
_ABBREVIATIONS = re.compile(r"[A-Z][A-Z0-9]+(?:/[A-Z][A-Z0-9]+)+")


class WordsStand:
    """Words in backticks stand verbatim; other technical words in any case, or by their glossary spellings."""

    def fault(self, claim: Claim) -> Fault | None:
        grounds = tuple(claim.grounds.far(claim.cited))
        shown = [g for g in grounds if g.id]
        for language, sentence in claim.sentences.items():
            for span in sentence.spans:
                if not any(g.has_verbatim(plain(span)) for g in shown):
                    return Fault("word_not_in_evidence", span[:80])
            phrases = {word for phrase in claim.glossary.phrases(sentence.outside) for word in phrase.split()}
            for token in dict.fromkeys(sentence.tokens):
                if token in phrases:
                    continue  # a word of a term, which is looked at as a whole
                if not self._stands(token, grounds, claim, chinese=language == "zh"):
                    return Fault("word_not_in_evidence", token[:80])
            for phrase in dict.fromkeys(claim.glossary.phrases(sentence.outside)):
                terms = claim.glossary.of(phrase)
                if terms and not any(_licensed(term, grounds) for term in terms):
                    return Fault("word_not_in_evidence", phrase)
        return None

    def _stands(self, token: str, grounds: tuple[Ground, ...], claim: Claim, *, chinese: bool) -> bool:
        if token.lower() in _FREE or any(g.has(token) for g in grounds):
            return True
        named = claim.glossary.named(token)
        terms = (
            (named,)
            if named
            else claim.glossary.of(token) or (claim.glossary.of(token[:-1]) if token.endswith("s") else ())
        )
        if terms:
            return any(_licensed(term, grounds) for term in terms)
        if _as_word(token, grounds, claim, chinese=chinese) or _begins_name(token, grounds):
            return True
        if _ABBREVIATIONS.fullmatch(token):
            return all(self._stands(part, grounds, claim, chinese=chinese) for part in token.split("/"))
        pieces = [part for part in _SPLIT.split(token) if part]
        joined = len(pieces) > 1 and not token.startswith(("-", "/")) and "/" not in token and "." not in token
        return joined and all(self._stands(part, grounds, claim, chinese=chinese) for part in pieces)


def _as_word(token: str, grounds: tuple[Ground, ...], claim: Claim, *, chinese: bool) -> bool:
    """A plain word: some form of it stands there, or the English text has it too, and stands or falls with it."""
    if not token.isalpha() or (chinese and not token.islower()):
        return False
    if any(parts(token)[-1] in ground.stems for ground in grounds):
        return True
    return chinese and stem(token) in {word.stem for word in claim.sentences["en"].words}


def _begins_name(token: str, grounds: tuple[Ground, ...]) -> bool:
    """`CMake` stands in `CMakeLists.txt`."""
    if len(token) < 4 or not token.isalnum() or not token[:1].isupper():
        return False
    begins = re.compile(rf"(?<![A-Za-z0-9_]){re.escape(token)}(?=[A-Z_])")
    return any(token in ground.plain and begins.search(ground.plain) for ground in grounds)


def _licensed(term: Term, grounds: tuple[Ground, ...]) -> bool:
    return term.common or stands_term(grounds, term)
