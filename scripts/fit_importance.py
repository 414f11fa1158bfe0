"""Fits the weights of importance on labelled commits and writes src/daybreak/judge/weights.toml.

    fit_importance.py --mirrors DIR LABELS.jsonl [--background 1200] [--dry-run]

Logistic regression in plain Python: important and breaking rows against plain and trivial ones, with a few random
commits as weak negatives so that repositories without plain rows are judged alike. Weights are drawn to a prior
written by hand and may not cross zero against it, so that a reason never says the opposite of what it does.
Cross-validation is by date: each fold is a stretch of time. Levels are set on the cross-validated scores.
"""

from __future__ import annotations

import argparse
import math
import os
import pickle
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

sys.path.insert(0, str(Path(__file__).parent.parent))

from scripts.eval import Row, read_rows, table

from daybreak.core.model.changes import Repo
from daybreak.judge.change_kinds import kind_of
from daybreak.judge.grading import Job, grade_commits
from daybreak.judge.importance import Feature, Weights, features, graded, is_decisive, weights

TARGET = Path(__file__).parent.parent / "src" / "daybreak" / "judge" / "weights.toml"
FOLDS, STEPS, PULL = 5, 300, 0.5
BACKGROUND_WEIGHT = 0.05
OTHER_REPOSITORY = 0.4
"""Rows of repositories without plain rows count less: their positives have nothing to be told apart from."""
MISSED = 0.02
"""The share of important rows that the cut of `medium` may lose."""

PRIOR: dict[str, float] = {
    "breaks_setting": 2.5, "breaks_api": 1.5, "breaks_internals": 0.4, "deprecates": 0.4, "default_changed": 0.8,
    "choices_changed": 0.3, "operator_signature": 0.4, "dispatch_condition": 0.4, "switched": 0.6, "guard_condition": 0.1,
    "extension": 0.3, "setting_added": 0.3, "served_added": 0.3, "model_or_registry_added": 0.8, "architecture_added": 0.6,
    "parameter_default": 0.2, "core_bump": 0.8, "bump": 0.2, "new_model": 0.8, "new_file": 0.4,
    "kind_revert": 1.0, "kind_security": 1.5, "kind_feature": 0.3,
    "fixes_wrong_result": 1.0, "fixes_crash": 0.4, "fixes_hang": 0.7, "fixes_regression": 0.6,
    "area_kernel": 0.2, "area_api": 0.2, "in_schedule": 0.3, "in_attention": 0.2, "in_moe": 0.2, "in_cache": 0.2,
    "wide": 0.3, "size": 0.2, "niche": -0.4, "no_code": -0.2, "tiny": -0.2, "kind_refactor": -0.3, "kind_other": -0.2,
    "kind_docs": -0.5, "kind_test": -0.5, "kind_ci": -0.5, "kind_build": -0.1, "api_moved": -0.1,
}  # fmt: skip
"""What we believe before seeing a label; 0 for the rest. The sign is kept."""
FREE = frozenset({"size", "wide", "grows", "tested", "kind_fix", "kind_dependency", "kind_perf", "kind_build"})
"""Features whose sign is for the data to say."""


@dataclass(frozen=True)
class Example:
    """One commit as the model sees it."""

    found: tuple[Feature, ...]
    label: Row | None
    repo: str
    breaking: bool

    @property
    def alone(self) -> bool:
        return any(is_decisive(f.name) for f in self.found)

    @property
    def target(self) -> int | None:
        if self.label is None:
            return 0
        return {"important": 1, "breaking": 1, "plain": 0, "trivial": 0}.get(self.label["label"])

    @property
    def weight(self) -> float:
        if self.label is None:
            return BACKGROUND_WEIGHT
        return 1.0 if self.repo == "vllm-project/vllm" else OTHER_REPOSITORY


