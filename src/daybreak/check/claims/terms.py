"""Check: every technical word stands in the evidence, in the findings or in the glossary."""

from __future__ import annotations

import re

from daybreak.check.claims.grounds import Ground, stands_term
from daybreak.check.claims.interface import Claim, Fault
from daybreak.check.claims.stems import parts
from daybreak.check.words import plain
from daybreak.glossary import Term

_FREE = frozenset({"id", "ok", "vs", "etc", "bug", "bugs", "i", "a", "app", "demo"})
_SPLIT = re.compile(r"[-/+:=.]+")


class WordsStand:
    """Words in backticks stand verbatim; other technical words in any case, or by their glossary spellings."""

    def fault(self, claim: Claim) -> Fault | None:
        grounds = tuple(claim.grounds.far(claim.cited))
        shown = [g for g in grounds if g.id]
        for language, sentence in claim.sentences.items():
            for span in sentence.spans:
                if not any(g.has_verbatim(plain(span)) for g in shown):
                    return Fault("word_not_in_evidence", span[:80])
            for token in dict.fromkeys(sentence.tokens):
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
        if token.isalpha() and (token.islower() or not chinese):
            wanted = parts(token)[-1]
            if any(wanted in g.stems for g in grounds):
                return True
        pieces = [part for part in _SPLIT.split(token) if part]
        if len(pieces) > 1 and not token.startswith(("-", "/")) and "/" not in token and "." not in token:
            return all(self._stands(part, grounds, claim, chinese=chinese) for part in pieces)
        return False


def _licensed(term: Term, grounds: tuple[Ground, ...]) -> bool:
    return term.common or stands_term(grounds, term)
