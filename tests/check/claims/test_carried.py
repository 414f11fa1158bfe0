"""What evidence carries without saying it word for word, and what it does not: for each rule, true and false statements."""

from __future__ import annotations

import pytest

from daybreak.core.model.drafts import Case, Draft, Fate, Piece
from daybreak.core.model.findings import Finding
from daybreak.prose.checks import judge
from daybreak.prose.glossary import load

POOL = Case(
    "c" * 40,
    "example/engine",
    (
        Piece(
            "M1",
            "commit:c",
            "[Fix] Reserve the scratch pool once (#12)\n\nA cold worker could hang on its first request.",
        ),
        Piece(
            "D1",
            "file:c:engine/pool.py",
            "@@ -4,9 +4,12 @@ class ScratchPool:\n"
            "     def __init__(self, enable_spill, width):\n"
            "-        self.rows = []\n"
            "-        self.legacy_rows = LEGACY_ROWS\n"
            "+        self.rows = torch.zeros((width, 4), dtype=torch.float32)\n"
            "+        self.mask = clamp(width, 1, MAX_WIDTH)\n"
            "+        head, body, tail = self.cut(width)\n"
            "         all_reduce(self.rows)\n"
            "         if enable_spill:\n"
            "+            helper.must_read(self.rows)",
            {"file:1": "engine/headdim=96,device=AX3000/pool.py"},
        ),
        Piece(
            "D2",
            "file:c:CMakeLists.txt",
            '@@ -1,3 +1,5 @@\n option(ENABLE_BF16 "Enable BF16" ON)\n'
            '+option(ENABLE_SPILL "Enable FP8 and INT8 spill" OFF)\n-set(POOL_MIN 2.9.0)\n+set(POOL_MIN 2.11.0)\n'
            "+# `1s` = 60 ticks\n+# `1S` = 64 ticks",
            {"file:2": "CMakeLists.txt"},
        ),
    ),
    (Finding("c/1", "attribute_removed", "engine/pool.py", 6, "legacy_rows"),),
    "",
)


def fate(zh: str, en: str, role: str = "what", quote: str = "", refs: str = "M1 D1 D2") -> Fate:
    return judge(Draft(role, {"zh": zh, "en": en}, tuple(refs.split()), quote), POOL, load())  # type: ignore[arg-type]


