"""What a model read in a change moves its grade, gives it a mark and bars the advice to pick it; its release is told once."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from daybreak.core.model.changes import Exposure
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Importance, Level, ModelReading, Proof, Reason, Role, Side, Statement
from daybreak.core.words.grammar import alike
from daybreak.judge.exposure import beside_fault, can_be_picked, dated, names_release
from daybreak.judge.model_reading import regraded, remarked
from told_days import change, entry


def said(role: Role, side: Side = "+") -> Statement:
    text = {"zh": "现在释放 block。", "en": "Blocks are freed."}
    return Statement(role, text, ("commit:1",), author="model", proof=(Proof("file:1:a.py", "free()", side),))


def read(severity: str, hit: str, level: Level = "medium", *roles: Role, kind: str = "fix", **more: Any) -> Entry:
    reading = ModelReading(severity, hit, led=True, **more)  # type: ignore[arg-type]
    told = tuple(said(role) for role in roles or ("impact",))
    return replace(entry(change(1, "Free blocks"), level, statements=told), kind=kind, by_model=reading)


@pytest.mark.parametrize(
    ("severity", "hit", "place", "shown", "before", "after"),
    [
        ("default", "default", 3, True, "medium", "high"),
        ("default", "default", 12, True, "low", "medium"),
        ("wrong_result", "flag", 2, True, "medium", "high"),
        ("refuses", "flag", 8, False, "medium", "medium"),
        ("contract", "plugins", 7, True, "medium", "medium"),
        ("contract", "plugins", 15, True, "low", "low"),
        ("default", "platform", 13, True, "low", "low"),
        ("refuses", "model", 0, False, "medium", "low"),
        ("crash", "model", None, True, "medium", "medium"),
        ("crash", "model", 1, True, "medium", "high"),
        ("contract", "flag", 10, False, "medium", "medium"),
        ("internal", "default", None, None, "medium", "low"),
    ],
)
def test_how_bad_whom_it_hits_and_its_place_beside_the_others_make_the_grade(
    severity: str, hit: str, place: int | None, shown: bool | None, before: Level, after: Level
) -> None:
    assert regraded(read(severity, hit, before, place=place, shown=shown)).importance.level == after


@pytest.mark.parametrize(
    ("severity", "hit", "kind", "shown", "marks"),
    [
        ("contract", "default", "feature", True, ("breaks",)),
        ("contract", "plugins", "refactor", True, ("breaks_internals",)),
        ("refuses", "flag", "feature", True, ("breaks",)),
        ("refuses", "flag", "fix", True, ()),
        ("contract", "flag", "fix", False, ()),
        ("contract", "flag", "feature", None, ()),
        ("contract", "developers", "feature", True, ()),
        ("contract", "default", "revert", True, ()),
        ("default", "default", "feature", True, ()),
    ],
)
def test_a_contract_or_refusal_that_the_critic_found_in_changed_lines_is_marked(
    severity: str, hit: str, kind: str, shown: bool | None, marks: tuple[str, ...]
) -> None:
    one = remarked(read(severity, hit, kind=kind, shown=shown))
    assert (one.marks, one.breaking) == (marks, "breaks" in marks)


def test_what_rests_on_unchanged_lines_or_no_release_had_is_not_marked() -> None:
    one = read("contract", "default", kind="feature", shown=True)
    assert remarked(replace(one, statements=(said("impact", " "),))).marks == ()
    unreleased = Importance("medium", 50, (Reason("unreleased", alike("not released")),))
    assert remarked(replace(one, importance=unreleased)).marks == ()


def test_nobody_is_told_to_pick_a_fix_of_which_a_risk_stands() -> None:
    known = Exposure("v1.2", has=True, applies=True)
    for roles, picked in ((("why",), True), (("why", "risk"), False)):
        one = replace(read("wrong_result", "flag", "medium", *roles), exposure=known)
        told = dated(alike("Blocks were lost."), one, "fix", picks=True)["en"]
        assert can_be_picked(one) is picked
        assert ("cherry-picks cleanly" in told) is picked
        assert "`v1.2` has this fault" in told
    left = replace(read("wrong_result", "flag", "medium", "why"), exposure=known)
    left = replace(left, statements=(*left.statements, said("risk", " ")))
    assert can_be_picked(left), "what lines that stay put at risk is not brought by the fix"


@pytest.mark.parametrize(
    ("known", "shown"),
    [
        (Exposure("v1.2", has=True), "Lost. `v1.2` has this fault. The break is not in `v1.2` yet."),
        (None, "Lost. The break is not in `v1.2` yet."),
    ],
)
def test_of_a_fault_and_the_break_that_its_repair_brings_both_releases_are_told(
    known: Exposure | None, shown: str
) -> None:
    one = replace(read("wrong_result", "flag"), exposure=known, after="v1.2")
    assert beside_fault(alike("Lost."), one)["en"] == shown


def test_a_sentence_that_names_the_release_needs_no_other_that_does() -> None:
    one = replace(read("default", "platform", kind="revert"), after="v1.2")
    assert names_release(alike("As in v1.2, blocks are kept."), one)
    assert not names_release(alike("Blocks are kept."), one)
    back = Importance("medium", 50, (Reason("as_released", alike("as released")),))
    assert names_release(alike("Blocks are kept."), replace(one, importance=back))
