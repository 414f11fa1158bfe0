"""Stories: only by marks that cannot be chance, as of the window, with what is true at its end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyse.storied import CORE, DAY, commit, find, told
from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Finding, Reading
from daybreak.core.model.statements import Text
from daybreak.judge.message_refs import quoted_title
from daybreak.judge.stories import TreeFacts, stories
from daybreak.judge.story_outcome import settled, taken_back, unmended
from read.made import patch_of, read_one

ADD = {CORE: patch_of("a = 1\n", "a = fused_norm(query, key)\n")}
TAKE = {CORE: patch_of("a = fused_norm(query, key)\n", "a = 1\n")}
LOG = "engine/log.py"
FUSE = commit("1", "[Perf] Fuse norm of query and key (#1010)", ADD)

# --- by words: what a second message makes of the first -------------------------------------------------------------

AFTER_FUSE = [
    ("a revert that quotes the title", 'Revert "[Perf] Fuse norm of query and key" (#1011)', "", "revert"),
    ("the quoted title with its number", 'Revert "[Perf] Fuse norm of query and key (#1010)" (#1011)', "", "revert"),
    ("the quoted title in other case and space", 'Revert "[perf]  fuse norm of query and KEY" (#1011)', "", "revert"),
    ("a quoted title that GitHub cut", 'Revert "[Perf] Fuse norm of query… (#1011)', "", "revert"),
    ("a quoted title cut within its number", 'Revert "[Perf] Fuse norm of query and key (#10… (#1011)', "", "revert"),
    ("a quoted title without its tag", '[Bugfix] Revert "Fuse norm of query and key" (#1011)', "", "revert"),
    ("a revert that undoes it line for line and names nothing", "Revert the norm (#1011)", "", "revert"),
    ("a number in the title of a revert of other lines", "Revert one assignment of #1010 (#1011)", "", None),
    ("a bare number in such a title", "Revert the assignment from PR 1010 (#1011)", "", None),
    ("a number beside a quotation of something else", 'Revert "Fuse it" (#1010) (#1011)', "", None),
    ("a roll-back by number", "Rollback #1010 (#1011)", "", None),
    ("GitHub's body of a revert", "Revert the norm (#1011)", "Reverts acme/engine#1010\n\nIt is slow.", "revert"),
    ("git's body of a revert", "Revert the norm (#1011)", f"This reverts commit {'1' * 40}.", "revert"),
    ("a short sha in the body", "Undo the norm (#1011)", f"This reverts commit {'1' * 12}.", "revert"),
    ("a fix that names the number", "Fix crash of #1010 (#1011)", "", "fixup"),
    ("a fix with the number in brackets", "[fix] Test regressions due to the fusion (#1010) (#1011)", "", "fixup"),
    ("a regression from a number", "Fix mixed dtypes (regression from #1010) (#1011)", "", "fixup"),
    ("a hotfix of a bare number", "bugfix: hotfix of PR 1010 (norm) (#1011)", "", "fixup"),
    ("introduced in, in the body", "Fix mixed dtypes (#1011)", "The error was introduced in #1010.", "fixup"),
    ("broken by, with the whole address", "Guard (#1011)", "Broken by https://github.com/acme/engine/pull/1010.", "fixup"),
    ("caused by a sha", "Guard (#1011)", f"The hang was caused by {'1' * 10}.", "fixup"),
    ("the number broke it", "Guard (#1011)", "#1010 broke float16.", "fixup"),
    ("fixes a merged pull request", "Guard (#1011)", "Fixes #1010", "fixup"),
    ("a follow-up", "Follow-up to #1010: bfloat16 (#1011)", "", "series"),
    ("a follow-up in the body", "bfloat16 (#1011)", "This is a follow up of PR #1010.", "series"),
    ("a cherry-pick", "Fuse norm once more (#1011)", f"(cherry picked from commit {'1' * 40})", "port"),
    ("a fix that does as another change did", "[Bugfix] Sort files to match #1010 (#1011)", "", None),
    ("a mere mention", "Faster, see #1010 (#1011)", "", None),
    ("an order of merging", "Faster (#1011)", "Must be merged after #1010.", None),
    ("a fix of an issue", "Fix crash (#1011)", "Fixes #777", None),
    ("a number of another project", "Guard (#1011)", "Caused by pytorch/pytorch#1010.", None),
    ("an address of another project", "Guard (#1011)", "Broken by https://github.com/x/y/pull/1010", None),
    ("a revert of something else", 'Revert "[Perf] Fuse norm of values" (#1011)', "", None),
    ("a revert in words only", "Revert block size workaround (#1011)", "", None),
    ("a body of squashed commits that reverts one of its own", "Add dtype (#1011)", f"* Revert x\nThis reverts commit {'e' * 40}.", None),
    ("a revert of a sha that is not on the branch", "Revert the norm (#1011)", f"This reverts commit {'e' * 40}.", None),
    ("a number of an address of mail", "Add dtype (#1011)", "Co-authored-by: A <1111111@qq.com>", None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("subject", "body", "kind"), [row[1:] for row in AFTER_FUSE], ids=[row[0] for row in AFTER_FUSE]
)
def test_what_a_message_makes_of_the_change_before(subject: str, body: str, kind: str | None) -> None:
    later = commit("2", subject, TAKE if kind == "revert" else None, body=body, at=51, author="Bo")
    assert told(FUSE, later) == ([(kind, "12")] if kind else [])
    assert told(later, recent=(FUSE,)) == ([(kind, "12")] if kind else []), "over days"
    # Nothing can point to what comes after it.
    assert told(later, FUSE) == []


# --- reverts and re-lands -------------------------------------------------------------------------------------------


def test_a_revert_takes_back_all_numbers_that_its_title_lists_in_brackets() -> None:
    first = commit("1", "[Core] Add a time limit of the shutdown for requests in flight (#34730)", at=-3 * DAY)
    second = commit("2", "[Core] Fix error log of the shutdown (#36270)", at=-2 * DAY)
    both = commit("3", '[Core] Revert "Add a limit" (#34730 and #36270) (#36628)', at=60)
    assert told(both, recent=(first, second)) == [("revert", "123")]
    assert quoted_title(both) == "Add a limit"


def test_a_fix_that_names_a_function_follows_the_change_that_brought_it_and_not_that_of_a_side_hunk() -> None:
    brought = commit(
        "1",
        "[Core] Schedule ahead (#10)",
        {"engine/table.py": patch_of("x = 1\n", "x = 1\n\n\ndef _compute_slot_kernel(a):\n    return a\n")},
        at=-2 * DAY,
    )
    side = commit("2", "[Refactor] Choose layers (#11)", {CORE: patch_of("a = 1\n", f"{LINE}a = 1\n")}, at=-DAY)
    fix = commit(
        "3",
        "[Bugfix] Add replacement of _compute_slot_kernel on CPU (#12)",
        {CORE: patch_of(f"{LINE}a = 1\n", "a = 1\n")},
    )
    assert told(fix, recent=(side,)) == [("fixup", "23")]
    assert told(fix, recent=(brought, side)) == [("fixup", "13")]
    method = patch_of("x = 1\n", "x = 1\n\n\nclass Slots:\n    def _compute_slot_kernel(self):\n        return 1\n")
    another = commit("4", "[Core] Add slots (#13)", {"engine/slots.py": method}, at=-2 * DAY)
    assert told(fix, recent=(another, side)) == [("fixup", "23")]


LINE = "parallel_layers = chosen_layers(configuration, platform)\nranks = ranks_of(parallel_layers, platform)\n"
REVERT = commit("2", 'Revert "[Perf] Fuse norm of query and key" (#1011)', TAKE, at=51)

AFTER_REVERT = [
    ("the same title", "[Perf] Fuse norm of query and key (#1012)", "", True),
    ("the same title and a word", "[Perf] Fuse norm of query and key, fixed (#1012)", "", True),
    ("re-land in a tag", "[Reland] [Perf] Fuse norm of query and key (#1012)", "", True),
    ("re-land in other words", "[Kernel] Re-land fused norm of query, key (#1012)", "", True),
    ("reapply with the quoted title", 'Reapply "[Perf] Fuse norm of query and key" (#1012)', "", True),
    ("re-applies by number in the body", "Norm with guard (#1012)", "Re-applies #1010 (reverted in #1011) with a guard.", True),
    ("the fixed version of, in the body", "Norm (#1012)", "NOTE: this is the fixed version of\nhttps://github.com/acme/engine/pull/1010", True),
    ("a revert of the revert", 'Revert "Revert "[Perf] Fuse norm of query and key"" (#1012)', "", True),
    ("a revert of the revert by sha", "Revert the revert (#1012)", f"This reverts commit {'2' * 40}.", True),
    ("something else is switched on again", "Re-enable norm of query and key in CI (#1012)", "", False),
    ("another re-land", "[Reland] Faster sampling of tokens (#1012)", "", False),
    ("a title with some of the words", "[Perf] Norm of values (#1012)", "", False),
]  # fmt: skip


@pytest.mark.parametrize(
    ("subject", "body", "back"), [row[1:] for row in AFTER_REVERT], ids=[row[0] for row in AFTER_REVERT]
)
def test_what_comes_after_a_revert(subject: str, body: str, back: bool) -> None:
    third = commit("3", subject, ADD if back else None, body=body, at=2 * DAY, author="Bo")
    assert told(FUSE, REVERT, third) == [("reland", "123") if back else ("revert", "12")]
    assert told(third, recent=(FUSE, REVERT)) == ([("reland", "123")] if back else []), "over days"


def test_a_reland_in_other_words_is_known_by_its_code() -> None:
    """The revert's lines go and come again, and with them every name it had taken away (sglang #17241, #17332, #17305)."""
    plain = "from x import RMSNorm\nquery = self.norm_q(query)\nkey = self.norm_k(key)\n"
    fused = "from x import RMSNorm, apply_qk_norm\nquery, key = apply_qk_norm(query, key, self.norm_q)\n"
    again = "from x import RMSNorm, apply_qk_norm\nif cuda:\n    query, key = apply_qk_norm(q=query, k=key)\n"
    first = commit("1", "[Perf] fuse q, k norm (#10)", {CORE: patch_of(plain, fused)})
    revert = commit("2", 'Revert "[Perf] fuse q, k norm (#10)" (#11)', {CORE: patch_of(fused, plain)}, at=51)
    third = commit("3", "[Diffusion] Apply the one-pass kernel (#9)", {CORE: patch_of(plain, again)}, at=400)
    (story,) = find(first, revert, third)
    assert (story.kind, story.commits) == ("reland", ("1" * 40, "2" * 40, "3" * 40))
    assert story.net["zh"] == "`[Perf] fuse q, k norm` 被回退后由 `#9` 重新合入；窗口结束时在主分支上，以 `#9` 为准。"
    other = commit(
        "3", "Tune (#9)", {CORE: patch_of(plain, plain.replace("norm_q(query)", "norm_q(query, 2)"))}, at=400
    )
    assert told(first, revert, other) == [("revert", "12")]


