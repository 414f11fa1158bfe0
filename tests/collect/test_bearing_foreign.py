"""A fix that rests on what another package brings does not apply alone."""

from __future__ import annotations

import pytest

from collect.test_bearing import CORE, exposure
from conftest import Collector
from gitrepo import GitRepo

ADAPTER = "class Adapter:\n    def submit(self, job):\n        return job\n\n    def close_of(self, job):\n        return job\n"
LINKS = "try:\n    from store_kit import Adapter\nexcept ImportError:\n    from engine.adapter import Adapter\n\n\n"
LEAKS = f"{LINKS}def run(job, link):\n    done = link.submit(job)\n    {{}}\n    return link.close_of(done)\n"


@pytest.mark.parametrize(("call", "foreign"), [("free_locks", ("free_locks",)), ("close_of", ())])
def test_a_fix_that_calls_what_only_another_package_defines_does_not_apply_alone(
    repo: GitRepo, collector: Collector, call: str, foreign: tuple[str, ...]
) -> None:
    was: dict[str, str | None] = {CORE: LEAKS.format("keep(done)"), "engine/adapter.py": ADAPTER}
    fix: dict[str, str | None] = {CORE: LEAKS.format(f"link.{call}(done)")}
    found = exposure(repo, collector, was, {"x": "1"}, fix)
    assert found is not None
    assert (found.has, found.foreign, found.applies) == (True, foreign, not foreign)
