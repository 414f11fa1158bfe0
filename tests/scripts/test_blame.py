"""The check of likely causes on a small repository: it counts what is found, and what is blamed for nothing."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from gitrepo import GitRepo
from scripts import blame

DAY = "2026-03-09"
OLD = "def reserve_pool_blocks(count):\n    return count\n"


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    """A function goes the day before; another file lies untouched."""
    made = GitRepo.make(tmp_path / "org+engine" / "repo")
    first = {
        "engine/pool.py": "def grow_shared_pool(count):\n    return count\n",
        "engine/old_parts/plan.py": OLD,
    }
    made.commit("Begin", first, at="2026-01-05T12:00:00")
    made.commit("Shrink", {"engine/pool.py": "def other(count):\n    return count\n"}, at="2026-03-08T04:00:00")
    return made


def test_a_change_that_an_issue_names_is_found_and_the_others_are_left_alone(repo: GitRepo) -> None:
    tally = blame.Tally()
    blame.Mirror(repo.path, "org/engine", random.Random(1), 4).day(DAY, tally)
    assert (tally.count["asked"], tally.count["found"], tally.count["links"]) == (1, 1, 1)
    assert (tally.count["other"], tally.count["blamed"]) == (1, 0)
    assert tally.figures() == {"precision": 1.0, "recall": 1.0, "quiet": 1.0}
    assert tally.notes == []


def test_what_is_missed_or_blamed_for_nothing_lowers_its_figure() -> None:
    tally = blame.Tally()
    tally.count.update(asked=4, found=2, links=4, right=2, old=2, other=2, blamed=1)
    assert tally.figures() == {"precision": 0.5, "recall": 0.5, "quiet": 0.75}


def test_a_day_before_the_first_commit_asks_nothing(repo: GitRepo) -> None:
    tally = blame.Tally()
    blame.Mirror(repo.path, "org/engine", random.Random(1), 4).day("2020-01-01", tally)
    assert tally.count.total() == 0
