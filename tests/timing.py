"""CPU time of a piece of work, held against other work beside it: machines differ, and are busy."""

from __future__ import annotations

import argparse
import ast
import gc
import inspect
import time
from collections.abc import Callable

_PARSES = 0.03
"""Seconds of CPU in which a machine like the one the limits were found on parses `argparse`."""


def cpu(work: Callable[[], object], times: int = 2) -> float:
    """Seconds of the quickest of a few calls, without what the test process has gathered so far."""
    found = []
    for _ in range(times):
        gc.disable()  # nothing is collected meanwhile; to collect before would take longer than the work
        try:
            start = time.process_time()
            work()
            found.append(time.process_time() - start)
        finally:
            gc.enable()
    return min(found)


class Limit:
    """A time that work beside it is held against only when it is passed: mostly it is not."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __gt__(self, spent: float) -> bool:
        return spent < self.seconds or spent < self.seconds * self._slowness()

    def __repr__(self) -> str:
        return f"{self.seconds} s on a machine of its own, {self.seconds * self._slowness():.2f} s on this one now"

    @staticmethod
    def _slowness() -> float:
        source = inspect.getsource(argparse)
        return max(1.0, cpu(lambda: ast.parse(source), 3) / _PARSES)


def beside(seconds: float) -> Limit:
    """The same limit on a machine as slow as this one is now; a quicker one is held to what was found."""
    return Limit(seconds)