def test_a_revert_that_undoes_line_for_line_leaves_nothing() -> None:
    (story,) = find(FUSE, REVERT)
    assert (story.id, story.kind, story.earlier) == ("revert-" + "1" * 9, "revert", {})
    assert (
        story.net["zh"]
        == "`#1010`、`#1011` 互相抵消：`[Perf] Fuse norm of query and key` 合入 51 分钟后被逐行回退，代码无变化。未说明回退原因。"
    )
    assert story.net["en"] == (
        "`#1010`, `#1011` cancel out: `[Perf] Fuse norm of query and key` was reverted 51 minutes later, line for line; "
        "the code is unchanged. The revert gives no reason."
    )


@pytest.mark.parametrize(
    ("subject", "body", "explained", "at_fault"),
    [
        ("", "", False, False),
        ("", f"This reverts commit {'1' * 40}.\n\nSigned-off-by: Bo <bo@x.y>", False, False),
        ("", "Reverts acme/engine#1010", False, False),
        ("", "The owner wants to land it after the release branch was cut.", True, False),
        ("", "It breaks start-up on two nodes, where the buffer is too small.", True, True),
        ("", "A request that finishes is scheduled once more and writes past its last page.", True, True),
        (" due to accuracy drop", "", True, True),
    ],
)
def test_only_what_a_revert_says_of_a_fault_makes_the_branch_faulty(
    subject: str, body: str, explained: bool, at_fault: bool
) -> None:
    revert = commit("2", f'Revert "[Perf] Fuse norm of query and key"{subject} (#1011)', TAKE, body=body, at=51)
    (story,) = find(revert, recent=(FUSE,))
    assert story.kind == "revert"
    assert ("gives no reason" in story.net["en"]) is not explained
    assert (story.broken is not None) is at_fault
    assert story.broken_by == ("reverted" if at_fault else "")


