"""How much of what real projects had to adapt `daybreak impact` names: each case asked at the commit before the adaptation.

    ADAPTATIONS=../shared/eval/adaptations.jsonl python scripts/adaptations.py WORK MIRRORS [CASE …]

ADAPTATIONS has one JSON object a line (`case`, `project`, `checkout`, `upstream`, `range`, `at`, `lines`, `what`, `class`);
MIRRORS holds bare repositories as `owner+name/repo`. Sources and answers stay in WORK, so that cases can be asked again
one by one and the figures are over all answers that are there. Each line is told with the level at which a hit names it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]
LEVELS = ("certain", "likely", "look")
_REACHED = (
    "attribute",
    "through",
    "method",
    "namespace",
    "keys from",
    "property",
    "monkey patch of a method",
    "type of",
)
"""Words of the classes that are reached through an object or a dict."""
_APART = ("behaviour", "through a local dict", "method removed", "environment variable")


def rows_of(path: Path) -> list[Row]:
    """The adapted lines."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def sources(row: Row, mirrors: Path, work: Path) -> Path:
    """The project before the adaptation, as files; contents that the mirror lacks are left out."""
    place = work / "sources" / str(row["case"])
    if not place.is_dir():
        git = ["git", "-C", str(mirrors / row["project"].replace("/", "+") / "repo")]
        tree = subprocess.run([*git, "ls-tree", "-r", "-z", row["checkout"]], capture_output=True, check=True).stdout
        rows = [line.decode().partition("\t") for line in tree.split(b"\0") if b" blob " in line]
        asked = "".join(f"{head.split()[2]}\n" for head, _, _ in rows).encode()
        told = subprocess.run([*git, "cat-file", "--batch"], input=asked, capture_output=True, check=True).stdout
        at = 0
        for _, _, path in rows:
            end = told.index(b"\n", at)
            words, at = told[at:end].split(), end + 1
            if words[1] == b"blob":
                target = place / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(told[at : at + int(words[2])])
                at += int(words[2]) + 1
    return place


def ask(row: Row, mirrors: Path, work: Path) -> None:
    """The answer for one case."""
    place = sources(row, mirrors, work)
    git = mirrors / row["upstream"].replace("/", "+") / "repo"
    config = work / f"{row['upstream'].rpartition('/')[2]}.toml"
    config.write_text(f'timezone = "UTC"\n[[repo]]\nname = "{row["upstream"]}"\ngit = "{git}"\n', "utf-8")
    command = [sys.executable, "-m", "daybreak", "impact", str(place), "--config", str(config), "--format", "json"]
    command += ["--range", row["upstream"], row["range"], "--quiet"]
    start = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, cwd=work, check=False)
    took = time.monotonic() - start
    if not done.stdout.strip():
        print(f"{row['case']}: no answer, exit {done.returncode}")
        return
    answer = json.loads(done.stdout) | {"seconds": took}
    target = work / "answers" / f"{row['case']}.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(answer, ensure_ascii=False), "utf-8")
    counts = answer["counts"]
    print(row["case"], *(f"{level} {counts[level]}" for level in LEVELS), f"{took:.1f} s", flush=True)


def level_of(row: Row, hits: Iterable[Row]) -> str:
    """The surest hit on one of the adapted lines."""
    path = row["at"].rpartition(":")[0]
    found = {
        hit["certainty"] for hit in hits if hit["use"]["path"].endswith(path) and hit["use"]["line"] in row["lines"]
    }
    return next((level for level in LEVELS if level in found), "none")


def share(found: Sequence[bool]) -> str:
    """`61 of 100 (61 %)`."""
    return f"{sum(found)} of {len(found)} ({100 * sum(found) / max(1, len(found)):.0f} %)"


def figures(rows: Sequence[Row], work: Path) -> None:
    """What was named, as lines, as mean over projects, as distinct changes, and what is reached through objects."""
    answers = {path.stem: json.loads(path.read_text("utf-8"))["hits"] for path in (work / "answers").glob("*.json")}
    unasked = dict.fromkeys(row["case"] for row in rows if row["case"] not in answers)
    every, rows = len(rows), [row for row in rows if row["case"] in answers]
    levels = [level_of(row, answers[row["case"]]) for row in rows]
    named = [level != "none" for level in levels]
    projects: dict[str, list[bool]] = defaultdict(list)
    changes: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for row, found in zip(rows, named, strict=True):
        projects[row["project"]].append(found)
        changes[row["case"], row["what"]].append(found)
    for row, level in zip(rows, levels, strict=True):
        print(
            f"{'missed' if level == 'none' else level:8}", row["case"], row["at"], "·", row["what"], "·", row["class"]
        )
    if unasked:
        print(f"{every - len(rows)} of {every} lines without an answer, and not counted: {' '.join(unasked)}")
    for project, found_here in sorted(projects.items()):
        print(f"{project}: {share(found_here)}")
    reached = [
        found
        for row, found in zip(rows, named, strict=True)
        if any(word in row["class"] for word in _REACHED) and not any(word in row["class"] for word in _APART)
    ]
    mean = sum(sum(one) / len(one) for one in projects.values()) / max(1, len(projects))
    print(f"lines named: {share(named)}; " + ", ".join(f"{level} {levels.count(level)}" for level in LEVELS))
    print(f"mean over {len(projects)} projects: {100 * mean:.0f} %")
    print(f"distinct changes: {share([any(one) for one in changes.values()])}")
    print(f"through objects and kwargs: {share(reached)}")


def main(arguments: Sequence[str]) -> int:
    """Ask the cases that are named, or all; then the figures over every answer."""
    rows = rows_of(Path(os.environ.get("ADAPTATIONS", "../shared/eval/adaptations.jsonl")))
    work, mirrors, wanted = Path(arguments[0]).resolve(), Path(arguments[1]).resolve(), arguments[2:]
    cases = {row["case"]: row for row in rows}
    for case, row in cases.items():
        if (case in wanted or not wanted) and "none" not in wanted:
            ask(row, mirrors, work)
    figures(rows, work)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
