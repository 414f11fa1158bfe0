"""What is high whatever its size, by rules above the fitted grade; what is low stays low."""

import pytest

from analyse.test_day import commit
from daybreak.core.model.changes import Change
from daybreak.core.model.report import Entry
from daybreak.findings.reading import read_one
from daybreak.judge.importance import weights
from daybreak.judge.rules import grade
from read.made import patch_of

EDIT = patch_of("a = 1\n" * 3, "a = 2\n" * 3)
KERNEL = "engine/kernels/attention.py"


def graded(change: Change) -> Entry:
    return grade(change, read_one(change))


@pytest.mark.parametrize(
    ("subject", "path", "patch", "level", "why"),
    [
        ("Use the fused path by default (#1)", KERNEL, EDIT, "high", "changes default behaviour"),
        ("Use the fused path (#1)", KERNEL, EDIT, "medium", ""),
        ("Use the fused path by default (#1)", "engine/xpu/attention.py", EDIT, "medium", ""),
        ("Use the fused path by default (#1)", "tests/test_attention.py", EDIT, "low", ""),
        ("Reject odd sizes (#1)", KERNEL, patch_of("a = 1\n", "raise ValueError(a)\n"), "medium", ""),
        ("Fix wrong output of the draft model (#1)", KERNEL, EDIT, "high", "fixes wrong results: `wrong`"),
        ("Fix regression of paged decode (#1)", KERNEL, EDIT, "high", "fixes a regression: `regression`"),
        ("Fix stale guard (#1)", KERNEL, EDIT, "medium", ""),
        ("Fix crash with an empty batch (#1)", KERNEL, EDIT, "medium", ""),
        ("Fix wrong log of the scheduler (#1)", KERNEL, EDIT, "medium", ""),
        ("Add SM120 backward support (#1)", KERNEL, patch_of("a\n", "if arch // 10 == 12:\n"), "high", "supports `SM120`"),
        ("Support for sm_107 (#1)", KERNEL, patch_of("a\n", 'archs.append("107a")\n'), "high", "supports `sm_107`"),
        ("Add SM120 backward support (#1)", KERNEL, EDIT, "medium", ""),
        ("Add a faster kernel on SM120 (#1)", KERNEL, patch_of("a\n", "if arch == 120:\n"), "medium", ""),
    ],
)  # fmt: skip
def test_a_rule_lifts_what_users_meet(subject: str, path: str, patch: str, level: str, why: str) -> None:
    found = graded(commit("1", subject, {path: patch})).importance
    assert found.level == level
    assert why in found.reasons[0].text["en"] if why else not found.reasons[0].text["en"].startswith("supports `")


def test_what_is_lifted_scores_as_high() -> None:
    found = graded(commit("1", "Use the fused path by default (#1)", {KERNEL: EDIT})).importance
    assert found.score >= weights().high
    assert len(found.reasons) <= 3
