"""What a run of a contender costs, and how it is found out: always in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
PYTHON = sys.executable
PROGRAM = str(Path(PYTHON).parent / "daybreak")


@dataclass(frozen=True)
class Cost:
    """What one run of a contender needed."""

    wall: float
    cpu: float
    """With its children."""
    peak: float
    """MiB of the largest process, or of ours alone where the contender tells it."""
    count: int = 0
    """Commits, blobs or rows it worked on."""


@dataclass(frozen=True)
class Left:
    """A contender that takes no part, and why."""

    reason: str


Contend = Callable[[], Cost]


def spend(command: Sequence[str], *, stdin: bytes = b"", ended: tuple[int, ...] = (0, 3)) -> tuple[Cost, bytes]:
    """Run a command to its end and tell what it and its children needed."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryFile() as given:
        given.write(stdin)
        given.seek(0)
        began = time.perf_counter()
        process = subprocess.Popen(command, stdin=given, stdout=out, stderr=err, cwd=ROOT)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in ended:
            err.seek(0)
            last = err.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise SystemExit(f"{' '.join(command[:6])} … ended with {process.returncode}: {last}")
        out.seek(0)
        return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024), out.read()


def task(name: str, **given: Any) -> Contend:
    """A task of `tasks.py` in a process of its own, which tells its costs without its start and its imports."""

    def contend() -> Cost:
        _, out = spend([PYTHON, "-m", "scripts.bench.tasks", name, json.dumps(given, default=str)])
        return Cost(**json.loads(out.splitlines()[-1]))

    return contend


def plain(*command: str) -> Contend:
    return lambda: spend(list(command))[0]


def total(costs: Iterable[Cost]) -> Cost:
    """One after the other."""
    rows = list(costs)
    peak = max((c.peak for c in rows), default=0.0)
    return Cost(sum(c.wall for c in rows), sum(c.cpu for c in rows), peak, sum(c.count for c in rows))


def less(cost: Cost, other: Cost) -> Cost:
    return replace(cost, wall=cost.wall - other.wall, cpu=cost.cpu - other.cpu)


def git(repo: Path, *args: str, stdin: bytes = b"") -> bytes:
    return subprocess.run(["git", "-C", str(repo), *args], input=stdin, capture_output=True, check=True).stdout
