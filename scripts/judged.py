"""Reports of days that readers listed blind, beside their lists: `make judged MIRRORS=folder`.

    judged.py --mirrors DIR [--state DIR] [--day DATE …] [--reports DIR] [--misses]

`eval/judged_days.jsonl` holds rows {date, repo, sha, tier, rank, tag, mark, effect, want}: `tier` is first (at most eight
that a colleague must act on), second (the next ten), plain (ordinary ones), mark (others that break somebody); rows
{date, repo, sha, grade} are grades of commits drawn by chance. DIR holds <owner>+<name>/repo. With --reports the days
were made before, and no mirror is needed; --misses names what was wanted and is not there.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

Row = dict[str, Any]
LISTS = Path(__file__).parent.parent / "eval" / "judged_days.jsonl"
ON_SCREEN, ALSO = 8, 10
MARKS = {"breaks": "breaks", "internals": "breaks_internals", "deprecates": "deprecates"}


class Day(NamedTuple):
    """A reader's list of one day, by sha, and what the report of that day says of the same commits."""

    date: str
    listed: dict[str, Row]
    graded: dict[str, str]
    screen: list[str]
    also: list[str]
    commits: dict[str, Row]

    def tier(self, *names: str) -> list[str]:
        return [sha for sha, row in self.listed.items() if row["tier"] in names]

    def marked(self) -> list[str]:
        return [sha for sha, row in self.listed.items() if row.get("mark", "none") != "none"]


def read_rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def compare(date: str, rows: Sequence[Row], report: Row) -> Day:
    """A list beside the report's data."""
    listed = {row["sha"]: row for row in rows if row["date"] == date and "tier" in row}
    graded = {row["sha"]: row["grade"] for row in rows if row["date"] == date and "grade" in row}
    screen, also = ([one["commits"][0] for one in report[part]] for part in ("actions", "also"))
    commits = {one["sha"]: one for repo in report["repos"] for one in repo["commits"]}
    return Day(date, listed, graded, screen[:ON_SCREEN], also[:ALSO], commits)


def figures(day: Day) -> dict[str, tuple[int, int]]:
    """Each figure as (how many, of how many)."""
    first, either = set(day.tier("first")), set(day.tier("first", "second"))
    below = [*day.screen, *day.also]
    marked = [sha for sha in day.marked() if sha in day.commits]
    grades = [sha for sha in day.graded if sha in day.commits]
    told = day.tier("first", "second", "plain")
    return {
        "firsts on the screen": (len(first & set(day.screen)), len(first)),
        "firsts there or under Also": (len(first & set(below)), len(first)),
        "named on the screen": (len(either & set(day.screen)), len(day.screen)),
        "named with Also": (len(either & set(below)), len(below)),
        "first entry is a first": (int(day.screen[:1] != [] and day.screen[0] in first), 1),
        "entries of the list with a mark": (sum(bool(day.commits[sha]["marks"]) for sha in marked), len(marked)),
        "… with the same mark": (sum(has_mark(day, sha) for sha in marked), len(marked)),
        "grades agree": (sum(level(day, sha) == day.graded[sha] for sha in grades), len(grades)),
        "listed with a sentence": (
            sum(bool(day.commits.get(sha, {}).get("tells")) for sha in told),
            len(told),
        ),
    }


def has_mark(day: Day, sha: str) -> bool:
    return MARKS[day.listed[sha]["mark"]] in day.commits[sha]["marks"]


def level(day: Day, sha: str) -> str:
    return str(day.commits[sha]["importance"]["level"])


