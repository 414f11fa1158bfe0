"""Runs the sample week: builds the upstreams and reports each day as it would have been reported the next morning."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from daybreak.core.model.changes import Window
from daybreak.core.model.items import Envelope
from daybreak.core.windows import day
from daybreak.demo import answers, history

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
GITHUB = """
[github]
ask = true
offline = true                 # what GitHub would have answered came with the demo: nobody is asked
"""
REPO = """
[[repo]]
name = "{name}"
git = "upstreams/{short}.git"
"""


def prepare(folder: Path, *, github: bool = False) -> None:
    """Write the config and build the upstreams with their whole history; nothing of it is visible yet.

    With `github`, runs read what `recorded` tells, which must be put into their store first.
    """
    text = HEAD.format(zone=ZONE)
    for short in history.UPSTREAMS:
        sample = history.load(short)
        history.build(sample, folder / "upstreams" / f"{short}.git")
        text += REPO.format(name=sample.name, short=short)
    (folder / CONFIG).write_text(text + GITHUB * github, encoding="utf-8")


def recorded() -> list[Envelope]:
    """What GitHub would have answered at the end of each day, for every upstream."""
    samples = [answers.load(short, history.load(short)) for short in history.UPSTREAMS]
    return [envelope for window in _days() for sample in samples for envelope in answers.answers(sample, window)]


def _days() -> Iterator[Window]:
    """The days of the week, each as it is at its end."""
    zone = ZoneInfo(ZONE)
    for number in range((LAST - FIRST).days + 1):
        today = FIRST + timedelta(days=number)
        yield day(today, zone, datetime(today.year, today.month, today.day, tzinfo=zone) + timedelta(days=1))


def each_morning(folder: Path, report: Callable[[Window, datetime], int]) -> list[int]:
    """Show the upstreams as they were each midnight, and have the day that just ended reported."""
    samples = [(short, history.load(short)) for short in history.UPSTREAMS]
    codes = []
    for window in _days():
        for short, sample in samples:
            history.show(folder / "upstreams" / f"{short}.git", sample, window.until)
        codes.append(report(window, window.until))
    return codes
