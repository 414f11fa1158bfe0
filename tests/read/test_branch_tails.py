"""Statements that another branch took over, because it came in the middle of a block."""

from __future__ import annotations

import pytest

from daybreak.findings import read
from daybreak.judge.breaking import mark_of

PATH = "python/sglang/srt/server_args.py"
HEAD = "class ServerArgs:\n    def _adjust(self, arch):\n"
FIRST = "        if arch == 'A':\n            self.backend = 'fast'\n"
TAIL = "            if self.extra():\n                self.overlap = False\n            assert self.page == 1\n"
CAME = "        elif arch == 'B':\n            self.runner = 'b'\n"
NEXT = "        elif arch == 'C':\n            self.cache = 0\n"
OWN = "            log.info('tail')\n"


@pytest.mark.parametrize(
    ("what", "before", "after", "expected"),
    [
        ("a branch before the rest of a block", FIRST + TAIL, FIRST + CAME + TAIL, ["overlap"]),
        ("and others behind it", FIRST + TAIL + NEXT, FIRST + CAME + TAIL + NEXT, ["overlap"]),
        ("a branch behind the block", FIRST + TAIL, FIRST + TAIL + CAME, []),
        ("with a rest of its own", FIRST + TAIL, FIRST + TAIL + CAME + TAIL.replace("overlap", "other"), []),
        ("the same rest in both", FIRST + TAIL, FIRST + TAIL + CAME + TAIL, []),
        ("a rest that only says something", FIRST + OWN, FIRST + CAME + OWN, []),
        ("a block that is asked otherwise", FIRST + TAIL, FIRST.replace("'A'", "'D'") + TAIL, []),
        ("a rest that was written anew", FIRST + TAIL, FIRST + CAME + TAIL.replace("False", "True"), []),
        ("nothing", FIRST + TAIL, FIRST + TAIL, []),
    ],
)
def test_a_rest_that_goes_to_another_branch(what: str, before: str, after: str, expected: list[str]) -> None:
    found = [
        f
        for f in read({PATH: HEAD + before}, {PATH: HEAD + after}, project="sgl-project/sglang")
        if f.kind == "branch_changed"
    ]
    assert [f.symbol for f in found] == expected, what
    assert all((f.before, f.after, mark_of(f)) == ("arch == 'A'", "arch == 'B'", "breaks") for f in found)
