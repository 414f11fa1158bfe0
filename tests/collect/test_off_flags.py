"""Flags that are off: a fix of lines that run under one alone, or whose title names it, names that flag."""

from __future__ import annotations

import pytest

from conftest import Collector
from gitrepo import GitRepo

CORE = "engine/core.py"
OFF = {"engine/args.py": 'class Args:\n    enable_rows: bool = False\n\n\np.add_argument("--enable-rows")\n'}
ON = {"engine/args.py": 'class Args:\n    enable_rows: bool = True\n\n\np.add_argument("--enable-rows")\n'}
INNER = {"engine/args.py": "class Args:\n    enable_rows: bool = False\n"}
UNDER = "class Engine:\n    def run(self, rows):\n        if {}:\n            count = total_of(rows)\n            emit(count)\n        leave(rows)\n"
ASKS = UNDER.format("self.args.enable_rows and rows")


@pytest.mark.parametrize(
    ("args", "source", "switch"),
    [
        (OFF, ASKS, "--enable-rows"),
        (ON, ASKS, ""),
        (INNER, ASKS, ""),
        (OFF, UNDER.format("not self.args.enable_rows"), ""),
        (OFF, UNDER.format("self.args.enable_rows or rows"), ""),
        (OFF, UNDER.format("rows"), ""),
    ],
    ids=["off", "on", "no flag", "unless", "or", "always"],
)
def test_lines_that_run_under_a_flag_alone_that_is_off_name_it(
    repo: GitRepo, collector: Collector, args: dict[str, str | None], source: str, switch: str
) -> None:
    fix = source.replace("total_of(rows)", "max(1, total_of(rows))")
    assert _switch(repo, collector, {**args, CORE: source}, fix, "Fix count of rows (#7)") == switch


def test_what_comes_behind_the_lines_of_a_flag_is_of_everybody(repo: GitRepo, collector: Collector) -> None:
    fix = ASKS.replace("        leave", "        checked(rows)\n        leave")
    assert _switch(repo, collector, {**OFF, CORE: ASKS}, fix, "Fix count of rows (#7)") == ""


@pytest.mark.parametrize(
    ("title", "switch"),
    [("Fix crash with --enable-rows (#7)", "--enable-rows"), ("Fix dependency on --enable-rows (#7)", "")],
)
def test_a_title_that_says_with_which_flag_it_goes_wrong_names_whom_the_fault_hits(
    repo: GitRepo, collector: Collector, title: str, switch: str
) -> None:
    source = UNDER.format("rows")
    fix = source.replace("total_of(rows)", "max(1, total_of(rows))")
    assert _switch(repo, collector, {**OFF, CORE: source}, fix, title) == switch


def _switch(repo: GitRepo, collector: Collector, tree: dict[str, str | None], fix: str, title: str) -> str:
    repo.tag("v1.0", repo.commit("Begin", tree, at="2026-01-05T10:00:00"), at="2026-01-05T11:00:00")
    repo.commit("Go on", {"x.py": "1\n"}, at="2026-01-10T10:00:00")
    sha = repo.commit(title, {CORE: fix}, at="2026-01-19T10:00:00")
    return collector.collect(repo).exposed[sha].switch
