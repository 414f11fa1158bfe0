"""Calls that an earlier change took away and a later one has to follow."""

from __future__ import annotations

from functools import partial

import pytest

from conftest import Collector
from daybreak.collect.git.forgotten_calls import forgot
from daybreak.core.git_program import Git
from gitrepo import GitRepo

CORE = "engine/core.py"
HEAD = "def scale(values, factor):\n    total = sum_of(values)\n"
FAULT = f"{HEAD}    return total / factor_of(values)\n"
FIXED = f"{HEAD}    return total / max(1, factor_of(values))\n"
OTHER = f"{HEAD}    return total * inverse_factor(values)\n"


OLD_CALL = "def load(self):\n    mapping = Experts.make_expert_mapping(\n        self, 8\n    )\n    return mapping\n"
NEW_CALL = OLD_CALL.replace("Experts.make_expert_mapping", "make_fused_expert_mapping")
HELPER = "class Experts:\n    def make_expert_mapping(self, count):\n        return count\n"


@pytest.mark.parametrize("gone", [True, False])
def test_a_fix_that_calls_otherwise_what_an_earlier_change_took_away_follows_that_change(
    repo: GitRepo, collector: Collector, gone: bool
) -> None:
    files: dict[str, str | None] = {"engine/experts.py": HELPER, "engine/a.py": OLD_CALL, "engine/b.py": OLD_CALL}
    repo.commit("Begin", files, at="2026-01-05T10:00:00")
    repo.commit("Begin too", {"engine/y.py": "y = 2\n"}, at="2026-01-06T10:00:00")
    helper = "def make_fused_expert_mapping(layer, count):\n    return count\n"
    moved = {"engine/experts.py": helper if gone else f"{helper}{HELPER}", "engine/a.py": NEW_CALL}
    cause = repo.commit("Refactor experts (#5)", moved, at="2026-01-12T10:00:00")
    fix = repo.commit("Fix call sites (#7)", {"engine/b.py": NEW_CALL}, at="2026-01-19T10:00:00")
    assert collector.collect(repo).forgotten == ({fix: (cause, "Experts.make_expert_mapping")} if gone else {})


def test_a_search_for_what_went_that_fails_counts_as_a_fault_and_not_as_nothing(
    repo: GitRepo, collector: Collector
) -> None:
    repo.commit("Begin", {"engine/a.py": OLD_CALL}, at="2026-01-05T10:00:00")
    fix = repo.commit("Fix call sites (#7)", {"engine/a.py": NEW_CALL}, at="2026-01-19T10:00:00")
    git, change = Git({}), collector.collect(repo).changes[0]
    asked = forgot([(change, list(change.files))], "0" * 40, partial(git.run, at=repo.path))
    assert list(asked) == [(fix, None)]
    assert "log" in git.faults.take(repo.path)
