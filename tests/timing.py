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


def beside(seconds: float) -> float:
    """The same limit on a machine as slow as this one is now; a quicker one is held to what was found."""
    source = inspect.getsource(argparse)
    return seconds * max(1.0, cpu(lambda: ast.parse(source), 3) / _PARSES)
