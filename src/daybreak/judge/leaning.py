"""Leaning: sentences that say nothing without the one before them or the code beside them, and what is left of those that only go on."""

from __future__ import annotations

import re

from daybreak.judge.quote_clauses import FEWEST_LETTERS, is_closed
from daybreak.judge.telling_words import words

_NO_SUBJECT = re.compile(
    r"\W*(?:(?:It|They)\b|otherwise\b|Otherwise,|(?:This|That)\s+\w+(?<!s)s\b"
    r"|(?:This|That|These|Those)\s+(?:may|might|can|could|will|would|should|must|are|were|have|had|do|did|also|only|then|now|not)\b"
    r"|(?i:(?:do not |don't |never |always )?(?!(?:with|without|before|after|for|by|in|on|at|to|from|like|than|of|as|if|when|is|are)\b)[a-z]{2,12} (?:it|them|this|these|those)"
    r"(?= (?:in|on|at|to|from|before|after|here|so|when|if|only|as|with|for|by|until|while)\b|\s?[.,;)]|$)))"
)
"""It begins with a pronoun that stands for something said before, or with a command about one (`Do this before …`); `This class`
and `These pages` say what they mean.
"""
_POINTS_BACK = re.compile(
    r"^\W*(?:to|by|for|with|without|after|before) (?:\w+ )?(?:it|them|these|those)\s?,|"
    r"(?<!like)(?<!than)(?<!without) this(?=\s?(?:[.,;()]|$))|^(?:(?!\b(?:if|when|case)\b).)*\bin (?:that|this|such a) case\b"
    r"|\b[a-z]{3,20} (?:these|those)(?=\s(?:[a-z]{2,20}ly|on|in|at|by|for|with|when|if)\b|\s?[.,;)]|$)",
    re.IGNORECASE,
)
"""`that would violate this`, `in that case`, `to match them, …`, `handles these wrongly`: what is meant was told before."""
_AT_WHAT = re.compile(
    r"\b(?:in|during|within|at|on|for|under) (?:that|such an?) (?!case\b|(?:the|they|there|this|these|each|its|our|you|all|any)\b)(?P<what>[a-z]{3,30})\b",
    re.IGNORECASE,
)
_CONNECTS = re.compile(
    r"(?:as a result|as a consequence|consequently|therefore|thus|hence|meanwhile|however|in addition|additionally|moreover"
    r"|furthermore|also|similarly|but|and|so|then)(?:,\s+|\s+(?=[a-z`]))",
    re.IGNORECASE,
)
"""By what a sentence goes on from the one before it: without that word it stands alone."""


def hangs(sentence: str) -> bool:
    """It begins with a pronoun that stands for something said before, or ends a clause with one."""
    own = _CONNECTS.sub("", sentence, count=1) if _CONNECTS.match(sentence) else sentence
    return _NO_SUBJECT.match(own) is not None or _POINTS_BACK.search(own) is not None or _is_named_before(own)


def _is_named_before(sentence: str) -> bool:
    """It tells when or where by something that only the sentence before it names: `in that window`, `at that boundary`."""
    found = _AT_WHAT.search(sentence)
    return found is not None and found["what"].lower() not in sentence[: found.start()].lower()


def opened(text: str) -> str:
    """Without the word by which it goes on from what is not told."""
    found = _CONNECTS.match(text)
    return f"… {text[found.end() :]}" if found else text


def begins_with_pronoun(sentence: str) -> bool:
    """It begins with a pronoun that stands for something said before."""
    return _NO_SUBJECT.match(sentence) is not None


def outcome(sentence: str) -> str:
    """What a sentence ends in: what would happen, or what for it must not; nothing where it says no such thing."""
    found = _OUTCOME.search(sentence)
    text = sentence[found.start() :] if found else ""
    return f"… {text}" if len(text) >= FEWEST_LETTERS and is_closed(text) else ""


_OUTCOME = re.compile(
    r"(?<=\s)(?:so that (?=.{1,80}\b(?:not|never|no longer)\b|.{1,80}n't\b)|otherwise,? |or else )"
    r"|(?<=, )so (?=[^,;]{1,120}\b(?:could|would|might|may)\b)",
    re.IGNORECASE,
)


def unplaced(sentence: str, known: frozenset[str]) -> int:
    """How many things it names that nobody can place who has not read the code beside it: more than one name of the sources without a
    word that is known, what is pointed at, letters for values.
    """
    names = {name for name in _OF_SOURCES.findall(sentence) if words(name).isdisjoint(known)}
    return max(0, len(names) - 1) + len(_POINTED.findall(sentence)) + len(set(_LETTER.findall(sentence)))


_OF_SOURCES = re.compile(
    r"(?<![\w./-])_{0,2}[a-z][a-z0-9]*(?:_+[A-Za-z0-9]+)+\b|(?<![\w./-])[A-Za-z_]\w+\(\)|(?<![\w./-])[a-z_]\w*\.[a-z_]\w+\b(?!\.?/)"
)
_POINTED = re.compile(
    r"\b(?:here|above|below|there,|the (?:following|latter|former)"
    r"|(?:this|these) (?:set|block|function|branch|path|case|list|line|check|loop|file|class|method|helper|call|flag|value|variable"
    r"|dict|tensor|buffer|code|guard|field|attribute|property|step|placeholder|wrapper|entry)s?)\b",
    re.IGNORECASE,
)
_LETTER = re.compile(r"(?<![\w'`./(=-])(?:[b-zB-HJ-Z]|[a-z]\d)(?![\w'.`-])")
