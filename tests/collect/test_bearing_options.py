"""A release that has the lines of a fix, and not the option without which its own test does not meet the fault."""

from __future__ import annotations

import pytest

from conftest import Collector
from gitrepo import GitRepo

ARGS = "engine/args.py"
CORE = "engine/core.py"
TESTED = "tests/test_rows.py"
FAULT = "def take_rows(pool, request):\n    return pool.rows_of(request)[: request.length_of_rows]\n"
FIXED = FAULT.replace("[: request", "[request.start_of_rows : request.start_of_rows + request")


@pytest.mark.parametrize(("option", "has"), [("rows-reuse-of-prefix", None), ("rows-of-all-requests", True)])
def test_a_fix_whose_own_test_sets_an_option_that_the_release_lacks_does_not_accuse_it(
    repo: GitRepo, collector: Collector, option: str, has: bool | None
) -> None:
    args = "def add(parser):\n    parser.add_argument('--rows-of-all-requests')\n"
    repo.tag(
        "v1.0",
        repo.commit("Begin", {ARGS: args, CORE: FAULT}, at="2026-01-05T10:00:00"),
        at="2026-01-05T11:00:00",
    )
    more = f"{args}    parser.add_argument('--rows-reuse-of-prefix', dest='rows_reuse_of_prefix')\n"
    repo.commit("Reuse the prefix (#6)", {ARGS: more}, at="2026-01-10T10:00:00")
    test = f"def test_rows():\n    start('--{option}')\n"
    sha = repo.commit("[Bugfix] Fix rows (#7)", {CORE: FIXED, TESTED: test}, at="2026-01-19T10:00:00")
    found = collector.collect(repo).exposed[sha]
    assert found.has is has
    assert found.option == ("" if has else f"--{option}")
