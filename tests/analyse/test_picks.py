"""The same change on two branches is known again, and a change that only speaks of another is not taken for it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from daybreak.core.model.changes import Change
from daybreak.judge.outages import among, held, may_mend

MAIN = "a" * 40
MOMENT = datetime(2026, 1, 19, tzinfo=UTC)


def change(subject: str, body: str = "", sha: str = "b" * 40, author: str = "Ann") -> Change:
    return Change("acme/engine", sha, (), author, MOMENT, MOMENT, subject, body)


@pytest.mark.parametrize(
    ("original", "copy", "body", "author", "same"),
    [
        ("Fuse the norm (#12)", "Fuse the norm (#12)", "", "Bob", True),
        ("Fuse the norm (#12)", "[0.15] Fuse the norm (#12) (#40)", "", "Bob", True),
        ("Fuse the norm (#12)", "Release work", f"(cherry picked from commit {MAIN})", "Bob", True),
        ("Fuse the norm (#12)", "Release work", f"cherry-picked from commit {MAIN[:10]}", "Bob", True),
        ("Fuse the norm (#12)", "cherry-pick: #12 (Fuse the norm) (#40)", "", "Bob", True),
        ("Fuse the norm (#12)", "release-1.0: cherry-pick #11, #12 and bump (#40)", "", "Bob", True),
        ("Fuse the norm", "Fuse the norm", "", "Ann", True),
        ("Fuse the norm", "Fuse the norm", "", "Bob", False),
        ("Fix lint", "Fix lint", "", "Ann", False),
        ("Fuse the norm (#12)", "Fix the norm of #12 (#13)", "", "Ann", False),
        ("Fuse the norm (#12)", "Fix the norm (see #12) (#13)", "", "Ann", False),
        ("Fuse the norm (#12)", 'Revert "Fuse the norm (#12)" (#13)', "", "Ann", False),
        ("Fuse the norm (#12)", 'Revert "Fuse the norm" (#12) (#13)', "", "Ann", False),
        ("Fuse the norm (#12)", "Split the norm (#112)", f"unlike {MAIN}", "Ann", False),
    ],
)
def test_a_copy_is_known_by_sha_number_or_title_and_author(
    original: str, copy: str, body: str, author: str, same: bool
) -> None:
    known = held([change(original, sha=MAIN)])
    assert among(change(copy, body, author=author), known) is same


@pytest.mark.parametrize(
    ("subject", "may"),
    [
        ("[Bugfix] Wrong scale (#3)", True),
        ('Revert "Fuse"', True),
        ("Reland fused norm", True),
        ("Rolled back the cache", True),
        ("Add a new model", False),
        ("Update docs", False),
    ],
)
def test_titles_of_repairs(subject: str, may: bool) -> None:
    assert may_mend(subject) is may
