"""What stands first in the day's summary: faults that users met, then what kind of day it was."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from daybreak.core.model.changes import Change, Collected, Repo, Window
from daybreak.core.model.findings import Reading
from daybreak.core.model.report import RepoReport
from daybreak.findings.reading import read_one
from daybreak.judge.interface import Judgement
from daybreak.judge.rules import RuleAnalyst
from read.made import change_of, patch_of

START = datetime(2026, 1, 19, tzinfo=UTC)
WINDOW = Window(START, START + timedelta(days=1), "UTC", "2026-01-19")
REPO = Repo("acme/engine", "https://github.com/acme/engine", "x")


def commit(digit: str, subject: str, files: dict[str, str], at: int = 60) -> Change:
    return change_of(files, subject=subject, sha=digit * 40, committed_at=START + timedelta(minutes=at), author=digit)


def reading(change: Change) -> Reading:
    return read_one(change)


def report(*changes: Change, recent: tuple[Change, ...] = ()) -> RepoReport:
    collected = Collected(REPO, "main", None, changes, in_git=len(changes), recent=recent)
    found = RuleAnalyst().repository(collected, {c.sha: reading(c) for c in changes}, WINDOW)
    return RepoReport(REPO, "main", None, found.entries, found.late, found.stories, found.assessment, len(changes))


def summary(*changes: Change, recent: tuple[Change, ...] = ()) -> list[str]:
    day = Judgement(WINDOW, "0", ("zh", "en"), (report(*changes, recent=recent),))
    return [s.text["en"] for s in RuleAnalyst().day(day).summary]


@pytest.mark.parametrize(
    ("path", "told"),
    [("engine/core.py", True), ("csrc/attention.cu", True), ("docker/wheels.Dockerfile", False), ("scripts/build_wheel.sh", False)],
)  # fmt: skip
def test_a_fault_is_in_the_summary_only_where_code_that_users_run_was_mended(path: str, told: bool) -> None:
    wrong, right = "call_with(the_wrong_value)\n", "call_with(the_right_value)\n"
    first = commit("1", "Take another value (#10)", {path: patch_of("", wrong)}, at=-90)
    later = commit("2", "Fix the value of #10 (#11)", {path: patch_of(wrong, right)})
    (story,) = report(later, recent=(first,)).stories
    assert story.broken is not None
    said = summary(later, recent=(first,))
    assert [text for text in said if "had a fault" in text] == told * [
        "From 2026-01-18 22:30 to 2026-01-19 01:00 the branch of engine had a fault, which “Fix the value of #10” repaired."
    ]


def test_it_says_what_kind_of_day_it_was_and_where_the_work_lies() -> None:
    fixes = [
        commit(f"{n}", f"Fix part {n} (#{n})", {"src/server/http.py": patch_of("a\n", f"b{n}\n")}) for n in range(1, 8)
    ]
    assert summary(*fixes) == [
        "A day of repairs more than of new features, most of it in engine.",
        "Most of the work lies in API and parsers.",
    ]


def test_few_changes_are_a_quiet_day() -> None:
    assert summary(commit("1", "Fix it (#1)", {"engine/core.py": patch_of("a\n", "b\n")})) == [
        "A quiet day, most of it in engine."
    ]
