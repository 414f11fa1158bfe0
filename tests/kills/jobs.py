"""The jobs that are killed: a week of the demo, morning by morning, and a week of a long history, back-filled."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from daybreak.demo import history, week
from kills.histories import long_history
from kills.killing import Command, Job

PROCESSES = "\n[execute]\nprocesses = true\nworkers = 2\n"


def demo_week(root: Path, days: int = 7, more: str = "") -> Job:
    """Each morning the upstreams are shown as they were, and the day before is reported."""
    week.prepare(root)
    config = (root / week.CONFIG).read_text(encoding="utf-8").replace('"upstreams/', '"../upstreams/') + more
    first = datetime(week.FIRST.year, week.FIRST.month, week.FIRST.day, tzinfo=ZoneInfo(week.ZONE))
    return Job(config, tuple(_morning(root, first + timedelta(days=n)) for n in range(1, days + 1)))


def _morning(root: Path, midnight: datetime) -> Command:
    samples = [(root / "upstreams" / f"{short}.git", history.load(short)) for short in history.UPSTREAMS]

    def show() -> None:
        for folder, sample in samples:
            history.show(folder, sample, midnight)

    return Command(("run",), {"DAYBREAK_NOW": midnight.isoformat()}, show)


def long_week(root: Path, days: int = 7, more: str = "", make: Callable[[Path], object] = long_history) -> Job:
    """Two copies of the history: one asked as a server, so that its mirror is made without blobs, and one borrowed."""
    make(root / "upstream.git")
    config = 'timezone = "UTC"\n'
    for name, address in (("acme/served", f"file://{root}/upstream.git"), ("acme/borrowed", f"{root}/upstream.git")):
        config += f'[[repo]]\nname = "{name}"\ngit = "{address}"\n'
    days_of = ("--since", "2026-01-05", "--until", f"2026-01-{5 + days:02}")
    return Job(config + more, (Command(("run", *days_of)),))
