"""The grade of a change: a weighted sum of named features, squeezed into 0..1, with its largest parts as reasons.

`weights.toml` is fitted by scripts/fit_importance.py; a feature without words in the catalogue is never a reason.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.model.changes import Change, FileChange
from daybreak.core.model.findings import Area, Reading
from daybreak.core.model.statements import Importance, Kind, Level, Reason
from daybreak.core.profiles import either, field
from daybreak.core.words import known, say, term
from daybreak.core.words.grammar import NOTHING, alike
from daybreak.core.words.phrases import REFERENCE, chosen
from daybreak.findings.kinds import Kind as FindingKind
from daybreak.findings.kinds import groups, kind_of
from daybreak.judge.breaking import is_breaking, said_by
from daybreak.judge.change_kinds import QUIET, bare, body, concerns_few, front, is_front, is_quiet, lines, tags
from daybreak.judge.urgency import repaired
from daybreak.judge.vocabulary import IN_BODY, NICHE, PLACES, WORDS, is_core

# --- What can be said of a change that bears on its importance: named features, each with the words that show it ---
# A feature is 0 to 1. Its weight and its wording are data (`weights.toml`), so the grade can be explained and refitted.
# None of them knows a repository or a title's tags: a mixed commit is judged by its files that are not tests, docs or
# CI, by what was found in them, and by what its subject says in plain words.


class Feature(NamedTuple):
    """One named feature; its reason is its own, or its words in the catalogue with `detail` in them."""

    name: str
    value: float = 1.0
    detail: str = ""
    reason: Reason | None = None


_REQUIRED = frozenset({"python_required", "toolchain_required"})
_SETTINGS = frozenset({"cli", "environment", "config", "server", "metrics", "models"})
_VERSION_FILE = re.compile(
    r"(?:^|/)(?:version\.txt|VERSION|_?version\.py|versions?\.toml|CHANGELOG[\w.]{0,6})$", re.IGNORECASE
)
_VERSION_LINE = re.compile(
    r"^\s{0,40}(?:\w{0,20}version\w{0,4}[\"']?\s{0,4}[:=]\s{0,4})?[\"']?v?\d{1,4}(?:\.\w{1,12}){1,4}[\"']?,?\s{0,8}$",
    re.IGNORECASE,
)
_CODE: frozenset[Area] = frozenset({"code", "api", "kernel"})
_TEST_TAG = re.compile(r"(?<![A-Za-z])(?:CI|tests?|testing|flaky|bench\w{0,8})(?![A-Za-z])", re.IGNORECASE)
_SERIES = re.compile(r"(?<![\w/])\d{1,2}\s?/\s?(?:\d{1,2}|[nN])(?![\w/])")
_GATE = re.compile(
    r"^\s{0,60}(?:if|elif|else if|return)\b.{0,200}(?:is_cuda|is_hip|capability|sm\d\d|is_sm|arch|support|backend|dtype)",
    re.IGNORECASE,
)
_KERNEL = either(field().kernel_marks)
_TALK = frozenset(
    """kind_refactor kind_other kind_fix kind_docs kind_test kind_ci kind_build tiny for_tests says_tidying says_testing
    says_telling says_step says_add niche""".split()  # noqa: SIM905  words read better than a list of strings
)
"""What is proven to break a setting, or to switch code off or on, is not talked away by a title that calls it tidying or a
repair of CI, nor by being small.
"""
_REPAIRED = frozenset({"wrong_result", "crash", "hang", "regression"})
_ONLY: tuple[tuple[str, frozenset[Area]], ...] = (
    ("only_docs", frozenset({"docs"})),
    ("only_test", frozenset({"test"})),
    ("only_ci", frozenset({"ci"})),
    ("only_quiet", QUIET),
)
_MODEL_FILE = re.compile(r"(?:^|/)models?/[\w-]{1,80}\.py$|(?:^|/)models/\w{1,60}/")


def features(change: Change, reading: Reading, kind: Kind) -> tuple[Feature, ...]:
    """Every feature of a change that is not zero."""
    alone = decisive(change, reading)
    if alone is not None:
        return (alone,)
    ours = front(change)
    found = (
        Feature(f"kind_{kind}"),
        *_from_findings(change, reading),
        *_from_paths(ours, reading),
        *_from_size(change, ours),
        *_from_words(change, kind),
        *_from_lines(change),
    )
    proven = any(f.name in ("breaks_setting", "switched") for f in found)
    return tuple(f for f in found if f.name not in _TALK) if proven else found


def decisive(change: Change, reading: Reading) -> Feature | None:
    """The one feature that decides alone: nothing that a user runs is touched."""
    if change.empty:
        return Feature("empty")
    if is_quiet(change, reading):
        return next(Feature(name) for name, areas in _ONLY if set(reading.areas) <= areas)
    kinds = [kind_of(f.kind) for f in reading.findings]
    safe = bool(kinds) and all(kind.surface == "safe" for kind in kinds)
    if safe and not set(reading.areas) & {"build", "dependency", "data"}:
        first = min(kinds, key=lambda kind: kind.name)
        return Feature(first.name, reason=Reason(first.name, first.brief))
    return Feature("only_version") if _version_only(change) else None


def is_decisive(name: str) -> bool:
    """Whether a feature stands alone: such a change is low, whatever its words say."""
    return name == "empty" or name.startswith("only_")


def _version_only(change: Change) -> bool:
    """Nothing but the project's own version and what is told beside it."""
    ours = front(change)
    if not ours or any(f.binary or f.patch_cut or f.skipped for f in ours):
        return False
    if all(_VERSION_FILE.search(f.path[-200:]) for f in ours):
        return True
    edited = (line for sign in "+-" for line in lines(change, sign) if line.strip())
    first = next(edited, "")
    return _VERSION_LINE.search(first) is not None and all(map(_VERSION_LINE.search, edited))


