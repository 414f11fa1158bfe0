"""Worth of changed lines: which of them tell most of a small diff. Every weight of it stands here.

A pair tells more than a line that came, another condition more than another argument, a new case more than the head of a
function; lines in which only names differ tell little.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import NamedTuple

from daybreak.findings.diff import HEAD as OF_FUNCTION
from daybreak.findings.languages.blocks import unwrapped
from daybreak.judge.telling_words import words

_CONDITION = re.compile(r"[}\s]*(?:else\s+)?(?:if|elif|for|while|switch|match|case|assert|return|and|or)\b")
CALLEE = re.compile(r"\b(?!(?:if|for|while|switch|match|return|sizeof)\b)([A-Za-z_]\w{2,80})!?\(")
HEAD = re.compile(r"(?:[}\s]*else )?(?:if|elif|for|while)\b[^\n]*[:{]$")
STRING = re.compile(r"\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'")
LEFT = re.compile(r"\s*([A-Za-z_][\w.]{0,80}(?:\[[^\]]{0,60}\])?)\s?(?::[^=]{1,60})?[-+*/|&]?=(?!=)")
_CAST = re.compile(r"\.to\((?:dtype=)?torch\.\w+\)|\.(?:float|half|bfloat16)\(\)")


class Turn(NamedTuple):
    """What stood at a place and what stands there now, empty where there is nothing, and the function it is in."""

    path: str
    line: int
    old: str
    new: str
    within: str
    above: str
    """The line that stands above it now."""
    others: int = 0
    """Lines besides it that change alike."""
    under: str = ""
    """The condition that it stands under."""
    given: str = ""
    """What a variable holds that came with it and that it names."""
    hunk: str = ""
    """The head of the hunk that it stands in."""
    held: str = ""
    """The list that it is an element of."""


def worth(turn: Turn, title: frozenset[str], known: frozenset[str], kept: frozenset[str] = frozenset()) -> float:
    """A pair tells more than a line that came, a condition or a new call more than an argument, words of the title most.

    What only moved tells least, and what stands at many places most of a large diff. `kept`: names that new lines have.
    """
    text = turn.new or turn.old
    found = 2.0 if turn.old and turn.new else 1.0 if turn.new else 0.8
    found += 0.6 if _CONDITION.match(text) else 0.0
    found += _TURNED_HEAD if turn.old != turn.new and HEAD.match(turn.old) and HEAD.match(turn.new) else 0.0
    found += _CASE if not turn.old and _LED.match(turn.new) else 0.0
    found += _LISTED if turn.held else 0.0
    found -= _NAMES_ONLY if turn.others <= _SWEEP and _differ_in_names(turn, known, kept) else 0.0
    checks = not turn.old and _ASSERTS.match(turn.new) is not None and title.isdisjoint(_OF_CHECKS)
    found -= _CHECK if checks else 0.0
    found += _CHOICE if not turn.old and _CHOOSES.search(turn.new) else 0.0
    step = not turn.old and _LOCAL.fullmatch(turn.new) is not None  # on the way to what an object holds
    found -= _NO_DEED if not turn.old and (DECLARES.match(turn.new) or _BEGUN.search(turn.new)) else 0.0
    calls = not (checks or step or known.issuperset(CALLEE.findall(turn.new)))
    found += 1.2 if calls else _STATE if not turn.old and _SETS_STATE.match(turn.new) else 0.0
    found -= 1.5 if turn.old == turn.new or (DECLARES.match(turn.old) and DECLARES.match(turn.new)) else 0.0
    found += 0.3 * min(turn.others, 5)
    found -= (
        _PARTED if turn.old and turn.new and bool(_GOES_ON.match(turn.old)) != bool(_GOES_ON.match(turn.new)) else 0.0
    )
    found += 1.5 if _CAST.search(turn.old) and not _CAST.search(turn.new) else 0.0
    found += 0.4 * min(len(words(f"{turn.old} {turn.new}") & title), 3)
    found -= 1.7 if text.endswith(("(", "[")) or text.startswith((")", "]")) else 0.5 if text.endswith("{") else 0.0
    return found + min(len(text), 60) / 100


_GOES_ON, _PARTED = re.compile(r"(?:and|or|&&|\|\|)\s"), 2.0
"""How a part of a condition begins; a whole one and a part of another are no pair."""
_SWEEP = 2
"""Lines alike; more of them are a name that is another everywhere, which is what the change does."""
_CHECK, _CHOICE, _STATE = 1.0, 0.8, 0.8
"""What a check that came beside a repair tells less, one of two that is chosen from now on more, and what an object holds."""
_SETS_STATE = re.compile(r"[a-z]\w{0,40}(?:\.\w{1,80}){1,3}(?:\[[^\]]{0,60}\])? = ")
_ASSERTS = re.compile(r"(?:or|and) .*==|assert\b|TORCH_CHECK\(|static_assert\b|(?:el)?if [^\n]{1,300}: raise ")
_CHOOSES = re.compile(r"= \(?[\w.]{2,80}(?:\[[^\]]{0,60}\])? if .{2,160} else [\w.]{2,80}")
_OF_CHECKS = words("assertion assert check checks validate validation guard")
_TURNED_HEAD, _CASE, _LISTED, _NAMES_ONLY, _NO_DEED = 0.6, 0.5, 2.0, 1.0, 1.2
"""What another condition, a new case and an element of a list that is named tell more, and other names, the head of a function, an empty value or a fallback less."""
_LED = re.compile(r"(?:[}\s]*else )?(?:if|elif)\b[^\n]*[:{] \S")
DECLARES = re.compile(
    r"(?:async |pub |static |inline |template)*(?:def|class|fn|func|struct|void|__global__|__device__)\b|[\w.]{1,80},?$"
    r"|(?:el)?if (?:not )?(?:hasattr|getattr)\(|return (?:super\(\)|self)\.\w+\(|\w*logger = "
)
_BEGUN = re.compile(r"(?:= |, )(?:\{\}|\[\]|None|dict\(\)|list\(\)|set\(\))\)?$")
"""An empty value, which a later line fills."""
LOGS = re.compile(r"\w*logger\.\w+\(")


def _differ_in_names(turn: Turn, known: frozenset[str], kept: frozenset[str]) -> bool:
    """The same signs and numbers with other names or places in a table, in more than a name, and nothing called anew; a name that
    is still used was not given another.
    """
    went = names_in(turn.old) - names_in(turn.new)
    if went and went <= kept:
        return False
    if not turn.old or not turn.new or turn.old == turn.new or not known.issuperset(CALLEE.findall(turn.new)):
        return False
    forms = [_INDEX.sub("", _PLAIN_NAME.sub("x", STRING.sub("s", text))) for text in (turn.old, turn.new)]
    same = (find.findall(turn.old) == find.findall(turn.new) for find in (STRING, _DIGITS, _GIVEN))
    return forms[0] == forms[1] and len(forms[0]) > _ONE_NAME and all(same)


def is_carried(turn: Turn) -> bool:
    """Of many lines one in which only names are others, or that hands on some more by their names: not what the change is about."""
    if not turn.old or not turn.new or turn.old == turn.new:
        return False
    handed = _HANDED.sub(lambda found: "" if found[0] not in turn.old else found[0], turn.new)
    return without_form(handed) == without_form(turn.old) or _differ_in_names(
        turn, frozenset(CALLEE.findall(turn.old)), frozenset()
    )


_HANDED = re.compile(r", (?:\w{1,80}=)?(?:self\.)?[a-z_]\w{1,80}(?=[,)])")


def is_plumbing(turn: Turn) -> bool:
    """How something is carried, and not what is done: the head of a loop over other variables, the same value in another
    variable, another annotation, a bare name in a list of them, the head of a function that came.
    """
    if turn.old == turn.new:
        return False
    loops = _LOOP.fullmatch(turn.old), _LOOP.fullmatch(turn.new)
    if loops[0] and loops[1]:
        return loops[0][1] != loops[1][1]
    given = _LOCAL.fullmatch(turn.old), _LOCAL.fullmatch(turn.new)
    if given[0] and given[1]:
        return unwrapped(given[0][2]) == unwrapped(given[1][2])
    typed = _TYPED.fullmatch(turn.old), _TYPED.fullmatch(turn.new)
    if typed[0] and typed[1] and "constexpr" not in turn.old + turn.new:  # a kernel is compiled by it
        return typed[0][1] == typed[1][1] and unwrapped(typed[0][2] or "") == unwrapped(typed[1][2] or "")
    one = turn.old or turn.new
    if turn.old and turn.new:
        return False
    began = not turn.old and OF_FUNCTION.match(one) is not None and not one.endswith(";")
    return began or (not turn.held and (_BARE.fullmatch(one) or _LOOP.fullmatch(one)) is not None)


_LOOP = re.compile(r"(?:async )?for ([\w, ()*]{1,80}) in [^\n]{1,300}:(?: [a-z_]\w{0,40} = [^\n(]{1,120})?")
_LOCAL = re.compile(r"([A-Za-z_]\w{0,80}) = ([^\n]{1,300})")
_TYPED = re.compile(r"([A-Za-z_][\w.]{0,80}): [^=\n]{1,200}?(?: = ([^\n]{1,300})|,?)")
_BARE = re.compile(r"[\w.]{1,80},")


def names_in(text: str) -> frozenset[str]:
    """Names of a line of code, without its texts."""
    return frozenset(_ONE.findall(STRING.sub("", text)))


_ONE = re.compile(r"[A-Za-z_]\w{1,80}")
_PLAIN_NAME, _INDEX = re.compile(r"[A-Za-z_][\w.]{0,120}"), re.compile(r"\[[^\[\]]{0,80}\]")
_DIGITS, _GIVEN = re.compile(r"\d+"), re.compile(r"\b(\w{1,80})=(?!=)")
_ONE_NAME = 6
"""Signs of `x = x` or `x=x,`, in which the name is the value."""


def without_form(text: str) -> str:
    """A line in which blanks, quotes, what ends it and a bracket around all that it gives do not count."""
    flat = "".join(text.split()).translate(_QUOTES).rstrip(",;")
    name, given, value = flat.partition("=(")
    if given and value.endswith(")") and name[-1:] not in "=!<>" and _closes(value[:-1]):
        return f"{name}={value[:-1]}"
    return flat


def _closes(text: str) -> bool:
    """Every bracket that it closes is one that it opened."""
    depths = accumulate((char == "(") - (char == ")") for char in text)
    return all(depth >= 0 for depth in depths)


_QUOTES = str.maketrans({"'": '"', "`": '"'})
