"""Stories: only by marks that cannot be chance, as of the window, with what is true at its end."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analyse.storied import CORE, DAY, commit, find, told
from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Reading
from daybreak.findings.reading import read_one
from daybreak.judge.line_ties import LineIndex
from daybreak.judge.stories import TreeFacts, stories
from daybreak.judge.story_outcome import settled, taken_back
from read.made import patch_of
from timing import cpu

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
    assert story.broken == (first.committed_at, revert.committed_at)
    other = commit(
        "3", "Tune (#9)", {CORE: patch_of(plain, plain.replace("norm_q(query)", "norm_q(query, 2)"))}, at=400
    )
    assert told(first, revert, other) == [("revert", "12")]


def test_a_revert_that_undoes_line_for_line_leaves_nothing() -> None:
    (story,) = find(FUSE, REVERT)
    assert (story.id, story.kind, story.earlier) == ("revert-" + "1" * 9, "revert", {})
    assert (
        story.net["zh"]
        == "`#1010`、`#1011` 互相抵消：`[Perf] Fuse norm of query and key` 合入 51 分钟后被逐行回退，代码无变化。"
    )
    assert story.net["en"] == (
        "`#1010`, `#1011` cancel out: `[Perf] Fuse norm of query and key` was reverted 51 minutes later, line for line; "
        "the code is unchanged."
    )
    assert story.broken == (FUSE.committed_at, REVERT.committed_at)


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
    assert (again.broken, gone.broken) == (None, (FUSE.committed_at, REVERT.committed_at))


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
    assert told(first, rewritten) == []


def test_a_revert_of_a_fix_ends_no_fault_and_says_that_it_is_back() -> None:
    first = commit("1", "Fix crash of the norm (#1010)", ADD)
    (story,) = find(first, commit("2", 'Revert "Fix crash of the norm" (#1011)', TAKE, at=51))
    assert (story.kind, story.broken) == ("revert", None)
    assert story.net["en"].endswith("What it mended is unmended again.")


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


# --- repairs by lines -----------------------------------------------------------------------------------------------

GUARD = {CORE: patch_of("", "and num_shared_experts == 0\nx = other_call(query)\n")}


def fix(subject: str, before: str, after: str = "", path: str = CORE) -> Change:
    return commit("2", subject, {path: patch_of(before, after)}, at=136, author="Bo")


LINE = "and num_shared_experts == 0\n"
BY_LINES = [
    ("the one line it deletes", fix("Fix kernel selection (#11)", LINE), True),
    ("the line replaced", fix("[Bugfix] Selection (#11)", LINE, "and True is not False\n"), True),
    ("no fix by its title", fix("Refactor selection (#11)", LINE), False),
    ("a fix of words", fix("Fix typo in selection (#11)", LINE), False),
    ("another file", fix("Fix kernel selection (#11)", LINE, path="engine/other.py"), False),
    ("one line of many", fix("Fix selection (#11)", LINE + "a_long_line = call(1)\nanother_line = call(2)\nthird_line = call(3)\n"), False),
    ("a line too short to tell", fix("Fix selection (#11)", "else:\n"), False),
    ("one line beside many moved", fix("Fix order (#11)", LINE + "first_line = 123\nsecond_line = 4567\n", "second_line = 4567\nfirst_line = 123\n"), False),
    ("a line that it only moved", fix("Fix selection (#11)", LINE + "foo_bar = 1234\n", "foo_baz = 1234\n" + LINE), False),
]  # fmt: skip


@pytest.mark.parametrize(("later", "linked"), [row[1:] for row in BY_LINES], ids=[row[0] for row in BY_LINES])
def test_a_fix_that_takes_back_lines_of_the_last_days(later: Change, linked: bool) -> None:
    first = commit("1", "Use optimized routing (#10)", GUARD)
    assert told(first, later) == ([("fixup", "12")] if linked else [])
    assert told(later, recent=(first,)) == ([("fixup", "12")] if linked else [])


def test_lines_in_which_a_fix_only_renames_what_came_lately_prove_no_repair() -> None:
    old = "evict(pool, drop_margin=tree.is_chunked())\ndef evict(pool, drop_margin: bool = False):\nrelease(pool, drop_margin)\n"
    first = commit("1", "Cap the pool (#10)", {CORE: patch_of("", old)})
    assert told(first, fix("Fix eviction of the last leaf (#11)", old, old.replace("drop_margin", "chunked"))) == []
    wrong = (
        "evict(pool, drop_margin=tree.is_chunked(other_pool))\nuse(other_pool, first)\nrelease(other_pool, second)\n"
    )
    first = commit("1", "Cap the pool (#10)", {CORE: patch_of("", wrong + "keep(the_pool, other_pool)\n")})
    assert told(first, fix("Fix pool (#11)", wrong, wrong.replace("other_pool", "the_pool") + "keep(other_pool)\n"))


BRACKETED = "from engine.utils import (\n    get_num_new_pages,\n)\n"
IN_A_DOCSTRING = 'def routed():\n    """\n    The experts are shared here.\n    """\n'
NO_EVIDENCE = [
    ("an import of names", "from engine.utils import get_num_new_pages, is_npu\n"),  # sglang af7c62e33
    ("an import of a module", "import engine.utils.pages as pages\n"),
    ("a name within the brackets of an import", BRACKETED),
    ("a comment", "# the page size is never above this one\n"),
    ("a comment of C", "/* the page size is never above */\n"),
    ("a docstring", '"""The experts are shared here."""\n'),
    ("a line of a docstring", IN_A_DOCSTRING),
    ("prose without its marks", "Segments may have different page sizes (e.g. models\n"),
    ("the end of a docstring", 'holds drop; it recomputes."""\n'),
    ("brackets", "}, ), ( { [ ] } ) ), } )\n"),
    ("a blank line", "                        \n"),
]


