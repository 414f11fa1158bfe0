"""Hazards: the words in which fixes say what they repair, and what such a fault does to a deployment."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

Does = Literal["corrupts", "stops", "regression"]
"""Results are wrong and nobody is told; the service ends, hangs or does not start; it was better before."""


class Hazard(NamedTuple):
    """A fault that a text names."""

    does: Does
    name: str
    word: str
    """What says it."""
    cause: bool = False
    """It says what went wrong inside, and not what anybody met."""

    @property
    def at_once(self) -> bool:
        """Whoever runs into it knows at the first try; what hangs, runs out of memory or reads past an end comes with load."""
        return _AT_ONCE.match(self.word) is not None


_AT_ONCE = re.compile(r"crash|assertion", re.IGNORECASE)
_ILLEGAL = r"illegal (?:memory|instruction|address)|ILLEGAL_ADDRESS|cudaErrorIllegal(?:Address|Instruction)|IMA|device[- ]side assert"
_HANGS = r"hang(?:s|ing)?|hung|dead-?lock\w{0,3}|livelock\w{0,2}|stuck|infinite(?:ly)? loop\w{0,3}|block(?:s|ed)? (?:\w{1,20} ){0,4}(?:forever|indefinitely)"
_ENDS = r"crash\w{0,3}|segfault\w{0,2}|OOM|out[- ]of[- ]memory|double[- ]free\w{0,3}|assertion ?(?:fail\w{0,4}|error)"
_FAILS = r"fail(?:ures?|s|ed|ing)? to (?:allocate|start|launch|boot|initiali[sz]e)"
_WORDS: tuple[tuple[Does, str, str], ...] = (
    ("stops", "crash", rf"{_ILLEGAL}|out[- ]of[- ]range"),
    ("corrupts", "bounds", r"past the end|OOB|out[- ]of[- ]bounds?|under[- ]?allocat\w{1,5}"),
    (
        "corrupts",
        "wrong_result",
        (
            r"(?:wrong|incorrect|inaccurate)(?:ly)?(?: \w{1,20}){0,3} (?:results?|outputs?|answers?|values?|logits|logprobs?"
            r"|tokens?|scores?|scales?|weights?)(?! (?:types?|names?|annotations?|hints?)\b)"
            r"|silent(?:ly)? (?:wrong|incorrect)"
            r"|(?:precision|numeric(?:al|s)?) (?:\w{1,20} )?(?:issue|bug|problem|drop|loss|regression)s?"
            r"|(?<!/)(?:accuracy|correctness)(?! (?:\w{1,20} )?(?:tests?|checks?|evals?|evaluations?|benchmarks?|suites?|metrics?|CI)\b)"
            r"|(?:weights?|TP|SP|tensor[- ]parallel|sequence[- ]parallel) sharding|mis-?shard\w{0,5}"
            r"|only (?:[\w-]{1,20} ){1,6}(?:last|first)(?: [\w-]{1,20}){0,5} (?:is|are|was|were) (?:collected|used|kept|taken|read|applied)"
            r"|corrupt\w{0,5}|mis-?compil\w{1,5}|garbage(?! collect)|garbl(?:ed|ing)|gibberish|NaNs?|data loss|contaminat\w{1,4}"
        ),
    ),
    (
        "corrupts",
        "wrong_state",
        (
            r"(?:wrong|incorrect|inaccurate)(?:ly)?(?: \w{1,20}){0,3} (?:rows?|blocks?|slots?|ind(?:ex|ices)|offsets?|states?|requests?"
            r"|masks?|positions?|lengths?|strides?|layouts?|experts?|heads?|pages?)"
            r"|(?:buffer|memory|tensor|payload)s? reuse|reus(?:e|es|ing) (?:\w{1,20} ){0,4}(?:buffer|memory|tensor)s? (?:while|before)"
            r"|stale[ -](?:[\w-]{1,20} ){0,2}(?:blocks?|state|data|rows?|cache|values?|ids?|pointers?|KV|buffers?|index|indices"
            r"|results?|tokens?|weights?|slots?|pages?|metadata|entry|entries)"
            r"|(?:drop|los|overwrit)\w{1,4} (?:\w{1,20} ){0,2}(?:tokens?|requests?|messages?|data|outputs?|chunks?|deltas?"
            r"|blocks?|updates?|results?|states?)|double[- ](?:add|appl|count|encod|escap|process|reduc|releas|scal)\w{0,5}"
        ),
    ),
    ("stops", "hang", _HANGS),
    (
        "corrupts",
        "race",
        (
            r"races?|race conditions?|racy|(?:missing|lack of|without)(?: [\w`.]{1,60}){0,2} synchroni[sz]\w{3,5}"
            r"|(?:object|buffer|tensor|memory|state)s?[- ]alias(?:ing|es|ed)"
        ),
    ),
    ("stops", "leak", r"leak(?:s|ed|ing)?|orphan(?:s|ed)?"),
    ("stops", "crash", rf"{_ENDS}|{_FAILS}|(?:over|under)flow(?:s|ed|ing)?"),
    ("regression", "regression", r"(?<!not )(?<!not a )(?<!never )(?<!n't )regress(?:ion|ed)"),
)
"""What a fix may say that it repairs, in words that mean nothing else; a title that says two is told by the first kind.