def _from_findings(change: Change, reading: Reading) -> Iterator[Feature]:
    yield from _breaks(change, reading)
    shown = [f for f in reading.findings if is_front(f.path)]
    for name in groups():
        found = next((f for f in shown if kind_of(f.kind).group == name), None)
        if found:
            yield Feature(name, reason=said_by(found))
    bumps = [f for f in shown if _is_bump(kind_of(f.kind))]
    core = [f for f in bumps if is_core(f.symbol)]
    if core:
        yield Feature("core_bump", reason=said_by(core[0]))
    elif bumps:
        yield Feature("bump", reason=said_by(bumps[0]))


def _is_bump(kind: FindingKind) -> bool:
    return kind.change == "changed" and ("pinned" in kind.traits or kind.family in _REQUIRED)


def _breaks(change: Change, reading: Reading) -> Iterator[Feature]:
    """What breaks weighs by how it is shown: a setting that is gone, another name, an announcement the code bears out."""
    broken, reasons = is_breaking(change, reading)
    if not broken:
        return
    proven = [kind_of(f.kind) for f in reading.findings if f.breaking]
    if any(kind.surface in _SETTINGS for kind in proven):
        yield Feature("breaks_setting", reason=reasons[0])
    else:
        yield Feature("breaks_api" if proven else "breaks_announced", reason=reasons[0])


def _from_paths(ours: Sequence[FileChange], reading: Reading) -> Iterator[Feature]:
    paths = [f.path[-300:] for f in ours]
    for name, pattern in PLACES:
        if any(map(pattern.search, paths)):
            yield Feature(f"in_{name}")
    areas = set(reading.areas)
    if "kernel" in areas:
        yield Feature("area_kernel")
    if "api" in areas:
        yield Feature("area_api")
    if not areas & _CODE:
        yield Feature("no_code")
    niche = sum(NICHE.search(p) is not None for p in paths)
    if niche * 2 > len(paths):
        yield Feature("niche", niche / len(paths))
    if any(f.status == "A" and _MODEL_FILE.search(f.path[-300:]) for f in ours):
        yield Feature("new_model")


