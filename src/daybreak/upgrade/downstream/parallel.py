"""Shares work out between this process and copies of itself, where the system lets a process be copied safely."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Generic, TypeVar

_WORTH = 1_000_000
"""Weight of a portion that is worth a process."""
_PIECE = 1 << 20

T = TypeVar("T")
R = TypeVar("R")


def processes(weight: float, workers: int) -> int:
    """How many processes so much work is worth; one where a process cannot be copied."""
    return max(1, min(workers, int(weight / _WORTH))) if workers > 1 and _may_copy() else 1


def beside(own: Callable[[], R], others: Sequence[Callable[[], R]]) -> list[R]:
    """What each of the works gives, done at the same time: the first here, the others in copies of this process.

    The others must leave nothing behind but their answer: a copy's memory is gone with it. What a copy does not
    answer, for whatever reason, is done here.
    """
    helpers = [_Helper(work) for work in others]
    try:
        first = own()
        return [first, *(helper.answer() for helper in helpers)]
    finally:
        for helper in helpers:
            helper.end()


def _may_copy() -> bool:
    """A copy of a process with threads has their locks as they stood, and nobody to open them."""
    return sys.platform == "linux" and threading.active_count() == 1


def portions(items: Sequence[tuple[T, float]], count: int) -> list[list[T]]:
    """Items with their weights in portions of about the same weight, each in the order of the items."""
    loads = [0.0] * count
    chosen = [0] * len(items)
    for at in sorted(range(len(items)), key=lambda at: -items[at][1]) if count > 1 else ():
        chosen[at] = loads.index(min(loads))
        loads[chosen[at]] += items[at][1]
    made: list[list[T]] = [[] for _ in range(count)]
    for at, (item, _) in enumerate(items):
        made[chosen[at]].append(item)
    return made


class _Helper(Generic[R]):
    """A copy of this process that does one work; it ends with its answer."""

    def __init__(self, work: Callable[[], R]) -> None:
        self.work = work
        self.pid = 0
        self.read = -1
        with suppress(OSError):
            self.read, write = os.pipe()
            try:
                self.pid = os.fork()
                if not self.pid:
                    _answer(work, write)
            finally:
                os.close(write)

    def answer(self) -> R:
        """What the copy found; done here when there is none."""
        pieces: list[bytes] = []
        with suppress(OSError):
            while self.pid and (piece := os.read(self.read, _PIECE)):
                pieces.append(piece)
        try:
            found: R = pickle.loads(b"".join(pieces))  # noqa: S301  # written by a copy of ourselves
        except (pickle.UnpicklingError, EOFError, ValueError, MemoryError, RecursionError):
            found = self.work()
        return found

    def end(self) -> None:
        """Let go of the copy, also when it is not done."""
        if self.read >= 0:
            os.close(self.read)
        if self.pid:
            with suppress(OSError):
                os.kill(self.pid, signal.SIGKILL)
            with suppress(OSError):
                os.waitpid(self.pid, 0)


def _answer(work: Callable[[], R], write: int) -> None:
    """In the copy: do the work, write the answer, and end without anything that this process would do at its end."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches both; the first process ends us
        data = memoryview(pickle.dumps(work(), pickle.HIGHEST_PROTOCOL))
        while data:
            data = data[os.write(write, data[:_PIECE]) :]
    finally:
        os._exit(0)
