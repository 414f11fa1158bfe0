"""Series, stacks, shared RFCs, pins and ports: parts of one piece of work, and only those."""

from __future__ import annotations

import pytest

from analyse.storied import CORE, DAY, commit, find, told
from daybreak.core.model.findings import Finding, Reading
from daybreak.judge.stories import stories
from read.made import patch_of

# --- series ---------------------------------------------------------------------------------------------------------

SERIES = [
    ("one label", "[1/N][KV Layout] One (#10)", "[2/N][KV Layout] Two (#11)", "Ada", True),
    ("one label, two authors", "[XPU][1/N] One (#10)", "[XPU][2/N] Two (#11)", "Bo", True),
    ("a label in round brackets", "[4/N] (Elastic EP) Back up weights (#10)", "[5/N] (Elastic EP) Use P2P (#11)", "Bo", True),
    ("a label before a colon", "[1/n] Quantization Refactor: A (#10)", "[2/n] Quantization Refactor: B (#11)", "Ada", True),
    ("the number at the end", "[Model Runner V2] Add states [1/N] (#10)", "[Model Runner V2] Move encoder [2/N] (#11)", "Ada", True),
    ("round brackets", "model: LTX-2 for video (1/2) (#10)", "model: LTX-2 video sampler (2/2) (#11)", "Ada", True),
    ("the same words, one author", "[1/n] Migrate permute to stable ABI (#10)", "[2/n] Migrate quant to stable ABI (#11)", "Ada", True),
    ("part k", "Rewrite block tables, part 1 (#10)", "Rewrite block tables, part 2 (#11)", "Ada", True),
    ("phase k", "[Bench] Phase 1: extract datasets of bench serving (#10)", "[Bench] Phase 2: extract metrics of bench serving (#11)", "Ada", True),
    ("the same words, two authors", "[1/n] Migrate permute to stable ABI (#10)", "[2/n] Migrate quant to stable ABI (#11)", "Bo", False),
    ("a label that anything carries", "[Frontend][1/n] Pooling entrypoints (#10)", "[Frontend][2/n] Stop words (#11)", "Ada", False),
    ("a common label with a total, one author", "[Benchmark][1/2] Margins (#10)", "[Benchmark][2/2] Splines (#11)", "Ada", True),
    ("a common label with a total, two authors", "[Benchmark][1/2] Margins (#10)", "[Benchmark][2/2] Splines (#11)", "Bo", False),
    ("a label inside the bracket", "[1/n kernel layout] Unify caches (#10)", "[2/n kernel layout] One entry for rope (#11)", "Ada", True),
    ("two labels inside brackets", "[1/n kernel layout] Unify caches (#10)", "[2/n page tables] Unify rope (#11)", "Ada", False),
    ("two labels", "[1/N][KV Layout] One (#10)", "[2/N][MoE ops] Two (#11)", "Ada", False),
    ("two totals", "[1/2][KV Layout] One (#10)", "[2/3][KV Layout] Two (#11)", "Ada", False),
    ("one number twice", "[1/N][KV Layout] One (#10)", "[1/N][KV Layout] Again (#11)", "Ada", False),
    ("a part of another kind", "Rewrite block tables, part 1 (#10)", "Rewrite block tables, phase 2 (#11)", "Ada", False),
    ("a date, no part", "Update 3/4 of the tables (#10)", "Update 2/4 of the docs (#11)", "Ada", False),
]  # fmt: skip


@pytest.mark.parametrize(("one", "two", "author", "same"), [row[1:] for row in SERIES], ids=[row[0] for row in SERIES])
def test_series(one: str, two: str, author: str, same: bool) -> None:
    first, second = commit("1", one), commit("2", two, at=300, author=author)
    assert told(first, second) == ([("series", "12")] if same else [])
    assert told(second, recent=(first,)) == ([("series", "12")] if same else [])


def test_what_a_series_says() -> None:
    one, two = commit("1", "[1/2][KV Layout] One (#10)", at=-DAY), commit("2", "[2/2][KV Layout] Two (#11)")
    (story,) = find(two, recent=(one,))
    split = (
        commit("1", "[1/2] Split decode into plan: the plan (#10)"),
        commit("2", "[2/2] Split decode into plan: the class (#11)"),
    )
    assert find(*split)[0].net["zh"] == "系列 `Split decode into plan`：本窗口合入 `1/2`、`2/2`；至此全部合入。"
    assert story.net["zh"] == "系列 `KV Layout`：本窗口合入 `2/2`，此前已合入 `1/2`；至此全部合入。"
    assert story.net["en"] == "Series `KV Layout`: `2/2` landed in this window, `1/2` before; it is complete."
    assert story.earlier == {one.sha: one.committed_at}
    assert told(commit("3", "Else (#12)"), recent=(one, two)) == [], "nothing of it is in the window"


BOTH = {CORE: patch_of("a = 1\n", "a = 2\n"), "engine/more.py": patch_of("a = 1\n", "a = 2\n")}
STACKS = [
    ("the same two files", BOTH, "Second (#12)", 5, "Ada", True),
    ("the same file, the next number", {CORE: patch_of("b = 1\n", "b = 2\n")}, "Second (#12)", 5, "Ada", False),
    ("another author", BOTH, "Second (#12)", 5, "Bo", False),
    ("hours apart", BOTH, "Second (#12)", 120, "Ada", False),
    ("numbers far apart", BOTH, "Second (#99)", 5, "Ada", False),
    ("other files", {"engine/a.py": "", "engine/b.py": ""}, "Second (#12)", 5, "Ada", False),
]