def _from_size(change: Change, ours: Sequence[FileChange]) -> Iterator[Feature]:
    """Size counts only in steps that end soon: a large refactoring is not more important than a middling one."""
    added, deleted = sum(f.added for f in ours), sum(f.deleted for f in ours)
    yield Feature("size", min(1.0, math.log10(1 + added + deleted) / 3.5))
    yield Feature("grows", added / (added + deleted) if added + deleted else 0.5)
    yield Feature("wide", min(1.0, math.log2(1 + len(ours)) / 4))
    if any(f.status == "A" for f in ours):
        yield Feature("new_file")
    if any("test" in f.path for f in change.files if f not in ours):
        yield Feature("tested")
    if added + deleted <= 4:
        yield Feature("tiny")


def _from_words(change: Change, kind: Kind) -> Iterator[Feature]:
    """A fix that speaks of wrong results repairs them; anything else that does is about them."""
    subject, text = bare(change.subject), body(change)
    for name, pattern in WORDS:
        match = pattern.search(subject)
        if match:
            verb = "fixes" if kind in ("fix", "security") and name in _REPAIRED else "says"
            yield Feature(f"{verb}_{name}", 1.0, match[0])
        elif name in IN_BODY and (match := pattern.search(text)):
            yield Feature(f"says_{name}", 0.3, match[0])
    # Projects that tag titles say "CI" and "1/N" in a tag, others in words: both count alike.
    told = tags(change.subject)
    if _TEST_TAG.search(told):
        yield Feature("for_tests", 1.0)
    part = _SERIES.search(change.subject[:400])
    if part:
        yield Feature("series", 1.0, part[0].strip("[]() "))


def _from_lines(change: Change) -> Iterator[Feature]:
    for name, pattern in (("gate", _GATE), ("kernel_lines", _KERNEL)):
        if any(map(pattern.search, lines(change, "+"))):
            yield Feature(name)


MAX_REASONS = 3
_FLOOR = frozenset({"breaks_setting", "breaks_api", "breaks_announced", "kind_security", "switched"})
"""What asks for a look whatever else is said: never low."""
_LOWEST = 0.02


class Weights(Struct, frozen=True):
    """What `weights.toml` holds."""

    bias: float
    high: float
    medium: float
    weight: dict[str, float]


@lru_cache(maxsize=1)
def weights() -> Weights:
    """The weights that ship with the package."""
    data = tomllib.loads(files("daybreak.judge").joinpath("weights.toml").read_text("utf-8"))
    return Weights(
        bias=float(data["bias"]),
        high=float(data["level"]["high"]),
        medium=float(data["level"]["medium"]),
        weight={name: float(value) for name, value in data["weight"].items()},
    )


def importance(change: Change, reading: Reading, kind: Kind) -> Importance:
    """Grade one change by its effect."""
    if change.skipped is not None:
        return Importance("medium", 0.5, (Reason("unread", say("judge.grade.unread")),))
    return graded(features(change, reading, kind), weights())


def graded(found: Sequence[Feature], table: Weights) -> Importance:
    """The grade that features give."""
    if any(is_decisive(f.name) for f in found):
        return Importance("low", _LOWEST, tuple(map(_reason, found)))
    score = round(raw_score(found, table), 4)
    level = _level(score, found, table)
    return Importance(level, score, _reasons(found, table, level))


def raw_score(found: Sequence[Feature], table: Weights) -> float:
    """0..1, always above what touches nothing that runs."""
    total = table.bias + sum(table.weight.get(f.name, 0.0) * f.value for f in found)
    return _LOWEST + (1 - _LOWEST) / (1 + math.exp(-max(-30.0, min(30.0, total))))


def _level(score: float, found: Sequence[Feature], table: Weights) -> Level:
    if score >= table.high:
        return "high"
    return "medium" if score >= table.medium or any(f.name in _FLOOR for f in found) else "low"


