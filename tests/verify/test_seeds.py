"""Five reports of other tools with known errors, when they and the mirrors lie beside the project; else nothing is tested.

The numbers are those of the audit of these reports, which was made with another program.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

import daybreak
from daybreak.core.git_program import Git
from daybreak.verify.mirror import Mirror
from daybreak.verify.values import Verified
from daybreak.verify.verifying import verify

BESIDE = Path(daybreak.__file__).resolve().parents[3]
SEEDS, MIRRORS = BESIDE / "shared" / "seeds", BESIDE / ".mirror"
THERE = SEEDS.is_dir() and len(list(MIRRORS.glob("*+*/repo/HEAD"))) >= 8
pytestmark = [pytest.mark.shared, pytest.mark.skipif(not THERE, reason="the seeds or their mirrors are not here")]

FALSE = {
    "000": {"sha": 1, "path": 2, "day": 12, "whole": 1, "leak": 1},
    "001": {"day": 9, "title": 1},
    "002": {"sha": 1, "link": 1, "label": 26, "line count": 3, "no update": 1, "day": 56, "whole": 2, "leak": 5, "snippet": 2},
    "003": {"day": 7, "leak": 11},
    "004": {"path": 1, "anchor": 31, "whole": 1},
}  # fmt: skip
"""Every one was looked at by hand in git or in the text."""
NAMED = {
    "000": {(42, "path"), (51, "sha"), (70, "leak"), (85, "whole")},
    "001": {(21, "title")},
    "002": {(244, "link"), (244, "sha"), (297, "whole"), (320, "line count"), (344, "line count"), (345, "line count"),
            (452, "whole"), (454, "no update"), (77, "leak"), (119, "leak"), (126, "leak")},
    "003": {(251, "leak"), (34, "leak")},
    "004": {(84, "path"), (114, "whole"), (39, "anchor"), (41, "anchor"), (42, "anchor")},
}  # fmt: skip
"""Line and sort of the single errors that the audit names."""


@pytest.fixture(scope="module")
def results() -> dict[str, Verified]:
    git = Git(dict(os.environ))
    mirrors = {}
    for path in sorted(MIRRORS.glob("*+*/repo")):
        name = path.parent.name.replace("+", "/", 1)
        mirrors[name] = Mirror(name, f"https://github.com/{name}", git, path)
    texts = {path.name[:3]: path.read_text(encoding="utf-8") for path in sorted(SEEDS.glob("*.txt"))}
    return {seed: verify(f"{seed}.md", text, mirrors) for seed, text in texts.items()}


@pytest.mark.parametrize("seed", FALSE)
def test_every_known_error_is_found_and_nothing_else(results: dict[str, Verified], seed: str) -> None:
    assert Counter(alarm.kind for alarm in results[seed].alarms) == FALSE[seed]
    assert {(alarm.line, alarm.kind) for alarm in results[seed].alarms} >= NAMED[seed]


def test_the_days_are_those_of_the_audit(results: dict[str, Verified]) -> None:
    days = [results[seed].day for seed in FALSE]
    assert days == ["2026-02-01", "2026-01-31", "2026-02-04", "2026-02-28", "2026-01-19"]
