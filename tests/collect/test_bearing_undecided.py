"""What decides, and what does not, whether a release has what a fix puts right."""

from __future__ import annotations

import pytest

from collect.test_bearing import CORE, FAULT, FIXED, exposure
from conftest import Collector
from gitrepo import GitRepo

CLASS = "class Engine:\n    def __init__(self, args):\n        self.args_of_server = args\n        register(self.shutdown)\n"
USE = "    def generate(self):\n        return self.manager.generate()\n"
STOP = "    def shutdown(self):\n        if self.manager is not None:\n            self.manager.stop()\n"


@pytest.mark.parametrize(("released", "has"), [(f"{CLASS}{USE}{STOP}", True), (f"{CLASS}{USE}", None)])
def test_a_first_value_mends_a_release_only_where_it_has_every_read_of_the_attribute(
    repo: GitRepo, collector: Collector, released: str, has: bool | None
) -> None:
    fixed = f"{CLASS}{USE}{STOP}".replace("        register", "        self.manager = None\n        register")
    found = exposure(repo, collector, {CORE: released}, {CORE: f"{CLASS}{USE}{STOP}", "x": "1"}, {CORE: fixed})
    assert found is not None
    assert found.has is has


@pytest.mark.parametrize(
    ("guard", "has"),
    [
        ("if 'group' in inspect.signature(kernels.plan).parameters:", None),
        ('if hasattr(kernels, "plan"):', None),
        ("if kernels.__version__ < limit:", None),
        ('if hasattr(values, "plan"):', True),
    ],
)
def test_a_fix_that_asks_what_a_dependency_offers_gives_no_verdict(
    repo: GitRepo, collector: Collector, guard: str, has: bool | None
) -> None:
    begin = "import inspect\n\nimport kernels\n\n\n"
    fixed = FIXED.replace("    return", f"    {guard}\n        planned(values)\n    return")
    found = exposure(repo, collector, {CORE: begin + FAULT}, {"engine/x.py": "1\n"}, {CORE: begin + fixed})
    assert found is not None
    assert found.has is has