def test_a_fault_that_the_quoted_title_speaks_of_is_no_fault_of_it() -> None:
    first = commit("1", "[Perf] Fail early on broken graphs (#1010)", ADD)
    (story,) = find(commit("2", 'Revert "[Perf] Fail early on broken graphs" (#1011)', TAKE, at=51), recent=(first,))
    assert story.broken is None


def test_one_revert_of_two_changes() -> None:
    two = commit("2", "[Core] Quiet the log (#1020)", {LOG: patch_of("", "quiet_the_log(everywhere)\n")}, at=5)
    files = {**TAKE, LOG: patch_of("quiet_the_log(everywhere)\n", "")}
    by_sha = f"This reverts commit {'1' * 40}.\nThis reverts commit {'2' * 40}."
    for body in (by_sha, "Reverts #1010 and #1020"):
        both = commit("3", "Revert what slows us (#1030)", files, body=body, at=60)
        assert told(FUSE, two, both) == [("revert", "123")]


def test_what_takes_back_a_small_part_of_a_change_does_not_revert_it() -> None:
    lines = "".join(f"value_{n} = compute_value({n})\n" for n in range(9))
    first = commit("1", "Compute values (#10)", {CORE: patch_of("", lines)})
    part = lines.partition("\n")[0] + "\n"
    later = commit("2", 'Revert "Compute values" (#11)', {CORE: patch_of(part, "")}, at=51)
    assert told(first, later) == []