def _reasons(found: Sequence[Feature], table: Weights, level: Level) -> tuple[Reason, ...]:
    """The largest contributions that have words: those that raise a high or medium grade, those that lower a low one."""
    parts = [(table.weight.get(f.name, 0.0) * f.value, f) for f in found if f.reason or known("judge.reason", f.name)]
    wanted = [p for p in parts if (p[0] < -0.05 if level == "low" else p[0] > 0.05)] or parts
    wanted.sort(key=lambda item: (-abs(item[0]), item[1].name))
    reasons = map(_reason, (feature for _, feature in wanted))
    return tuple({chosen(one.text, REFERENCE): one for one in reasons}.values())[:MAX_REASONS]


def _reason(feature: Feature) -> Reason:
    if feature.reason is not None:
        return feature.reason
    if not known("judge.reason", feature.name):
        return Reason(feature.name, alike(feature.name))
    text = term("judge.reason", feature.name, word=feature.detail or NOTHING)
    return Reason(feature.name, {language: said.strip() for language, said in text.items()})


# --- What is high whatever its size, and however little a title says: rules that stand above the fitted grade ---
# What stops a deployment from starting or being seen, and what makes it unsafe. What breaks code that calls it, or changes
# what happens by default: in a library without flags that is all that users ever meet. Hardware that runs it from now on.
# Results that were wrong until now.


_OPERATED = frozenset({"cli", "environment", "server", "metrics"})
"""Surfaces that operators and clients type: flags, variables, requests, metrics."""
_STILL_RUNS = frozenset({"deprecates", "refuses"})
"""Breaks of which most users notice nothing yet, or that turn away what was wrong already."""
_RUNS_ON = re.compile(
    r"\b(sm_?\d{2,3})[a-z]?`?(?: \w{1,20}){0,3} support\b|\bsupport\w{0,3}(?: for)? `?(sm_?\d{2,3})[a-z]?\b"
    r"|^add `?(sm_?\d{2,3})[a-z]?`?(?: for \w{1,20})?$",
    re.IGNORECASE,
)
"""Hardware itself is supported now; a kernel that is written for one is news of a kernel."""


def floored(rank: Importance, change: Change, reading: Reading, kind: Kind, broken: Sequence[Reason]) -> Importance:
    """The grade, lifted where a rule says so; the rule's reason comes first. What is low stays low."""
    if rank.level != "medium":
        return rank
    if kind == "security" or any(f.breaking and kind_of(f.kind).surface in _OPERATED for f in reading.findings):
        return _lifted(rank)
    if concerns_few([file.path for file in front(change)]):
        return rank
    breaks = [r for r in broken if r.code not in _STILL_RUNS and "within" not in kind_of(r.code).traits]
    reason = breaks[0] if breaks else runs_on(change) if kind == "feature" else rights(change, kind)
    return _lifted(rank, reason) if reason else rank


def runs_on(change: Change) -> Reason | None:
    """Hardware that the title says is supported now, where lines that came name it."""
    said = _RUNS_ON.search(bare(change.subject))
    if said is None:
        return None
    name = next(filter(None, said.groups()))
    digits = name[2:].lstrip("_")
    number = re.compile(rf"(?<!\d){digits[:-1]}{digits[-1]}?(?!\d)")  # code asks for 120, or for a major version of 12
    if not any(map(number.search, lines(change, "+"))):
        return None
    return Reason("runs_on", say("judge.grade.runs_on", name=name))


def rights(change: Change, kind: Kind) -> Reason | None:
    """Results that were wrong, and what worked before, where a fix says so in words that mean nothing else."""
    found = repaired(change, kind) if kind == "fix" else None
    if found is None or not (found.said and found.in_subject) or not known("judge.grade_repair", found.kind):
        return None
    return Reason(f"says_{found.kind}", term("judge.grade_repair", found.kind, word=found.word))


def _lifted(rank: Importance, reason: Reason | None = None) -> Importance:
    first = (reason,) if reason and reason.text not in [r.text for r in rank.reasons] else ()
    return replace(
        rank, level="high", score=max(rank.score, weights().high), reasons=(*first, *rank.reasons)[:MAX_REASONS]
    )
