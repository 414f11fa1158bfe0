"""How fast we are beside git itself, in the same run: ratios, not seconds, since machines are noisy.

    python -m scripts.bench [--mirrors DIR] [--day YYYY-MM-DD] [--month FIRST LAST] [--range REPO A..B] [--rounds 5]
                            [--only WORDS] [--json bench.json]

DIR holds <owner>+<name>/repo bare repositories. Without it, repositories are generated. Rounds are interleaved: every
contender of a group once a round; a ratio is the median over rounds of its cost over the floor's in that round. The
floor is the first contender of its group. See docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from scripts.bench import daily, generated, long
from scripts.bench.daily import Place
from scripts.bench.table import HEAD, Group, data, lines, measure, rows
from scripts.bench.views import views

Make = Callable[[], list[Group]]


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m scripts.bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mirrors", type=Path)
    parser.add_argument("--day", default=generated.DAY)
    parser.add_argument("--month", nargs=2, metavar=("FIRST", "LAST"), default=generated.MONTH)
    parser.add_argument("--range", nargs=2, metavar=("REPO", "A..B"))
    parser.add_argument("--rounds", type=int, default=5, help="of what takes seconds; what takes longer gets fewer")
    parser.add_argument("--only", default="", help=f"some of: {' '.join(PARTS)}")
    parser.add_argument("--json", type=Path, default=Path("bench.json"))
    return parser.parse_args()


class Plan:
    """Which groups there are, on which repositories."""

    def __init__(self, asked: argparse.Namespace, folder: Path) -> None:
        self.asked, self.folder = asked, folder
        self.real = asked.mirrors is not None
        self.few = max(min(asked.rounds, 3), 1)
        mirrors = asked.mirrors
        if mirrors is None:
            mirrors = folder / "mirrors"
            generated.busy_day(mirrors, asked.day)
        self.place = Place(folder / "work", views(mirrors, folder / "views"))

    def collect(self) -> list[Group]:
        return [daily.day_group(self.place, self.asked.day, self.asked.rounds)]

    def read(self) -> list[Group]:
        return [daily.read_group(self.place, self.asked.day, self.few)]

    def run(self) -> list[Group]:
        return [daily.run_group(self.place, self.asked.day, self.asked.rounds)]

    def upgrade(self) -> list[Group]:
        return list(daily.upgrade_groups(self.place, self.asked.range, self.asked.rounds))

    def help(self) -> list[Group]:
        return [daily.help_group(self.asked.rounds)]

    def month(self) -> list[Group]:
        name = next(iter(self.place.repos))
        one = Place(self.folder / "month", {name: self.place.repos[name]})
        return [long.month_group(one, self.asked.month, self.few)]

    def backfill(self) -> list[Group]:
        """Always generated: 2,000 commits over 40 days in four repositories, 31 of the days reported."""
        root = self.folder / "backfill"
        generated.busy_days(root / "mirrors", "2026-01-05", 40, 4, 2000)
        place = Place(root / "work", views(root / "mirrors", root / "views"))
        return [long.backfill_group(place, generated.MONTH[0], 31, 1)]

    def growth(self) -> list[Group]:
        return long.growth_groups(self.folder / "growth", self.few)


PARTS = ("collect", "read", "run", "upgrade", "help", "month", "backfill", "growth")


def groups(plan: Plan, only: str) -> Iterator[Group]:
    for part in PARTS:
        if not only or part in only.replace(",", " ").split():
            yield from getattr(plan, part)()


def main() -> None:
    """Print the table as it grows and write it as JSON."""
    asked = options()
    report: list[dict[str, Any]] = []
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        plan = Plan(asked, Path(folder))
        print(
            f"{'real' if plan.real else 'generated'} repositories; the floor is the first of each group", HEAD, sep="\n"
        )
        for group in groups(plan, asked.only):
            costs = measure(group)
            found = list(rows(group, costs, plan.real))
            print(*lines(group, found), sep="\n", flush=True)
            report.append(data(group, costs, found))
            missed += sum(one.kept is False for row in found for one in row.judged)
    asked.json.write_text(json.dumps({"real": plan.real, "groups": report}, indent=1) + "\n", encoding="utf-8")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{missed} bars missed; peak of this script {peak} MiB; details in {asked.json}")


if __name__ == "__main__":
    main()
