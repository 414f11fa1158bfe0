"""Fits what moves a change on the first screen and writes src/daybreak/judge/urgency.toml.

    fit_urgency.py --mirrors DIR [LABELS.jsonl] [--dry-run]

A label is one expert reader's first screen of one day, read off git alone: at most eight lines of commits, and runners-up.
Logistic regression in plain Python, with the base that a rule gives a change (`urgency.py`) as a fixed part. Each day
is left out once: the figures printed are of days that the weights have not seen, through the code that makes reports.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from daybreak.core import windows
from daybreak.core.config import load
from daybreak.core.model.day import MOST_ACTIONS
from daybreak.core.model.report import RepoReport
from daybreak.judge import urgency
from daybreak.judge.actions import actions, asked
from daybreak.judge.urgency import marks
from daybreak.runs import wiring
from daybreak.runs.pipeline import Job, judge_day
from daybreak.store.report_files import ReportFiles

HERE = Path(__file__).parent
TARGET = HERE.parent / "src" / "daybreak" / "analyse" / "urgency.toml"
WATCHED = (
    "Dao-AILab/flash-attention", "NVIDIA/cutile-python", "NVIDIA/cutlass", "deepseek-ai/DeepGEMM",
    "deepseek-ai/FlashMLA", "flashinfer-ai/flashinfer", "sgl-project/sglang", "vllm-project/vllm",
)  # fmt: skip
"""The repositories of a label that names none."""
SCALE, PULL, STEPS = 0.25, 10.0, 25
"""What one step of the base's scale is worth in odds; how hard weights are drawn to zero; rounds of Newton's method."""
RUNNER_UP = 0.4

Screen = dict[str, Any]
Day = tuple[str, str, tuple[str, ...]]
Matrix = list[list[float]]


@dataclass(frozen=True)
class Example:
    """One change as the model sees it."""

    day: Day
    marks: dict[str, float]
    base: float
    target: float
    weight: float


# --- reading ---------------------------------------------------------------------------------------------------------


def day_of(screen: Screen) -> Day:
    return screen["day"], screen.get("zone", "Asia/Shanghai"), tuple(screen.get("repos", WATCHED))


def reports(which: Day, mirrors: Path, folder: Path) -> tuple[RepoReport, ...]:
    """The day as `daybreak run` reads it."""
    label, zone, repos = which
    config = folder / "daybreak.toml"
    rows = [f'[[repo]]\nname = "{r}"\ngit = "{mirrors / r.replace("/", "+") / "repo"}"\n' for r in repos]
    config.write_text(f'timezone = "{zone}"\n[github]\nask = false\n' + "".join(rows), "utf-8")
    settings = load(config, {}, dict(os.environ))
    stages = wiring.stages(settings, offline=False, say=lambda _: None, memory=ReportFiles(settings.out))
    window = windows.day(date.fromisoformat(label), settings.zone, datetime.now(UTC))
    job = Job(window, settings.repos(), ("zh", "en"), "fit")
    return judge_day(job, stages, lambda _: None).repos


def examples(day: Day, repos: Sequence[RepoReport], screens: Sequence[Screen]) -> list[Example]:
    """A change is as good as the share of experts who put it on the first screen; runners-up count for less."""
    shown = [{sha for line in s["lines"] for sha in line} for s in screens]
    near = {sha for s in screens for line in s["runners_up"] for sha in line}
    out = []
    for repo in repos:
        for entry in repo.entries:
            made, sha = asked(repo, entry), entry.change.sha
            found = dict(marks(entry, made.proven, made.findings) if made else marks(entry, proven=False))
            share = sum(sha in one for one in shown) / len(shown)
            weight = share or (RUNNER_UP if sha in near else 1.0)
            out.append(Example(day, found, made.base if made else 0.0, float(share > 0 or sha in near), weight))
    return out


# --- fitting ---------------------------------------------------------------------------------------------------------


def fit(rows: Sequence[Example], names: Sequence[str]) -> dict[str, float]:
    """Weights in steps of the base's scale."""
    x = [[row.marks.get(name, 0.0) for name in names] + [1.0] for row in rows]
    size = len(names) + 1
    found = [0.0] * size
    for _ in range(STEPS):
        slope = [PULL * value for value in found[:-1]] + [0.0]
        curve = [[PULL * (i == j and i < size - 1) + 1e-6 * (i == j) for j in range(size)] for i in range(size)]
        for row, values in zip(rows, x, strict=True):
            odds = SCALE * row.base + sum(a * b for a, b in zip(found, values, strict=True))
            chance = 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))
            for i, value in enumerate(values):
                if value:
                    slope[i] += row.weight * (chance - row.target) * value
                    for j, other in enumerate(values):
                        curve[i][j] += row.weight * chance * (1 - chance) * value * other
        found = [a - b for a, b in zip(found, solved(curve, slope), strict=True)]
    return {name: value / SCALE for name, value in zip(names, found, strict=False)}


def solved(matrix: Matrix, right: Sequence[float]) -> list[float]:
    """Gauss, with the largest pivot first."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for at in range(len(rows)):
        best = max(range(at, len(rows)), key=lambda i: abs(rows[i][at]))
        rows[at], rows[best] = rows[best], rows[at]
        pivot = rows[at][at]
        rows[at] = [value / pivot for value in rows[at]]
        for i, row in enumerate(rows):
            if i != at and row[at]:
                rows[i] = [a - row[at] * b for a, b in zip(row, rows[at], strict=True)]
    return [row[-1] for row in rows]


# --- measuring -------------------------------------------------------------------------------------------------------


def held(repos: Sequence[RepoReport], screen: Screen, table: dict[str, float]) -> int:
    """Lines of an expert's screen of which something stands on ours."""
    kept, urgency.weights = urgency.weights, lambda: table  # type: ignore[assignment]
    try:
        ours = {sha for action in actions(repos)[:MOST_ACTIONS] for sha in action.commits}
    finally:
        urgency.weights = kept
    return sum(any(sha in ours for sha in line) for line in screen["lines"])


def written(table: dict[str, float]) -> str:
    rows = "\n".join(f"{name} = {value:.2f}" for name, value in sorted(table.items()))
    return f"# Written by scripts/fit_urgency.py; in steps of the scale in urgency.py.\n\n[weight]\n{rows}\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", nargs="?", type=Path, default=HERE / "first_screens.jsonl")
    parser.add_argument("--mirrors", type=Path, required=True)
    parser.add_argument("--dry-run", action="store_true")
    given = parser.parse_args()
    screens: list[Screen] = [json.loads(line) for line in given.labels.read_text("utf-8").splitlines() if line]
    by_day: dict[Day, list[Screen]] = {}
    for screen in screens:
        by_day.setdefault(day_of(screen), []).append(screen)
    with tempfile.TemporaryDirectory() as folder:
        read = {day: reports(day, given.mirrors.resolve(), Path(folder)) for day in by_day}
    rows = [row for day, some in by_day.items() for row in examples(day, read[day], some)]
    names = sorted({name for row in rows for name in row.marks})
    hits = lines = 0
    for day, some in by_day.items():
        table = fit([row for row in rows if row.day != day], names)
        for screen in some:
            got, of = held(read[day], screen, table), len(screen["lines"])
            hits, lines = hits + got, lines + of
            print(f"{day[0]}  {len(day[2])} repositories  {got} of {of}")
    print(f"days left out once: {hits} of {lines} lines ({hits / lines:.0%})")
    text = written(fit(rows, names))
    if given.dry_run:
        print(text)
    else:
        TARGET.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
