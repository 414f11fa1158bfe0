"""How fast we are beside git itself, in the same run: ratios, not seconds, since machines are noisy.

    bench.py [--mirrors DIR] [--day YYYY-MM-DD] [--range REPO A..B] [--rounds 5] [--json bench.json]

DIR holds <owner>+<name>/repo bare repositories. Without it, eight repositories are generated. Rounds are interleaved:
every contender once a round; a ratio is the median over rounds of its cost over the floor's cost in that round.
The upgrade report is over the last 1,000 commits of the repository that has most of them, or over the given range.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

ZONE = "UTC"
GENERATED_DAY = "2026-02-04"
RANGE = 1000
"""Commits of an upgrade."""
RANGE_WARM = "range, commits read before: wall / git log -p"
RANGE_COLD = "range, nothing read before: the same"
REAL_ONLY = (RANGE_WARM, RANGE_COLD)
"""Ratios whose bar says nothing about generated repositories."""
NO_VERDICT = "no verdict on generated repositories: git log -p of their small commits takes next to no time"
PYTHON = sys.executable
PROGRAM = str(Path(PYTHON).parent / "daybreak")
COLLECT = """
import os, resource, sys
from pathlib import Path
from daybreak.config import load
from daybreak.collect.git import GitSource
from daybreak.gitobjects import Git
from daybreak.store.report_files import ReportFiles
from daybreak.windows import windows
from daybreak.config import now
def cpu():
    return sum(r.ru_utime + r.ru_stime for r in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))
began = cpu()
settings = load(Path(sys.argv[1]), {}, dict(os.environ))
window = windows(settings.zone, now(os.environ), on=sys.argv[2], since=None, until=None, last=None)[0]
source = GitSource(Git(settings.environment), settings.state / "mirrors", False, lambda words: None)
count = sum(len(source.collect(r, window, ReportFiles(settings.out)).changes) for r in settings.repos())
print(cpu() - began, count)
"""


@dataclass(frozen=True)
class Cost:
    """What one run of a contender needed."""

    wall: float
    cpu: float
    peak: float
    """MiB of the largest process we started ourselves."""


def spend(command: Sequence[str], *, stdin: bytes = b"", env: dict[str, str] | None = None) -> tuple[Cost, bytes]:
    """Run a command to its end and tell what it and its children needed."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as given:
        given.write(stdin)
        given.seek(0)
        began = time.perf_counter()
        process = subprocess.Popen(command, stdin=given, stdout=out, stderr=subprocess.DEVNULL, env=env)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 3):
            raise SystemExit(f"{' '.join(command[:6])} … ended with {process.returncode}")
        out.seek(0)
        return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024), out.read()


def git(repo: Path, *args: str, stdin: bytes = b"") -> bytes:
    return subprocess.run(["git", "-C", str(repo), *args], input=stdin, capture_output=True, check=True).stdout


# --- generated upstreams -------------------------------------------------------------------------------------------


def generate(folder: Path, day: str, repos: int = 8, history: int = 3000, on_day: int = 12) -> None:
    """Repositories with years of small commits and a busy day, alike on every machine."""
    for number in range(repos):
        target = folder / f"bench+repo{number}" / "repo"
        target.mkdir(parents=True)
        git(target, "init", "--quiet", "--bare", "-b", "main")
        importer = subprocess.Popen(["git", "-C", str(target), "fast-import", "--quiet"], stdin=subprocess.PIPE)
        assert importer.stdin is not None
        # Piece by piece: what this script holds in memory would count as its children's peak.
        for piece in _stream(random.Random(number), day, history, on_day):
            importer.stdin.write(piece.encode())
        importer.stdin.close()
        if importer.wait():
            raise SystemExit("git fast-import failed")