def test_what_shares_a_file_with_a_revert_does_not_land_it_again() -> None:
    lines = "".join(f"value_{n} = compute_value({n})\n" for n in range(9))
    first = commit("1", "Compute values (#10)", {CORE: patch_of("", lines)})
    revert = commit("2", 'Revert "Compute values" (#11)', {CORE: patch_of(lines, "")}, at=51)
    again = "value_0 = compute_value(0)\nvalue_1 = compute_value(1)\nvalue_2 = compute_value(2)\n"
    third = commit("3", "Compute values, in other words (#12)", {CORE: patch_of("", again)}, at=90)
    assert told(first, revert, third) == [("revert", "12")]


@pytest.mark.parametrize(("more", "lands"), [(2, True), (40, False)])
def test_what_passes_the_place_of_a_revert_with_much_work_of_its_own_lands_nothing_again(
    more: int, lands: bool
) -> None:
    lines = "".join(f"value_{n} = compute_value({n})\n" for n in range(4))
    first = commit("1", "Compute values (#10)", {CORE: patch_of("", lines)})
    revert = commit("2", 'Revert "Compute values" (#11)', {CORE: patch_of(lines, "")}, at=51)
    own = "".join(f"gate_{n} = routed_by_gate({n})\n" for n in range(more))
    third = commit("3", "A gate of another kind (#12)", {CORE: patch_of("", lines + own)}, at=90)
    assert told(first, revert, third) == ([("reland", "123")] if lands else [("revert", "12")])


@pytest.mark.parametrize(("path", "named"), [(CORE, True), ("engine/other.py", False)])
def test_code_that_a_later_change_touches_is_not_told_as_unchanged(path: str, named: bool) -> None:
    lines = "".join(f"value_{n} = compute_value({n})\n" for n in range(4))
    first = commit("1", "Compute values (#10)", {CORE: patch_of("", lines)})
    revert = commit("2", 'Revert "Compute values" (#11)', {CORE: patch_of(lines, "")}, at=51)
    third = commit("3", "Compute on the other device (#12)", {path: patch_of("a = 1\n", "a = on_device(2)\n")}, at=90)
    text = find(first, revert, third)[0].net["en"]
    assert ("the code is unchanged" in text, "`#12` changes the same file" in text) == (not named, named)


