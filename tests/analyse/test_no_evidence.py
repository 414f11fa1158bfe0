"""Lines and words that do not prove who was at fault, and pull requests that are no stack."""

from __future__ import annotations

import pytest

from analyse.storied import CORE, commit, find, told
from read.made import patch_of

POINTERS = [
    ("a submodule", "csrc/kernels", "Subproject commit {}\n", "8" * 40, "7" * 40),
    ("a pin by commit", "cmake/deps.cmake", "set(KERNELS_TAG {})\n", "8" * 40, "7" * 40),
    ("a version of a manifest", "pyproject.toml", 'kernels-for-engine = "{}"\n', "1.2.3", "1.2.4"),
    ("a sum of a module", "go.sum", "example.com/kernels {} h1:abcdefgh=\n", "v1.2.3", "v1.2.4"),
]


@pytest.mark.parametrize(
    ("path", "line", "one", "two"), [row[1:] for row in POINTERS], ids=[row[0] for row in POINTERS]
)
def test_a_pointer_that_moves_on_blames_nobody_who_moved_it_before(path: str, line: str, one: str, two: str) -> None:
    first = commit("1", "Take newer kernels (#10)", {path: patch_of(line.format("0.0.1"), line.format(one))})
    later = commit(
        "2", "Fix NaN of kernels (#11)", {path: patch_of(line.format(one), line.format(two))}, at=99, author="B"
    )
    assert told(first, later) == []


LONGER = [
    ("a call", "count = storable(config, number)\n", "count = storable(config, state, number)\n"),
    ("a signature", "def storable(config, number):\n", "def storable(\n    config,\n    state,\n    number,\n):\n"),
    ("a line of arguments", "    config_of_group, number\n", "    config_of_group, state, number\n"),
]


@pytest.mark.parametrize(("before", "after"), [row[1:] for row in LONGER], ids=[row[0] for row in LONGER])
def test_one_more_argument_blames_nobody_for_the_call(before: str, after: str) -> None:
    first = commit("1", "Count chunks (#10)", {CORE: patch_of("", before)})
    later = commit("2", "Fix aborts in the queue (#11)", {CORE: patch_of(before, after)}, at=99, author="B")
    assert told(first, later) == []


@pytest.mark.parametrize(
    "after", ["count = storable(config, other)\n", "count = storable(config, number) or 1\n", "count = max(1, storable(config, number))\n"]
)  # fmt: skip
def test_an_argument_or_a_result_put_right_is_evidence(after: str) -> None:
    before = "count = storable(config, number)\n"
    first = commit("1", "Count chunks (#10)", {CORE: patch_of("", before)})
    later = commit("2", "Fix aborts in the queue (#11)", {CORE: patch_of(before, after)}, at=99, author="B")
    assert told(first, later) == [("fixup", "12")]


OLD = "first_block_idx = start_block_idx + key\nif first_block_idx < group.block_count - tail:\n"


def test_a_change_that_only_renamed_the_lines_is_not_at_fault() -> None:
    new = OLD.replace("block", "chunk")
    more = "total += group.block_count\nlast = start_block_idx\n"
    rename = commit("1", "Speak of chunks (#10)", {CORE: patch_of(OLD + more, new + more.replace("block", "chunk"))})
    later = commit(
        "2", "Fix reachable tails (#11)", {CORE: patch_of(new, "keep = tail_of(group)\n")}, at=99, author="B"
    )
    assert told(rename, later) == []
    wrote = commit("1", "Prune chunks (#10)", {CORE: patch_of("", new)})
    assert told(wrote, later) == [("fixup", "12")]


FIRST = commit("1", "Return weights as bf16 (#1010)", {CORE: patch_of("", "weights = empty_weights(bf16)\n")})


def test_a_fix_that_calls_itself_a_follow_up_continues_the_first() -> None:
    body = "Follow-up to #905 / #1010 (which put the first op right). Mirrors the test added in #1010."
    (story,) = find(FIRST, commit("2", "fix: weights in all launchers (#1011)", body=body, at=99, author="B"))
    assert (story.kind, story.broken) == ("series", None)


def test_words_about_a_change_document_it_and_repair_nothing() -> None:
    later = commit("2", "docs: fix parameters missing in #1010 (#1011)", at=99, author="B")
    (story,) = find(FIRST, later)
    assert (story.kind, story.broken) == ("series", None)
    assert "文档" in story.net["zh"]
    assert "documents" in story.net["en"]