def _stream(dice: random.Random, day: str, history: int, on_day: int) -> Iterator[str]:
    start = datetime.fromisoformat(day).replace(tzinfo=UTC)
    times = [start - timedelta(hours=3 * n) for n in range(history, 0, -1)]
    times += [start + timedelta(minutes=90 * n) for n in range(on_day)]
    files = {f"src/part{n}/module{m}.py": _module(dice, 200) for n in range(10) for m in range(6)}
    for number, moment in enumerate(times):
        touched = list(files) if number == 0 else dice.sample(sorted(files), dice.randint(1, 6))
        subject = f"[Core] Change number {number} (#{number + 1})\n"
        when = f"{int(moment.timestamp())} +0000"
        yield f"commit refs/heads/main\ncommitter Bench <bench@example.com> {when}\ndata {len(subject)}\n{subject}"
        for path in touched:
            if number:
                lines = files[path].split("\n")
                for _ in range(dice.randint(1, 12)):
                    lines[dice.randrange(len(lines) - 1)] = _line(dice)
                files[path] = "\n".join(lines)
            yield f"M 644 inline {path}\ndata {len(files[path])}\n{files[path]}\n"


def _module(dice: random.Random, lines: int) -> str:
    return "\n".join(_line(dice) for _ in range(lines)) + "\n"


def _line(dice: random.Random) -> str:
    return f"    value_{dice.randrange(10**6)} = compute({dice.randrange(10**9)}, name={dice.randrange(10**6)!r})"


# --- contenders ----------------------------------------------------------------------------------------------------


@dataclass
class Bench:
    """One day over a set of mirrors."""

    mirrors: dict[str, Path]
    day: str
    work: Path

    def __post_init__(self) -> None:
        rows = [f'timezone = "{ZONE}"\n']
        rows += [f'[[repo]]\nname = "{name}"\ngit = "{path}"\n' for name, path in self.mirrors.items()]
        self.config = self.work / "daybreak.toml"
        self.config.write_text("".join(rows), encoding="utf-8")
        since = datetime.fromisoformat(self.day).replace(tzinfo=UTC)
        self.span = (
            f"--since-as-filter={since.isoformat()}",
            f"--until={(since + timedelta(seconds=86399)).isoformat()}",
        )
        self.shas = {
            name: git(path, "log", "--first-parent", "--format=%H", *self.span, "HEAD")
            for name, path in self.mirrors.items()
        }

    def floor(self) -> Cost:
        """What a user would type: `git log -p` of the day in each mirror as it is."""
        return total(
            spend(["git", "-C", str(path), "log", "-p", "--first-parent", *self.span, "HEAD"])[0]
            for path in self.mirrors.values()
        )

    def bare_floor(self) -> Cost:
        """`git log -p` of the same commits, given by name: no walking at all."""
        command = ("log", "-p", "--no-walk=unsorted", "--diff-merges=first-parent", "--stdin")
        return total(
            spend(["git", "-C", str(path), *command], stdin=self.shas[name])[0]
            for name, path in self.mirrors.items()
            if self.shas[name]
        )

    def collect(self) -> Cost:
        """Our collecting alone, one worker, one repository after the other; imports are not counted."""
        cost, out = spend([PYTHON, "-c", COLLECT, str(self.config), self.day])
        cpu, count = out.split()
        if int(count) != sum(len(shas.split()) for shas in self.shas.values()):
            raise SystemExit(f"collected {int(count)} commits, git has others")
        return Cost(cost.wall, float(cpu), cost.peak)

    def run(self) -> Cost:
        """The whole job: nothing reported and nothing read before, mirrors on disk."""
        return self._without("reports", ".daybreak/published", ".daybreak/cache")

    def warm(self) -> Cost:
        """The same when the contents were read before."""
        return self._without("reports", ".daybreak/published")

    def _without(self, *names: str) -> Cost:
        for name in names:
            shutil.rmtree(self.work / name, ignore_errors=True)
        return self.again()

    def again(self) -> Cost:
        return spend([PROGRAM, "run", "--date", self.day, "--config", str(self.config)])[0]


PARSE = """
import ast, pathlib, sys
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.py")):
    ast.parse(path.read_bytes())
"""