def test_what_the_tree_does_not_bear_out_is_not_told() -> None:
    third = commit("3", "[Perf] Fuse norm of query and key (#1012)", ADD, at=90)
    every = (FUSE, REVERT, third)
    readings = {c.sha: read_one(c) for c in every}

    def kinds(changes: tuple[Change, ...], share: float) -> list[str]:
        return [s.kind for s in stories(changes, readings, (), TreeFacts({REVERT.sha: share}))]

    assert (kinds(every[:2], 1.0), kinds(every[:2], 0.1)) == (["revert"], [])
    assert (kinds(every, 0.0), kinds(every, 1.0)) == (["reland"], ["revert"])


def test_a_pair_that_cancels_within_the_window_leaves_nothing_to_act_on() -> None:
    (pair,) = find(FUSE, REVERT)
    third = commit("3", "[Perf] Fuse norm of query and key (#1012)", ADD, at=90)
    (again,) = find(REVERT, third, recent=(FUSE,))
    (gone,) = find(REVERT, recent=(FUSE,))
    (back,) = find(third, recent=(FUSE, REVERT))
    assert [(s.kind, s.cancels) for s in (pair, again, gone, back)] == [
        ("revert", True),
        ("reland", True),
        ("revert", False),
        ("reland", False),
    ]
    assert settled([pair]) == {FUSE.sha, REVERT.sha}
    assert settled([again]) >= {REVERT.sha, third.sha}
    assert third.sha not in settled([back])
    assert taken_back([pair, again, gone, back]) == [gone]
    assert (again.broken, gone.broken) == (None, None)


def test_reverted_again_after_the_reland() -> None:
    third = commit("3", "[Reland] [Perf] Fuse norm of query and key (#1012)", ADD, at=90)
    fourth = commit("4", 'Revert "[Reland] [Perf] Fuse norm of query and key" (#1013)', TAKE, at=120)
    assert told(FUSE, REVERT, third, fourth) == [("revert", "1234")]


def test_lines_that_come_and_go_within_the_window_are_a_revert_whatever_the_title_says() -> None:
    lines = "".join(f"value_{n} = compute_value({n})\n" for n in range(4))
    add, other = {CORE: patch_of("", lines)}, {LOG: patch_of("quiet()\n", "loud()\n")}
    first = commit("1", "Compute values (#10)", add)
    later = commit("2", "Tidy the engine (#11)", {CORE: patch_of(lines, ""), **other}, at=51)
    assert told(first, later) == [("revert", "12")]
    assert told(later, recent=(first,)) == []
    rewritten = commit("2", "Tidy the engine (#11)", {CORE: patch_of(lines, "compute_all_values()\n")}, at=51)
    assert told(first, rewritten) == [("series", "12")], "it goes on with them"


def test_a_revert_of_a_fix_ends_no_fault_and_says_that_it_is_back() -> None:
    first = commit("1", "Fix crash of the norm (#1010)", ADD)
    (story,) = find(first, commit("2", 'Revert "Fix crash of the norm" (#1011)', TAKE, at=51))
    assert (story.kind, story.broken) == ("revert", None)
    assert story.net["en"].endswith("What was reverted had come as a fix.")


@pytest.mark.parametrize(
    ("subject", "linked"), [("Fix Event init failure with blocking (#2)", True), ("Fix the Event (#2)", False)]
)
def test_a_fix_elsewhere_that_names_a_call_and_the_argument_it_was_given_lately_repairs_that(
    subject: str, linked: bool
) -> None:
    first = commit(
        "1", "Sleep instead of polling (#1)", {CORE: patch_of("e = cuda.Event()\n", "e = cuda.Event(blocking=True)\n")}
    )
    wrapper = "# xpu.Event takes no blocking argument\ndef event(blocking=None):\n    return xpu.Event()\n"
    later = commit("2", subject, {"engine/xpu.py": patch_of("Event = xpu.Event\n", wrapper)}, at=60)
    assert told(first, later) == ([("fixup", "12")] if linked else [])