def test_two_changes_that_document_stand_beside_each_other_and_make_no_story() -> None:
    first = commit("1", "docs(gemm): document the public surface (#1010)", at=1)
    later = commit("2", "docs(attention): missing parameters; follow-up to #1010 (#1011)", at=99, author="B")
    assert find(first, later) == []


def test_the_branch_was_at_fault_only_where_the_fix_touches_lines_of_the_first_or_names_it_as_the_cause() -> None:
    body = "The crash was caused by #1010."
    beside = commit("2", "Fix crash (#1011)", body=body, at=99, author="B")
    assert [(s.kind, s.broken is None) for s in find(FIRST, beside)] == [("fixup", False)]
    follows = commit("2", "Fix crash (#1011)", body="It follows #1010.", at=99, author="B")
    assert [s.broken for s in find(FIRST, follows) if s.broken] == []
    files = {CORE: patch_of("weights = empty_weights(bf16)\n", "weights = empty_weights(bf16)\nzero(weights)\n")}
    guard = commit("2", "Fix crash (#1011)", files, body=body, at=99, author="B")
    assert find(FIRST, guard)[0].broken is not None


def test_robots_and_changes_that_share_manifests_alone_are_no_stack() -> None:
    manifests = {"go.mod": patch_of("a v1\n", "a v2\n"), "go.sum": patch_of("a v1 h\n", "a v2 h\n")}
    pair = [commit("1", "Use a v2 (#10)", manifests), commit("2", "Use b v2 (#11)", manifests, at=6)]
    assert told(*pair) == []
    code = {CORE: patch_of("a = 1\n", "a = 2\n"), "engine/b.py": patch_of("b = 1\n", "b = 2\n")}
    one, two = (("1", "Use a (#10)", code), ("2", "Use b (#11)", code))
    assert told(commit(*one), commit(*two, at=6)) == [("series", "12")]
    assert told(commit(*one, author="renovate[bot]"), commit(*two, at=6, author="renovate[bot]")) == []


CHECK = "if {0} is None:\n    default_dispatch()\nelif {0} < 0:\n    raise ValueError('{0} is negative')\n"


def test_a_change_that_moved_lines_into_a_function_under_other_names_is_not_at_fault() -> None:
    old, new = CHECK.format("parallel_rank"), CHECK.format("routed_rank")
    between = "".join(f"line_{n} = {n}\n" for n in range(9))
    moved = commit("1", "Resolve ranks in one place (#10)", {CORE: patch_of(between + old, new + between)})
    fix = commit("2", "Fix bounds of ranks (#11)", {CORE: patch_of(new, "bounds(routed_rank)\n")}, at=99, author="B")
    assert [one for one in told(moved, fix) if one[0] == "fixup"] == []
    wrote = commit("1", "Resolve ranks in one place (#10)", {CORE: patch_of(between, new + between)})
    assert told(wrote, fix) == [("fixup", "12")]


def test_a_condition_that_was_taken_out_of_a_block_with_what_that_asked_is_not_at_fault() -> None:
    block = "if not dummy:\n    load()\n    if self.takes_images and self.first_rank:\n        embed()\n"
    out = "if not dummy:\n    load()\nif self.takes_images and self.first_rank and not dummy:\n    embed()\n"
    moved = commit("1", "Embed in one place (#10)", {CORE: patch_of(block, out)})
    files = {CORE: patch_of(out, out.replace(" and not dummy", ""))}
    fix = commit("2", "Fix embeddings (#11)", files, at=99, author="B")
    assert [one for one in told(moved, fix) if one[0] == "fixup"] == []
    beside = commit("1", "Embed less (#10)", {CORE: patch_of(out.replace(" and not dummy", ""), out)})
    assert told(beside, fix) == [("fixup", "12")]


@pytest.mark.parametrize(
    ("path", "linked"), [("tests/utils/test_dump.py", False), ("engine/2.py", True)], ids=["a test", "code"]
)
def test_what_a_message_says_was_added_there_is_at_fault_only_where_the_fix_touches_the_same_code(
    path: str, linked: bool
) -> None:
    first = commit("1", "Skip on small chips (#1010)", {path: patch_of("", "skips(chip)\n")})
    later = commit("2", "fix: drop stale lanes (#1011)", body="It was added in #1010.", at=99, author="B")
    kinds = [kind for kind, _ in told(first, later)]
    assert ("fixup" in kinds) == linked
    assert ("fixup" in [kind for kind, _ in told(later, recent=(first,))]) == linked
