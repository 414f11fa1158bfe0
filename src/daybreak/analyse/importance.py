"""The grade of a change: a weighted sum of named features, squeezed into 0..1, with its largest parts as reasons."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from daybreak.analyse.features import Feature, features
from daybreak.analyse.wording import code, say
from daybreak.model import Change, Importance, Kind, Level, Reading, Reason

MAX_REASONS = 3
_CAPPED = frozenset({"empty", "only_docs", "only_test", "only_ci", "only_quiet", "only_version"})
"""Features that alone decide: such a change is low, whatever its words say."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What `weights.toml` holds."""

    bias: float
    high: float
    medium: float
    weight: dict[str, float]
    text: dict[str, tuple[str, str]]


@lru_cache(maxsize=1)
def weights() -> Weights:
    """The weights that ship with the package."""
    data = tomllib.loads(files("daybreak.analyse").joinpath("weights.toml").read_text("utf-8"))
    rows = data["feature"]
    return Weights(
        bias=float(data["bias"]),
        high=float(data["level"]["high"]),
        medium=float(data["level"]["medium"]),
        weight={name: float(row["weight"]) for name, row in rows.items()},
        text={name: (row["zh"], row["en"]) for name, row in rows.items() if "zh" in row},
    )


def importance(change: Change, reading: Reading, kind: Kind) -> Importance:
    """Grade one change by its effect."""
    if change.skipped is not None:
        return Importance("medium", 0.5, (_UNREAD,))
    found = features(change, reading, kind)
    table = weights()
    total = table.bias + sum(table.weight.get(f.name, 0.0) * f.value for f in found)
    score = round(1 / (1 + math.exp(-max(-30.0, min(30.0, total)))), 4)
    if any(f.name in _CAPPED for f in found):
        return Importance("low", min(score, 0.05), _reasons(found, table, "low"))
    level = _level(score, reading, table)
    return Importance(level, score, _reasons(found, table, level))


def _level(score: float, reading: Reading, table: Weights) -> Level:
    if score >= table.high:
        return "high"
    if score >= table.medium or any(f.breaking for f in reading.findings):
        return "medium"
    return "low"


def _reasons(found: Sequence[Feature], table: Weights, level: Level) -> tuple[Reason, ...]:
    """The largest contributions that have words: those that raise a high or medium grade, any for a low one."""
    parts = [(table.weight.get(f.name, 0.0) * f.value, f) for f in found if f.name in table.text]
    if level != "low":
        parts = [p for p in parts if p[0] > 0.05]
    parts.sort(key=lambda item: (-abs(item[0]), item[1].name))
    return tuple(_reason(f, table) for _, f in parts[:MAX_REASONS])


def _reason(feature: Feature, table: Weights) -> Reason:
    zh, en = table.text[feature.name]
    shown = code(feature.detail) if feature.detail else ""
    return Reason(feature.name, say(zh.replace("{}", shown).strip(), en.replace("{}", shown).strip()))


_UNREAD = Reason("unread", say("内容未能读取，等级待定", "its content could not be read, so the grade is open"))