def test_a_pin_that_moves_twice_is_one_story_however_many_files_have_it_and_none_where_it_ends_as_it_was() -> None:
    def moved(last: str) -> list[str]:
        changes = [commit("1", "Take kernels (#1)"), commit("2", "Take kernels again (#2)", at=60)]
        steps = (("1.0", "1.1"), ("1.1", last))
        readings = {
            change.sha: Reading(change.sha, findings=tuple(
                Finding(f"{change.sha[:12]}/{n}", "dependency_changed", f"requirements/{n}.txt", 1, "kernels", *step)
                for n in (1, 2)
            ))
            for change, step in zip(changes, steps, strict=True)
        }  # fmt: skip
        return [story.net["en"] for story in stories(changes, readings) if story.kind == "bump"]

    assert moved("1.3") == ["`kernels`: `1.0` → `1.3`, moved more than once in this window."]
    assert moved("1.0") == []


def test_a_revert_that_names_the_fault_it_ends_took_back_no_fix() -> None:
    revert = commit("1", "Revert the prefill regression (#2)")
    said: Text = {"zh": "撤回。", "en": "Takes it back."}
    assert unmended((revert,), said) == said
    named = commit("2", 'Revert "Fix the prefill" (#3)')
    assert unmended((named,), said)["en"].endswith("What was reverted had come as a fix.")


def test_a_revert_of_tests_broke_nothing() -> None:
    files = {"tests/test_norm.py": patch_of("a = 1\n", "a = 2\n")}
    (story,) = find(commit("1", "Test norm (#10)", files), commit("2", 'Revert "Test norm" (#11)', files, at=9))
    assert (story.kind, story.broken) == ("revert", None)


def test_a_revert_of_what_only_ci_runs_broke_nothing() -> None:
    first = commit("1", "Upgrade CI default CUDA (#10)", ADD)
    assert find(first, commit("2", 'Revert "Upgrade CI default CUDA" (#11)', TAKE, at=9))[0].broken is None


def test_an_old_change_that_goes_was_no_fault_all_that_time() -> None:
    old = commit("1", "[Perf] Fuse norm of query and key (#1010)", at=-30 * DAY)
    (story,) = find(REVERT, recent=(old,))
    assert (story.kind, story.broken, story.earlier) == ("revert", None, {old.sha: old.committed_at})


# --- all together ---------------------------------------------------------------------------------------------------


def test_a_change_is_in_one_story() -> None:
    found = find(
        commit("1", "[1/3][KV X] Fuse norm (#10)", ADD),
        commit("2", 'Revert "[1/3][KV X] Fuse norm" (#11)', TAKE, at=5),
        commit("3", "[2/3][KV X] More (#12)", at=90),
        commit("4", "[3/3][KV X] Most (#13)", at=190),
    )
    assert [(s.kind, len(s.commits)) for s in found] == [("revert", 2), ("series", 2)]
    shas = [sha for s in found for sha in s.commits]
    assert len(shas) == len(set(shas))


def test_hostile_titles_cannot_become_markup() -> None:
    evil = commit("1", "`x` [a](http://evil) <b> (#1010)", ADD)
    (story,) = find(evil, commit("2", "Revert #1010 (#1011)", TAKE, at=5))
    assert story.net["en"].count("`") == 6, "two numbers and the title"


TEXT = st.text(alphabet=st.sampled_from("Revert \"#10(1/N)[x]'fix part:,and/@…\n"), max_size=60)


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=5))
def test_no_message_is_too_strange(messages: list[tuple[str, str]]) -> None:
    changes = [commit(str(i), subject, body=body, at=i) for i, (subject, body) in enumerate(messages, 1)]
    found = stories(changes[1:], {c.sha: Reading(c.sha) for c in changes}, changes[:1])
    assert all(any(sha != changes[0].sha for sha in story.commits) for story in found)
    shas = [sha for story in found for sha in story.commits]
    assert len(shas) == len(set(shas))


def test_what_does_little_else_than_take_a_part_of_another_change_back_is_told_with_it() -> None:
    norm = "query = fused_norm_of(query)\nkey = fused_norm_of(key)\nvalue = fused_norm_of(value)\n"
    rest = "scale = softmax_scale_of(query)\nmask = sliding_mask_of(key)\n"
    first = commit("1", "[Perf] Fuse the norms (#1)", {CORE: patch_of("", f"{norm}{rest}")})
    later = commit(
        "2", "Keep the plain norms for now (#2)", {CORE: patch_of(f"{norm}{rest}", rest)}, at=60, author="Bo"
    )
    (story,) = find(first, later)
    assert (story.kind, story.broken) == ("series", None)
    assert story.net["en"] == "`Keep the plain norms for now` took a part of `[Perf] Fuse the norms` back."
    more = f"{rest}{norm.replace('fused_norm_of', 'other_norm_by_rows')}{rest.replace('of', 'by')}"
    other = commit("2", "Rewrite the norms (#2)", {CORE: patch_of(f"{norm}{rest}", more)}, at=60, author="Bo")
    (story,) = find(first, other)
    assert "back" not in story.net["en"], "it does more than that"


