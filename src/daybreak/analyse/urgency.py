"""How urgent a change is to someone who upgrades tonight: not how newsworthy it is, but what it does to what runs.

A new model is important and asks for nothing; a small repair of wrong results is the reverse. So the first screen has
a scale of its own: the base is what a change is shown to do, the rest moves it a little. Nothing here adds an item
that is of low importance.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from daybreak.analyse.places import front, is_front
from daybreak.analyse.titles import MAX_SUBJECT, bare, body
from daybreak.analyse.vocabulary import NICHE, WORDS
from daybreak.model import Entry

SECURITY = 12.0
BREAKS_SETTING = 11.0
"""A flag, variable, route, request field or metric that is gone: the deployment does not start, or goes dark."""
BREAKS_API = 8.5
CHANGES_DEFAULT = 8.0
TAKEN_BACK = 7.5
ANNOUNCED = 7.5
WRONG_RESULT = 6.5
REQUIRES = 6.0
REGRESSION = 6.0
HANG = 6.0
CRASH = 5.5
BEHAVES_OTHERWISE = 4.0
BREAKS_FEW = 6.5
"""A model or a registered name that is gone stops those who run it, and nobody else."""
BREAKS_OPERATOR = 4.5
"""Operators and C++ are called by the project itself and by few others."""
STOPS = 5.0
REPAIRS = 4.0
DIFFERS = 2.5
"""What runs already was edited, and no rule says how."""

NEWS = 1.0
"""What a feature is less urgent by: most of it is new beside what runs."""

LEAST = 2.0
"""Below this an item is not worth a line of the first screen."""
LEAST_FIX = 4.0
"""The same for a fix: a line of others must not carry one that repairs a test or a message along."""

_SCORE = 1.5
_NICHE, _TALK, _TIDIES, _UNSURE, _COMMON = 1.5, 2.0, 2.0, 1.0, 0.75

_I = re.IGNORECASE
_TALKS = re.compile(
    r"(?<![\w-])(?:logs?|logging|warnings?|error messages?|metrics?|tracing|debug\w{0,4}|dump|CI|tests?|flaky|benchmarks?|bench"
    r"|auto sync|pre-?commit|workflows?|(?:preserve|improve|clarify|clearer|better)\b.{0,40}\b\w{0,30}errors?)(?![\w-])",
    _I,
)
_TIDYING = re.compile(
    r"(?<![\w-])(?:typos?|comments?|lint|nit|mypy|typing|clean ?-?ups?|chore|minor|cosmetic|redundant|unused|unnecessary"
    r"|dead code|docstrings?|simplif\w{1,4}|dedup\w{0,9}|unify|refactor\w{0,4}|reorganiz\w{1,3}|hoist)(?![\w-])",
    _I,
)
_CORE = re.compile(
    r"(?:^|/)(?:\w{0,20}(?:scheduler|sched|kv_cache|mem_cache|radix|block_pool|kv_transfer|disaggregation|attention|attn|mla"
    r"|quant|gemm|moe|sampl)\w{0,30}|csrc|kernels?|core)(?:/|\.)",
    _I,
)
"""Where a slip gives wrong results in silence."""
_COMPILED = re.compile(r"(?:^|/)csrc/|\.cuh?$", _I)
"""A kernel's slip raises no error: it gives other numbers."""
_SERVED = re.compile(
    r"(?:^|/)(?:entrypoints|openai|api_server|http_server|serving_\w{1,30}|server_args|scheduler)(?:/|_|\.)", _I
)
_SAID: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, pattern) for name, pattern in WORDS if name in ("wrong_result", "hang", "regression", "crash")
)
"""Words that mean this wherever they stand."""
_HINTED: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "wrong_result",
        re.compile(
            r"\b(?:underflow\w{0,3}|inconsisten\w{1,4}|ignor(?:es|ed|ing)|not (?:being )?(?:applied|respected|loaded|propagated|passed)"
            r"|missing|empty|lost|drop(?:s|ped|ping)|skipped|silently|inverted|misalign\w{0,4}|truncat\w{1,4}|wrongly|mis-?match"
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

_OF_MUCH = re.compile(r"stale|duplicat\w{1,4}|precision", _I)
"""A stale guard, a duplicated file: said of results, and of what gives none."""
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


def repaired(entry: Entry) -> Repair | None:
    """What a fix repairs; the subject counts before the body. A repair of a log or a test repairs no result."""
    if entry.kind not in ("fix", "revert"):
        return None
    subject = bare(entry.change.subject)
    for patterns, sure in ((_SAID, not _TALKS.search(subject)), (_HINTED, False)):
        for name, pattern in patterns:
            if match := pattern.search(subject):
                return Repair(name, match[0], _BASES[name], sure and not _OF_MUCH.fullmatch(match[0]))
    for name, pattern in _SAID:
        if match := pattern.search(body(entry.change)):
            return Repair(name, match[0], _BASES[name] - _UNSURE, said=True, in_subject=False)
    return None


_STOPS = re.compile(r"^(?:disabl|avoid|prevent|restrict|guard|skip|defer|reject|disallow|forbid)\w{0,4}\b", _I)


def stops_something(entry: Entry) -> bool:
    """A fix that takes a path away from some: what they relied on goes another way now."""
    return _STOPS.match(bare(entry.change.subject)) is not None


def moved(entry: Entry, proven: bool) -> float:
    """What moves an item up or down: its grade, and whether it concerns few, or says so little of itself."""
    value = _SCORE * entry.importance.score
    paths = [file.path[-300:] for file in front(entry.change)]
    if paths and sum(NICHE.search(path) is not None for path in paths) * 2 > len(paths):
        value -= _NICHE
    if proven:
        return value
    if any(_SERVED.search(path) for path in paths):
        value += _COMMON
    if entry.kind == "fix" and any(_CORE.search(path) for path in paths):
        value += _COMMON
    if entry.kind == "fix" and any(_COMPILED.search(path) for path in paths):
        value += _COMMON
    if entry.kind == "feature":
        value -= NEWS
    subject = entry.change.subject[:MAX_SUBJECT]
    if _TALKS.search(bare(subject) if paths else subject):  # a tag says how it was found; what it edits, users run
        value -= _TALK
    if entry.kind == "refactor" or _TIDYING.search(subject):
        value -= _TIDIES
    return value


def edits_what_runs(entry: Entry) -> bool:
    """Lines that stood in files users run were changed or taken away; what is only added asks for nothing."""
    return any(file.deleted > 0 and file.status in ("M", "R") and is_front(file.path) for file in entry.change.files)