@dataclass
class Upgrade:
    """An upgrade report over many commits of one of the mirrors, and its impact on a large code base."""

    bench: Bench
    repo: str
    span: str
    few: str

    @classmethod
    def of(cls, bench: Bench, asked: Sequence[str] | None) -> Upgrade:
        """The given range, or the last commits of the mirror that has most."""
        shas = {name: git(p, "rev-list", "--first-parent", "HEAD").split() for name, p in bench.mirrors.items()}
        name = asked[0] if asked else max(shas, key=lambda n: len(shas[n]))
        end, start, near = (shas[name][min(n, len(shas[name]) - 1)].decode() for n in (0, RANGE, 50))
        made = cls(bench, name, asked[1] if asked else f"{start}..{end}", f"{near}..{end}")
        write_code(bench.work / "code", made.package)
        return made

    @property
    def package(self) -> str:
        return self.repo.rpartition("/")[2].replace("-", "_")

    def floor(self) -> Cost:
        command = ("log", "-p", "--first-parent", self.span)
        return spend(["git", "-C", str(self.bench.mirrors[self.repo]), *command])[0]

    def cold(self) -> Cost:
        """Nothing read before; the processes that read beside ours are not in its CPU."""
        shutil.rmtree(self.bench.work / ".daybreak" / "cache", ignore_errors=True)
        return self.warm()

    def warm(self) -> Cost:
        return spend([PROGRAM, "range", self.repo, self.span, "--offline", "--config", str(self.bench.config)])[0]

    def parse(self) -> Cost:
        return spend([PYTHON, "-c", PARSE, str(self.bench.work / "code")])[0]

    def impact(self) -> Cost:
        """On 200,000 lines, with the few commits of its range read before."""
        command = ("--range", self.repo, self.few, "--offline", "--config", str(self.bench.config))
        return spend([PROGRAM, "impact", str(self.bench.work / "code"), *command])[0]


def write_code(folder: Path, package: str, files: int = 1000) -> None:
    """A code base of some 200 lines a file, which uses a package here and there."""
    dice = random.Random(0)
    for number in range(files):
        lines = ["from __future__ import annotations", "import os", f"from {package} import part{number % 10}", ""]
        for at in range(24):
            lines += [
                f"def step_{at}(first: int, second: str = 'x', **more: object) -> dict[str, object]:",
                f'    """Step {at} of {number}."""',
                f"    value = part{number % 10}.module{at % 6}.compute(first, name=second, size={dice.randrange(999)})",
                "    if os.environ.get('STEP') and first > 3:",
                "        return {'value': value, 'more': [str(x) for x in more.values()]}",
                "    return {'value': second.join(map(str, range(first)))}",
                "",
                "",
            ]
        path = folder / f"pack{number % 20}" / f"file{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def total(costs: Any) -> Cost:
    rows = list(costs)
    return Cost(sum(c.wall for c in rows), sum(c.cpu for c in rows), max((c.peak for c in rows), default=0.0))


def plain(*command: str) -> Callable[[], Cost]:
    return lambda: spend(list(command))[0]


