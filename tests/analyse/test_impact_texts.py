"""Lines of upstream's sources that a file of yours replaces as text."""

from __future__ import annotations

import pytest

from analyse.impacted import REPO, uses_of
from daybreak.upgrade.impact.join import join
from daybreak.upgrade.impact.table import Ends

RUNS = "def start(self, group):\n    self._init_workers(group)\n    return self.workers\n"
BEFORE = {"vllm/__init__.py": "", "vllm/executor.py": RUNS, "vllm/attention/layer.py": "USES = backend.is_cuda()\n"}
AFTER = {"vllm/__init__.py": "", "vllm/executor.py": RUNS.replace("workers(group)", "workers(group, self.size)")}
BY_FILE = """import vllm.executor as executor
with open(executor.__file__) as read:
    text = read.read()
text = text.replace("self._init_workers(group)", "self._init_workers(group, env)")
"""
BY_SOURCE = """import inspect
from vllm.executor import start
text = inspect.getsource(start).replace(
    '''    self._init_workers(group)
    return self.workers
''', "    return None")
"""
BY_PATH = """import vllm
patch(
    "attention/layer.py",
    read().replace("USES = backend.is_cuda()", "USES = True"))
"""
TWO = Ends(lambda _, path: AFTER.get(path), lambda _, path: BEFORE.get(path), defined=lambda *_: {})


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (BY_FILE, "likely:4"),
        (BY_SOURCE, "likely:4"),
        (BY_PATH, "likely:3"),
        (BY_FILE.replace("__file__", "name"), ""),
        (BY_FILE.replace("text.replace(", "text.swap("), ""),
        (BY_FILE.replace("vllm.executor", "ours.executor"), ""),
        (BY_FILE.replace("self._init_workers(group)", "return self.workers"), ""),
        (BY_FILE.replace("self._init_workers(group)", "self._never_there(group)"), ""),
    ],
)
def test_a_line_that_is_no_longer_there_to_be_replaced_is_told(code: str, expected: str) -> None:
    hits = join(uses_of("svc/app.py", code), {REPO: ()}, ends=TWO)
    assert " ".join(f"{hit.certainty}:{hit.use.line}" for hit in hits) == expected


def test_it_is_said_as_a_patch_of_the_file_that_had_it() -> None:
    (hit,) = join(uses_of("svc/app.py", BY_FILE), {REPO: ()}, ends=TWO)
    assert hit.why["en"].startswith(
        "You patch `self._init_workers(group)`. Upstream: Removes `self._init_workers(group)`"
    )
    assert "`vllm/executor.py`" in hit.why["en"]
    assert hit.action["en"] == "Make sure that the patch still works, and change it if not."
