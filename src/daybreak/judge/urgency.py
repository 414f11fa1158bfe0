"""How urgent a change is to someone who upgrades tonight: not how newsworthy it is, but what it does to what runs.

A new model is important and asks for nothing; a small repair of wrong results is the reverse. So the first screen has
a scale of its own: the base is what a change is shown to do, set by hand; what moves it is fitted to first screens
that expert readers made (`urgency_marks.py`, `urgency.toml`). Nothing here adds an item that is of low importance.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Finding
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Kind
from daybreak.judge.places import front, is_front
from daybreak.judge.titles import bare, body
from daybreak.judge.urgency_marks import few, marks, talks
from daybreak.judge.vocabulary import WORDS

SECURITY = 12.0
BREAKS_SETTING = 11.0
"""A flag, variable, route, request field or metric that is gone: the deployment does not start, or goes dark."""
BREAKS_API = 8.5
BREAKS_REQUIREMENT = 9.0
"""Another torch, CUDA or kernel library: images and wheels built on the old one do not go on."""
CHANGES_DEFAULT = 8.0
TAKEN_BACK = 6.5
ANNOUNCED = 7.5
WRONG_RESULT = 6.5
REQUIRES = 7.0
REGRESSION = 6.0
HANG = 6.0
CRASH = 5.5
BEHAVES_OTHERWISE = 4.0
SWITCHES = 7.0
"""Code that users ran does nothing from now on, or runs again."""
LEAVES_OPEN = 4.0
"""A default that becomes None: code decides from now on, mostly as before."""
BREAKS_FEW = 6.5
"""A model or a registered name that is gone stops those who run it, and nobody else."""
BREAKS_OPERATOR = 4.5
"""Operators and C++ are called by the project itself and by few others."""
STOPS = 5.0
REPAIRS = 4.0
DIFFERS = 2.5
"""What runs already was edited, and no rule says how."""

LEAST = 5.0
"""Below this an item is not worth a line of the first screen."""
LEAST_FIX = 6.0
"""The same for a fix: a line of others must not carry one that repairs a test or a message along."""

UNSURE = 1.0
_I = re.IGNORECASE
_SAID: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, pattern) for name, pattern in WORDS if name in ("wrong_result", "hang", "regression", "crash")
)
"""Words that mean this wherever they stand."""
_HINTED: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "wrong_result",
        re.compile(
            r"\b(?:underflow\w{0,3}|inconsisten\w{1,4}|ignor(?:es|ed|ing)|not (?:being )?(?:applied|respected|loaded|propagated|passed)"
            r"|missing|empty|lost|drop(?:s|ped|ping)|skipped|silently|inverted|misalign\w{0,4}|truncat\w{1,4}|wrongly|mis-?match(?:es|ed)?"
            r"|computations?|calculations?|formula|rounding|sharding|offsets?|strides?|mask(?:s|ing)?|scales?|scaling|reset|update)\b",
            _I,
        ),
    ),
    (
        "crash",
        re.compile(
            r"\b(?:twice|collision\w{0,1}|dtypes?|shape|index(?:ing)?|bounds?|uninitiali[sz]ed|undefined|unpack\w{0,3}"
            r"|timeouts?|port races?|startup|backward compat\w{0,10})\b",
            _I,
        ),
    ),
)
"""Words that fixes use of this, and of other things as well: enough to rank by, not enough to claim."""

_OF_MUCH = re.compile(r"stale|duplicat\w{1,4}|precision|[\w -]{0,40}mis-?match[\w -]{0,90}", _I)
"""A stale guard, a duplicated file, a mode that does not match: said of faults, and of what does no harm."""
_BASES = {"wrong_result": WRONG_RESULT, "regression": REGRESSION, "hang": HANG, "crash": CRASH}


class Repair(NamedTuple):
    """What a fix repairs."""

    kind: str
    word: str
    """The word that shows it."""
    base: float
    said: bool
    """The word means this wherever it stands; else it is likely and no more."""
    in_subject: bool = True
    """Bodies repeat templates and test plans, so what only a body says is likely and no more to a hurried reader."""


def repaired(change: Change, kind: Kind) -> Repair | None:
    """What a fix repairs; the subject counts before the body. A repair of a log or a test repairs no result."""
    if kind not in ("fix", "revert"):
        return None
    subject = bare(change.subject)
    if kind == "revert" and talks(change.subject):
        return None
    for patterns, sure in ((_SAID, not talks(subject)), (_HINTED, False)):
        for name, pattern in patterns:
            if match := pattern.search(subject):
                return Repair(name, match[0], _BASES[name], sure and not _OF_MUCH.fullmatch(match[0]))
    for name, pattern in _SAID:
        if match := pattern.search(body(change)):
            return Repair(name, match[0], _BASES[name] - UNSURE, said=True, in_subject=False)
    return None


_STOPS = re.compile(r"^(?:disabl|avoid|prevent|restrict|guard|skip|defer|reject|disallow|forbid)\w{0,4}\b", _I)


def stops_something(entry: Entry) -> bool:
    """A fix that takes a path away from some: what they relied on goes another way now."""
    return _STOPS.match(bare(entry.change.subject)) is not None


def rank(entry: Entry, base: float, proven: bool, shown: Sequence[Finding] = ()) -> float:
    """Where a change stands; what stops a deployment or makes it unsafe is not moved below what it is."""
    found = base + moved(entry, proven, shown)
    return max(found, base) if base >= BREAKS_SETTING else found


def gravity(entry: Entry, base: float, shown: Sequence[Finding] = ()) -> float:
    """Where a change stands among those shown: by what it does, and below others where it concerns few."""
    if base >= BREAKS_SETTING:
        return base
    table = weights()
    lower = sum(table.get(name, 0.0) * value for name, value in few(entry, front(entry.change), shown))
    return base + max(lower, _FEW_AT_MOST)


_FEW_AT_MOST = -4.0


def moved(entry: Entry, proven: bool, shown: Sequence[Finding] = ()) -> float:
    """What moves an item up or down: where it lies, what it edits, whether it concerns few, how it speaks of itself."""
    table = weights()
    return sum(table.get(name, 0.0) * value for name, value in marks(entry, proven, shown))


@lru_cache(maxsize=1)
def weights() -> dict[str, float]:
    """The weights that ship with the package, in steps of the scale above."""
    text = files("daybreak.judge").joinpath("urgency.toml").read_text("utf-8")
    return {name: float(value) for name, value in tomllib.loads(text)["weight"].items()}


def edits_what_runs(entry: Entry) -> bool:
    """Lines that stood in files users run were changed or taken away; what is only added asks for nothing."""
    return any(file.deleted > 0 and file.status in ("M", "R") and is_front(file.path) for file in entry.change.files)
