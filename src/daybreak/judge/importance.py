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
from daybreak.core.model.findings import Area, Finding, Reading
from daybreak.core.model.statements import Importance, Kind, Level, Reason
from daybreak.core.profiles import profile_of
from daybreak.core.words import known, say, term
from daybreak.core.words.grammar import alike
from daybreak.core.words.phrases import REFERENCE, chosen
from daybreak.findings.kinds import Kind as FindingKind
from daybreak.findings.kinds import groups, kind_of
from daybreak.judge.breaking import Marks, marks, said_by
from daybreak.judge.change_kinds import concerns_few, front, is_front, is_quiet, lines
from daybreak.judge.effect import alters
from daybreak.judge.phrases import effect_of
from daybreak.judge.urgency import repaired
from daybreak.judge.vocabulary import PLACES, is_core

# --- What can be said of a change that bears on its importance: named features ---
# A feature is 0 to 1. Its weight and its wording are data (`weights.toml`), so the grade can be explained and refitted.
# A mixed commit is judged by its files that are not tests, docs or CI, by what was found in them and by how much of them it
# alters. No word of a title counts but what a fix says that it repairs.


class Feature(NamedTuple):
    """One named feature; its reason is its own, or its words in the catalogue."""

    name: str
    value: float = 1.0
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
_TALK = frozenset({"kind_refactor", "kind_other", "kind_fix", "kind_build", "tiny", "niche"})
"""What is proven to break a setting, or to switch code off or on, is not talked away by a title that calls it tidying,
nor by being small.
"""
_ONLY: tuple[tuple[str, frozenset[Area]], ...] = (
    ("only_docs", frozenset({"docs"})),
    ("only_test", frozenset({"test"})),
    ("only_ci", frozenset({"ci"})),
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
        *_from_paths(change, ours, reading),
        *_from_size(change, ours),
        *_from_repair(change, kind),
    )
    proven = any(f.name in ("breaks_setting", "switched") for f in found)
    return tuple(f for f in found if f.name not in _TALK) if proven else found


def decisive(change: Change, reading: Reading) -> Feature | None:
    """The one feature that decides alone: nothing that a user runs is touched."""
    if change.empty:
        return Feature("empty")
    if is_quiet(change, reading):
        return Feature(next((name for name, areas in _ONLY if set(reading.areas) <= areas), "only_quiet"))
    kinds = [kind_of(f.kind) for f in reading.findings]
    safe = bool(kinds) and all(kind.surface == "safe" for kind in kinds)
    if safe and not set(reading.areas) & {"build", "dependency", "data"}:
        first = min(kinds, key=lambda kind: kind.name)
        return Feature(first.name, reason=Reason(first.name, first.brief))
    if _version_only(change):
        return Feature("only_version")
    told = any(kind.told == "always" for kind in kinds)
    return None if told or alters(change) else Feature("only_inert")


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
    yield from _from_marks(marks(change, reading))
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


def _from_marks(found: Marks) -> Iterator[Feature]:
    """What breaks weighs by whom it hits: those who type a setting, those who call a name, plug-ins and forks."""
    for mark, shown in found.items():
        typed = next((f for f in shown if kind_of(f.kind).surface in _SETTINGS), None)
        name = mark if mark != "breaks" else "breaks_setting" if typed else "breaks_api"
        yield Feature(name, reason=said_by(typed or shown[0]))


def _from_paths(change: Change, ours: Sequence[FileChange], reading: Reading) -> Iterator[Feature]:
    """Where it lies; what a folder's name means is known of projects of the field alone."""
    paths = [f.path[-300:] for f in ours]
    for name, pattern in PLACES if profile_of(change.repo).repo else ():
        if any(map(pattern.search, paths)):
            yield Feature(f"in_{name}")
    areas = set(reading.areas)
    if "kernel" in areas:
        yield Feature("area_kernel")
    if "api" in areas:
        yield Feature("area_api")
    if not areas & _CODE:
        yield Feature("no_code")
    if concerns_few(paths):
        yield Feature("niche")
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


def _from_repair(change: Change, kind: Kind) -> Iterator[Feature]:
    """What a fix says that it repairs; that it alters what users run is known here."""
    found = repaired(change, kind) if kind in ("fix", "security") else None
    if found is not None:
        yield Feature(f"fixes_{found.kind}")


MAX_REASONS = 3
_FLOOR = frozenset({"breaks_setting", "breaks_api", "kind_security", "switched"})
"""What asks for a look whatever else is said: never low."""
TELLING = frozenset(
    {"kind_fix", "kind_feature", "kind_perf", "kind_revert", "kind_security", "kind_build", "kind_dependency"}
)
"""Kinds that say what a change that alters something is, where no more is known."""
_PLACED = frozenset({"area_kernel", "area_api", "new_model", *(f"in_{name}" for name, _ in PLACES)})
"""Where it lies, which is true though it weighs nothing."""
_LOWEST = 0.02
HIGH = 0.9
"""Scores from here on are of what a rule made high."""


class Weights(Struct, frozen=True):
    """What `weights.toml` holds."""

    bias: float
    medium: float
    weight: dict[str, float]


@lru_cache(maxsize=1)
def weights() -> Weights:
    """The weights that ship with the package."""
    data = tomllib.loads(files("daybreak.judge").joinpath("weights.toml").read_text("utf-8"))
    return Weights(
        bias=float(data["bias"]),
        medium=float(data["level"]["medium"]),
        weight={name: float(value) for name, value in data["weight"].items()},
    )


def importance(change: Change, reading: Reading, kind: Kind) -> Importance:
    """Grade one change by its effect."""
    if change.skipped is not None:
        return Importance("medium", 0.5, (Reason("unread", say("judge.grade.unread")),))
    return graded(features(change, reading, kind), weights())