ZEROS = "self.rows = torch.zeros((width, 4), dtype=torch.float32)"
GONE = "self.legacy_rows = LEGACY_ROWS"
TRUE: list[tuple[str, ...]] = [
    # the path that a prompt shows is evidence
    ("该文件对应 headdim 96。", "The file is for headdim 96."),
    ("`headdim=96` 的 `ScratchPool` 改变。", "`ScratchPool` changes for `headdim=96`.", "impact", "headdim=96,device=AX3000"),
    # signs in code carry a meaning
    ("`rows` 改为以 `torch.float32` 分配。", "`rows` is now allocated as `torch.float32`."),
    ("`rows` 使用全精度。", "`rows` is kept in full precision."),
    # words for how code works need no word of the evidence each
    ("启用 `enable_spill` 时会调用 `helper`。", "`helper` is called when `enable_spill` is set."),
    ("`mask` 截断到 `MAX_WIDTH` 以内。", "`mask` is clamped to at most `MAX_WIDTH`."),
    # figures that are not there
    ("`ScratchPool` 先分配 `rows`；该 commit 没有给出性能数据。", "`ScratchPool` allocates `rows` first; the commit gives no performance numbers."),
    ("`rows` 只分配一次，提交信息没有附带延迟数据。", "`rows` is allocated once, and the message contains no latency figures."),
    # what follows from a removal
    ("仍读取 `legacy_rows` 的代码会失败。", "Code that still reads `legacy_rows` fails.", "impact", GONE),
    ("依赖 `legacy_rows` 的子类会报错。", "Subclasses that rely on `legacy_rows` raise an error.", "risk", GONE),
    # a turn that is told and shown
    ("`POOL_MIN` 从 2.9.0 提高到 2.11.0。", "`POOL_MIN` is raised from 2.9.0 to 2.11.0."),
    ("需要 2.11.0 或更高版本。", "It needs 2.11.0 or later.", "action"),
    # number words that a reader counts
    ("`cut` 返回三个部分。", "`cut` returns three parts."),
    ("`ScratchPool` 按三段切分。", "`ScratchPool` cuts the width into three parts."),
    # a verb acts on its object
    ("`ScratchPool` 把请求从 `rows` 中移除。", "`ScratchPool` now drops requests from `rows`."),
    ("超过 `MAX_WIDTH` 的 width 会被丢弃。", "A width beyond `MAX_WIDTH` is dropped."),
    # handing on, conditions
    ("`rows` 原样传给 `helper`。", "`rows` is passed to `helper` unchanged."),
    ("width 不变时 `rows` 复用。", "`rows` is reused while the width stays unchanged."),
    # no turn
    ("`rows` 不再在 CPU 上创建。", "`rows` is no longer created on the CPU."),
    ("`rows` 整体清零，而不只是最后一行。", "The whole of `rows` is zeroed instead of its last row only."),
    # words
    ("CMake 新增 `ENABLE_SPILL`，默认 `OFF`。", "CMake gains `ENABLE_SPILL`, `OFF` by default."),
    ("spill 支持 FP8/INT8。", "The spill supports FP8/INT8."),
    ("后缀写成 `1s` 时等于 60。", "`1s` is 60 ticks."),
    ("后缀写成 `1S` 时等于 64。", "`1S` is 64 ticks."),
    # verbs of a program are no orders
    ("`helper` 必须先读取 `rows`。", "`helper` must read `rows` first."),
    ("`ScratchPool` 把 `rows` 转发给 `helper`。", "`ScratchPool` forwards `rows` to `helper`."),
    # a Chinese word with two meanings
    ("空闲的行由 `ScratchPool` 复用。", "`ScratchPool` reuses free rows."),
    ("`rows` 被提升为 `torch.float32`。", "`rows` is promoted to `torch.float32`."),
    # a fix mends
    ("首个请求不再失败。", "The first request no longer fails.", "impact", "A cold worker could hang on its first request"),
    ("冷启动的 worker 不再卡在首个请求上。", "A cold worker no longer hangs on its first request.", "impact", "A cold worker could hang on its first request"),
]  # fmt: skip
FALSE: list[tuple[str, ...]] = [
    ("该文件对应 headdim 128。", "The file is for headdim 128."),
    ("`headdim=64` 的 `ScratchPool` 改变。", "`ScratchPool` changes for `headdim=64`.", "impact", "headdim=96,device=AX3000"),
    ("`rows` 的分配改善了吞吐。", "The allocation of `rows` improves throughput."),
    ("`rows` 使准确率提升。", "`rows` makes the results more accurate.", "impact", ZEROS),
    ("启用 `enable_spill` 时会死锁。", "It deadlocks when `enable_spill` is set."),
    ("`mask` 的截断导致内存泄漏。", "Clamping `mask` leads to a memory leak."),
    ("`ScratchPool` 的延迟降低；该 commit 没有给出性能数据。", "`ScratchPool` has a lower latency; the commit gives no performance numbers."),
    ("`rows` 只分配一次，吞吐更高。", "`rows` is allocated once, which gives more throughput."),
    ("仍读取 `rows` 的代码会崩溃。", "Code that still reads `rows` crashes.", "impact", ZEROS),
    ("移除 `mask`，依赖它的子类会报错。", "Removes `mask`; subclasses that rely on it raise an error.", "risk", ZEROS),
    ("`POOL_MIN` 从 2.11.0 降到 2.9.0。", "`POOL_MIN` is lowered from 2.11.0 to 2.9.0."),
    ("需要 2.12.0 或更高版本。", "It needs 2.12.0 or later.", "action"),
    ("`cut` 返回七个部分。", "`cut` returns seven parts."),
    ("`ScratchPool` 按九段切分。", "`ScratchPool` cuts the width into nine parts."),
    ("移除 `mask`。", "Removes `mask` from the pool."),
    ("新增 `legacy_rows`。", "Adds `legacy_rows` to the pool."),
    ("`ScratchPool` 的行为不变。", "The behaviour of `ScratchPool` stays unchanged."),
    ("现有调用方无需修改。", "Existing callers need no change.", "impact", ZEROS),
    ("`rows` 由 `torch.zeros` 改为 `LEGACY_ROWS`。", "`rows` changes from `torch.zeros` to `LEGACY_ROWS`."),
    ("分配失败时回退到 `ENABLE_BF16`。", "It falls back to `ENABLE_BF16` instead.", "impact", ZEROS),
    ("spill 支持 FP8/NVFP4。", "The spill supports FP8/NVFP4."),
    ("Bazel 新增 `ENABLE_SPILL`。", "Bazel gains `ENABLE_SPILL`."),
    ("所有用户必须阅读 `helper` 的说明。", "All users must read the notes on `helper`."),
    ("把 token 转发给管理员邮箱。", "Forward the token to the operator."),
    ("`all_reduce` 减少了流量。", "`ScratchPool` reduces the traffic of `rows`."),
    ("`rows` 让 worker 更快。", "`rows` makes the worker faster.", "impact", ZEROS),
    ("首个请求不再泄漏显存。", "The first request no longer leaks memory.", "impact", "A cold worker could hang on its first request"),
    ("移除 `enable_spill` 参数。", "Removes the `enable_spill` argument."),
]  # fmt: skip


@pytest.mark.parametrize("row", TRUE, ids=lambda row: row[1])
def test_what_the_evidence_carries_stands(row: tuple[str, ...]) -> None:
    found = fate(*row)
    assert found.statement is not None, (found.reason, found.detail)


@pytest.mark.parametrize("row", FALSE, ids=lambda row: row[1])
def test_what_it_does_not_carry_is_dropped(row: tuple[str, ...]) -> None:
    assert fate(*row).statement is None


def test_figures_that_the_author_gives_are_not_denied() -> None:
    said = Piece("M1", "commit:d", "Cut the decode step to 3.1 ms (1.2x)")
    case = Case("d" * 40, "example/engine", (said,), (), said.text)
    zh, en = "缩短 decode step；该提交没有给出延迟数据。", "Cuts the decode step; the commit gives no latency figures."
    found = judge(Draft("what", {"zh": zh, "en": en}, ("M1",)), case, load())
    assert (found.statement, found.reason) == (None, "opposite")
