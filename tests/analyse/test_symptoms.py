"""Symptoms: a title that says "fix" makes no fault of a release by itself."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from daybreak.core.model.changes import Change, Collected, Exposure, Repo
from daybreak.core.model.findings import Reading
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Importance
from daybreak.core.words.grammar import alike
from daybreak.judge.exposure import dated, exposure_of, shows_fault
from daybreak.judge.faults import has_symptom
from daybreak.judge.gist import gist
from read.made import change_of, patch_of

CORE = "engine/core.py"
LINES = patch_of("a = one(x)\n", "a = other(x)\n")
TEST = patch_of("", "def test_sizes_agree():\n    assert size(1) == 1\n")


def entry_of(subject: str, body: str = "", patch: str = LINES, **files: str) -> Entry:
    change = replace(change_of({CORE: patch, **files}, subject=subject), body=body)
    tested = any("test" in path for path in files)
    reading = Reading(change.sha, areas={"test": 1} if tested else {"code": 1})
    return Entry(change, reading, "fix", Importance("medium", 0.5), after="v1.0", gist=gist(change, reading))


@pytest.mark.parametrize(
    ("subject", "body", "patch"),
    [
        ("Fix KeyError of expert weights", "", LINES),
        ("Fix the draft scatter OOB", "", LINES),
        ("Fix sizes", "Fixes #42", LINES),
        ("Fix sizes", "See https://example.org/a/b/issues/7", LINES),
        ("Fix sizes", "Traceback (most recent call last):", LINES),
        ("Fix sizes that are lost with two ranks", "", LINES),
        ("Fix sizes", "", patch_of("a = one(x)\n", "# Otherwise the last row reads stale data.\na = other(x)\n")),
    ],
)
def test_words_of_what_went_wrong_are_a_symptom(subject: str, body: str, patch: str) -> None:
    assert has_symptom(entry_of(subject, body, patch))


def test_a_test_that_comes_with_it_is_one() -> None:
    assert has_symptom(entry_of("Fix sizes", **{"tests/test_core.py": TEST}))


@pytest.mark.parametrize("subject", ["Fix weight loading of one model", "fix: sizes", "[Fix] Pass sizes to the loader"])
def test_a_title_that_only_says_fix_is_none(subject: str) -> None:
    assert not has_symptom(entry_of(subject))


@pytest.mark.parametrize(("subject", "has"), [("Fix weight loading", False), ("Fix wrong weights", True)])
def test_without_a_symptom_the_release_has_the_lines_and_not_the_fault_and_the_change_keeps_its_place(
    subject: str, has: bool
) -> None:
    entry = entry_of(subject)
    change: Change = entry.change
    exposed = {change.sha: Exposure("v1.0", True, applies=True)}
    found = exposure_of(entry, None, Collected(Repo("o/p", "", ""), changes=(change,), exposed=exposed))
    assert found is not None
    assert found.has, "it ranks as one whose lines the release has"
    assert shows_fault(replace(entry, exposure=found)) is has
    text = dated(alike("Fix."), replace(entry, exposure=found), "fix", picks=True)["en"]
    assert text == (
        "Fix. `v1.0` has this fault; the fix cherry-picks cleanly."
        if has
        else "Fix. `v1.0` has the lines that this replaces; the fix cherry-picks cleanly."
    )


def test_what_only_comes_replaces_no_lines_and_names_none() -> None:
    came = entry_of("Fix weight loading", patch="@@ -1,1 +1,2 @@\n a = one(x)\n+b = clamp(a)")
    for applies, then in ((True, " The fix is not in `v1.0` yet; it cherry-picks cleanly."), (False, "")):
        whole = replace(came, exposure=Exposure("v1.0", True, applies=applies, unsaid=True))
        assert dated(alike("Fix."), whole, "fix", picks=True)["en"] == f"Fix.{then}"


def test_lines_alone_count_no_fault_that_is_told_of_a_day_and_are_fixed_in_no_candidate() -> None:
    entry = replace(entry_of("Fix weight loading"), exposure=Exposure("v1.0", True, unsaid=True))
    assert not shows_fault(entry)
    text = dated(alike("Fix."), replace(entry, released="v1.1rc1"), "fix")["en"]
    assert text == "Fix. Released in `v1.1rc1`."
