"""Clauses of a sentence that is too long for its place: those that tell most and stand without the rest."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import accumulate

from daybreak.judge.hazards import hazard


def telling_clauses(sentence: str, most: int, tells: Callable[[str], float]) -> str:
    """Clauses one behind the other, as many as fit, around the one that tells most, what follows before all; what stands before and behind
    is marked.
    """
    whole = sentence.removesuffix(" …")
    ends = [m.end() for m in _CLAUSE.finditer(whole[:_LOOKED_AT])][:_MOST_CLAUSES]
    cuts = [0, *ends, len(whole)]
    parts = [(_joint(whole, a), b) for n, a in enumerate(cuts[:-1]) for b in cuts[n + 1 :]]
    parts = [(a, b) for a, b in parts if b - a >= FEWEST_LETTERS and not _is_aside(whole, a)]
    heads = [(head, a, b) for a, b in parts if (head := _head(whole, a, b, cuts[1])) is not None]
    if not any(hazard(whole[a:b], titled=False) for head, a, b in heads if b - a <= most - len(head)):
        # what went wrong is told by `it` before what did not is told by name
        leaning = ((a, b) for a, b in parts if _leans(whole, a) and not OTHERWISE.match(whole, a))
        heads += [("", a, b) for a, b in leaning if is_closed(whole[a:b])]
    runs = [
        (hazard(whole[a:b], titled=False) is not None, not head, tells(whole[a:b]), b - a, head, a, b)
        for head, a, b in heads
        if b - a <= most - len(head)
    ]
    if not runs:
        return first_clauses(whole, most)
    *_, head, first, last = max(runs)
    said = f"{head}{'… ' if first else ''}{whole[first:last].strip().rstrip(_JOINTS)}"
    return f"{said}{' …' if last < len(sentence) else ''}"


def faulty_clause(sentence: str, most: int, tells: Callable[[str], bool]) -> str:
    """The last clauses that say what went wrong, though they follow from others; nothing where they find no room: the others
    alone would pass for it.
    """
    ends = [m.end() for m in _CLAUSE.finditer(sentence[:_LOOKED_AT])][:_MOST_CLAUSES]
    ways = (sentence[_joint(sentence, at) :].strip() for at in ends)
    said = next(
        (one for one in ways if len(one) <= most and not _WHICH.match(one) and is_closed(one) and tells(one)), ""
    )
    return f"… {said}" if said else ""


def _head(whole: str, first: int, last: int, end: int) -> str | None:
    """What some clauses need before them: nothing, or where they say `it` of what the sentence begins with, or hang on it
    (`causing …`), its first clause; None for those that say nothing even so.
    """
    if _stands_alone(whole, first, last):
        return ""
    leans = (
        (_IT.match(whole, first) or _HANGS.match(whole, first))
        and is_closed(whole[first:last])
        and not _BEGINS.match(whole)
    )
    start = whole[:end].rstrip(_JOINTS)
    return f"{start} " if leans and end < first and _stands_alone(whole, 0, len(start)) else None


def _leans(whole: str, at: int) -> bool:
    return _IT.match(whole, at) is not None or (at > 0 and _HANGS.match(whole, at) is not None)


OTHERWISE = re.compile(r"\W*(?:otherwise|else|then)\b", re.IGNORECASE)
"""How what is no sentence begins: it says what follows, and not of what."""
_WHICH = re.compile(r"\s*which\b")
"""How a clause begins of which nobody knows what it is about."""
_IT = re.compile(r"\s*(?:it|they)\s")
_HANGS = re.compile(
    r"\s*(?:which|otherwise|(?:thereby |thus )?(?:caus|lead|mak|result|break|leav|corrupt|crash|produc|giv|yield)ing)\s"
)


def _is_aside(whole: str, at: int) -> bool:
    """It stands in brackets that were opened before it, or opens them."""
    return whole.startswith("(", at) or whole.count("(", 0, at) > whole.count(")", 0, at)


_JOINTS = ",;:—，；： "


def _joint(whole: str, at: int) -> int:
    """Behind the word by which a clause follows from the one before it."""
    found = _JOINT.match(whole, at) if at else None
    return found.end() if found else at


_JOINT = re.compile(r"\s*(?:(?:and|but|or|so|then|thus|hence|therefore)\s(?:that\s)?){1,2}")


def _stands_alone(whole: str, first: int, last: int) -> bool:
    """Some clauses of a sentence say something without the rest: they lean on nothing before them, and what they begin as
    a condition does not end with it.
    """
    text = whole[first:last].strip()
    if last < len(whole) and text.endswith((":", "：")):
        return False  # what it leads to says what the thing does
    if not is_closed(text) or (first and (_LEANS.match(text) or _is_what_follows(whole, first))):
        return False
    return last >= len(whole) or not _BEGINS.match(text) or _CLAUSE.search(text.rstrip(_JOINTS)) is not None


def _is_what_follows(whole: str, first: int) -> bool:
    """The clause right behind the condition that a sentence begins with."""
    return _CONDITION.match(whole) is not None and len(_CLAUSE.findall(whole[: first + 1])) < 2


_CONDITION = re.compile(
    r"\W*(?:(?:if|when|whenever|unless|once|until)\b|(?:in|for) (?:the|a|an) [^,]{1,60} (?:case|mode|path)s?,)",
    re.IGNORECASE,
)
_LEANS = re.compile(
    r"\W*(?:its?|that|this|these|those|they|their|them|nor|where|while|whose|who|which|otherwise|since|because|as|rather"
    r"|instead|even|not|but|[a-z]{2,}ing|[a-z]{2,}ed (?:to|by|in|on|with|through|from|as))\b",
    re.IGNORECASE,
)
"""Words that no sentence begins with, or that point at what stands before."""
_BEGINS = re.compile(
    r"\W*(?:if|when|whenever|while|since|because|as|although|though|unless|once|after|before|until|for|in|with|without)\b",
    re.IGNORECASE,
)


def is_closed(text: str) -> bool:
    """Every bracket and every mark of code that it opens is closed, and none that it did not open."""
    if any(text.count(one) != text.count(two) for one, two in ("()", "[]", "{}")) or text.count("`") % 2:
        return False
    depths = accumulate((char == "(") - (char == ")") for char in text)
    return min(depths, default=0) >= 0


_MOST_CLAUSES = 12
FEWEST_LETTERS = 30
"""Of a clause that can stand alone."""
_LOOKED_AT = 1200


_CLAUSE = re.compile(r"[,;:—，；：](?=\s)|[，；]")


def first_clauses(text: str, most: int) -> str:
    """As much of a sentence as fits: what stands in brackets goes first, and an option that it ends with stays."""
    plain = _ASIDE.sub(" …", text)
    if len(plain) <= most:
        return plain
    ends = _UNDER.search(plain)
    if ends and len(ends[0]) <= most // 2:
        return f"{_beginning(plain[: ends.start()], most - len(ends[0]))}{ends[0]}"
    return _beginning(text, most)


def _beginning(text: str, most: int) -> str:
    """The first clauses, or else words; no bracket stays open. Nothing of a case without what holds in it, nor of what holds without
    its case.
    """
    ends = [
        m.start() for m in _CLAUSE.finditer(text, 0, most) if m[0] not in ":：" and _stands_alone(text, 0, m.start())
    ]
    ends = [end for end in ends if end > most // 3 and not _LIMITS.match(text[end + 1 :].lstrip())]
    at = ends[-1] if ends else text.rfind(" ", 0, most)
    if not ends and at > 0 and (_CONDITION.match(text) or _LIMITS.search(text, at)):
        return ""
    said = text[: at if at > 0 else most].rstrip()
    opened = said.rfind(" (") if said.count("(") > said.count(")") else -1
    return f"{said[:opened] if opened > most // 3 else said} …"


_LIMITS = re.compile(r"\b(?:unless|only|except|not|never|when|if|until|while)\b|n't\b", re.IGNORECASE)
"""What is lost with the rest of a sentence, where it says for whom that holds, or that it does not."""
_ASIDE = re.compile(r" \([^()]{12,80}\)(?= \w)")
_UNDER = re.compile(
    r" (?:when|if|with|unless|under) [^.,;()]{0,60}(?:(?<!\w)--[a-z][\w-]{2,60}|\b[A-Z][A-Z0-9]{1,20}_[A-Z0-9_]{2,60})[^.,;()]{0,30}\.?$"
)
"""The option or variable under which a sentence holds."""