An address that may not be read is the cause of whatever else is said beside it. What reads or writes past an end (`bounds`)
gets or leaves some value in silence, unless it is said that it ended or that somebody was told. A state inside that is wrong (`wrong_state`) is a
wrong result only where nothing beside it says that somebody noticed.
"""
_OF_IT = r"(?![- ](?:dump|report(?:er|ing)?|detect(?:or|ion)|saniti[sz]er|check(?:er)?|handler|track(?:er|ing)|monitor(?:ing)?|watchdog)s?\b)"
"""A thing that is for the fault is none: a crash dump, a hang detector, a leak checker."""
_PATTERNS = tuple(
    (does, name, re.compile(rf"(?<![A-Za-z])(?:{said})\b{_OF_IT}", re.IGNORECASE)) for does, name, said in _WORDS
)
_NOTICED = re.compile(
    r"\b(?:error|rais(?:e|es|ed|ing)|abort\w{0,3}|assert\w{0,5}|reject\w{0,3}|mismatch\w{0,2}|fail(?:s|ed|ing|ure)?|time-?outs?"
    r"|(?:cache|compile) (?:miss|misses)|recompil\w{1,5}|invalidat\w{1,4})\b",
    re.IGNORECASE,
)
"""What follows is told aloud, or costs time: no wrong value goes out."""
_HELD = re.compile(
    r"\b(?:results?|outputs?|values?|logits|logprobs?|tokens?|data|buffers?|tensors?|weights?|KV|rows?|blocks?|slots?|pages?)\b",
    re.IGNORECASE,
)
"""What can be wrong without anybody being told: a race for a file, a port or a start leaves none of it behind."""
_VAGUE = re.compile(
    r"\bleak\w{0,3}\b|\bsharding\b|\bonly\b|\bfail\w{0,4} to\b"
    r"|\b(?:accuracy|correctness)\b(?! (?:\w{1,20} )?(?:issue|bug|problem|drop|loss|regression)s?\b)",
    re.IGNORECASE,
)
"""What is a fault in the title of a fix; in a comment it may be a check that works, or how things are."""

_STOPS = re.compile(
    rf"(?<![A-Za-z])(?:{_ILLEGAL}|{_HANGS}|{_ENDS}|abort\w{{0,3}}|kill(?:s|ed|ing)?|core dump\w{{0,3}})\b{_OF_IT}",
    re.IGNORECASE,
)


_INSTEAD = re.compile(r"\b(?:instead of|rather than) (.{1,200})", re.IGNORECASE)
"""What a title says that was met until now; what stands before it is what is done about it."""
_LEFT_OUT = re.compile(
    r"(?<!fix )(?<!fixes )(?<!fixed )\b(?:skip(?:s|ping)?|ignor(?:e|es|ing)|drop(?:s|ping)?|filter(?:s|ing)?|reject(?:s|ing)?"
    r"|exclud(?:e|es|ing)|discard(?:s|ing)?) (?:(?:an?|the|any|all|every|such) )?$",
    re.IGNORECASE,
)
"""What is left out because it is wrong came from elsewhere: it says nothing of what the code did with it. What else is left
out, or was, may be why it is wrong.
"""


def says_stop(text: str) -> bool:
    """Whether a text says that something ended or stood still: what reads past an end may as well give a wrong value."""
    return _STOPS.search(text) is not None


def is_noticed(text: str) -> bool:
    """Whether a text says that somebody was told, or that something ended: no wrong value went out."""
    return _NOTICED.search(text) is not None or says_stop(text)


def names_fault(text: str) -> bool:
    """Whether a sentence names a fault, or the error that it ends in."""
    return hazard(text, titled=False) is not None or _ERROR.search(text) is not None


_ERROR = re.compile(r"\b[A-Z]\w{1,60}(?:Error|Exception)\b")


@lru_cache(maxsize=1024)
def hazard(text: str, *, titled: bool = True) -> Hazard | None:
    """The fault that a text names first; `titled`: it is the title of a fix, where a leak is no check that works."""
    if titled and (until_now := _INSTEAD.search(text)) and (met := hazard(until_now[1])):
        return met
    text = text if titled else _VAGUE.sub(" ", text)
    noticed, held = _NOTICED.search(text) is not None, _HELD.search(text) is not None
    ended = noticed or says_stop(text) or _ERROR.search(text) is not None
    found = [
        ((does == "regression", at > 0, match.start()), _hazard(does, name, match[0], ended))
        for at, (does, name, pattern) in enumerate(_PATTERNS)
        if (match := pattern.search(text))
        and not (name == "wrong_result" and _LEFT_OUT.search(text[: match.start()]))
        and not (name == "wrong_state" and noticed)
        and not (name == "race" and not titled and (noticed or not held))
    ]
    return min(found)[1] if found else None


def _hazard(does: Does, name: str, word: str, ended: bool) -> Hazard:
    if name == "bounds":
        return Hazard("stops", "crash", word) if ended else Hazard("corrupts", "wrong_result", word)
    return Hazard(does, "wrong_result" if name == "wrong_state" else name, word, name in _CAUSES)


_CAUSES = frozenset({"race", "wrong_state"})
"""What may end in anything: a wrong value, a wait, a failed build, a warning; a title that names it leaves open which."""
