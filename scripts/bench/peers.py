"""The others: PyDriller and Perceval over the same repositories and days, or why they take no part."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from scripts.bench.cost import Contend, Left, task
from scripts.bench.table import Bar, Contender

PYDRILLER, PERCEVAL = "PyDriller", "Perceval"
NOT_INSTALLED = "not installed: make .venv/.bench"


def pydriller(repos: Sequence[Path], **more: Any) -> Contender:
    return Contender(PYDRILLER, _installed("pydriller", task("pydriller", repos=list(map(str, repos)), **more)))


def perceval(repos: Sequence[Path], **more: Any) -> Contender:
    return Contender(PERCEVAL, _installed("perceval", task("perceval", repos=list(map(str, repos)), **more)))


def both(repos: Sequence[Path], days: Sequence[str]) -> tuple[Contender, Contender]:
    """PyDriller gives what we give; Perceval gives no patches."""
    return pydriller(repos, days=days), perceval(repos, days=days)


def faster_than_pydriller(times: float) -> Bar:
    return Bar(times, "wall", PYDRILLER, times=True, real_only=True)


def _installed(package: str, run: Contend) -> Contend | Left:
    try:
        return run if find_spec(package) else Left(NOT_INSTALLED)
    except ImportError:
        return Left(NOT_INSTALLED)


def reads_nothing() -> Contender:
    return Contender(PERCEVAL, Left("reads no contents"))