# --- who is blamed -------------------------------------------------------------------------------------------------

FIXED = {CORE: patch_of("a = fused_norm(query, key)\n", "a = fused_norm(query, key, eps)\n")}


@pytest.mark.parametrize(
    ("body", "at_fault"),
    [
        ("In #1010, we partially fixed the norm of the cache.", False),
        ("Checkpointable work on those buffers: #1010.", False),
        ("This regression was introduced while refactoring the norm in #1010.", True),
        ("During the refactor in #1010 guards were accidentally removed.", True),
        ("#1010 broke float16.", True),
        ("#1010 reads 16 elements at a time and stopped at 64 of 72.", True),
    ],
)
def test_a_change_is_at_fault_only_where_the_message_says_so_and_not_where_it_is_merely_named(
    body: str, at_fault: bool
) -> None:
    later = commit("2", "Fix the norm (#1011)", FIXED, body=body, at=51, author="Bo")
    (story,) = find(later, recent=(FUSE,))
    assert story.kind == "fixup"
    assert (story.broken is not None) is at_fault


def test_of_two_numbers_in_a_title_the_one_that_deleted_is_blamed_and_not_the_fix_that_is_restored() -> None:
    good = commit("1", "[Bugfix] Count heads of the layer (#1010)", ADD)
    bad = commit("2", "[Core] Move the heads (#1020)", TAKE, at=60, author="Bo")
    later = commit("3", "[Bugfix] Restore part of bugfix #1010 after accidental deletion in #1020 (#1030)", ADD, at=120)
    assert [(one.kind, one.commits) for one in find(later, recent=(good, bad))] == [("fixup", (bad.sha, later.sha))]


def test_a_few_lines_of_much_that_came_are_cleaned_up_and_not_taken_back() -> None:
    dead = "".join(f"spare_{n} = thread_index_of({n})\n" for n in range(3))
    much = "".join(f"row_{n} = head_dimension_kernel_of({n})\n" for n in range(60))
    first = commit("1", "Add a head dimension (#1)", {CORE: patch_of("", f"{dead}{much}")})
    later = commit("2", "Drop dead code (#2)", {CORE: patch_of(f"{dead}{much}", much)}, at=60, author="Bo")
    (story,) = find(first, later)
    assert story.net["en"].startswith("`Drop dead code` follows `Add a head dimension`")


def test_what_landed_again_and_was_taken_back_again_was_there_since_it_landed_again() -> None:
    steps = (
        FUSE,
        commit("2", 'Revert "[Perf] Fuse norm of query and key" (#1011)', TAKE, at=2 * DAY),
        commit("3", "[Perf] Fuse norm of query and key (#1012)", ADD, at=4 * DAY),
        commit("4", 'Revert "[Perf] Fuse norm of query and key" (#1013)', TAKE, at=4 * DAY + 300),
    )
    (story,) = find(steps[-1], recent=steps[:-1])
    assert (story.kind, len(story.commits)) == ("revert", 4)
    assert "was reverted 5 hours later; not on the branch" in story.net["en"]


def test_a_revert_of_a_call_that_could_only_fail_is_told_with_what_took_the_callee_away() -> None:
    revert = commit("2", 'Revert "[Perf] Fuse norm of query and key" (#1011)', TAKE, at=51)
    facts = TreeFacts(lost={revert.sha: ("fused_norm", "#1005")})
    readings = {one.sha: read_one(one) for one in (FUSE, revert)}
    (story,) = stories((revert,), readings, (FUSE,), facts)
    assert story.net["en"].endswith("It called `fused_norm`, which `#1005` had taken away: the call could only fail.")
    assert "no reason" not in story.net["en"]
