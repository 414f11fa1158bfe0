"""What stands first in the day's summary: faults that users met, then what whoever upgrades meets."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from daybreak.core.model.changes import Change, Collected, Repo, Window
from daybreak.core.model.findings import Finding, Reading
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
    read = read_one(change)
    found = MOVED.get(change.subject)
    return replace(read, findings=(found,)) if found else read


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
def test_a_fault_opens_the_summary_only_where_code_that_users_run_was_mended(path: str, told: bool) -> None:
    wrong, right = "call_with(the_wrong_value)\n", "call_with(the_right_value)\n"
    first = commit("1", "Take another value (#10)", {path: patch_of("", wrong)}, at=-90)
    later = commit("2", "Fix the value of #10 (#11)", {path: patch_of(wrong, right)})
    (story,) = report(later, recent=(first,)).stories
    assert story.broken is not None
    said = summary(later, recent=(first,))
    assert said[0].startswith("The branch was affected from 2026-01-18 22:30") is told
    assert any("was affected" in text for text in said) is told


MODEL = commit("1", "Support Llama 9 with fused attention (#1)", {"engine/models/llama9.py": patch_of("", "class A:\n    pass\n" * 40)})  # fmt: skip
TORCH = commit("2", "Follow upstream (#2)", {"pyproject.toml": patch_of("torch==2.11.0\n", "torch==2.11.1\n")})
BREAKS = commit(
    "3", "Tidy options (#3)", {"python/engine/server_args.py": patch_of('    p.add_argument("--kv")\n', "")}
)
ROCM = commit("4", "Tidy platform options (#4)", {"engine/rocm/server_args.py": patch_of('    p.add_argument("--hip")\n', "")})  # fmt: skip
MOVED = {
    TORCH.subject: Finding("2/1", "dependency_changed", "pyproject.toml", 3, "torch", "==2.11.0", "==2.11.1"),
}
"""What a reader finds in whole files; the patches above are all that these tests have."""


def above_all(*changes: Change) -> str:
    return summary(*changes)[0].partition("; above all ")[2]


def test_what_breaks_and_what_must_be_installed_stand_before_a_new_model() -> None:
    assert above_all(MODEL, BREAKS) == "`Tidy options`; `Support Llama 9 with fused attention`."
    assert above_all(MODEL, TORCH) == "`Follow upstream`; `Support Llama 9 with fused attention`."
    assert "Llama" not in above_all(MODEL, TORCH, BREAKS)


def test_what_concerns_one_platform_stands_last_even_where_it_breaks() -> None:
    assert above_all(ROCM, MODEL) == "`Support Llama 9 with fused attention`; `Tidy platform options`."
    assert "platform" not in above_all(ROCM, MODEL, BREAKS)
