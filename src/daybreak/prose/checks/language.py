"""Check: each text is in the language that was asked for."""

from __future__ import annotations

import re

from daybreak.core.plain_words import outside
from daybreak.prose.checks.interface import LANGUAGES, Claim, Fault
from daybreak.prose.checks.sentences import CHINESE

_OTHER = re.compile(
    r"[\u0370-\u1fff\u2c00-\u2dff\u3040-\u30ff\u3130-\u318f\ua000-\ud7ff\uf900-\ufaff\uff21-\uff3a\uff41-\uff5a\uff65-\uffdc]"
)
_ACCENT = re.compile(r"[À-ÖØ-öø-ɏ]")
_WORD = re.compile(r"[A-Za-z]+")
_ENGLISH = frozenset(
    """the a an to of in on for by with from is are was be been not no now it its this that these when if as at and or so
    because which than then only also into can no will cannot instead longer after before while does do without per
    through via where must may uses use adds removes fixes has have""".split()  # noqa: SIM905
)
_CITED = re.compile(r"\"[^\"]{1,160}\"|“[^”]{1,160}”|‘[^’]{1,160}’")
"""Words of the evidence between quotation marks keep their language."""


class LanguageAsked:
    """Chinese in Chinese, English in English; code and names are free of it."""

    def fault(self, claim: Claim) -> Fault | None:
        for language in LANGUAGES:
            prose = _CITED.sub(" ", outside(claim.bare[language]))
            if _OTHER.search(prose) or _ACCENT.search(prose):
                return Fault("wrong_language", language)
            chinese, words = len(CHINESE.findall(prose)), _WORD.findall(prose)
            if language == "zh" and (chinese < 2 or chinese < 0.4 * len(words) or _clause(words, prose)):
                return Fault("wrong_language", language)
            if language == "en" and (chinese or not words or not _english(words)):
                return Fault("wrong_language", language)
        return None


def _english(words: list[str]) -> bool:
    known = sum(word.lower() in _ENGLISH for word in words)
    return known * 12 >= len(words) - 8


def _clause(words: list[str], prose: str) -> bool:
    """An English clause inside a Chinese text: small words of English, which no term has."""
    little = sum(
        word.lower() in {"the", "is", "are", "was", "of", "to", "that", "because", "which", "with", "when"}
        for word in words
    )
    return little >= 2 and len(prose) > 0
