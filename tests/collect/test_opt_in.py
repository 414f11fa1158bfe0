"""Switches that are off: a fix of code that nobody runs who has not set a variable names that variable."""

from __future__ import annotations

import pytest

from conftest import Collector
from gitrepo import GitRepo

RUNNER = "engine/worker/fast/runner.py"
HEAD = "def scale(values, factor):\n    total = sum_of(values)\n"
FAULT, FIXED = (f"{HEAD}    return total / {of}\n" for of in ("factor_of(values)", "max(1, factor_of(values))"))
OFF = {"engine/envs.py": 'if TYPE_CHECKING:\n    FAST_RUNNER: bool = False\nX = os.getenv("FAST_RUNNER", "0")\n'}
OPEN = {"engine/envs.py": "if TYPE_CHECKING:\n    FAST_RUNNER: bool | None = None\n"}
ON = {"engine/envs.py": 'FAST_RUNNER = os.getenv("FAST_RUNNER", "1")\n'}
TAKES = "            from engine.worker.fast.runner import scale\n"
HELD = {"engine/worker/main.py": f"class Worker:\n    def __init__(self):\n        self.fast = envs.FAST_RUNNER\n\n"
        f"    def start(self):\n        if self.fast:\n{TAKES}        return scale\n"}  # fmt: skip
ASKED = {"engine/worker/main.py": f"class Worker:\n    def start(self):\n        if envs.FAST_RUNNER.get():\n{TAKES}"}
UNLESS = {"engine/worker/main.py": f"class Worker:\n    def start(self):\n        if not envs.FAST_RUNNER:\n{TAKES}"}
PLAIN = {"engine/worker/main.py": "from engine.worker.fast.runner import scale\n"}
ALSO = {"engine/other.py": "from engine.worker.fast.runner import scale\n"}
PART = {
    "engine/worker/fast/pool.py": "X = 1\n",
    "engine/other.py": "from engine.worker.fast.pool import X\n",
}
THROUGH = {**PART, "engine/worker/fast/pool.py": "from engine.worker.fast.runner import scale\n"}
BY_FOLDER = {"engine/worker/fast/__init__.py": "", "engine/other.py": "from engine.worker.fast import runner\n"}
"""A folder with an empty head: what is taken of it is not known."""
OFTEN = {
    "engine/worker/fast/pool.py": "X = 1\n",
    **{f"engine/user_{n}.py": "def run():\n" + "    from engine.worker.fast.pool import X\n" * 4 for n in range(3)},
}
"""Three files take another part, four times each."""
NOWHERE = {"engine/other.py": "if TYPE_CHECKING:\n    from engine.worker.fast.gone import Nothing\n"}
IN_TEST = {"tests/test_runner.py": "from engine.worker.fast.runner import scale\n"}


@pytest.mark.parametrize(
    ("tree", "switch"),
    [
        (OFF | HELD, "FAST_RUNNER"),
        (OFF | ASKED, "FAST_RUNNER"),
        (OFF | HELD | IN_TEST, "FAST_RUNNER"),
        (OFF | HELD | PART, "FAST_RUNNER"),
        (OFF | HELD | OFTEN, "FAST_RUNNER"),
        (OFF | HELD | NOWHERE, "FAST_RUNNER"),
        (OFF | HELD | BY_FOLDER, ""),
        (OFF | HELD | THROUGH, ""),
        (OPEN | HELD, ""),
        (ON | ASKED, ""),
        (OFF | UNLESS, ""),
        (OFF | PLAIN, ""),
        (OFF | HELD | ALSO, ""),
    ],
    ids=[
        "an attribute holds it",
        "asked at once",
        "a test imports it too",
        "another part is taken",
        "another part is taken often",
        "a part that is not there is taken",
        "the folder is taken",
        "a part takes it",
        "open",
        "on",
        "unless",
        "always",
        "also",
    ],
)
def test_code_that_is_imported_only_under_a_variable_that_is_off_names_it(
    repo: GitRepo, collector: Collector, tree: dict[str, str | None], switch: str
) -> None:
    released = repo.commit("Begin", {RUNNER: FAULT, **tree}, at="2026-01-05T10:00:00")
    repo.tag("v1.0", released, at="2026-01-05T11:00:00")
    sha = repo.commit("[Bugfix] Fix division by zero (#7)", {RUNNER: FIXED}, at="2026-01-19T10:00:00")
    found = collector.collect(repo).exposed[sha]
    assert (found.has, found.switch) == (True, switch)


def test_a_fix_that_touches_other_code_as_well_is_of_everybody(repo: GitRepo, collector: Collector) -> None:
    core = "engine/core.py"
    released = repo.commit("Begin", {RUNNER: FAULT, core: FAULT, **OFF, **HELD}, at="2026-01-05T10:00:00")
    repo.tag("v1.0", released, at="2026-01-05T11:00:00")
    sha = repo.commit("[Bugfix] Fix it (#7)", {RUNNER: FIXED, core: FIXED}, at="2026-01-19T10:00:00")
    assert collector.collect(repo).exposed[sha].switch == ""
