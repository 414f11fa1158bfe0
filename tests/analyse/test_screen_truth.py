"""What an entry of the first screen says of whom it hits, where, and how much: each in words that can be wrong."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from analyse.test_day import ARGS, commit, day, report
from analyse.test_first_screen import finding
from analyse.test_first_screen_words import released
from daybreak.findings.languages.base import Fact, Whole
from daybreak.findings.languages.restored_defaults import goes_with_function
from daybreak.judge.changed_lines import changed_lines
from daybreak.judge.entry_words import placed
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


def test_a_condition_that_takes_in_who_sets_nothing_is_a_default_whatever_the_title_says() -> None:
    change = commit("1", "Fix assertion of sizes (#1)", {ARGS: patch_of("a()\n", "b()\n")})
    widened = finding(
        change, "dispatch_changed", ARGS, "Args.adjust", before="q in x", after="q in x or self.quant is None"
    )
    widened = replace(widened, default='runner = "trtllm"', under="is_sm100()")
    (line,) = day(released(report(change, extra=(widened,)))).actions
    said = f'`runner` is `"trtllm"` from now on also where `quant` is not set (`{ARGS}`), under `is_sm100()`.'
    assert line.tag == "default"
    assert said in line.text["en"]
    assert "It also mends a fault that `v1.2` has." in line.text["en"]
    assert "cherry-pick" not in line.text["en"]


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
