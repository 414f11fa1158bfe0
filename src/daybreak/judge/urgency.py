"""How urgent a change is to someone who upgrades tonight: not how newsworthy it is, but what it does to what runs.

A new model is important and asks for nothing; a small repair of wrong results is the reverse. So the first screen has
a scale of its own: the base is what a change is shown to do, set by hand; what moves it is fitted to first screens
that expert readers made (`urgency_marks.py`, `urgency.toml`). Nothing here adds an item that is of low importance.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.findings import Finding
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Kind
from daybreak.judge.change_kinds import MAX_SUBJECT, bare, body, concerns_few, front, is_front, tags
from daybreak.judge.vocabulary import PLACES, WORDS

# --- What moves a change up or down the first screen: named marks of 0 to 1, each read off its files, lines or title ---
# Their weights are data (`urgency.toml`), fitted by scripts/fit_urgency.py to what expert readers put on the first screen of
# whole days. None knows a repository.


MAX_PATCH = 200_000
"""Characters of one file's patch that are looked at."""
_MANY = 50
"""Lines edited beyond which a change is as edited as can be."""
_ANY_CASE = re.IGNORECASE
_TALKS = re.compile(
    r"(?<![\w-])(?:logs?|logging|warnings?|error messages?|metrics?|tracing|debug\w{0,4}|dump|CI|(?:py|unit ?)?tests?|flaky|benchmarks?|bench"
    r"|auto sync|pre-?commit|workflows?|(?:preserve|improve|clarify|clearer|better)\b.{0,40}\b\w{0,30}errors?)(?![\w-])",
    _ANY_CASE,
)
_TIDYING = re.compile(
    r"(?<![\w-])(?:typos?|comments?|lint|nit|mypy|typing|type (?:hints?|annotations?)|clean ?-?ups?|chore|minor|cosmetic"
    r"|redundant|unused|no longer (?:in use|used)|unn?e?cc?ess?ar(?:y|ily)|unneeded|dead code|docstrings?|docs?:|nfc(?=[\]):])"
    r"|orphan(?:ed)? (?:[\w/.-]{1,60} ){0,2}(?:code|files?|folders?|imports?|functions?|methods?|class(?:es)?|modules?|helpers?|tests?"
    r"|configs?|flags?|env vars?|variables?|fields?|arg(?:ument)?s?|param(?:eter)?s?)"
    r"|simplif\w{1,4}|dedup\w{0,9}|unify|refactor\w{0,4}|reorganiz\w{1,3}|hoist)(?![\w-])",
    _ANY_CASE,
)
_SAYS_NICHE = re.compile(
    r"\b(?:AMD|ROCm|HIP|XPU|NPU|Ascend|(?:Zen)?CPU(?![ -]?(?:offload|overhead|side|memory|usage|bound))|HPU|TPU|MUSA|PowerPC|s390x?|RISC-?V|MLX|Intel|Gaudi|Neuron|diffusion)\b",
    _ANY_CASE,
)
_ADDS = re.compile(r"^(?:add|support|introduc|implement|enabl)\w{0,3}\b", _ANY_CASE)
_SETTING = re.compile(r"(?<![\w-])--[a-z][\w-]{2,60}|\b[A-Z]{2,20}_[A-Z][A-Z_]{3,60}\b")
PLACES_SEEN: tuple[tuple[str, re.Pattern[str]], ...] = (
    *((name, pattern) for name, pattern in PLACES if name in ("schedule", "attention", "cache", "served")),
    (
        "core",  # where a slip gives wrong results in silence
        re.compile(
            r"(?:^|/)(?:\w{0,20}(?:scheduler|sched|kv_cache|mem_cache|radix|block_pool|kv_transfer|disaggregation|attention|attn"
            r"|mla|quant|gemm|moe|sampl)\w{0,30}|csrc|kernels?|core)(?:/|\.)",
            _ANY_CASE,
        ),
    ),
    (
        "front_door",
        re.compile(
            r"(?:^|/)(?:entrypoints|openai|api_server|http_server|serving_\w{1,30}|server_args|scheduler)(?:/|_|\.)",
            _ANY_CASE,
        ),
    ),
    ("settings", re.compile(r"server_args|arg_utils|/config/|config\.py$|envs\.py$|environ\.py$", _ANY_CASE)),
    ("compiled", re.compile(r"(?:^|/)csrc/|\.cuh?$", _ANY_CASE)),
)
LINES_SEEN: tuple[tuple[str, tuple[str, ...], re.Pattern[str]], ...] = (
    ("loses_default", ("default",), re.compile(r"^-[^\n]{0,300}default", re.MULTILINE)),
    (
        "loses_variable",
        ("env.", "envs.", "environ", "getenv"),
        re.compile(r"^-[^\n]{0,300}(?:envs?\.[A-Z]|getenv|environ)", re.MULTILINE),
    ),
    ("names_auto", ('"auto"', "'auto'"), re.compile(r"^\+[^\n]{0,300}[\"']auto[\"']", re.MULTILINE)),
)
"""Mark -> texts without which a patch need not be searched, and the line that shows it."""


