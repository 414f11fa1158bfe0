"""What an entry of the first screen says of whom it hits, where, and how much: each in words that can be wrong."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from analyse.test_day import ARGS, REPO, commit, day, report
from analyse.test_first_screen import finding, tags
from analyse.test_first_screen_words import released
from daybreak.core.model.changes import Collected, Exposure
from daybreak.core.model.findings import Reading
from daybreak.core.model.report import Entry, Story
from daybreak.core.model.statements import Importance
from daybreak.core.words.grammar import alike
from daybreak.findings.languages.base import Fact, Whole
from daybreak.findings.languages.restored_defaults import goes_with_function
from daybreak.judge.action_words import told_of
from daybreak.judge.changed_lines import are_beside, changed_lines
from daybreak.judge.code_places import placed
from daybreak.judge.exposure import exposure_of, put_back
from daybreak.judge.hazards import hazard
from daybreak.judge.reach import concerns_few
from daybreak.judge.rules import taken_again
from read.behaviour import file_of
from read.made import change_of, patch_of

SPLIT = ("        new.value = child.value[:n]\n", "        new.value = child.value[:n].clone()\n")


def split(head: str) -> str:
    return patch_of(*SPLIT, context=head)


def test_the_same_edit_in_several_classes_names_all_of_them_the_base_first() -> None:
    heads = {"a_radix.py": "class FarCache(NearCache):", "b_radix.py": "class NearCache(Base):"}
    change = change_of({f"engine/{path}": split(head) for path, head in heads.items()}, subject="Fix memory of caches")
    told = changed_lines(change)
    assert told is not None
    assert "(and 1 more line alike)" in told.text["en"]
    assert placed(told.text, change, told.quotes)["en"].endswith(" Where: `NearCache` and `FarCache`.")


def test_lines_alike_are_counted_each() -> None:
    patch = patch_of(SPLIT[0] * 3, SPLIT[1] * 3)
    told = changed_lines(change_of({"engine/a.py": patch}))
    assert told is not None
    assert "(and 2 more lines alike)" in told.text["en"]


@pytest.mark.parametrize(("kind", "symbol"), [("dispatch_changed", "Args.adjust"), ("filled_for_more", "runner")])
def test_a_condition_that_takes_in_who_sets_nothing_is_a_default_whatever_the_title_says(
    kind: str, symbol: str
) -> None:
    change = commit("1", "Fix assertion of sizes (#1)", {ARGS: patch_of("a()\n", "b()\n")})
    widened = finding(change, kind, ARGS, symbol, before="q in x", after="q in x or self.quant is None")
    widened = replace(widened, breaking=kind != "dispatch_changed", default='runner = "trtllm"', under="is_sm100()")
    (line,) = day(released(report(change, extra=(widened,)))).actions
    said = f'`runner` is `"trtllm"` from now on also where `quant` is not set (`{ARGS}`), under `is_sm100()`.'
    assert line.tag == "default"
    assert said in line.text["en"]
    assert "mends a fault" not in line.text["en"], "what the release has may be the lines of the default"
    assert "cherry-pick" not in line.text["en"]


def test_a_default_of_one_model_s_own_file_does_not_lead_what_everybody_must_install() -> None:
    own = "engine/configs/models/dits/wan_video.py"
    files = {
        own: patch_of("x = {}\n", "x = {1: 2}\n"),
        "requirements/cuda.txt": patch_of("torch==2.8\n", "torch==2.9\n"),
    }
    change = commit("1", "Upgrade to CUDA 13 (#1)", files)
    table = finding(change, "field_default_changed", own, "WanConfig.table", before="16", after="32")
    needs = finding(
        change, "dependency_changed", "requirements/cuda.txt", "torch", before="==2.8", after="==2.9", number=2
    )
    lines = day(released(report(change, extra=(table, needs)))).actions
    assert [line.tag for line in lines] == ["build"]
    assert "`torch`" in lines[0].text["en"]


def test_what_a_later_change_of_the_window_puts_as_it_was_is_undone() -> None:
    first = change_of({"engine/a.py": patch_of("f(x, 1)\n", "# why\nf(x, 2)\n")})
    later = replace(change_of({"engine/a.py": patch_of("# why\nf(x, 2)\n", "# other words\nf(x, 1)\n")}), sha="c" * 40)
    assert taken_again([later, first]) == {first.sha}
    assert taken_again([replace(later, files=first.files), first]) == frozenset()


def test_a_variable_that_goes_with_the_check_that_it_left_out_is_nobody_s_loss() -> None:
    check = 'def check(self):\n    if get_bool("NO_CHECK"):\n        return\n    raise RuntimeError("old")\n'
    fact = Fact("env_read_removed", "engine/a.py", 2, "NO_CHECK", "NO_CHECK")
    assert goes_with_function(fact, Whole([file_of("engine/a.py", check + "x = 1\n", "x = 1\n")], True))
    stays = check.replace('    if get_bool("NO_CHECK"):\n        return\n', "")
    assert not goes_with_function(fact, Whole([file_of("engine/a.py", check, stays)], True))


def test_a_numerical_issue_is_a_wrong_result() -> None:
    found = hazard("topk numerical issue for unaligned lengths")
    assert found is not None
    assert found.does == "corrupts"


@pytest.mark.parametrize(
    ("title", "few"),
    [
        ("Fix dtype mismatch on macOS CPU inference", True),
        ("Fix attention for non-CUDA backends (e.g. XPU)", True),
        ("Fix dtype mismatch on new servers", False),
    ],
)
def test_a_title_says_for_which_hardware_a_fix_is(title: str, few: bool) -> None:
    assert concerns_few(change_of({"engine/a.py": patch_of("a()\n", "b()\n")}, subject=title)) is few


def test_a_pin_that_moves_along_does_not_stand_for_the_repair() -> None:
    change = commit(
        "2",
        "Fix routing of experts (#2)",
        {"engine/router.py": patch_of("route = softmax(x)\n", "route = sigmoid_route(x)\n")},
    )
    pin = finding(change, "dependency_changed", "requirements.txt", "torch", before="==2.9.0", after="==2.9.1")
    found = day(released(report(change, extra=(pin,))))
    (line,) = (*found.actions, *found.also)
    assert "sigmoid_route" in line.text["en"]
    assert "As well: `torch` `==2.9.0` → `==2.9.1`." in line.text["en"]


def test_messages_between_versions_are_told_with_what_to_do_about_them() -> None:
    change = commit("4", "Add state to the connector (#4)", {"engine/conn.py": patch_of("a()\n", "b()\n")})
    long = ", ".join(f"packed_part_number_{n}" for n in range(12))
    frame = finding(
        change,
        "internal_frame_changed",
        "engine/conn.py",
        "Receiver.send",
        before=long,
        after=f"{long}, more",
        breaking=True,
    )
    found = day(report(change, extra=(frame,)))
    (line,) = (*found.actions, *found.also)
    assert "upgrade both ends together" in line.text["en"]


def test_who_derives_takes_what_the_constructor_asks_for_and_hands_it_on() -> None:
    change = commit("5", "Ask for the config (#5)", {"engine/base.py": patch_of("a()\n", "b()\n")})
    asked = finding(
        change,
        "parameter_required_added",
        "engine/base.py",
        "ConnectorBase.__init__(cache)",
        after="cache",
        breaking=True,
    )
    told, _ = told_of(report(change, extra=(asked,)).entries[0], [asked])
    assert told.how is not None
    assert told.how["en"] == "take `cache` in constructors of your own and hand it to `super().__init__`"


def test_what_is_only_handled_from_now_on_is_not_said_to_be_a_fault_of_a_release() -> None:
    handled = change_of({"engine/a.py": patch_of("a()\n", "b()\n")}, subject="Handle two kinds of options in one place")
    known = Collected(REPO, "main", None, (handled,), exposed={handled.sha: Exposure("v1.0", has=True)})
    for change, has in ((handled, None), (replace(handled, subject="Fix crash of options"), True)):
        entry = Entry(change, Reading(change.sha), "fix", Importance("medium", 0.5, ()))
        found = exposure_of(entry, None, known)
        assert (found.has if found else None) is has


def test_a_revert_of_what_no_release_has_says_so() -> None:
    change = change_of({"engine/a.py": patch_of("b()\n", "a()\n")}, subject='Revert "Turn it (#1)"')
    story = Story("s1", "revert", ("d" * 40, change.sha), alike("x"))
    entry = Entry(change, Reading(change.sha), "revert", Importance("high", 0.9, ()), after="v1.0")
    for younger, said in ((story.commits, "`v1.0` never had it"), ((change.sha,), "")):
        known = Collected(REPO, "main", None, (change,), newest={change.sha: "v1.0"}, younger=younger)
        text = put_back(alike("It."), replace(entry, exposure=exposure_of(entry, story, known)))
        assert (said in text["en"]) is True
        assert ("never" in text["en"]) is bool(said)


@pytest.mark.parametrize(
    ("subject", "beside"),
    [("Fix loading of streamed checkpoints", True), ("Fix the expert of streamed checkpoints", False)],
)
def test_a_pair_of_lines_that_has_no_word_of_the_title_does_not_carry_what_was_wrong(
    subject: str, beside: bool
) -> None:
    change = change_of({"engine/a.py": patch_of("    keep(expert)\n", "    keep(expert=expert)\n")}, subject=subject)
    found = changed_lines(change)
    assert found is not None
    assert are_beside(found, subject) is beside


def test_an_attribute_that_is_asked_for_by_a_fixed_name_is_no_other() -> None:
    old = 'if not hasattr(up, "weight"):\n    up.weight = getattr(up, "packed")\n'
    new = 'if not hasattr(up, "weight") and hasattr(up, "packed"):\n    up.weight = up.packed\n'
    found = changed_lines(change_of({"engine/a.py": patch_of(old, new)}, subject="Fix loading of weights"))
    assert found is not None
    assert "getattr" not in found.text["en"]
    assert "hasattr(up" in found.text["en"]


def test_one_name_of_a_package_that_ships_later_stands_behind_wrong_results_of_a_release() -> None:
    wrong = commit("1", "Fix wrong logits (#1)", {ARGS: patch_of("a\n", "b\n")}, body="Rows past the end were zeros.")
    later = commit("2", "Pass scalars (#2)", {"vllm/outputs.py": patch_of("a()\n", "b()\n")})
    gone = finding(
        later, "function_removed", "vllm/outputs.py", "merge", before="merge", breaking=True, effective="kernels"
    )
    actions = day(released(report(wrong, later, extra=(gone,)))).actions
    assert [action.commits[0][0] for action in actions][:1] == ["1"]


def test_a_way_round_that_nobody_has_by_default_is_no_repair_to_act_on() -> None:
    change = commit("1", "Fix: add a temporary workaround (#1)", {ARGS: patch_of("a()\n", "b()\n")})
    came = finding(change, "env_added", ARGS, "ENGINE_WORKAROUND", after="0", default="0")
    assert tags(released(report(change, extra=(came,)))) == [""]