def measure(bench: Bench, upgrade: Upgrade, rounds: int) -> dict[str, list[Cost]]:
    contenders: dict[str, Callable[[], Cost]] = {
        "floor": bench.floor,
        "bare_floor": bench.bare_floor,
        "collect": bench.collect,
        "run": bench.run,
        "warm": bench.warm,
        "again": bench.again,
        "version": plain(PROGRAM, "--version"),
        "help": plain(PROGRAM, "--help"),
        "pass": plain(PYTHON, "-c", "pass"),
        "range_floor": upgrade.floor,
        "range_cold": upgrade.cold,
        "range": upgrade.warm,
        "parse": upgrade.parse,
        "impact": upgrade.impact,
    }
    bench.again()  # makes the mirrors and warms the disk cache
    upgrade.impact()
    found: dict[str, list[Cost]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, contender in contenders.items():
            found[name].append(contender())
    return found


def ratios(found: dict[str, list[Cost]]) -> list[tuple[str, float, float | None]]:
    """(what, measured, bar)"""
    rows = list(zip(*found.values(), strict=True))
    named = [dict(zip(found, row, strict=True)) for row in rows]

    def median(of: Callable[[dict[str, Cost]], float]) -> float:
        return statistics.median(of(row) for row in named)

    return [
        ("collect: CPU / git log -p CPU, one worker", median(lambda r: r["collect"].cpu / r["floor"].cpu), 1.15),
        ("collect: CPU / git log -p of given shas CPU", median(lambda r: r["collect"].cpu / r["bare_floor"].cpu), None),
        ("run: wall / git log -p wall", median(lambda r: r["run"].wall / r["floor"].wall), 12.0),
        ("run, contents read before: the same", median(lambda r: r["warm"].wall / r["floor"].wall), 3.0),
        (
            "second run - version / run - version, wall",
            median(lambda r: (r["again"].wall - r["version"].wall) / (r["run"].wall - r["version"].wall)),
            0.25,
        ),
        ("run: peak memory of our process, MiB", max(c.peak for c in found["run"]), 150.0),
        (
            RANGE_WARM,
            median(lambda r: r["range"].wall / r["range_floor"].wall),
            2.0,
        ),
        (
            RANGE_COLD,
            median(lambda r: r["range_cold"].wall / r["range_floor"].wall),
            12.0,
        ),
        ("range: peak memory of our process, MiB", max(c.peak for c in found["range_cold"]), 300.0),
        ("impact on 200,000 lines: wall / ast.parse", median(lambda r: r["impact"].wall / r["parse"].wall), 3.0),
        ("impact: peak memory of our process, MiB", max(c.peak for c in found["impact"]), 300.0),
        ("--help: wall / python -c pass wall", median(lambda r: r["help"].wall / r["pass"].wall), 6.0),
    ]


def verdict(what: str, value: float, bar: float | None, real: bool) -> str:
    """How a row ends: its bar, and whether it was kept, or why that cannot be said here."""
    if bar is None:
        return ""
    if what in REAL_ONLY and not real:
        return f"  bar {bar:6.2f}  ({NO_VERDICT})"
    return f"  bar {bar:6.2f}  {'ok' if value <= bar else 'MISSED'}"


def main() -> None:
    """Print the table and write it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirrors", type=Path)
    parser.add_argument("--day", default=GENERATED_DAY)
    parser.add_argument("--range", nargs=2, metavar=("REPO", "A..B"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, default=Path("bench.json"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = options.mirrors
        if root is None:
            root = Path(folder) / "mirrors"
            generate(root, options.day)
        mirrors = {p.parent.name.replace("+", "/", 1): p.resolve() for p in sorted(root.glob("*+*/repo"))}
        work = Path(folder) / "work"
        work.mkdir()
        bench = Bench(mirrors, options.day, work)
        found = measure(bench, Upgrade.of(bench, options.range), options.rounds)
        commits = sum(len(shas.split()) for shas in bench.shas.values())
    print(f"{len(mirrors)} repositories, {commits} commits of {options.day}, {options.rounds} rounds")
    table, real = ratios(found), options.mirrors is not None
    for what, value, bar in table:
        print(f"  {what:48} {value:8.2f}{verdict(what, value, bar, real)}")
    seconds = {name: {"wall": [c.wall for c in cs], "cpu": [c.cpu for c in cs]} for name, cs in found.items()}
    rows = [
        {"what": what, "value": value, "bar": bar, "judged": bar is not None and (real or what not in REAL_ONLY)}
        for what, value, bar in table
    ]
    options.json.write_text(json.dumps({"commits": commits, "ratios": rows, "seconds": seconds}, indent=1) + "\n")
    print(
        f"peak of this script {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MiB; details in {options.json}"
    )


if __name__ == "__main__":
    main()