def misses(day: Day) -> Iterator[str]:
    """What was wanted and is not there: firsts below or nowhere, marks not given, grades that differ."""
    for sha in day.tier("first"):
        place = "screen" if sha in day.screen else "also" if sha in day.also else level(day, sha)
        if place != "screen":
            yield f"first {day.listed[sha]['rank']} in {place}: {sha[:9]} {day.listed[sha].get('effect', '')}"
    for sha in day.screen:
        if sha not in day.tier("first", "second"):
            yield f"named, and not listed: {sha[:9]} {day.commits.get(sha, {}).get('subject', '')[:90]}"
    for sha in day.marked():
        if sha in day.commits and not has_mark(day, sha):
            given = ",".join(day.commits[sha]["marks"]) or "none"
            yield f"mark {day.listed[sha]['mark']}, given {given}: {sha[:9]} {day.listed[sha].get('effect', '')}"


def make_days(dates: Sequence[str], repos: Sequence[str], mirrors: Path, state: Path) -> Path:
    """The reports of these days without a model, in a folder that keeps its mirrors for the next time."""
    state.mkdir(parents=True, exist_ok=True)
    blocks = (f'[[repo]]\nname = "{r}"\ngit = "{(mirrors / r.replace("/", "+") / "repo").resolve()}"\n' for r in repos)
    (state / "daybreak.toml").write_text('timezone = "Asia/Shanghai"\nlanguages = ["en"]\n' + "".join(blocks))
    for date in dates:
        made = [sys.executable, "-m", "daybreak", "run", "--config", str(state / "daybreak.toml"), "--date", date]
        done = subprocess.run([*made, "--force", "--quiet"], check=False)
        if done.returncode not in (0, 3):  # 3: something was skipped, and the report says what
            sys.exit(f"{date}: no report was made (exit {done.returncode}); figures beside an older one would be false")
    return state / "reports"


def table(days: Sequence[Day]) -> str:
    """One line a figure, one column a day, all together last."""
    found = [figures(day) for day in days]
    head = ["", *(day.date for day in days), "all"]
    rows = [head, ["commits", *(str(len(day.commits)) for day in days), str(sum(len(day.commits) for day in days))]]
    for name in found[0]:
        cells = [one[name] for one in found]
        have, of = (sum(cell[at] for cell in cells) for at in (0, 1))
        share = f" ({have / of:.0%})" if of else ""
        rows.append([name, *(f"{a}/{b}" for a, b in cells), f"{have}/{of}{share}"])
    levels = [Counter(level(day, sha) for sha in day.commits) for day in days]
    for name in ("high", "medium"):
        parts = [f"{100 * one[name] / max(sum(one.values()), 1):.0f} %" for one in levels]
        every = sum((Counter(one) for one in levels), Counter[str]())
        rows.append([f"{name} of all commits", *parts, f"{100 * every[name] / max(sum(every.values()), 1):.1f} %"])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirrors", type=Path, help="folder of <owner>+<name>/repo")
    parser.add_argument("--reports", type=Path, help="folder of DATE.json that were made before")
    parser.add_argument("--state", type=Path, default=Path("build/judged"), help="where reports and mirrors are kept")
    parser.add_argument("--lists", type=Path, default=LISTS, help="the readers' lists")
    parser.add_argument("--day", action="append", default=[], help="only this day")
    parser.add_argument("--misses", action="store_true", help="name what was wanted and is not there")
    asked = parser.parse_args(argv)
    rows = read_rows(asked.lists)
    dates = sorted(set(asked.day) or {row["date"] for row in rows})
    reports = asked.reports
    if reports is None:
        if asked.mirrors is None:
            parser.error("give --mirrors, or --reports that were made before")
        reports = make_days(dates, sorted({row["repo"] for row in rows}), asked.mirrors, asked.state)
    there = [date for date in dates if (reports / f"{date}.json").is_file()]
    if not there:
        parser.error(f"no report of these days is in {reports}")
    if lacking := sorted(set(dates) - set(there)):
        print(f"no report of {', '.join(lacking)}: left out of what follows", file=sys.stderr)
    days = [compare(date, rows, json.loads((reports / f"{date}.json").read_text("utf-8"))) for date in there]
    print(table(days))
    for day in days if asked.misses else ():
        print(f"\n{day.date}", *misses(day), sep="\n  ")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
