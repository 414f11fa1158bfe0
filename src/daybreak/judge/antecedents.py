"""Antecedents: whether a sentence speaks of something that only the sentence before it names.

Such a sentence is shown behind that one or not at all: alone in a row, or after what it points to was dropped, it says
nothing, or something of the wrong thing.
"""

from __future__ import annotations

import re

from daybreak.core.model.statements import Text

_ENGLISH = re.compile(
    r"\W*(?!on the branch\b)(?:(?:now|then|so|thus|also|otherwise|before|before that|if|when|where|while|with|without|for|in|on|of|by|only|after|unless"
    r"|once|since|as|even|all|but|and|to|from|until|under|instead of)\b,?\s+){0,2}"
    r"(?:(?:it|its|they|them|their|this(?! (?:part|change|commit)\b)|these|such|neither|others?)\b|(?:those|that)\b(?!\s(?:who|whose|that|which|with|of|in|on))"
    r"|(?:the\s)?(?:latter|former)\b|both (?:of them|cases|are|were|now)\b|the (?:same|two|others?|rest|above)\b"
    r"|the (?:\w+ )?(?:option|flag|setting|variable|parameter|argument|field|value|check|guard|path|case|call|condition|branch|result"
    r"|property|warning)s?\b(?!`|-|\s(?:`|of\b|for\b|in\b|that\b|which\b|to\b|with\b|when\b|from\b|at\b|by\b|on\b|whose\b|named\b|between\b)))",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"\W*(?:(?:现在|此外|另外|如果|若|当|在|对于?|只有|但|而|因此|所以|随后|以前|目前|同时|并且|且|即使|因为|由于|否则|也)[，,\s]{0,2}){0,2}"
    r"(?:它们?|其(?!他|它|余)|该|此(?!外|前|次|处)|这(?!次|个提交|一部分)|那|上述|以上|[前后](?:者|一种)|[两二]者|同样)"
)
"""How a sentence begins that points back: with a pronoun, or with a word for a thing and no name of it. The branch is the project's own:
who writes is told to say what holds there alone.
"""


_AS_WELL = re.compile(r"(?:\bas well|\btoo)\s*[.;]", re.IGNORECASE)
"""How a clause ends that adds itself to what another sentence named."""


def leans(text: Text) -> bool:
    """In one language or the other: both say the same."""
    added = any(_AS_WELL.search(said) for said in text.values())
    return added or any(_pattern(language).match(said) is not None for language, said in text.items())


def _pattern(language: str) -> re.Pattern[str]:
    return _CHINESE if language == "zh" else _ENGLISH
