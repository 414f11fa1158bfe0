"""A fix that is another version of a dependency: the release's own file says whether it asks for the old one."""

from __future__ import annotations

import pytest

from conftest import Collector
from gitrepo import GitRepo

PINS = "requirements/common.txt"


@pytest.mark.parametrize(
    ("released", "has"), [("grammar == 0.1.29; linux\n", True), ("grammar == 0.1.30; linux\n", None)]
)
def test_a_release_that_pins_what_a_security_fix_takes_away_has_the_fault(
    repo: GitRepo, collector: Collector, released: str, has: bool | None
) -> None:
    sha = repo.commit("Begin", {PINS: released, "a.py": "x = 1\n"}, at="2026-01-05T10:00:00")
    repo.tag("v1.0", sha, at="2026-01-05T11:00:00")
    repo.commit("Pin", {PINS: "grammar ==0.1.29; linux\n", "a.py": "x = 2\n"}, at="2026-01-10T10:00:00")
    now: dict[str, str | None] = {PINS: "grammar >= 0.1.32; linux\n"}
    fix = repo.commit("Upgrade grammar for a security fix (#7)", now, at="2026-01-19T10:00:00")
    found = collector.collect(repo).exposed[fix]
    assert (found.has, found.applies) == (has, None)
