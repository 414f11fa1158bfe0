"""Functions for executors to run: at the top of a module, as work for other processes must be."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from daybreak.core.errors import GitError

PATIENCE = 120.0


@dataclass(frozen=True)
class Placed:
    """An item that wants to be where others of its place are."""

    place: str
    number: int


class Picky(Exception):
    """An error that cannot be packed: it wants two words and keeps one."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(f"{first} and {second}")


def square(number: int) -> int:
    return number * number


def import_places(_item: int) -> list[str]:
    """Where the process that does the work looks for modules."""
    return sys.path


def whose(item: Placed) -> str:
    """The node of the cluster that the item came to."""
    import ray

    return str(ray.get_runtime_context().get_node_id())


def complain(number: int) -> int:
    if number == 2:
        raise GitError("git log failed: bad object", "Fetch it.", "fatal: bad object")
    return number


def complain_oddly(number: int) -> int:
    raise Picky("this", str(number))


def no_value(number: int) -> object:
    """An answer that no other process could be given."""
    return lambda: number


def until(found: Path) -> None:
    """Wait for a file that another item writes."""
    end = time.monotonic() + PATIENCE
    while not found.exists():
        assert time.monotonic() < end, f"{found.name} never came"
        time.sleep(0.01)


def meet(item: tuple[str, int, int]) -> int:
    """Comes back once every other item of the meeting has begun."""
    folder, number, of = item
    (Path(folder) / f"came-{number}").touch()
    for other in range(of):
        until(Path(folder) / f"came-{other}")
    return number


def hold(item: tuple[str, int]) -> int:
    """Number 0 fails once the others are at work; they wait for a program that they started, and would for long."""
    folder, number = item
    if number == 0:
        until(Path(folder) / "child")
        raise ValueError("bad item")
    child = subprocess.Popen(["sleep", "300"])
    try:
        written = Path(folder) / "child.new"
        written.write_text(str(child.pid), encoding="ascii")
        written.rename(Path(folder) / "child")
        child.wait()
    finally:
        child.kill()
        child.wait()
    return number


def die(number: int) -> int:
    """A process that the system ends, as it does when memory runs out."""
    if number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def die_once(item: tuple[str, int]) -> int:
    """The process is lost after the work and before the answer; the second time it comes through."""
    folder, number = item
    mark = Path(folder) / f"died-{number}"
    if number == 1 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def linger(item: tuple[str, int]) -> int:
    """Slow work: an item is at it until the file `go` is there."""
    folder, number = item
    (Path(folder) / f"began-{number}-{os.getpid()}").touch()
    until(Path(folder) / "go")
    return number * number
