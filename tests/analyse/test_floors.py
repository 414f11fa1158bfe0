"""What is high whatever its size, by rules above the fitted grade; what is low stays low."""

import pytest

from analyse.test_day import commit
from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.report import Entry
from daybreak.findings.reading import read_one
from daybreak.judge.importance import HIGH, TELLING, weights
from daybreak.judge.rules import grade
from read.made import patch_of

EDIT = patch_of("a = 1\n" * 3, "a = 2\n" * 3)
KERNEL = "engine/kernels/attention.py"


def graded(change: Change) -> Entry:
    return grade(change, read_one(change))


@pytest.mark.parametrize(
    ("subject", "path", "patch", "level", "why"),
    [
        ("Use the fused path by default (#1)", KERNEL, EDIT, "medium", ""),
        ("Support the fused path (#1)", KERNEL, EDIT, "medium", ""),
        ("Use the fused path by default (#1)", "tests/test_attention.py", EDIT, "low", ""),
        ("Fix wrong output of the draft model (#1)", KERNEL, EDIT, "high", "by its title, fixes wrong results"),
        ("Fix hang of the draft model (#1)", KERNEL, EDIT, "high", "by its title, fixes a hang"),
        ("Fix wrong output of the draft model (#1)", KERNEL, patch_of("# a\n", "# b\n"), "low", ""),
        ("Fix wrong output of the draft model (#1)", "engine/kernels/rocm/attention.py", EDIT, "low", ""),
        ("[ROCm] Fix wrong output of the draft model (#1)", KERNEL, EDIT, "medium", ""),
        ("Fix crash with an empty batch (#1)", KERNEL, EDIT, "medium", ""),
        ("Fix stale guard (#1)", KERNEL, EDIT, "medium", ""),
    ],
)
def test_a_rule_lifts_what_users_meet(subject: str, path: str, patch: str, level: str, why: str) -> None:
    found = graded(commit("1", subject, {path: patch})).importance
    assert found.level == level
    assert why in found.reasons[0].text["en"]


def test_what_is_lifted_scores_as_high() -> None:
    found = graded(commit("1", "Fix hang of the draft model (#1)", {KERNEL: EDIT})).importance
    assert found.score >= HIGH
    assert len(found.reasons) <= 3


def test_a_pin_that_the_program_asks_for_when_it_starts_is_high() -> None:
    pin = patch_of('dependencies = ["kern==0.3.1"]\n', 'dependencies = ["kern==0.3.2"]\n')
    asks = patch_of('    check("kern", "0.3.1")\n', '    check("kern", "0.3.2")\n')
    both = commit("1", "Bump kern (#1)", {"pyproject.toml": pin, "engine/launch.py": asks})
    pins = Finding("1/1", "dependency_changed", "pyproject.toml", 1, "kern", "==0.3.1", "==0.3.2")
    read = Reading(both.sha, areas={"build": 1, "code": 1}, findings=(pins,))
    assert grade(both, read).importance.level == "high"
    alone = commit("1", "Bump kern (#1)", {"pyproject.toml": pin})
    assert grade(alone, Reading(alone.sha, areas={"build": 1}, findings=(pins,))).importance.level == "medium"


@pytest.mark.parametrize(
    "subject", ["Tidy (#1)", "Fix a (#1)", "[Refactor] Move a (#1)", "Add a (#1)", "Merge branch '7.0.x'"]
)
@pytest.mark.parametrize("path", ["lib/core/a.py", "src/a.rs", "pkg/engine/a.go", KERNEL])
def test_a_reason_has_the_sign_of_its_grade(subject: str, path: str) -> None:
    found = graded(commit("1", subject, {path: EDIT})).importance
    table = weights().weight
    signs = [table.get(reason.code, 0.0) for reason in found.reasons]
    assert signs
    if found.level == "low":
        assert all(sign < 0 for sign in signs)
    else:
        assert all(sign >= 0 or reason.code in TELLING for sign, reason in zip(signs, found.reasons, strict=True))


def test_what_a_folder_is_called_is_no_reason_outside_the_field() -> None:
    found = graded(commit("1", "Fix a (#1)", {"lib/core/scheduler.py": EDIT})).importance
    assert not any(reason.code.startswith("in_") for reason in found.reasons)