def marks(entry: Entry, proven: bool, shown: Sequence[Finding] = ()) -> Iterator[tuple[str, float]]:
    """Every mark of a change that is not zero; what code proves is not talked down by its title."""
    yield "score", entry.importance.score
    if entry.kind in ("fix", "feature"):
        yield f"is_{entry.kind}", 1.0
    if entry.breaking:
        yield "breaking", 1.0
    ours = front(entry.change)
    yield from _by_place(entry, ours, shown)
    yield from _by_lines(ours)
    yield from _by_title(entry, bool(ours), proven)


def few(entry: Entry, ours: Sequence[FileChange], shown: Sequence[Finding] = ()) -> Iterator[tuple[str, float]]:
    """The marks of what concerns few: by the files that users run, and by what the title is tagged with."""
    paths = [file.path for file in ours]
    told = [finding.path for finding in shown] or paths
    if concerns_few(paths) or concerns_few(told):
        yield "niche", 1.0
    if _SAYS_NICHE.search(tags(entry.change.subject)):
        yield "says_niche", 1.0


def _by_place(entry: Entry, ours: Sequence[FileChange], shown: Sequence[Finding]) -> Iterator[tuple[str, float]]:
    yield from few(entry, ours, shown)
    paths = [file.path[-300:] for file in ours]
    for name, pattern in PLACES_SEEN:
        if any(map(pattern.search, paths)):
            yield f"in_{name}", 1.0
    if "api" in entry.reading.areas:
        yield "in_api", 1.0
    if any(file.status == "A" for file in ours):
        yield "new_file", 1.0
    if len(ours) < len(entry.change.files) and any("test" in file.path for file in entry.change.files):
        yield "tested", 1.0


def _by_lines(ours: Sequence[FileChange]) -> Iterator[tuple[str, float]]:
    won, lost = sum(file.added for file in ours), sum(file.deleted for file in ours)
    yield "edited", min(1.0, min(won, lost) / _MANY)
    yield "lost", lost / (won + lost + 1)
    for name, needed, pattern in LINES_SEEN:
        if any(
            any(text in file.patch for text in needed) and pattern.search(file.patch, 0, MAX_PATCH) for file in ours
        ):
            yield name, 1.0


def _by_title(entry: Entry, edits_ours: bool, proven: bool) -> Iterator[tuple[str, float]]:
    subject = entry.change.subject[:MAX_SUBJECT]
    said = bare(subject)
    if entry.kind == "fix" and _SETTING.search(subject):  # someone's launch command meets it
        yield "fixes_setting", 1.0
    if proven:
        return
    if talks(said if edits_ours else subject):  # a tag says how it was found; what it edits, users run
        yield "talks", 1.0
    if entry.kind == "refactor" or _TIDYING.search(subject):
        yield "tidies", 1.0
    if _ADDS.match(said):
        yield "adds", 1.0


def talks(subject: str) -> bool:
    """A title about what is logged, measured or tested."""
    return _TALKS.search(subject) is not None


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