def read(repo: str, shas: Sequence[str], mirrors: Path, labels: Mapping[str, Row]) -> list[Example]:
    """Features of commits, read as `daybreak grade` reads them."""
    place = mirrors / repo.replace("/", "+") / "repo"
    out = []
    with tempfile.TemporaryDirectory() as state:
        job = Job(Repo(repo, f"https://github.com/{repo}", str(place)), Path(state), dict(os.environ))
        for entry in grade_commits(job, shas, lambda _: None):
            change, reading = entry.change, entry.reading
            found = features(change, reading, kind_of(change, reading))
            out.append(Example(found, labels.get(change.sha), repo, entry.breaking))
    print(f"{repo}: {len(shas)} commits read", file=sys.stderr)
    return out


def random_commits(repo: str, mirrors: Path, since: str, until: str) -> list[str]:
    """First-parent commits of the labels' time, in an order that is the same each time."""
    place = mirrors / repo.replace("/", "+") / "repo"
    command = [
        "git",
        "-C",
        str(place),
        "log",
        "--first-parent",
        "--format=%H",
        f"--since={since}",
        f"--until={until}",
        "HEAD",
    ]
    shas = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    random.Random(repo).shuffle(shas)
    return shas


def gather(labels: Sequence[Row], mirrors: Path, background: int) -> list[Example]:
    """Labelled commits, then random ones, as many of each repository."""
    repos = list(dict.fromkeys(row["repo"] for row in labels))
    by_sha = {row["sha"]: row for row in labels}
    days = sorted(row["date"] for row in labels)
    out: list[Example] = []
    for repo in repos:
        shas = [row["sha"] for row in labels if row["repo"] == repo]
        others = [s for s in random_commits(repo, mirrors, days[0], days[-1]) if s not in by_sha]
        out += read(repo, shas + others[: background // len(repos)], mirrors, by_sha)
    return out


# --- fitting -------------------------------------------------------------------------------------------------------


def fit(examples: Sequence[Example]) -> tuple[float, dict[str, float]]:
    """Bias and weights: accelerated gradient descent on the penalised likelihood, signs kept by projection."""
    used = [e for e in examples if e.target is not None and not e.alone]
    names = sorted({f.name for e in used for f in e.found})
    index = {name: number for number, name in enumerate(names, 1)}
    rows = [[(0, 1.0), *((index[f.name], f.value) for f in e.found)] for e in used]
    goal = [(float(e.target or 0), e.weight) for e in used]
    prior = [0.0, *(PRIOR.get(name, 0.0) for name in names)]
    low = [-math.inf, *(-math.inf if n in FREE or PRIOR.get(n, 0.0) < 0 else 0.0 for n in names)]
    high = [math.inf, *(0.0 if n not in FREE and PRIOR.get(n, 0.0) < 0 else math.inf for n in names)]
    weight, ahead, pace = prior[:], prior[:], 1.0
    rate = 2 / (0.25 * max(sum(v * v for _, v in row) for row in rows))
    for _ in range(STEPS):
        slope = _slope(rows, goal, ahead, prior)
        moved = [min(h, max(lo, a - rate * s)) for a, s, lo, h in zip(ahead, slope, low, high, strict=True)]
        _kept_in_order(moved, index)
        faster = (1 + math.sqrt(1 + 4 * pace * pace)) / 2
        ahead = [new + (pace - 1) / faster * (new - old) for new, old in zip(moved, weight, strict=True)]
        weight, pace = moved, faster
    return weight[0], {name: weight[index[name]] for name in names}


def _kept_in_order(weight: list[float], index: Mapping[str, int]) -> None:
    """Wrong results that nobody notices are worse than a crash that everybody sees, whatever few rows say."""
    worse, better = index.get("fixes_wrong_result"), index.get("fixes_crash")
    if worse is not None and better is not None and weight[worse] < weight[better] + 0.2:
        middle = (weight[worse] + weight[better]) / 2
        weight[worse], weight[better] = middle + 0.1, max(0.0, middle - 0.1)


def _slope(
    rows: Sequence[Sequence[tuple[int, float]]],
    goal: Sequence[tuple[float, float]],
    at: Sequence[float],
    prior: Sequence[float],
) -> list[float]:
    total = sum(weight for _, weight in goal)
    slope = [PULL / total * (a - p) for a, p in zip(at, prior, strict=True)]
    slope[0] = 0.0
    for row, (target, weight) in zip(rows, goal, strict=True):
        guess = 1 / (1 + math.exp(-sum(at[i] * v for i, v in row)))
        error = (guess - target) * weight / total
        for i, v in row:
            slope[i] += error * v
    return slope


def folds(examples: Sequence[Example]) -> list[int]:
    """Each label of each repository in as many stretches of time; random commits are in none."""
    groups: dict[tuple[str, str], list[int]] = {}
    for number, example in enumerate(examples):
        if example.label is not None:
            groups.setdefault((example.repo, example.label["label"]), []).append(number)
    out = [-1] * len(examples)
    for group in groups.values():
        group.sort(key=lambda number: str((examples[number].label or {})["date"]))
        for place, number in enumerate(group):
            out[number] = place * FOLDS // len(group)
    for number, fold in enumerate(out):
        if fold < 0:
            out[number] = number % FOLDS
    return out


def cross_validated(examples: Sequence[Example]) -> list[tuple[Example, Weights]]:
    """Each example with the weights that were fitted without its fold."""
    where = folds(examples)
    table = weights()
    fitted = []
    for fold in range(FOLDS):
        bias, weight = fit([e for e, f in zip(examples, where, strict=True) if f != fold])
        fitted.append(replace(table, bias=bias, weight=weight))
    return [(e, fitted[f]) for e, f in zip(examples, where, strict=True)]


def medium_cut(scored: Sequence[tuple[Example, float]]) -> float:
    """The cut of medium on cross-validated scores; what is high, rules say."""
    important = sorted(s for e, s in scored if e.label and "important" in (e.label["label"], *e.label["also"]))
    return important[int(MISSED * len(important))] - 1e-4


# --- telling -------------------------------------------------------------------------------------------------------


def grades(validated: Sequence[tuple[Example, Weights]], medium: float) -> list[tuple[Example, Row]]:
    out: list[tuple[Example, Row]] = []
    for example, table_ in validated:
        rank = graded(example.found, replace(table_, medium=medium))
        row: dict[str, Any] = {"importance": rank.level, "score": rank.score, "breaking": example.breaking}
        out.append((example, row))
    return out


def write(bias: float, weight: Mapping[str, float], medium: float) -> None:
    lines = [
        "# Written by scripts/fit_importance.py; do not edit. A score is 1 / (1 + exp(-(bias + sum of weight * value))).",
        f"bias = {bias:.3f}",
        "",
        "[level]",
        f"medium = {medium:.4f}",
        "",
        "[weight]",
        *(f"{name} = {value:.3f}" for name, value in sorted({**PRIOR, **weight}.items())),
    ]
    TARGET.write_text("\n".join(lines) + "\n", "utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--mirrors", type=Path, required=True)
    parser.add_argument("--background", type=int, default=1200)
    parser.add_argument("--keep", type=Path, help="keep what was read here, and use it when it is there")
    parser.add_argument("--dry-run", action="store_true", help="tell the figures and write nothing")
    arguments = parser.parse_args()
    kept: Path | None = arguments.keep
    if kept is not None and kept.exists():
        examples = pickle.loads(kept.read_bytes())
    else:
        examples = gather(read_rows(arguments.labels), arguments.mirrors, arguments.background)
        if kept is not None:
            kept.write_bytes(pickle.dumps(examples))
    validated = cross_validated(examples)
    medium = medium_cut([(e, graded(e.found, t).score) for e, t in validated])
    rows = grades(validated, medium)
    pairs = [(e.label, row) for e, row in rows if e.label is not None]
    print("cross-validated:\n" + table(pairs))
    for repo in dict.fromkeys(e.repo for e in examples):
        count = Counter(row["importance"] for e, row in rows if e.label is None and e.repo == repo)
        print(f"random commits of {repo}: {dict(count)}")
    bias, weight = fit(examples)
    if not arguments.dry_run:
        write(bias, weight, medium)
    return 0


if __name__ == "__main__":
    sys.exit(main())
