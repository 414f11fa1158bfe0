"""What a model and its critic make of an entry of the first screen: sentence, tag and headline."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from daybreak.core.model.findings import Finding
from daybreak.core.model.statements import ModelReading
from daybreak.judge.headline import headline
from daybreak.prose.llm import Prompt
from scripted_telling import (
    CACHE,
    FREES,
    GOOD,
    Scripted,
    form,
    said,
    told,
    verdicts,
)
from told_days import change, entry, file, patch, report, repository

DROPPED = change(7, "Tidy the options", "It was read by nobody.", [
    file("engine/args.py", patch('-    parser.add_argument("--seed")', '+    parser.add_argument("--draw-seed")')),
])  # fmt: skip
FLAG = Finding(f"{DROPPED.sha[:12]}/1", "cli_flag_removed", "engine/args.py", 1, "--seed", before="--seed", breaking=True)  # fmt: skip
OUT, IN = 'D1: -    parser.add_argument("--seed")', 'D1: +    parser.add_argument("--draw-seed")'
WHOLE = said("启动命令里还带 `--seed` 会失败：它已删除，由 `--draw-seed` 代替。", "Launch commands that pass `--seed` fail: the option is gone, and `--draw-seed` takes its place.", OUT, IN, role="impact")  # fmt: skip
CAUSE = said("没有代码读取这个选项。", "Nobody read the seed.", "M1: It was read by nobody.", role="why")
USE = said("请改用 `--draw-seed`。", "Pass `--draw-seed` instead.", OUT, IN, role="action")


def entry_of_the_screen(*rows: dict[str, Any]) -> str:
    model = Scripted(lambda p: form(*rows, severity="contract") if p.task == "change" else ())
    broken = replace(entry(DROPPED, "high", (FLAG,)), kind="other", marks=("breaks",))
    found, _ = told(model, report(repository([broken])))
    (line,) = found.actions
    return line.text["en"]


def test_a_sentence_that_tells_the_whole_of_a_break_is_its_entry_without_the_title() -> None:
    line = entry_of_the_screen(WHOLE, USE)
    assert line == f"{WHOLE['en']} {USE['en']}"


def test_what_to_do_stands_behind_the_whole_however_long_both_are() -> None:
    long = said(
        "`--seed` 已删除，由 `--draw-seed` 代替；启动命令里还带它会失败。", f"{WHOLE['en'][:-1]}, {'for all who start it so ' * 6}today.", OUT, IN, role="impact"
    )  # fmt: skip
    line = entry_of_the_screen(long, CAUSE, USE)
    assert line.startswith(long["en"])
    assert USE["en"] in line
    assert CAUSE["en"] not in line


@pytest.mark.parametrize(("severity", "hit", "tag"), [("contract", "default", "breaks"), ("contract", "plugins", "fork"), ("wrong_result", "default", "fix"), ("internal", "default", "fix")])  # fmt: skip
def test_a_contract_that_a_chosen_fix_changes_is_a_break_by_a_line_that_came_or_went(
    severity: str, hit: str, tag: str
) -> None:
    mended = change(9, "Fix the status of bad requests", "It was 500.", [file("engine/api.py", patch("-    status = 500", "+    status = 400"))])  # fmt: skip
    whole = said("坏请求现在得到 `400`，此前是 `500`。", "Bad requests get `400`, which were `500`.", "D1: -    status = 500", "D1: +    status = 400", role="impact")  # fmt: skip
    forms = form(whole, severity=severity, hit=hit), form(GOOD, severity="internal")

    def answer(prompt: Prompt) -> Any:
        if prompt.task == "rank":
            return {"first": [next(f"C{n}" for n in (1, 2) if "400" in prompt.user.split(f"[C{n}]")[1].split("\n")[0])], "next": []}  # fmt: skip
        return forms["free_blocks" in prompt.user] if prompt.task == "change" else ()

    model = Scripted(answer)
    fixes = [replace(entry(one), kind="fix") for one in (mended, CACHE)]
    found, _ = told(model, report(repository(fixes)))
    assert found.actions[0].tag == tag


def test_where_no_sentence_names_what_goes_the_fact_of_the_rules_stays() -> None:
    line = entry_of_the_screen(CAUSE)
    assert "`--seed`" in line
    assert "What to do: " in line


LIMITED = change(8, "Check the seed", "", [
    file("engine/args.py", patch(" def _start(self):", "+    if self.args.seed > 9:", '+        raise ValueError("too large")')),
])  # fmt: skip
GUARD = Finding(
    f"{LIMITED.sha[:12]}/1", "guard_added", "engine/args.py", 2, "Engine._start", after="if self.args.seed > 9: raise ValueError", breaking=True
)  # fmt: skip


@pytest.mark.parametrize(("line", "told_by_it"), [("+    if self.args.seed > 9:", True), (" def _start(self):", False)])
def test_a_sentence_on_a_guard_is_its_entry_and_the_fact_stands_behind_one_that_does_not_rest_on_its_lines(
    line: str, told_by_it: bool
) -> None:
    whole = said("启动时，大于 9 的 `seed` 现在会被拒绝。", "At the start, a `seed` above 9 is refused now.", f"D1: {line}", role="impact")  # fmt: skip
    model = Scripted(lambda p: form(whole, severity="refuses") if p.task == "change" else ())
    broken = replace(entry(LIMITED, "high", (GUARD,)), kind="other", marks=("breaks",))
    found, _ = told(model, report(repository([broken])))
    (action,) = found.actions
    assert action.text["en"].startswith(whole["en"])
    assert ("New guard" in action.text["en"]) is not told_by_it
    assert whole["en"] in action.text["en"]


def entry_by(severity: str, judged: str | None, kind: str = "fix", **more: Any) -> tuple[str, ModelReading | None]:
    """The tag of the first entry, and the reading, where the critic says this of the severity."""
    mended = change(
        9,
        "Resume after a pause",
        "It was lost.",
        [file("engine/api.py", patch("-    status = 500", "+    status = 400"))],
    )
    whole = said("恢复后的请求现在得到 `400`，此前是 `500`。", "Resumed requests get `400`, which were `500`.", "D1: -    status = 500", "D1: +    status = 400", role="impact")  # fmt: skip

    def answer(prompt: Prompt) -> Any:
        if prompt.task == "rank":
            place = next(n for n in (1, 2) if "400" in prompt.user.split(f"[C{n}]")[1].split("\n")[0])
            return {"first": [f"C{place}"], "next": []}
        return form(whole, severity=severity, **more) if "status" in prompt.user else form(GOOD, severity="internal") if prompt.task == "change" else ()  # fmt: skip

    def judge(prompt: Prompt) -> Any:
        asked = "2. By these lines" in prompt.user
        assert asked or "400" not in prompt.user
        return verdicts("carried", judged or "carried")

    some = [replace(entry(one), kind=kind) for one in (mended, CACHE)]
    found, _ = told(Scripted(answer), report(repository(some)), None, Scripted(judge) if judged else None)
    own = next(one for one in found.repos[0].entries if one.change.sha == mended.sha)
    return next((a.tag for a in (*found.actions, *found.also) if a.commits[0] == mended.sha), "none"), own.by_model


@pytest.mark.parametrize(
    ("judged", "tag"), [("carried", "corrupts"), ("narrower", "corrupts"), ("not_shown", "fix"), (None, "fix")]
)
def test_a_severity_alone_makes_no_tag_without_a_critic_that_finds_it_in_the_lines(
    judged: str | None, tag: str
) -> None:
    found, read = entry_by("wrong_result", judged)
    assert found == tag
    assert read is not None
    assert read.shown is (None if judged is None else judged != "not_shown")


@pytest.mark.parametrize(("severity", "hit", "judged", "tag"), [
    ("refuses", "flag", "carried", "rejects"), ("default", "default", "carried", "default"), ("contract", "plugins", "carried", "fork"),
    ("contract", "default", "carried", "breaks"), ("refuses", "flag", "not_shown", ""), ("crash", "flag", "carried", "crash"), ("crash", "flag", None, ""),
])  # fmt: skip
def test_what_is_lost_by_something_new_leads_where_a_critic_finds_it_in_the_lines(
    severity: str, hit: str, judged: str | None, tag: str
) -> None:
    assert entry_by(severity, judged, "feature", hit=hit)[0] == tag


@pytest.mark.parametrize(
    ("more", "fixed"), [({}, False), ({"fault": [{"at": "D1", "line": "-    status = 500"}]}, True)]
)
def test_a_fix_that_is_told_by_what_it_takes_away_from_users_is_not_told_as_a_fault_of_a_release(
    more: dict[str, Any], fixed: bool
) -> None:
    mended = change(9, "Fix the status of bad requests", "It was 500.", [file("engine/api.py", patch("-    status = 500", "+    status = 400"))])  # fmt: skip
    whole = said("坏请求现在得到 `400`，此前是 `500`。", "Bad requests get `400`, which were `500`.", "D1: -    status = 500", "D1: +    status = 400", role="impact")  # fmt: skip
    lost = [{"at": "D1", "line": "-    status = 500"}]
    model = Scripted(
        lambda p: form(whole, severity="crash", hit="default", lost=lost, **more) if p.task == "change" else ()
    )
    one = replace(entry(mended, "high"), kind="fix", after="v1.0")
    found, _ = told(model, report(repository([one])), None, Scripted(lambda _: verdicts("carried", "carried")))
    line = (*found.actions, *found.also)[0]
    assert line.tag == "crash"
    assert ("Not in `v1.0` yet" in line.text["en"]) is not fixed


def test_a_name_of_another_file_stands_and_the_critic_is_shown_the_lines_that_have_it() -> None:
    two = change(1, "Free the KV cache blocks", "Why.", [
        file("engine/cache.py", patch("-    return", "+    self.pool.free_blocks(request)")),
        file("engine/args.py", patch('+    parser.add_argument("--free-at-abort")')),
        file("engine/log.py", patch('+    log("freed")')),
    ])  # fmt: skip
    names = said("用 `--free-at-abort` 时释放 block。", "With `--free-at-abort`, blocks are freed.", FREES)
    model = Scripted(lambda p: (names,) if p.task == "change" else ())
    critic = Scripted(lambda p: verdicts("carried"))
    told(model, report(repository([entry(two)])), critic=critic)
    assert [prompt.task for prompt in model.asked].count("change+repair") == 0
    assert 'parser.add_argument("--free-at-abort")' in critic.asked[0].user
    assert 'log("freed")' not in critic.asked[0].user


@pytest.mark.parametrize(
    ("row", "begins"),
    [(WHOLE, "Launch commands that pass `--seed` fail"), (CAUSE, "Removes the command line option `--seed`")],
)
def test_a_headline_tells_what_its_entry_tells(row: dict[str, Any], begins: str) -> None:
    model = Scripted(lambda p: form(row, severity="contract") if p.task == "change" else ())
    broken = replace(entry(DROPPED, "high", (FLAG,)), kind="other", marks=("breaks",))
    found, _ = told(model, report(repository([broken])))
    assert begins.lower() in headline(found)["en"].lower()
