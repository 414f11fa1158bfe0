"""Grades labelled commits and scores the grades: `make eval MIRRORS=folder LABELS=file`.

    eval.py --mirrors DIR LABELS.jsonl [--grades GRADES.jsonl] [--write GRADES.jsonl]

DIR holds <owner>+<name>/repo. A label row is {repo, sha, label, also, source}; labels are important, risky, breaking,
trivial and plain. Rows {repo, sha, tier} of days that a reader listed get a table of tiers by grades instead. With --grades, rows that were graded before are scored and no mirror is needed. Each figure stands
beside its bar; the exit code is 1 when one is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]
Pair = tuple[Row, Row]
"""A label and the grade of the same commit."""

LABELS = ("important", "trivial", "risky", "breaking", "plain")
BARS: tuple[tuple[str, str, float], ...] = (
    ("AUC important / trivial", ">=", 0.97),
    ("AUC risky / trivial", ">=", 0.93),
    ("trivial graded high", "<=", 0.01),
    ("plain graded high", "<=", 0.10),
    ("breaking recall, release notes", ">=", 0.85),
    ("breaking recall, name removed", ">=", 0.94),
    ("plain flagged breaking", "<=", 0.06),
    ("trivial flagged breaking", "<=", 0.01),
)


def auc(above: Sequence[float], below: Sequence[float]) -> float | None:
    """How often one of the first has a higher score than one of the second; a tie counts half."""
    if not above or not below:
        return None
    ranked = sorted([(score, 1) for score in above] + [(score, 0) for score in below])
    total, start = 0.0, 0
    while start < len(ranked):
        end = start
        while end < len(ranked) and ranked[end][0] == ranked[start][0]:
            end += 1
        total += (start + 1 + end) / 2 * sum(side for _, side in ranked[start:end])
        start = end
    return (total - len(above) * (len(above) + 1) / 2) / (len(above) * len(below))


def share(grades: Sequence[Row], holds: Callable[[Row], bool]) -> float | None:
    return sum(map(holds, grades)) / len(grades) if grades else None


def figures(pairs: Sequence[Pair]) -> dict[str, float | None]:
    """Every figure of the labels; None where no row speaks to it."""
    of = {name: [g for r, g in pairs if name == r["label"] or name in r.get("also", ())] for name in LABELS}
    score = {name: [float(g["score"]) for g in grades] for name, grades in of.items()}
    at = {level: (lambda g, level=level: g["importance"] == level) for level in ("high", "medium", "low")}

    def broken(grade: Row) -> bool:
        return bool(grade["breaking"])

    def noted(source: str) -> list[Row]:
        return [g for r, g in pairs if r["label"] == "breaking" and source in r["source"]]

    return {
        "AUC important / trivial": auc(score["important"], score["trivial"]),
        "AUC important / plain": auc(score["important"], score["plain"]),
        "AUC risky / trivial": auc(score["risky"], score["trivial"]),
        "important graded high": share(of["important"], at["high"]),
        "important graded low": share(of["important"], at["low"]),
        "trivial graded high": share(of["trivial"], at["high"]),
        "trivial graded low": share(of["trivial"], at["low"]),
        "plain graded high": share(of["plain"], at["high"]),
        "plain graded low": share(of["plain"], at["low"]),
        "risky graded low": share(of["risky"], at["low"]),
        "breaking graded low": share(of["breaking"], at["low"]),
        "breaking recall": share(of["breaking"], broken),
        "breaking recall, release notes": share(noted("breaking:"), broken),
        "… by any mark": share(noted("breaking:"), lambda g: bool(g.get("marks"))),
        "… by its author's own word": share(noted("breaking:"), lambda g: bool(g.get("announced"))),
        "breaking recall, name removed": share(noted("removed:"), broken),
        "breaking recall, self-declared": share(noted("self-declared"), broken),
        "trivial flagged breaking": share(of["trivial"], broken),
        "plain flagged breaking": share(of["plain"], broken),
        "all graded high": share([g for _, g in pairs], at["high"]),
    }


def read_rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def grade(labels: Sequence[Row], mirrors: Path) -> list[Row]:
    """Grades of all labelled commits, repository by repository."""
    from daybreak.core.model.changes import Repo
    from daybreak.judge.grading import Job, grade_commits

    rows: list[Row] = []
    for name in dict.fromkeys(row["repo"] for row in labels):
        place = mirrors / name.replace("/", "+") / "repo"
        shas = [row["sha"] for row in labels if row["repo"] == name]
        with tempfile.TemporaryDirectory() as state:
            job = Job(Repo(name, f"https://github.com/{name}", str(place)), Path(state), dict(os.environ))
            for entry in grade_commits(job, shas, lambda _: None):
                rank = entry.importance
                rows.append(
                    {
                        "repo": name,
                        "sha": entry.change.sha,
                        "importance": rank.level,
                        "score": rank.score,
                        "breaking": entry.breaking,
                        "marks": entry.marks,
                        "announced": [one.claim for one in entry.announced],
                        "kind": entry.kind,
                    }
                )
        print(f"{name}: {len(shas)} commits graded", file=sys.stderr)
    return rows


def joined(labels: Iterable[Row], grades: Iterable[Row]) -> list[Pair]:
    """Labels with their grades; a sha may be short on either side."""
    by = {(g["repo"], g["sha"][:7]): g for g in grades}
    return [(r, by[r["repo"], r["sha"][:7]]) for r in labels if (r["repo"], r["sha"][:7]) in by]


def table(pairs: Sequence[Pair]) -> str:
    """All figures: over everything, and by repository."""
    names = list(dict.fromkeys(r["repo"] for r, _ in pairs))
    cuts = {"all": figures(pairs)} | {n.split("/")[-1]: figures([p for p in pairs if p[0]["repo"] == n]) for n in names}
    bars = {name: f"{sign} {bar:g}" for name, sign, bar in BARS}
    lines = [f"{'':34}{'bar':>10}" + "".join(f"{cut:>13}" for cut in cuts)]
    for name in cuts["all"]:
        values = "".join(f"{_shown(name, figure[name]):>13}" for figure in cuts.values())
        lines.append(f"{name:34}{bars.get(name, ''):>10}{values}")
    return "\n".join(lines)


def _shown(name: str, value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if name.startswith("AUC") else f"{100 * value:.1f} %"


def missed(pairs: Sequence[Pair]) -> list[str]:
    """Bars that are not met."""
    found = figures(pairs)
    out = []
    for name, sign, bar in BARS:
        value = found[name]
        if value is not None and (value < bar if sign == ">=" else value > bar):
            out.append(f"{name}: {_shown(name, value)}, the bar is {sign} {bar:g}")
    return out


def tiers(pairs: Sequence[Pair]) -> str:
    """Of each tier of a reader's list, how many got which grade."""
    levels = ("high", "medium", "low")
    lines = [f"{'':10}" + "".join(f"{level:>8}" for level in levels)]
    for tier in dict.fromkeys(r["tier"] for r, _ in pairs):
        grades = [g["importance"] for r, g in pairs if r["tier"] == tier]
        lines.append(f"{tier:10}" + "".join(f"{grades.count(level):>8}" for level in levels))
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--mirrors", type=Path)
    parser.add_argument("--grades", type=Path, help="score these instead of grading")
    parser.add_argument("--write", type=Path, help="keep the grades here")
    arguments = parser.parse_args()
    labels = read_rows(arguments.labels)
    if arguments.grades is None and arguments.mirrors is None:
        parser.error("give --mirrors to grade, or --grades to score")
    grades = read_rows(arguments.grades) if arguments.grades else grade(labels, arguments.mirrors)
    if arguments.write:
        arguments.write.write_text("".join(json.dumps(row) + "\n" for row in grades), "utf-8")
    pairs = joined(labels, grades)
    print(f"{len(pairs)} labelled commits graded, {len(labels) - len(pairs)} not")
    if pairs and "tier" in pairs[0][0]:
        print(tiers(pairs))
        return 0
    print(table(pairs))
    faults = missed(pairs)
    print("\n".join(faults) if faults else "every bar is met")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
