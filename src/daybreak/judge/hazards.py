"""Hazards: the words in which fixes say what they repair, and what such a fault does to a deployment."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Does = Literal["corrupts", "stops", "regression"]
"""Results are wrong and nobody is told; the service ends, hangs or does not start; it was better before."""


class Hazard(NamedTuple):
    """A fault that a text names."""

    does: Does
    name: str
    word: str
    """What says it."""


_WORDS: tuple[tuple[Does, str, str], ...] = (
    (
        "corrupts",
        "wrong_result",
        (
            r"(?:wrong|incorrect|inaccurate)(?:ly)?(?: \w{1,20}){0,3} (?:results?|outputs?|answers?|values?|logits|logprobs?"
            r"|tokens?|scores?|scales?|weights?|rows?|blocks?|slots?|ind(?:ex|ices)|offsets?|states?|requests?"
            r"|masks?|positions?|lengths?|strides?|layouts?|experts?|heads?|pages?)"
            r"|silent(?:ly)? (?:wrong|incorrect)|silently \w{1,12}(?:ed|s)"
            r"|(?:buffer|memory|tensor|payload)s? reuse|reus(?:e|es|ing) (?:\w{1,20} ){0,4}(?:buffer|memory|tensor)s? (?:while|before)"
            r"|precision (?:\w{1,20} )?(?:issue|bug|problem|drop|loss|regression)s?"
            r"|(?<!/)(?:accuracy|correctness)(?! (?:\w{1,20} )?(?:tests?|checks?|evals?|evaluations?|benchmarks?|suites?|metrics?|CI)\b)"
            r"|corrupt\w{0,5}|garbage(?! collect)|garbled|gibberish|NaNs?|data loss|contaminat\w{1,4}"
            r"|stale[ -](?:[\w-]{1,20} ){0,2}(?:blocks?|state|data|rows?|cache|values?|ids?|pointers?|KV|buffers?|index|indices"
            r"|results?|tokens?|weights?|slots?|pages?|metadata|entry|entries)"
            r"|(?:drop|los|overwrit)\w{1,4} (?:\w{1,20} ){0,2}(?:tokens?|requests?|messages?|data|outputs?|chunks?|deltas?"
            r"|blocks?|updates?|results?|states?)|double[- ](?:add|appl|count|encod|escap|process|reduc|releas|scal)\w{0,5}"
        ),
    ),
    (
        "stops",
        "hang",
        r"hang(?:s|ing)?|hung|dead-?lock\w{0,3}|livelock\w{0,2}|race conditions?|stuck|infinite(?:ly)? loop\w{0,3}",
    ),
    ("stops", "leak", r"leak(?:s|ed|ing)?|orphan(?:s|ed)?"),
    (
        "stops",
        "crash",
        (
            r"crash\w{0,3}|segfault\w{0,2}|illegal (?:memory|instruction|address)|ILLEGAL_ADDRESS|past the end|OOM|OOB|IMA"
            r"|out[- ]of[- ](?:memory|bounds?)|(?:over|under)flow(?:s|ed|ing)?|device[- ]side assert|double[- ]free\w{0,3}"
            r"|assertion (?:fail\w{0,4}|error)"
        ),
    ),
    ("regression", "regression", r"regress(?:ion|ed)"),
)
"""What a fix may say that it repairs, in words that mean nothing else; a title that says two is told by the first kind."""
_PATTERNS = tuple((does, name, re.compile(rf"(?<![A-Za-z])(?:{said})\b", re.IGNORECASE)) for does, name, said in _WORDS)
_VAGUE = re.compile(
    r"\bleak\w{0,3}\b"
    r"|\b(?:accuracy|correctness)\b(?! (?:\w{1,20} )?(?:issue|bug|problem|drop|loss|regression)s?\b)",
    re.IGNORECASE,
)
"""What is a fault in the title of a fix; in a comment it may be a check that works."""


def hazard(text: str, *, titled: bool = True) -> Hazard | None:
    """The fault that a text names first; `titled`: it is the title of a fix, where a leak is no check that works."""
    text = text if titled else _VAGUE.sub(" ", text)
    found = [
        (match.start(), Hazard(does, name, match[0]))
        for does, name, pattern in _PATTERNS
        if (match := pattern.search(text))
    ]
    return min(found, key=lambda one: (one[1].does == "regression", one[0]))[1] if found else None
