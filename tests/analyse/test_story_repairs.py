"""Repairs among stories: a fix by the lines it takes back, or by what trees show of its cause."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec.structs import replace

from analyse.storied import CORE, DAY, commit, find, told
from daybreak.core.model.changes import Change
from daybreak.core.words import term
from daybreak.judge.line_ties import LineIndex
from daybreak.judge.stories import TreeFacts, stories
from read.made import patch_of, read_one
from timing import cpu

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


@pytest.mark.parametrize(("path", "whole"), [("engine/runner.py", True), ("engine/other.py", False)])
def test_all_repairs_of_what_one_change_made_are_one_story_and_the_last_ends_it(path: str, whole: bool) -> None:
    made = commit(
        "1", "Introduce a runner (#10)", {"engine/runner.py": patch_of("", "def run(a):\n    forward_all_of(a)\n")}
    )
    made = replace(made, files=tuple(replace(file, status="A") for file in made.files))
    named = patch_of("    forward_all_of(a)\n", "    forward_all_of(a, overlapped(a))\n")
    first = commit("2", "Fix some issues with the runner PR #10 (#11)", {"engine/runner.py": named}, at=60, author="Bo")
    later = commit("3", "Fix chunking (#12)", {path: patch_of("    b()\n", "    part(b)\n")}, at=90, author="Al")
    story = find(first, later, recent=(made,))[0]
    assert (story.kind, len(story.commits)) == ("fixup", 3 if whole else 2)
    assert story.broken is not None
    assert story.broken[1] == (later if whole else first).committed_at


def test_lines_in_which_a_fix_only_renames_what_came_lately_prove_no_repair() -> None:
    old = "evict(pool, drop_margin=tree.is_chunked())\ndef evict(pool, drop_margin: bool = False):\nrelease(pool, drop_margin)\n"
    first = commit("1", "Cap the pool (#10)", {CORE: patch_of("", old)})
    other = fix("Fix eviction of the last leaf (#11)", old, old.replace("drop_margin", "chunked"))
    assert told(first, other) == [("series", "12")]
    assert told(other, recent=(first,)) == [], "not of the same day"
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

    assert cost(hostile) < 5 * cost(short * (len(hostile) // len(short))) + 0.02


def test_a_long_line_is_the_same_only_as_a_whole() -> None:
    long = "page_sizes = [" + "4, " * 400
    first = commit("1", "Use optimized routing (#10)", {CORE: patch_of("", f"{long}5]\n")})
    assert told(first, fix("Fix kernel selection (#11)", f"{long}5]\n")) == [("fixup", "12")]
    assert told(first, fix("Fix kernel selection (#11)", f"{long}6]\n")) == []


def test_a_value_that_a_change_only_took_from_one_name_to_another_is_not_its_fault() -> None:
    call = "model = ModelConfig(\n    hf_overrides={},\n)\n"
    before = call.format("SpeculativeConfig.hf_config_override")
    after = f"overrides = SpeculativeConfig.hf_config_override\n{call.format('overrides')}"
    fixed = after.replace("Config.hf_config_override", "Config.compose_overrides(self.target)")
    first = commit("1", "Add the draft method (#1)", {CORE: patch_of(before, after)})
    later = commit("2", "Fix the overrides of the draft (#2)", {CORE: patch_of(after, fixed)}, at=60)
    assert told(first, later) == []


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


@pytest.mark.parametrize(
    ("subject", "broken"), [("Fix ForwardFlags in graphs", "symbol"), ("Fix DeepSeek in graphs", "")]
)
def test_one_line_is_enough_where_the_fix_names_what_the_change_worked_on(subject: str, broken: str) -> None:
    flags = patch_of("class ForwardFlags:\n    old = 1\n", "class ForwardFlags:\n    fused = 1\n")
    first = commit("1", "Move flags (#10)", {"engine/flags.py": flags, CORE: patch_of("", LINE)})
    mended = {CORE: patch_of(LINE, "with forward().scoped(fused=fused):\n")}
    later = commit("2", f"[Bugfix] {subject} (#11)", mended, at=130 + 48 * 60, author="Bo")
    assert [one.broken_by for one in find(first, later)] == [broken]


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
    elsewhere = commit("2", "[Bugfix] Add the last 8 (#96)", body=body, at=72)
    assert told(first, elsewhere) == [("fixup", "12")], "the message says what it did and lost"
    assert told(first, commit("2", "[Bugfix] Add the last 8 (#96)", body="Needed by #95.", at=72)) == [], "other files"
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


def test_lines_that_many_places_have_speak_neither_for_nor_against_a_tie() -> None:
    common = "    config: EngineConfig,\n    cache_spec: CacheSpec,\n"
    old = "query_type = choose_query_type(\n{})\nif config.quantize_queries_always:\n    return query_type_of(cache)\n"
    own = old.format(common)
    first = commit("1", "Add the kernels (#1)", {CORE: patch_of("", own)})
    later = commit("2", "[Bugfix] Derive the type (#2)", {CORE: patch_of(own, "query_type = self.resolved\n")}, at=60)
    readings = {c.sha: read_one(c) for c in (first, later)}
    older = {first.sha: tuple(line.strip() for line in common.splitlines())}
    assert [s.kind for s in stories([first, later], readings, (), TreeFacts(older=older))] == ["fixup"]
    older = {first.sha: tuple(line.strip() for line in own.splitlines() if "choose" not in line)}
    assert not stories([first, later], readings, (), TreeFacts(older=older)), "one line is left: it may be chance"


def test_a_cause_that_trees_show_is_told_with_its_fix() -> None:
    first = commit("1", "Share one buffer (#10)", {CORE: patch_of("", "if buffer.width == self.width_of_all:\n")})
    later = commit("2", "Fix small drafts (#11)", {"engine/x.py": patch_of("a = 1\n", "a = 2\n")}, at=60)
    readings = {c.sha: read_one(c) for c in (first, later)}
    for cause in ("#10", first.sha):
        (story,) = stories([first, later], readings, (), TreeFacts(causes={later.sha: cause}))
        assert (story.kind, story.commits) == ("fixup", (first.sha, later.sha))
    assert not stories([first, later], readings, (), TreeFacts(causes={later.sha: "#9"}))
    brings = commit("2", "fix: enable small drafts (#11)", {"engine/x.py": patch_of("a = 1\n", "a = 2\n")}, at=60)
    readings = {c.sha: read_one(c) for c in (first, brings)}
    told = stories([first, brings], readings, (), TreeFacts(causes={brings.sha: "#10"}))
    assert not told, "what enables something new says of nobody that he was at fault"


def test_a_repair_counts_all_lines_that_it_takes_back_short_ones_too() -> None:
    added = "first_shuffled: list[Tensor] = []\nfirst_shuffled.append(one)\nt = two\nsecond_out = stack(first_shuffled)\nreturn t, u\n"
    first = commit("1", "Shuffle weights (#10)", {CORE: patch_of("", added)})
    (story,) = find(first, fix("Fix fragmentation of the shuffle (#11)", added, "done = shuffled_at_once(weights)\n"))
    assert "5 lines that" in story.net["en"], story.net["en"]


TESTS_ONLY = {"tests/test_runner.py": patch_of("old_call(1)\n", "new_call(1)\n")}
NAMED = [
    ("a repair of CI that names what broke it", "Fix CI broken by #10 (#11)", "", "ci"),
    ("by its address", "Fix CI caused by https://github.com/acme/engine/pull/10 (#11)", "", "ci"),
    ("a hotfix", "[Kernel] Hotfix: update imports (RFC #9 #10) (#11)", "", "ci"),
    ("what came after it", "Fix nightly tests after #10 (#11)", "", "ci"),
    ("a message that says by what it came", "Fix the runner test (#11)", "Introduced by #10.", "ci"),
    ("what fails is left out", "Skip CI tests added in #10 (broken on main) (#11)", "", "skipped"),
    ("tests left out for another reason", "Skip slow tests added in #10 (#11)", "", None),
    ("only mentioned", "Fix the runner test (#11)", "It uses the helper introduced in #10.", None),
    ("more tests of it", "Add tests for the runner of #10 (#11)", "", None),
    ("words", "Fix lint brought by #10 (#11)", "", None),
]


@pytest.mark.parametrize(("subject", "body", "by"), [row[1:] for row in NAMED], ids=[row[0] for row in NAMED])
def test_tests_are_told_as_broken_only_where_their_repair_names_the_cause(
    subject: str, body: str, by: str | None
) -> None:
    first = commit("1", "Move the runner (#10)", GUARD)
    later = commit("2", subject, TESTS_ONLY, body, at=136, author="Bo")
    found = find(first, later)
    assert [one.broken_by for one in found if one.broken] == ([by] if by else [])
    assert all(one.broken == (first.committed_at, later.committed_at) for one in found if one.broken)


@pytest.mark.parametrize(
    ("reason", "broken"),
    [('"varies run to run. Introduced by "\n"#10; pending a fix."', True), ('"Slow since #10."', False)],
)
def test_a_test_that_is_left_out_says_beside_it_what_broke_it(reason: str, broken: bool) -> None:
    skipped = {"tests/test_runner.py": patch_of("", f"@unittest.skip(\n{reason}\n)\n")}
    first = commit("1", "Move the runner (#10)", GUARD)
    later = commit("2", "Disable a flaky determinism test (#11)", skipped, at=136, author="Bo")
    found = [one for one in find(first, later) if one.broken]
    assert [one.broken_by for one in found] == (["skipped"] if broken else [])
    assert all("left out" in one.net["en"] and "has the fix" not in one.net["en"] for one in found)


def test_a_fix_that_says_what_broke_it_needs_no_line_of_it() -> None:
    first = commit("1", "Turn the layers around (#10)", GUARD)
    elsewhere = {"engine/other.py": patch_of("load(1)\n", "load(2)\n")}
    said = commit("2", "[Bugfix] Fix loading of weights broken by #10 (#11)", elsewhere, at=136, author="Bo")
    assert [one.broken_by for one in find(first, said)] == ["named"]


def test_what_says_that_it_undoes_something_is_not_told_as_a_repair() -> None:
    first = commit("1", "Use optimized routing (#10)", {CORE: patch_of("", LINE)})
    (story,) = find(first, fix("fix: Undo fix to routing (#11)", LINE))
    text = story.net["en"]
    assert "took a part of" in text
    assert "repaired" not in text


def _moves_kernels(**more: object) -> Change:
    moved = commit(
        "1",
        "Move kernels to a package of their own (#10)",
        {"src/engine/kernels/mla.py": patch_of("a = 1\n", "a = 2\n")},
    )
    (file,) = moved.files
    return replace(moved, files=(replace(file, status="R", old_path="src/engine/layers/mla.py"),), **more)


@pytest.mark.parametrize(
    ("imported", "broken"),
    [
        ("from engine.layers import mla as m\n", True),
        ("from engine.layers.mla import run\n", True),
        ("import engine.layers.mla\n", True),
        ("from engine.layers import norm\n", False),
    ],
)
def test_a_test_that_imports_what_a_change_moved_away_was_broken_by_it(imported: str, broken: bool) -> None:
    mended = {"tests/test_mla.py": patch_of(imported, "from engine.kernels import mla as m\n")}
    later = commit("2", "[CI] Fix import path of a test (#11)", mended, at=136, author="Bo")
    assert [one.broken_by for one in find(_moves_kernels(), later)] == (["ci"] if broken else [])
    assert find(_moves_kernels(), replace(later, subject="Tidy a test (#11)")) == []
    assert find(_moves_kernels(), replace(later, committed_at=later.committed_at + timedelta(days=8))) == []


@pytest.mark.parametrize(
    ("subject", "broken"), [("[CI] Fix invalid name breaking all lanes (#11)", True), ("[CI] Fix a name (#11)", False)]
)
def test_a_line_that_came_with_a_change_and_broke_the_tests_as_its_fix_says(subject: str, broken: bool) -> None:
    path, line = "tests/test_cap.py", 'register(seconds=1, suite="stage-a-test")\n'
    first = commit("1", "Cap new tokens (#10)", {CORE: patch_of("", LINE), path: patch_of("", line)})
    later = commit(
        "2", subject, {path: patch_of(line, 'register(seconds=1, suite="base-a-test")\n')}, at=56, author="Bo"
    )
    assert [one.broken_by for one in find(first, later)] == (["ci"] if broken else [])


def test_of_tests_that_are_left_out_it_is_said_that_nobody_may_have_named_the_cause() -> None:
    mended = {"tests/test_mla.py": patch_of("from engine.layers import mla as m\n", "")}
    later = commit("2", "[CI] Fix breakage: skip failing kernel tests (#11)", mended, at=136, author="Bo")
    assert [one.broken_by for one in find(_moves_kernels(), later)] == ["skipped"]
    said = term("report.story", "by_skipped")
    assert "moved away" in said["en"]
    assert "移走" in said["zh"]


@pytest.mark.parametrize("skipped_first", [True, False])
def test_tests_that_are_left_out_before_or_after_their_repair_do_not_say_when_it_came(skipped_first: bool) -> None:
    skip, line = (
        {"tests/test_mla.py": patch_of("from engine.layers import mla as m\n", "")},
        "from engine import mla as m\n",
    )
    mended = {"tests/test_mla.py": patch_of("from engine.layers import mla as m\n", line)}
    left = commit("2", "Skip CI tests broken by #10 (#11)", skip, at=136 if skipped_first else 300, author="Bo")
    repair = commit("3", "[CI] Fix tests broken by #10 (#12)", mended, at=300 if skipped_first else 136, author="Cy")
    made = _moves_kernels()
    made = replace(made, subject="Move kernels (#10)")
    (story,) = find(*sorted((made, left, repair), key=lambda one: one.committed_at))
    assert (story.broken_by, story.broken and story.broken[1]) == ("ci", repair.committed_at)


def test_a_fix_of_a_file_that_came_the_same_day_follows_what_brought_it() -> None:
    made = commit("1", "Choose the backend in one place (#1)", {CORE: patch_of("", "def choose():\n    pick()\n")})
    made = replace(made, files=tuple(replace(file, status="A") for file in made.files))
    more = commit("2", "[Bug] Add a backend (#2)", {CORE: patch_of("", "if is_other():\n    pick_other()\n")}, at=300)
    (story,) = find(made, more)
    assert (story.kind, story.broken) == ("series", None)
    assert story.net["en"].startswith("`[Bug] Add a backend` follows `Choose the backend in one place`")
    assert told(more, recent=(made,)) == []


def test_what_follows_a_part_of_a_series_is_told_in_its_story() -> None:
    parts = [commit(digit, f"[MoE][{digit}/N] Move the backend (#{digit})", at=60 * int(digit)) for digit in "12"]
    made = replace(parts[1], files=tuple(replace(file, status="A") for file in parts[1].files))
    more = commit("3", "Name it (#3)", {made.files[0].path: patch_of("", "NAME = 1\n")}, at=600)
    (story,) = find(parts[0], made, more)
    assert (story.kind, [sha[0] for sha in story.commits]) == ("series", ["1", "2", "3"])
    assert "`Name it` follows" in story.net["en"]


@pytest.mark.parametrize(
    ("said", "broken"),
    [
        ("It answered wrongly since.", True),
        ("This is not a regression: nobody could choose it before.", False),
        ("A pre-existing bug that the new test shows.", False),
        ("The wrong branch was not caused by #10, which only moved it.", False),
        ("It was a false alarm of the checker.", False),
    ],
)
def test_a_repair_whose_message_denies_a_regression_breaks_no_branch(said: str, broken: bool) -> None:
    """The two are still told as one story."""
    first = commit("1", "Use optimized routing (#10)", GUARD)
    later = replace(fix("Fix kernel selection (#11)", LINE), body=f"Fixes a bug introduced by #10. {said}")
    (story,) = find(first, later)
    assert (story.kind, story.broken is not None) == ("fixup", broken)


@pytest.mark.parametrize("says", ["sync with upstream fixes", "cherry-pick the fix", "backport of fix"])
def test_a_fix_that_another_place_takes_over_was_no_fault(says: str) -> None:
    """`Fix MTP on XPU: sync with upstream fixes #10`: what #10 mended elsewhere was wrong here before it."""
    first = commit("1", "Fix the prefix of projections (#10)", GUARD)
    later = replace(fix(f"[XPU] Fix selection: {says} #10 (#11)", LINE), body="")
    assert all(story.broken is None for story in find(first, later))


@pytest.mark.parametrize(
    ("says", "kind"),
    [
        ("Follow-up to #10. Two fixes that #10 did not include; #10 didn't meet them.", "series"),
        ("#10 did not update the caller.", "fixup"),
    ],
)
def test_what_a_change_left_to_do_is_no_fault_that_it_brought(says: str, kind: str) -> None:
    first = commit(
        "1", "Close the gaps of the transport (#10)", {CORE: patch_of("", "def send(rows):\n    put(rows)\n")}
    )
    later = replace(fix("Fix two deadlocks of the transport (#11)", "done = wait_of(rows)\n"), body=says)
    assert [story.kind for story in find(first, later)] == [kind]