def graded(found: Sequence[Feature], table: Weights) -> Importance:
    """The grade that features give: medium at most, for only a rule makes a change high."""
    if any(is_decisive(f.name) for f in found):
        return Importance("low", _LOWEST, tuple(map(_reason, found)))
    score = round(raw_score(found, table) * HIGH, 4)
    level = _level(score, found, table)
    return Importance(level, score, _reasons(found, table, level))


def raw_score(found: Sequence[Feature], table: Weights) -> float:
    """0..1, always above what touches nothing that runs."""
    total = table.bias + sum(table.weight.get(f.name, 0.0) * f.value for f in found)
    return _LOWEST + (1 - _LOWEST) / (1 + math.exp(-max(-30.0, min(30.0, total))))


def _level(score: float, found: Sequence[Feature], table: Weights) -> Level:
    """Medium needs a reason that can be told; what asks for a look has one."""
    if any(f.name in _FLOOR for f in found):
        return "medium"
    return "medium" if score >= table.medium and _reasons(found, table, "medium") else "low"


def _reasons(found: Sequence[Feature], table: Weights, level: Level) -> tuple[Reason, ...]:
    """The largest contributions that have words: those that raise a medium grade, those that lower a low one."""
    parts = [(table.weight.get(f.name, 0.0) * f.value, f) for f in found if f.reason or known("judge.reason", f.name)]
    wanted = [p for p in parts if (p[0] < -0.05 if level == "low" else p[0] > 0.05)]
    if level != "low":
        wanted = wanted or [p for p in parts if p[0] >= 0 and p[1].name in _PLACED]
        wanted = wanted or [p for p in parts if p[1].name in TELLING]
    wanted.sort(key=lambda item: (-abs(item[0]), item[1].name))
    reasons = map(_reason, (feature for _, feature in wanted))
    return tuple({chosen(one.text, REFERENCE): one for one in reasons}.values())[:MAX_REASONS]


def _reason(feature: Feature) -> Reason:
    if feature.reason is not None:
        return feature.reason
    if not known("judge.reason", feature.name):
        return Reason(feature.name, alike(feature.name))
    return Reason(feature.name, term("judge.reason", feature.name))


# --- What is high whatever its size: rules that stand above the fitted grade ---
# What breaks existing use, or makes it unsafe. A pin that the program itself checks when it starts. Results that were wrong,
# and what hung, where a fix says so in words that mean nothing else and alters what users run.


_OPERATED = frozenset({"cli", "environment", "server", "metrics"})
"""Surfaces that operators and clients type: flags, variables, requests, metrics."""


def floored(rank: Importance, change: Change, reading: Reading, kind: Kind) -> Importance:
    """The grade, lifted where a rule says so; the rule's reason comes first."""
    if rank.level == "low" and not change.filtered and change.skipped is None:
        return _felt(rank, change, reading, kind)
    if rank.level != "medium" or change.skipped is not None:
        return rank
    breaks = marks(change, reading).get("breaks", ())
    if kind == "security" or any(kind_of(f.kind).surface in _OPERATED for f in breaks):
        return _lifted(rank)
    if concerns_few([file.path for file in front(change)]):
        return rank
    shown = next((f for f in breaks if "within" not in kind_of(f.kind).traits), None) or checked_pin(change, reading)
    reason = said_by(shown) if shown else rights(change, kind)
    return _lifted(rank, reason) if reason else rank


def _felt(rank: Importance, change: Change, reading: Reading, kind: Kind) -> Importance:
    """What is shown to restrict or to alter what most users run is not low, nor is a fix of what they run."""
    shown = next((f for f in reading.findings if is_front(f.path) and effect_of(f) in _FELT), None)
    mends = kind == "fix" and alters(change)
    if not (shown or mends) or concerns_few([file.path for file in front(change)]):
        return rank
    reason = said_by(shown) if shown else Reason("mends", say("judge.grade.mends"))
    return Importance("medium", max(rank.score, weights().medium), (reason,))


_FELT = ("tightened", "behaviour")


def checked_pin(change: Change, reading: Reading) -> Finding | None:
    """A version that a manifest pins and that code of the project asks for as well: with another it does not start."""
    pins = [f for f in reading.findings if "pinned" in kind_of(f.kind).traits and _VERSION.search(f.after or "")]
    if not pins:
        return None
    manifests = {f.path for f in pins}
    added = "\n".join(
        line[1:401]
        for file in front(change)
        if file.path not in manifests and _ASKS.search(file.path[-20:])
        for line in file.patch.split("\n")
        if line[:1] == "+"
    )
    return next((f for f in pins if _quoted(f.after or "", added)), None)


_VERSION = re.compile(r"\d{1,6}(?:\.\w{1,12}){1,4}")
_ASKS = re.compile(r"\.(?:py|rs|go|cc|cpp|h)$")


def _quoted(requirement: str, text: str) -> bool:
    return any(re.search(rf"[\"']{re.escape(one)}[\"']", text) for one in _VERSION.findall(requirement[:200]))


def rights(change: Change, kind: Kind) -> Reason | None:
    """Results that were wrong, and what hung, where a fix says so in words that mean nothing else."""
    found = repaired(change, kind) if kind == "fix" else None
    if found is None or not known("judge.grade_repair", found.kind):
        return None
    return Reason(f"fixes_{found.kind}", term("judge.grade_repair", found.kind))


def _lifted(rank: Importance, reason: Reason | None = None) -> Importance:
    first = (reason,) if reason and reason.text not in [r.text for r in rank.reasons] else ()
    score = round(HIGH + (1 - HIGH) * rank.score, 4)
    return replace(rank, level="high", score=score, reasons=(*first, *rank.reasons)[:MAX_REASONS])
