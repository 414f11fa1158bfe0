"""The grade of a change: a weighted sum of named features, squeezed into 0..1, with its largest parts as reasons.

`weights.toml` is fitted by scripts/fit_importance.py; a feature without words in the catalogue is never a reason.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files

from msgspec import Struct

from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Reading
from daybreak.core.model.statements import Importance, Kind, Level, Reason
from daybreak.core.words import known, say, term
from daybreak.core.words.catalogue import REFERENCE, chosen
from daybreak.core.words.grammar import NOTHING, alike
from daybreak.judge.features import Feature, features, is_decisive

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