@pytest.mark.parametrize("shared", [row[1] for row in NO_EVIDENCE], ids=[row[0] for row in NO_EVIDENCE])
def test_lines_that_are_no_code_prove_no_repair(shared: str) -> None:
    first = commit("1", "Use optimized routing (#10)", {CORE: patch_of("def routed():\n", shared)})
    assert told(first, fix("Fix kernel selection (#11)", shared, "def routed():\n")) == []
    assert told(first, fix("Fix kernel selection (#11)", shared + "old_line = call(1, 2, 3)\n")) == []


@pytest.mark.parametrize("beside", [row[1] for row in NO_EVIDENCE], ids=[row[0] for row in NO_EVIDENCE])
def test_code_proves_a_repair_whatever_goes_with_it(beside: str) -> None:
    """An import goes with the call that needed it, and a comment with the line it is about."""
    first = commit("1", "Use optimized routing (#10)", {CORE: patch_of("", beside + LINE)})
    assert told(first, fix("Fix kernel selection (#11)", beside + LINE)) == [("fixup", "12")]


CODE = [
    "return first if ready else second",
    "and page_size is not None and experts",
    'logger.info("the page size is above it")',
    "static const unsigned long page_size = 4;",
    "for page in pages if page in known",
    "using Page = std::vector<int>;",
    "page_size = 4  # the size of all of these",
]


@pytest.mark.parametrize("line", CODE)
def test_code_that_looks_like_words_or_imports_proves_a_repair(line: str) -> None:
    first = commit("1", "Use optimized routing (#10)", {CORE: patch_of("", line + "\n")})
    assert told(first, fix("Fix kernel selection (#11)", line + "\n")) == [("fixup", "12")]


SLOW = [
    ("blanks within an import", "    a{}!", " "),
    ("capitalised words in a row", "{}(", "Abcd "),
    ("names within an import", "    {}!", "a , "),
    ("quotation marks", "x = {}!", '"'),
    ("the head of an import", "export {}!", " from"),
]


