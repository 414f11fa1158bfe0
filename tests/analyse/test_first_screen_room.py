"""What has room on the first screen, and what stands below it or nowhere."""

from msgspec.structs import replace

from analyse.test_day import ARGS, commit, day, report
from analyse.test_first_screen import dropped, finding, graded, tags
from analyse.test_first_screen_order import lines
from daybreak.core.model.day import MOST_ACTIONS
from daybreak.core.model.findings import Alias
from daybreak.core.model.statements import Level
from daybreak.judge.checks.day import AllChecks
from daybreak.judge.first_screen import A_REPOSITORY, MOST_HAN, MOST_WORDS, first_screen
from read.made import patch_of


def test_what_is_for_forks_takes_no_more_than_a_third_of_a_repository_s_part() -> None:
    made, found = [], []
    for digit in "123":
        change = commit(digit, f"Rework the part {digit}", lines(f"slot_map_{digit}", "a", "b", "c"))
        name = f"slot_map_{digit}"
        made.append(change)
        found.append(
            finding(change, "function_removed", "engine/context.py", name, before=f"def {name}():", alias=Alias("none"))
        )
    told_of = day(report(*made, extra=tuple(found)))
    assert [action.tag for action in told_of.actions] == ["fork"] * (A_REPOSITORY // 3)
    assert len(told_of.also) == 1


def test_all_that_is_said_on_the_screen_can_be_read_at_once() -> None:
    said = "Rows past the last page of a request were read as zeros by every rank, and the sum of the layer was wrong. "
    more = (
        "That holds for all requests that end within a page, whatever the size of the batch or the number of ranks is."
    )
    many = [
        commit(
            f"{n:x}",
            f"Fix wrong results of {name} (#{n})",
            {f"engine/{name}.py": patch_of("a\n", f"{name}()\n")},
            body=said + more,
        )
        for n, name in enumerate(("prefill", "decode", "drafts", "logprobs", "lora", "images", "routers", "graphs"), 1)
    ]
    halves = (report(*many[:4]), report(*many[4:]))
    second = replace(halves[1], repo=replace(halves[1].repo, name="acme/other"))
    found, *_ = first_screen((halves[0], second))
    assert len(found) == MOST_ACTIONS
    around = [f"{n}. CORRUPTS · {one.repo} · #{n} abcdef123" for n, one in enumerate(found)]
    assert sum(len(f"{words} {one.text['en']}".split()) for words, one in zip(around, found, strict=True)) <= MOST_WORDS
    assert sum(sum("\u4e00" <= sign <= "\u9fff" for sign in one.text["zh"]) for one in found) <= MOST_HAN


def test_where_the_screen_is_too_short_a_break_keeps_what_to_do_before_whom_it_hits() -> None:
    title = "Drop option {} that nobody should have to set by hand"
    options = [f"--{name}-of-the-engine" for name in ("prefill", "decode", "drafts", "lora")]
    patches = [{ARGS: patch_of(f'    p.add_argument("{option}")\n', "")} for option in options]
    gone = [commit(f"{n}", f"{title.format(n)} (#{n})", patch) for n, patch in enumerate(patches, 1)]
    ours = report(*gone)
    found, *_ = first_screen((ours, replace(ours, repo=replace(ours.repo, name="acme/other"))))
    assert len(found) == MOST_ACTIONS
    assert all("What to do: " in one.text["en"] for one in found)
    assert any("Affected: " not in one.text["en"] for one in found)


def test_what_is_for_a_part_that_few_run_stands_on_the_screen_only_where_there_is_room() -> None:
    option = 'merge = os.environ.get("ENGINE_MERGE", "{}")\n'
    path = "engine/multimodal_gen/runtime/lora.py"
    change = commit("6", "Merge in float (#6)", {path: patch_of(option.format(0), option.format(1))})
    turned = finding(change, "env_default_changed", path, "ENGINE_MERGE", before="0", after="1")
    part = report(change, extra=(turned,))
    assert tags(part) == [""]
    others = graded(report(*dropped(8)), dict.fromkeys("12345678", "medium"), "acme/other")
    more = graded(report(*dropped(2)), dict.fromkeys("12", "medium"), "acme/more")
    for full, room in (([part], True), ([part, others, more], False)):
        shown = first_screen(full)[0][:MOST_ACTIONS]
        assert any(line.repo == part.repo.name for line in shown) is room


def test_what_asks_for_action_and_has_no_room_is_found_below_with_its_tag() -> None:
    parts = [graded(report(*dropped(9)), {}, f"acme/{name}") for name in ("one", "two", "three")]
    found = AllChecks().day(day(*parts))
    assert found.more_actions == 27 - MOST_ACTIONS - len(found.also)
    below = [one for area in found.worth for one in area.changes]
    assert [one.tag for one in below] == ["breaks"] * found.more_actions


def test_a_high_change_whose_sentence_is_long_stands_on_the_screen() -> None:
    long = (
        "Rows past the last page were read as zeros"
        + ", because a kernel takes the padded size of a batch for its own" * 5
    )
    change = commit("1", "Fix wrong results (#2)", {"engine/core.py": patch_of("a()\n", "b()\n")}, body=f"{long}.")
    (action,) = day(report(change)).actions
    assert "Rows past the last page were read as zeros" in action.text["en"]


def test_a_switch_that_came_and_is_on_stands_below_the_screen() -> None:
    """Nobody relied on what was not there."""
    code = 'import os\n\ndef run():\n    if os.environ.get("ENGINE_FAST", "1") == "1":\n        fast()\n'

    def tags(before: str) -> list[str]:
        change = commit("1", "Take the fast path (#2)", {"engine/core.py": patch_of(before, code)})
        found = day(report(change))
        return [action.tag for action in (*found.actions, *found.also)]

    assert tags(code.replace('"1")', '"0")')) == ["default"]
    assert "default" not in tags("import os\n")


def test_what_is_graded_low_stands_last_below_the_screen_unless_it_breaks_somebody() -> None:
    mends = commit(
        "9", "Fix a deadlock of ranks (#9)", {"engine/ranks.py": patch_of("a()\n", "b()\n")}, body="It hung."
    )
    levels: dict[str, Level] = {"1": "medium", "9": "medium"}
    for low, shown in (("9", ["1"]), ("1", ["1", "9"])):
        found = day(graded(report(*dropped(1), mends), {**levels, low: "low"}))
        assert sorted(action.commits[0][0] for action in found.actions) == shown
        assert [action.commits[0][0] for action in found.also] == [one for one in "19" if one not in shown]


def test_names_that_go_beside_and_find_no_room_are_counted() -> None:
    change = commit("6", "Remove inplace experts (#6)", lines("inplace", "a", "b", "c"))
    gone = {"before": "inplace", "breaking": True, "alias": Alias("none")}
    calls = [
        finding(
            change,
            "internal_parameter_removed",
            f"engine/{name}.py",
            f"of_experts_{name}(inplace_{name})",
            number=at,
            **gone,
        )
        for at, name in enumerate("abcdefgh", 2)
    ]
    (line,) = day(report(change, extra=tuple(calls))).actions
    assert (
        line.text["en"]
        .partition("Gone as well: ")[2]
        .startswith(
            "`inplace_b` of `of_experts_b`, `inplace_c` of `of_experts_c`, `inplace_d` of `of_experts_d` and "
            "`inplace_e` of `of_experts_e`."
        )
    )
