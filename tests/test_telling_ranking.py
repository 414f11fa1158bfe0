"""A model weighs the day's changes beside each other: its places order the first screen and move a grade by one step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from daybreak.core.model.changes import Exposure
from daybreak.core.model.findings import Finding
from daybreak.core.model.report import Entry
from daybreak.core.model.statements import Level, Statement
from daybreak.judge.day_value import day_of
from daybreak.judge.interface import Judgement
from daybreak.prose.llm import ModelFault, Prompt
from daybreak.prose.model_prose import Wanted
from daybreak.prose.questions import Limits
from daybreak.report.render.markdown import markdown_pages
from scripted_telling import Said, Scripted, form, said, told
from told_days import change, entry, file, patch, report, repository

CRASH = {"severity": "crash", "hit": "model"}


def fix(n: int, level: Level = "medium", findings: tuple[Finding, ...] = ()) -> Entry:
    made = change(n, f"Fix number {n}", files=[file(f"engine/part{n}.py", patch(f"-    old{n}()", f"+    new{n}()"))])
    return replace(entry(made, level, findings=findings), kind="fix")


def row(prompt: Prompt) -> dict[str, Any]:
    """A true sentence about the change that the prompt is of."""
    n = next(n for n in range(1, 40) if f"Fix number {n}\n" in prompt.user or f"Fix number {n} " in prompt.user)
    return said(f"现在调用 `new{n}`。", f"The engine calls `new{n}` now.", f"D1: +    new{n}()")


def answering(ranks: Mapping[str, Any] | ModelFault, **more: Any) -> Scripted:
    def answer(prompt: Prompt) -> Said | tuple[()]:
        if prompt.task == "rank":
            return ranks
        return form(row(prompt), **(CRASH | more)) if prompt.task == "change" else ()

    return Scripted(answer)


def ranked(model: Scripted, *entries: Entry) -> Judgement:
    return told(model, report(repository(entries)))[0]


def places(found: Judgement) -> list[int | None]:
    return [one.by_model.place if one.by_model else None for one in found.entries]


def levels(found: Judgement) -> list[Level]:
    return [one.importance.level for one in found.entries]


def test_one_question_shows_checked_sentences_and_proof_and_no_title() -> None:
    model = answering({"first": ["C1"], "next": []})
    ranked(model, fix(1), fix(2))
    (asked,) = (prompt for prompt in model.asked if prompt.task == "rank")
    assert "The engine calls `new1` now." in asked.user
    assert "1 file, crash, hits model" in asked.user
    assert "Fix number" not in asked.user


def test_those_named_come_first_in_their_order_and_what_was_not_named_has_no_place() -> None:
    found = ranked(answering({"first": ["C3", "C1"], "next": ["C2"]}), fix(1), fix(2), fix(3), fix(4))
    assert sorted(place for place in places(found) if place is not None) == [0, 1, 2, 9]
    shown = [action.commits[0] for action in found.actions]
    named = sorted((one for one in found.entries if one.by_model and one.by_model.place in (1, 2)), key=_place)
    assert shown[:2] == [one.change.sha for one in named]


def _place(one: Entry) -> int:
    return (one.by_model.place if one.by_model else None) or 99


def test_a_place_moves_a_grade_by_one_step_and_no_more() -> None:
    found = ranked(answering({"first": ["C1", "C2", "C3"], "next": []}), fix(1, "high"), fix(2, "medium"))
    assert levels(found) == ["high", "high"]
    low = fix(3, "low")
    model = Scripted(
        lambda p: {"read": ["C1"]} if p.task == "triage" else {"first": ["C1", "C2"], "next": []}
        if p.task == "rank" else form(row(p), **CRASH) if p.task == "change" else ()
    )  # fmt: skip
    assert levels(told(model, report(repository([fix(1), low])))[0]) == ["high", "medium"]


def test_what_is_named_for_the_screen_leads_it_however_low_rules_graded_it_and_a_proved_break_keeps_a_place() -> None:
    gone = Finding("1/1", "cli_flag_removed", "engine/part2.py", 1, "--old", before="--old", breaking=True)
    proved = replace(fix(2, "high", (gone,)), kind="other", marks=("breaks",))

    def answer(prompt: Prompt) -> Said | tuple[()]:
        if prompt.task == "rank":
            refs = {n: next(r for r in prompt.user.split("[") if f"`new{n}`" in r).partition("]")[0] for n in (3, 1)}
            return {"first": list(refs.values()), "next": []}
        told_so = {"read": ["C1"]} if prompt.task == "triage" else ()
        return form(row(prompt), **CRASH) if prompt.task == "change" else told_so

    found = told(Scripted(answer), report(repository([fix(1), proved, fix(3, "low")])))[0]
    shown = [action.commits[0] for action in found.actions]
    assert [shown.index(found.entries[at].change.sha) for at in (2, 0, 1)] == [0, 1, 2]


def test_what_was_weighed_and_not_named_is_not_high_unless_a_finding_proves_it() -> None:
    gone = Finding("1/1", "cli_flag_removed", "engine/part2.py", 1, "--old", before="--old", breaking=True)
    proved = replace(fix(2, "high", (gone,)), marks=("breaks",))
    found = ranked(answering({"first": [], "next": ["C1"]}, hit="default"), fix(1, "high"), proved, fix(3, "high"))
    assert levels(found)[1] == "high"
    assert levels(found).count("medium") == 2


@pytest.mark.parametrize(
    "ranks",
    [
        {"first": [], "next": []},
        {"first": "C1", "next": None},
        {"first": ["C99", 3, None], "next": [{}]},
        ModelFault("refused"),
    ],
    ids=["nothing", "no lists", "no such changes", "no answer"],
)
def test_an_answer_that_names_nothing_changes_nothing(ranks: Mapping[str, Any] | ModelFault) -> None:
    assert places(ranked(answering(ranks), fix(1), fix(2))) == [None, None]


def test_no_more_are_taken_than_the_screen_has_places_and_each_once() -> None:
    everything = [f"C{n}" for n in range(1, 31)]
    found = ranked(answering({"first": everything, "next": everything}), *(fix(n) for n in range(1, 31)))
    assert sorted(p for p in places(found) if p) == list(range(1, 19))


def test_a_change_that_nothing_was_told_of_is_not_shown_and_gets_no_place() -> None:
    def answer(prompt: Prompt) -> Said | tuple[()]:
        if prompt.task == "rank":
            return {"first": ["C1", "C2", "C3"], "next": []}
        return form(row(prompt), **CRASH) if prompt.task == "change" and "Fix number 2" not in prompt.user else ()

    found = ranked(Scripted(answer), fix(1), fix(2), fix(3))
    assert places(found)[1] is None


def test_a_small_model_is_not_asked_to_choose_and_neither_is_anybody_about_one_change() -> None:
    small = answering({"first": ["C1"], "next": []})
    told(small, report(repository([fix(1), fix(2)])), Wanted(limits=Limits(800, 200)))
    alone = answering({"first": ["C1"], "next": []})
    ranked(alone, fix(1))
    assert "rank" not in (*small.tasks(), *alone.tasks())


def test_the_question_shows_what_code_knows_of_harm_and_reach() -> None:
    gone = Finding("f1", "cli_flag_removed", "engine/part1.py", 3, "--seed", before="--seed", breaking=True)
    fact = Statement("what", {"zh": "删除 `--seed`。", "en": "Removes `--seed` (`engine/part1.py`)."}, ("finding:f1",))
    broken = replace(fix(1, findings=(gone,)), statements=(fact,), marks=("breaks",))
    fault = replace(fix(2), exposure=Exposure("v1", has=True, switch="--overlap"))
    model = answering({"first": ["C1"], "next": []})
    ranked(model, broken, fault)
    (asked,) = (prompt.user for prompt in model.asked if prompt.task == "rank")
    assert "proved: breaks" in asked
    assert "Removes `--seed`. The engine calls `new1` now." in asked
    assert "only with --overlap, the newest release has the fault" in asked


def test_what_is_named_for_the_first_screen_stands_there_whichever_project_it_is_of() -> None:
    named = [f"C{n}" for n in range(1, 7)]
    found = ranked(answering({"first": named, "next": []}, hit="default"), *(fix(n, "high") for n in range(1, 9)))
    assert len({action.commits for action in found.actions[:6]}) == 6


@pytest.mark.parametrize(
    ("ranks", "en", "zh"),
    [
        ({"first": ["C1"], "next": []}, "2 changes were weighed by it beside each other", "放在一起权衡、排定首屏次序的改动 2 项"),
        (ModelFault("unreachable"), "no usable answer that weighs 2 changes", "把 2 项改动放在一起权衡的可用答复"),
        ({"first": ["C9"], "next": []}, "no usable answer that weighs 2 changes", "把 2 项改动放在一起权衡的可用答复"),
    ],
)  # fmt: skip
def test_the_appendix_says_how_many_were_weighed_or_that_no_answer_came(ranks: Any, en: str, zh: str) -> None:
    pages = "".join(page.text for page in markdown_pages(day_of(ranked(answering(ranks), fix(1), fix(2)))))
    assert en in pages
    assert zh in pages
