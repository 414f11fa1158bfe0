"""Whether a release has a bug, by the lines in which a writer says that it lies."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from daybreak.core.model.changes import Exposure
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Severity, Statement
from daybreak.core.words.grammar import alike
from daybreak.findings.text_trees import TextTrees
from daybreak.judge.exposure import dated
from daybreak.prose.fault_lines import located, named
from told_days import change, entry, file, patch

FAULT = "if self.pool.free_count() < request.size:"
MENDS = change(1, "Fix the pool", "", [file("engine/pool.py", patch(f"-    {FAULT}", "+    if not self.pool.fits(request):"))])  # fmt: skip
FIX = replace(entry(MENDS), kind="fix", after="v1.0")
HAS = {"engine/pool.py": f"def take(self):\n        {FAULT}\n            return 1\n"}
MOVED = {"engine/memory/pool.py": f"def take(self):\n        {FAULT}\n"}
YOUNGER = {"engine/pool.py": "def take(self):\n    self.pool.take()\n"}
RENAMED = {"engine/pool.py": "def take(self):\n    if self.pool.free_count() < req.size:\n"}


class Whole(TextTrees):
    """A release holds all of its files."""

    partial = False


def exposure(tree: dict[str, str], lines: tuple[str, ...] = (FAULT,), known: Exposure | None = None) -> Exposure | None:
    return located(replace(FIX, exposure=known), lines, Whole({"v1.0": tree}))


@pytest.mark.parametrize(("tree", "has"), [(HAS, True), (MOVED, True), (YOUNGER, False), ({}, False)])
def test_the_release_has_the_fault_where_its_lines_stand_at_whatever_path(tree: dict[str, str], has: bool) -> None:
    assert exposure(tree) == Exposure("v1.0", has=has, applies=None)


def test_a_line_like_it_or_one_of_two_leaves_it_open() -> None:
    assert exposure(RENAMED) is None
    assert exposure(HAS, (FAULT, "self.pool.drop_everything(request)")) is None


def test_a_line_that_could_stand_anywhere_decides_nothing() -> None:
    assert exposure(HAS, ("return 1",)) is None


def test_what_the_rules_know_stays_and_so_does_their_doubt() -> None:
    for known in (Exposure("v1.0", has=False), Exposure("v1.0", pin="x 2"), Exposure("v1.0", doubted=True)):
        assert exposure(HAS, known=known) == known
    assert exposure({}, known=Exposure("v1.0", older=True)) == Exposure("v1.0", older=True)
    assert exposure(YOUNGER, known=Exposure("v1.0", doubted=True)) == Exposure("v1.0", has=False)


def test_where_only_which_of_its_lines_are_at_fault_was_open_the_writer_decides_it() -> None:
    doubt = Exposure("v1.0", doubted=True, in_part=True)
    assert exposure(HAS, known=doubt) == Exposure("v1.0", has=True)
    assert exposure(HAS, (FAULT, "self.pool.drop_everything(request)"), known=doubt) == doubt


def test_that_a_release_has_the_fault_is_said_where_a_sentence_that_stands_says_what_went_wrong() -> None:
    open_, trouble = (
        Exposure("v1.0", has=True, unsaid=True),
        Statement("impact", alike("Rows were lost."), ("commit:1",)),
    )
    told = named(open_, FIX, (trouble,), "slower")
    assert told == Exposure("v1.0", has=True)
    assert dated(alike("It."), replace(FIX, exposure=told), "fix")["en"] == "It. `v1.0` has this fault."
    others: tuple[tuple[Entry, tuple[Statement, ...], Severity], ...] = (
        (FIX, (replace(trouble, role="what"),), "slower"),
        (FIX, (trouble,), "internal"),
        (replace(FIX, kind="feature"), (trouble,), "crash"),
        (replace(FIX, released="v1.0"), (trouble,), "crash"),
    )
    for one, said, severity in others:
        assert named(open_, one, said, severity) == open_


def test_a_title_need_not_name_the_repair_but_what_only_takes_back_has_no_fault_of_its_own() -> None:
    trees = Whole({"v1.0": HAS})
    assert located(replace(FIX, kind="other"), (FAULT,), trees) == Exposure("v1.0", has=True, applies=None)
    assert located(replace(FIX, kind="revert"), (FAULT,), trees) is None