@pytest.mark.parametrize(("line", "piece"), [row[1:] for row in SLOW], ids=[row[0] for row in SLOW])
def test_a_long_line_takes_no_longer_than_as_much_code(line: str, piece: str) -> None:
    """Beside it, as many characters of short lines, which are read one by one."""
    hostile = line.format(piece * (10_000 // len(piece)))
    short = "    page_size = get_num_new_pages(query, key)\n"

    def cost(text: str) -> float:
        change = commit("1", "Use optimized routing (#10)", {CORE: patch_of("", f"from a import (\n{text}\n")})
        return cpu(lambda: LineIndex().code(change))

    assert cost(hostile) < 5 * cost(short * (len(hostile) // len(short)))


def test_a_long_line_is_the_same_only_as_a_whole() -> None:
    long = "page_sizes = [" + "4, " * 400
    first = commit("1", "Use optimized routing (#10)", {CORE: patch_of("", f"{long}5]\n")})
    assert told(first, fix("Fix kernel selection (#11)", f"{long}5]\n")) == [("fixup", "12")]
    assert told(first, fix("Fix kernel selection (#11)", f"{long}6]\n")) == []


def test_what_a_repair_says() -> None:
    first = commit("1", "Use optimized routing (#10)", GUARD)
    (story,) = find(first, fix("Fix kernel selection (#11)", LINE))
    assert story.id == f"fixup-{'1' * 9}-{'2' * 9}"
    assert (
        story.net["zh"]
        == "`Use optimized routing` 合入 2 小时后，`Fix kernel selection` 修改了它新增的 1 行；截至窗口结束，主分支已含修复。"
    )
    assert story.net["en"] == (
        "`Fix kernel selection` changed, 2 hours later, 1 line that `Use optimized routing` had added; "
        "at the end of the window the branch has the fix."
    )
    assert story.broken == (first.committed_at, first.committed_at + timedelta(minutes=136))


def test_lines_alone_prove_no_fault_after_days() -> None:
    first = commit("1", "Use optimized routing (#10)", GUARD, at=-5 * DAY)
    (story,) = find(fix("Fix kernel selection (#11)", LINE), recent=(first,))
    assert (story.kind, story.broken) == ("fixup", None)
    named = fix("Fix kernel selection of #10 (#11)", LINE)
    assert find(named, recent=(first,))[0].broken == (first.committed_at, named.committed_at)


def test_a_fix_of_a_log_line_means_no_broken_branch() -> None:
    first = commit("1", "Use optimized routing (#10)", GUARD)
    assert find(first, fix("Fix misleading log (#11)", LINE))[0].broken is None


def test_one_authors_pull_requests_that_land_together_repair_nothing() -> None:
    first = commit("1", "Use optimized routing (#10)", GUARD)
    later = commit("2", "Fix kernel selection (#30)", {CORE: patch_of(LINE, "")}, at=2)
    assert told(first, later) == []


def test_a_fix_that_speaks_of_a_change_of_the_same_file() -> None:
    first = commit("1", "[Perf] Load keys with 128-bit instructions (#95)", GUARD)
    body = "#95 reads 16 elements at a time and stopped at 64 of 72."
    files = {CORE: patch_of("x = other_call(query)\n", "x = other_call(query) + rest_of(row)\n")}
    assert told(first, commit("2", "[Bugfix] Add the last 8 (#96)", files, body, at=72)) == [("fixup", "12")]
    assert told(first, commit("2", "[Bugfix] Add the last 8 (#96)", body=body, at=72)) == [], "other files"
    beside = "Similar to #95."
    assert told(first, commit("2", "[Bugfix] Add the last 8 (#96)", GUARD, beside, at=72)) == []


def test_two_repairs_of_one_change_are_one_story() -> None:
    first = commit("1", "Use optimized routing (#10)", GUARD)
    third = commit("3", "Fix the fix #10 again (#12)", at=500)
    (story,) = find(first, fix("Fix kernel selection (#11)", LINE), third)
    assert story.commits == ("1" * 40, "2" * 40, "3" * 40)
    assert "之后又有 `#12`" in story.net["zh"]


def test_a_fix_of_tests_is_no_story() -> None:
    files = {"tests/test_norm.py": patch_of("", LINE)}
    gone = {"tests/test_norm.py": patch_of(LINE, "")}
    assert told(commit("1", "Test routing (#10)", files), commit("2", "Fix test (#11)", gone, at=99, author="Bo")) == []


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
