"""Generated upstreams: the same on every machine, with years of small commits and some busy days."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from scripts.bench.cost import git

DAY = "2026-02-04"
MONTH = ("2026-01-15", "2026-02-14")
"""First and last day."""


def busy_day(folder: Path, day: str, repos: int = 8, history: int = 3000, on_day: int = 12) -> None:
    """Repositories with years of commits before a day, and some on it."""
    start = _start(day)
    before = [start - timedelta(hours=3 * n) for n in range(history, 0, -1)]
    times = before + [start + timedelta(minutes=90 * 12 * n / on_day) for n in range(on_day)]
    for number in range(repos):
        write(folder / f"bench+repo{number}" / "repo", times, number)


def busy_days(folder: Path, first: str, days: int, repos: int, commits: int) -> None:
    """Repositories with so many commits together, spread evenly over so many days."""
    each = commits // repos
    step = timedelta(days=days) / each
    for number in range(repos):
        times = [_start(first) + step * n + timedelta(seconds=number) for n in range(each)]
        write(folder / f"bench+repo{number}" / "repo", times, number)


def _start(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(tzinfo=UTC)


def write(target: Path, times: Sequence[datetime], seed: int) -> None:
    """One bare repository with a commit at each of these times."""
    target.mkdir(parents=True)
    git(target, "init", "--quiet", "--bare", "-b", "main")
    importer = subprocess.Popen(["git", "-C", str(target), "fast-import", "--quiet"], stdin=subprocess.PIPE)
    assert importer.stdin is not None
    # Piece by piece: what this script holds in memory would count as its children's peak.
    for piece in stream(random.Random(seed), times):
        importer.stdin.write(piece.encode())
    importer.stdin.close()
    if importer.wait():
        raise SystemExit("git fast-import failed")


def stream(dice: random.Random, times: Sequence[datetime]) -> Iterator[str]:
    """What `git fast-import` is given: a tree of modules, then one to six of them edited in every commit."""
    files = {f"src/part{n}/module{m}.py": _module(dice) for n in range(10) for m in range(6)}
    for number, moment in enumerate(times):
        touched = list(files) if number == 0 else dice.sample(sorted(files), dice.randint(1, 6))
        subject = f"[Core] Change number {number} (#{number + 1})\n"
        when = f"{int(moment.timestamp())} +0000"
        yield f"commit refs/heads/main\ncommitter Bench <bench@example.com> {when}\ndata {len(subject)}\n{subject}"
        for path in touched:
            if number:
                _edit(dice, files[path])
            text = "\n".join(files[path])
            yield f"M 644 inline {path}\ndata {len(text)}\n{text}\n"


FUNCTION = 10
"""Lines of a function: its head, its body, its return and an empty one."""


def _module(dice: random.Random, functions: int = 20) -> list[str]:
    rows: list[str] = []
    for number in range(functions):
        body = [_line(dice) for _ in range(FUNCTION - 3)]
        rows += [_head(dice, number), *body, "    return total", ""]
    return rows


def _edit(dice: random.Random, rows: list[str]) -> None:
    """Some lines inside functions; now and then a default."""
    functions = len(rows) // FUNCTION
    for _ in range(dice.randint(1, 12)):
        rows[dice.randrange(functions) * FUNCTION + dice.randint(1, FUNCTION - 3)] = _line(dice)
    if dice.random() < 0.05:
        number = dice.randrange(functions)
        rows[number * FUNCTION] = _head(dice, number)


def _head(dice: random.Random, number: int) -> str:
    return f"def step_{number}(total: int, size: int = {dice.randrange(10**4)}) -> int:"


def _line(dice: random.Random) -> str:
    return f"    total += compute({dice.randrange(10**9)}, size, name={dice.randrange(10**6)!r})"


def code_base(folder: Path, package: str, files: int = 1000) -> None:
    """A code base of some 200 lines a file, which uses a package here and there."""
    dice = random.Random(0)
    for number in range(files):
        rows = ["from __future__ import annotations", "import os", f"from {package} import part{number % 10}", ""]
        for at in range(24):
            rows += [
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
        path.write_text("\n".join(rows) + "\n", encoding="utf-8")
