"""The same change on two branches is known again, and a change that only speaks of another is not taken for it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from daybreak.core.model.changes import Change, FileChange
from daybreak.judge.outages import Around, among, held, may_mend, outages

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


def at(hour: int, subject: str, sha: str) -> Change:
    moment = MOMENT.replace(hour=hour)
    file = FileChange("engine/run.py", "M", patch="@@ -1 +1 @@\n-a\n+b\n", added=1, deleted=1)
    return Change("acme/engine", sha, (), "Ann", moment, moment, subject, "", files=(file,), files_total=1)


def test_what_only_the_release_branch_of_the_start_took_back_is_no_fault_of_the_end() -> None:
    fault, revert = at(1, "Fuse the norm (#12)", MAIN), at(3, 'Revert "Fuse the norm (#12)"', "c" * 40)
    new = at(4, "Add a new model (#14)", "d" * 40)
    assert outages(Around([fault], [new], [revert], []), {}) == ()
    (told,) = outages(Around([fault], [new], [], [revert]), {})
    assert (told.holds_start, told.holds_end) == (True, True), "on the branch itself it is repaired for all"
    assert (told.fault_title, told.repair_title) == (fault.subject, revert.subject)