@pytest.mark.parametrize(
    ("files", "subject", "at", "author", "same"), [row[1:] for row in STACKS], ids=[row[0] for row in STACKS]
)
def test_stacks(files: dict[str, str], subject: str, at: int, author: str, same: bool) -> None:
    first = commit("1", "First (#11)", BOTH)
    assert told(first, commit("2", subject, files, at=at, author=author)) == ([("series", "12")] if same else [])


def test_a_shared_rfc() -> None:
    one = commit("1", "cli: lazy imports (RFC #9853) (#10)")
    two = commit("2", "Validate config (#11)", body="Part of RFC https://github.com/acme/engine/issues/9853", at=200)
    (story,) = find(one, two)
    assert (story.kind, story.net["zh"]) == ("series", "同属 `RFC #9853`。")
    assert told(one, commit("2", "Validate config (#11)", body="See #9853", at=200)) == []


# --- pins and ports -------------------------------------------------------------------------------------------------


def test_a_pin_that_moved_twice() -> None:
    one, two = commit("1", "Move torch (#10)"), commit("2", "Move torch again (#11)", at=90)
    found = {
        c.sha: Reading(c.sha, findings=(Finding(c.sha, "dependency_changed", "requirements.txt", 1, "torch", *values),))
        for c, values in ((one, ("==2.7", "==2.8")), (two, ("==2.8", "==2.9")))
    }
    (story,) = stories((one, two), found)
    assert (story.kind, story.net["zh"]) == ("bump", "`torch`：`==2.7` → `==2.9`，本窗口内多次变更。")
    assert stories((one,), found) == ()


TAKES = [
    ("made and taken", "chore: bump engine-kernel version to 0.3.21 (#10)", "chore: bump engine-kernel version to 0.3.21 (#11)", True),
    ("released and taken", "Release engine-kernel 0.4.0 (#10)", "Upgrade engine-kernel to 0.4.0 (#11)", True),
    ("another version", "Bump engine-kernel to 0.3.21 (#10)", "Bump engine-kernel to 0.3.22 (#11)", False),
    ("another package", "Bump torch to 2.9.0 (#10)", "Bump triton to 2.9.0 (#11)", False),
    ("no version", "Bump torch (#10)", "Bump torch (#11)", False),
]  # fmt: skip


@pytest.mark.parametrize(("one", "two", "same"), [row[1:] for row in TAKES], ids=[row[0] for row in TAKES])
def test_a_release_and_the_bump_that_takes_it(one: str, two: str, same: bool) -> None:
    assert told(commit("2", two), recent=(commit("1", one, at=-DAY),)) == ([("bump", "12")] if same else [])


PORTS = [
    ("a sha", "Adapted from Dao-AILab/flash-attention@1a2b3c4d5e6f.", "Dao-AILab/flash-attention@1a2b3c4d5"),
    ("a pull request", "Ported from https://github.com/vllm-project/vllm/pull/1234", "vllm-project/vllm#1234"),
    ("no place in the other project", "Adapted from https://github.com/vllm-project/vllm", None),
    ("this project", "Adapted from acme/engine@1a2b3c4d5e6f", None),
    ("a mention", "See vllm-project/vllm#1234", None),
]


@pytest.mark.parametrize(("body", "source"), [row[1:] for row in PORTS], ids=[row[0] for row in PORTS])
def test_ports(body: str, source: str | None) -> None:
    found = find(commit("1", "Add kernel (#10)", body=body))
    assert [(s.kind, s.net["zh"]) for s in found] == ([("port", f"`Add kernel` 移植自 `{source}`。")] if source else [])


def test_a_part_of_a_series_that_a_later_change_takes_partly_back_is_told_so() -> None:
    old = "".join(f"ops.impl_by_old_table(number_{n})\n" for n in range(8))
    new = "".join(f"stable.impl_by_new_table(number_{n})\n" for n in range(8))
    half = (
        "".join(f"ops.impl_by_old_table(number_{n})\n" for n in range(4))
        + new[new.index("stable.impl_by_new_table(number_4)") :]
    )
    first = commit("1", "[1/N][KV Layout] Move the pool (#10)", at=-DAY)
    second = commit("2", "[2/N][KV Layout] Move the tables (#11)", {CORE: patch_of(old, new)}, at=60)
    back = commit("3", "Fall back to the old tables for some (#12)", {CORE: patch_of(new, half)}, at=300, author="Bo")
    beside = commit(
        "3", "Widen the tables (#12)", {CORE: patch_of("width_of_table = 1\n", "width_of_table = 2\n")}, at=300
    )
    (story,) = find(second, back, recent=(first,))
    assert [sha[0] for sha in story.commits] == ["1", "2", "3"]
    assert story.net["en"].endswith("`Fall back to the old tables for some` took a part of `2/N` back.")
    (other,) = find(second, beside, recent=(first,))
    assert "back" not in other.net["en"]


def test_faults_that_one_author_counts_are_one_series() -> None:
    first = commit("1", "[bug1] keep full pages when the window skips a leaf (#10)")
    later = commit("2", "[bug2] skip recovery of the window on locked full pages (#11)", at=400)
    assert told(first, later) == [("series", "12")]
    assert told(first, commit("2", "[bug2] quiet the log (#11)", at=400)) == []
