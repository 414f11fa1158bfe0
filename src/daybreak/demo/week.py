"""Runs the sample week: builds the upstreams and reports each day as it would have been reported the next morning."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from daybreak.demo import history, upstream
from daybreak.model import Window
from daybreak.windows import day

FIRST, LAST = date(2026, 3, 2), date(2026, 3, 8)
ZONE = "Asia/Shanghai"
SHOWCASE = "2026-03-06"
CONFIG = "daybreak.toml"

HEAD = """\
# The demo's config: three sample projects that exist only in this folder.

timezone = "{zone}"
languages = ["zh", "en"]
out = "."
"""
REPO = """
[[repo]]
name = "{name}"
git = "upstreams/{short}.git"
"""


def prepare(folder: Path) -> None:
    """Write the config and build the upstreams with their whole history; nothing of it is visible yet."""
    text = HEAD.format(zone=ZONE)
    for short in history.UPSTREAMS:
        sample = history.load(short)
        upstream.build(sample, folder / "upstreams" / f"{short}.git")
        text += REPO.format(name=sample.name, short=short)
    (folder / CONFIG).write_text(text, encoding="utf-8")


def each_morning(folder: Path, report: Callable[[Window, datetime], int]) -> list[int]:
    """Show the upstreams as they were each midnight, and have the day that just ended reported."""
    zone = ZoneInfo(ZONE)
    samples = [(short, history.load(short)) for short in history.UPSTREAMS]
    codes = []
    for number in range((LAST - FIRST).days + 1):
        today = FIRST + timedelta(days=number)
        midnight = datetime(today.year, today.month, today.day, tzinfo=zone) + timedelta(days=1)
        for short, sample in samples:
            upstream.show(folder / "upstreams" / f"{short}.git", sample, midnight)
        codes.append(report(day(today, zone, midnight), midnight))
    return codes
