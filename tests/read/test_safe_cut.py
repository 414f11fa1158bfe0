"""The parts of two files between which they differ: small where a cut is sure, the whole where it is not."""

from __future__ import annotations

import pytest

from daybreak.findings.safe_python import differences, parts

FILE = '''import os


def first():
    return 1


@decorated
class Engine(Base):
    """Runs."""

    size = 1

    def run(self):
        return 2

    @property
    def name(self):
        return """
def not_code():
"""

    def last(self):
        return 4


def end():
    return 5
'''


def cut(old: str, new: str, *, inside: bool = True) -> tuple[str, str]:
    return parts(FILE.replace(old, new).split("\n"), FILE.split("\n"), inside=inside)


def test_a_function_stands_for_the_file() -> None:
    assert cut("return 1", "return 7") == ("def first():\n    return 7\n\n", "def first():\n    return 1\n\n")


def test_a_method_stands_for_its_class() -> None:
    old, new = cut("return 4", "return 7")
    assert old == "class _:\n    pass\n    def last(self):\n        return 7\n\n"
    assert new == old.replace("7", "4")


def test_a_class_is_one_part_when_only_the_top_level_counts() -> None:
    old, _ = cut("return 4", "return 7", inside=False)
    assert old.startswith("@decorated\nclass Engine(Base):")
    assert old.endswith("return 7\n\n")


@pytest.mark.parametrize(
    ("old", "new", "held"),
    [
        ("size = 1", "size = 2", "class Engine"),
        ("def not_code", "def no_code", "@property"),
        ("class Engine(Base)", "class Engine(Other)", "@decorated"),
        ("import os", "import sys", "import"),
        ('"""Runs."""', '"""Runs', "import os"),
    ],
)
def test_a_part_begins_before_what_differs_and_never_inside_a_text(old: str, new: str, held: str) -> None:
    found = cut(old, new)
    assert all(held in part for part in found)
    assert found[0] != found[1]
    assert not any(part.startswith("def not_code") for part in found)


def test_files_that_do_not_differ_or_are_empty() -> None:
    assert parts([""], [""], inside=True) == ("", "")
    assert parts([""], ["x = 1"], inside=True) == ("", "x = 1")


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("return 2", "return 2  # two", "only_comments"),
        ("return 2", "return (2)", "only_formatting"),
        ("def run(self):", "def run(self) -> int:", "only_types"),
        ('"""Runs."""', '"""Runs fast."""', "only_comments"),
        ("return 2", "return 3", None),
        ("class Engine(Base)", "class Engine(Other)", None),
        ("def not_code", "def no_code", None),
    ],
)
def test_a_proof_by_parts_is_a_proof_of_the_files(old: str, new: str, kind: str | None) -> None:
    assert differences(FILE, FILE.replace(old, new)) == kind
