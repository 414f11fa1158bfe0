"""Grades of what is always told, of what its project notes, and of titles that say whose a change is."""

from typing import Any

import pytest

from analyse.test_importance import CODE, TEST, grade, shown
from daybreak.core.model.findings import Alias
from read.made import patch_of


@pytest.mark.parametrize(
    ("kind", "alias", "level"),
    [
        ("dispatch_changed", "none", "medium"),
        ("env_added", "none", "low"),
        ("operator_added", "none", "low"),
        ("class_renamed", "kept", "low"),
        ("annotation_changed", "none", "low"),
    ],
)
def test_what_is_otherwise_for_those_who_set_nothing_is_medium_and_what_only_came_is_not(
    kind: str, alias: Any, level: str
) -> None:
    assert shown(kind, before="x", after="y", alias=Alias(alias)).level == level
    assert shown(kind, path="engine/rocm/a.py", before="x", after="y", alias=Alias(alias)).level == "low"


def test_a_check_that_came_offers_nothing_it_refuses_somebody() -> None:
    assert shown("guard_added", after="assert scale == self.scale").level == "medium"
    assert shown("guard_removed", before="assert scale == self.scale").level == "low"


def test_a_fix_that_nobody_tells_is_low() -> None:
    bare = patch_of("", "class Pages:\n    def free(self):\n        self.a = 1\n" * 30)
    assert grade({"engine/core.py": bare}, "Fix pages (#1)").level == "low"


def test_what_a_changelog_tells_users_of_is_medium() -> None:
    noted = patch_of("", "- Dictionaries are taken by functions of users, which were refused until now.\n")
    found = grade({"engine/core.py": CODE, "CHANGELOG.md": noted}, "Take dictionaries")
    assert (found.level, found.reasons[0].code) == ("medium", "noted")
    assert grade({"CHANGELOG.md": noted}, "Take dictionaries").level == "low"


def test_a_word_that_was_misspelt_was_nobodys_fault() -> None:
    was = "class Seperate:\n    pass\n\n\ndef made(x) -> 'Seperate':\n    return Seperate()\n"
    now = was.replace("Seperate", "Separate")
    for new, level in ((now, "low"), (now.replace("    pass", "    a = 1"), "medium")):
        assert grade({"engine/core.py": patch_of(was, new)} | TEST, "Fix typo: seperate (#1)").level == level


@pytest.mark.parametrize(
    ("subject", "level"),
    [
        ("Fix wrong output on macOS CPU inference", "low"),
        ("Fix wrong output for other backends (e.g. XPU)", "low"),
        ("Fix wrong output for CPU and CUDA on H100", "high"),
        ('Revert "[AMD][EP] Fix wrong output"', "low"),
        ('Revert "[Core] Fix wrong output"', "low"),
    ],
)
def test_a_title_that_names_other_hardware_is_for_those_who_have_it(subject: str, level: str) -> None:
    assert grade({"engine/core.py": CODE}, subject).level == level


def test_a_model_of_a_part_that_few_run_is_of_that_part() -> None:
    files = {"python/sglang/multimodal_gen/runtime/models/dits/a.py": CODE} | TEST
    found = grade(files, "Fix the sampler (#1)", repo="sgl-project/sglang")
    assert (found.level, [reason.code for reason in found.reasons]) == ("low", ["few"])


def test_another_frame_of_a_message_is_met_by_whoever_runs_two_versions() -> None:
    assert shown("internal_frame_changed", before="3 parts", after="4 parts", breaking=True).level == "high"
