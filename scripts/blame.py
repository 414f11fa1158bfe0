"""Made-up issues about real changes: how often the likely cause is found, and how often something else is.

    blame.py --mirrors DIR OWNER/NAME DAY [DAY …] [--seed N] [--most N]

DIR holds <owner>+<name>/repo. For each day, issues are made that name what a change of the week before did to a flag, a
variable or a name (asked), what one of the week before that did (old), and names of files that nobody touched for three
weeks (other); none of them names a commit or a number. Each figure stands beside its bar; the exit code is 1 when one
is missed.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from daybreak.collect.git.chain import walk
from daybreak.collect.git.history import HistoryReader
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Collected, Repo, Window
from daybreak.core.model.findings import Finding
from daybreak.core.model.items import Activity, Issue
from daybreak.core.model.report import RepoReport
from daybreak.findings.reader import RuleReader
from daybreak.judge.cross_repo.mirrors import Looking
from daybreak.judge.cross_repo.trees import Opened
from daybreak.judge.links.across import numbers_of
from daybreak.judge.links.pins import Side
from daybreak.judge.links.repo_links import of_repository
from daybreak.upgrade.impact.removed_name_uses import uses_at_heads

ZONE = ZoneInfo("Asia/Shanghai")
WEEK = timedelta(days=7)
ASIDE = re.compile(r"(?:^|/)(?:tests?|docs?|benchmarks?|examples?)/")
NAMING = ("cli_", "env_", "function_", "class_", "export_", "attribute_", "metric_", "config_", "operator_", "enum_")
READ = 200
"""Changes of a week that are read to find something to name."""
BARS = (("precision", 0.90), ("recall", 0.60), ("quiet", 0.90))
"""An issue about an older change may rightly get a younger one of the same name, so that not all can be quiet."""


@dataclass(slots=True)
class Tally:
    count: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def figures(self) -> dict[str, float]:
        """precision: links of issues about a change that are right; recall: such issues with that change among its
        likely causes; quiet: all other issues for which nothing is blamed.
        """
        c = self.count
        others = c["old"] + c["other"]
        return {
            "precision": c["right"] / max(c["links"], 1),
            "recall": c["found"] / max(c["asked"], 1),
            "quiet": 1 - c["blamed"] / max(others, 1),
        }


def made(number: int, name: str, path: str, at: datetime) -> Issue:
    """As people write them: a flag in a command, a variable in a sentence, a name in a traceback."""
    bare = name.rpartition(".")[2].partition("(")[0]
    if name.startswith("--"):
        title, body = (
            f"[Bug]: {name} does not work",
            f"```\nserve model {name} 1\nerror: argument {name}: invalid value\n```",
        )
    elif bare.isupper():
        title, body = f"[Bug]: {bare} is ignored", f"I set `{bare}=1` and nothing happens on the nightly build."
    else:
        lines = ("Traceback (most recent call last):", f'  File "/usr/lib/site-packages/{path}", line 40, in {bare}')
        body = "\n".join((f"On the nightly build `{name}` fails:", "", "```", *lines, f"TypeError: {bare}()", "```"))
        title = f"[Bug]: TypeError in {bare}"
    return Issue(number, "", title, "somebody", at, "open", ("opened",), body=body, labels=("bug",))


class Mirror:
    """One repository and what can be said of its days."""

    def __init__(self, path: Path, name: str, dice: random.Random, most: int) -> None:
        self.path, self.repo = path, Repo(name, f"https://github.com/{name}", "")
        self.git = Git({"PATH": os.environ["PATH"], "HOME": "/nonexistent"})
        self.line = walk(self.git, path, self.git.run("rev-parse", "HEAD", at=path).decode().strip())
        self.dice, self.most = dice, most

    def day(self, day: str, tally: Tally) -> None:
        since = datetime.fromisoformat(day).replace(tzinfo=ZONE)
        place = self.line.head_before(since + timedelta(days=1))
        if place is None:
            return
        head, at = self.line.sha(place), since + timedelta(hours=10)
        told: list[tuple[str, str, str, str]] = []
        for kind, end, most in (("asked", since, self.most), ("old", since - WEEK, self.most // 2)):
            shas = [self.line.sha(i) for i in self.line.between(end - WEEK, end, place)]
            told += [(kind, sha, one.symbol, one.path) for sha, one in self._findings(shas, most)]
        told += [("other", "", name, path) for name, path in self._untouched(head, since)]
        issues = [made(number, name, path, at) for number, (_, _, name, path) in enumerate(told, 1)]
        window = Window(since, since + timedelta(days=1), str(ZONE), day)
        self._blame(issues, told, head, window, tally)

    def _findings(self, shas: Sequence[str], most: int) -> Iterator[tuple[str, Finding]]:
        chosen = self.dice.sample(shas, min(READ, len(shas)))
        changes = HistoryReader(self.git, self.path, self.repo.name, ZONE).read(chosen)
        read = RuleReader(self.git).read(Collected(self.repo, changes=tuple(changes), mirror=str(self.path)))
        left = most
        for change in changes:
            found = [f for f in read[change.sha].findings if f.kind.startswith(NAMING) and not ASIDE.search(f.path)]
            found = [f for f in found if len(f.symbol) > 5]
            if found and left:
                left -= 1
                yield change.sha, self.dice.choice(found)

    def _untouched(self, head: str, since: datetime) -> Iterator[tuple[str, str]]:
        after = f"--since={(since - 3 * WEEK).isoformat()}"
        asked = ("log", "--first-parent", "--name-only", "--format=", after, head)
        touched = set(self.git.run(*asked, at=self.path).decode("utf-8", "replace").splitlines())
        rows = self.git.run("ls-tree", "-r", "--name-only", head, at=self.path).decode("utf-8", "replace").splitlines()
        paths = [path for path in rows if path.endswith(".py") and path not in touched and not ASIDE.search(path)]
        for path in self.dice.sample(paths, min(self.most, len(paths))):
            text = self.git.run("show", f"{head}:{path}", at=self.path).decode("utf-8", "replace")
            names = [
                name for name in re.findall(r"^ {0,4}def (\w{9,60})\(", text, re.MULTILINE) if "_" in name.strip("_")
            ]
            if names:
                yield self.dice.choice(names), path

    def _blame(
        self,
        issues: Sequence[Issue],
        told: Sequence[tuple[str, str, str, str]],
        head: str,
        window: Window,
        tally: Tally,
    ) -> None:
        looking = Looking(self.git, RuleReader(self.git), lambda _repo, _commit: Opened(self.path), uses_at_heads)
        side = Side(Activity(self.repo.name, issues=tuple(issues)))
        sides, _ = looking.into([RepoReport(self.repo, "main", head, ())], [side], window)
        links = [link for link in of_repository(sides[0], numbers_of(sides)).links if link.kind == "caused_by"]
        for number, (kind, sha, name, _) in enumerate(told, 1):
            ends = [x.target.partition(":")[2] for x in links if x.source.endswith(f"#{number}")]
            tally.count[kind] += 1
            if kind == "asked":
                tally.count += Counter(links=len(ends), right=ends.count(sha), found=int(sha in ends))
            else:
                tally.count["blamed"] += bool(ends)
            if (sha in ends) != (kind == "asked") or len(ends) > 1:
                tally.notes.append(
                    f"{window.label} {kind} {name} {sha[:9]}: {', '.join(end[:9] for end in ends) or '-'}"
                )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirrors", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most", type=int, default=12, help="issues about changes for each day")
    parser.add_argument("repo")
    parser.add_argument("days", nargs="+")
    asked = parser.parse_args()
    path = asked.mirrors / asked.repo.replace("/", "+") / "repo"
    mirror, tally = Mirror(path, asked.repo, random.Random(asked.seed), asked.most), Tally()
    for day in asked.days:
        mirror.day(day, tally)
    print("  ".join(f"{name} {tally.count[name]}" for name in ("asked", "old", "other", "links", "right", "blamed")))
    print("\n".join(tally.notes))
    figures = tally.figures()
    for name, bar in BARS:
        print(f"{name:10} {figures[name]:.2f}  >= {bar:.2f}  {'ok' if figures[name] >= bar else 'MISSED'}")
    return int(any(figures[name] < bar for name, bar in BARS))


if __name__ == "__main__":
    sys.exit(main())
