"""When something is said to be: what came, what is now and what was must agree with the lines of the change."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from daybreak.core.model.drafts import Case, Draft, Fate, Piece
from daybreak.core.model.findings import Alias, Finding
from daybreak.prose.checks import judge
from daybreak.prose.glossary import load

MESSAGE = """[Core] Rework slot pools and drop the old sweeps (#9)

Batch uqp copies of the slot table. Users of toolkit 13.x are unaffected.
The codegen of toolkit 12.9 causes a ~18% slowdown of the sweep. Truncate the key on degraded allocation.
Only SM120 devices with page size 64 and head_dim 128 are served; SM90 comes later."""
POOL = """@@ -1,22 +1,20 @@ class SlotPool:
     def free(self, rows):
-        for entry in self.others:
-            entry.pool.release(rows)
-        self.graph = self.shared_graph
+        self.anchor.release_all(rows)
+        self.graph = own_graph()
-    def resize(self, width: int, finished: bool = False):
+    def resize(
-        finished: bool = False,
+        finished: bool,
-        max_rows: int,
+        total = max_rows + 1
-        key = old_tokens[:n]
+        key = prefetch_key[:n]
         # no sufficient host memory for the table
         scale = table.to(torch.float8_e8m0fnu)
+        if ranks_of(self.tp_size) > 0:
+            os.environ["SLOT_DIR"] = own
@@ -60,5 +60,3 @@ def sweep_tables(table):
     table.sort()
-    assert table.kind == Kind.DENSE
-    drop(table)
     return table
@@ -90,5 +90,5 @@ def load_tables(table):
-    raise KeyError(table)
+    cuda::std::optional<int> rest
+    os.environ["TABLE_DIR"] = inner
+    names = [s3, gcs]"""
STYLE = """@@ -4,4 +4,4 @@
-  animation: dotPulse 1s;
+  animation: ringSpin 1s;
+class RingExpertsFp4(SlotV2_0): NVFP4_UQP"""
FINDINGS = (Finding("f/1", "function_removed", "engine/pool.py", 3, "make_sweeper", alias=Alias("none")),)
CASE = Case(
    "f" * 40,
    "example/Fastgate",
    (
        Piece("M1", "commit:f", MESSAGE),
        Piece("F1", "finding:f/1", "function removed: make_sweeper in {file:1}"),
        Piece("D1", "file:f:engine/pool.cu", POOL, {"file:1": "engine/pool.cu"}),
        Piece("D2", "file:f:web/qwix3xml_style.css", STYLE, {"file:2": "web/qwix3xml_style.css"}),
    ),
    FINDINGS,
    "",
)


def fate(zh: str, en: str, role: str = "what", quote: str = "") -> Fate:
    draft = Draft(role, {"zh": zh, "en": en}, ("M1", "F1", "D1", "D2"), quote)  # type: ignore[arg-type]
    return judge(draft, CASE, load())


SERVED = "Only SM120 devices with page size 64 and head_dim 128 are served"
TRUE: list[tuple[str, ...]] = [
    # what is new or now stands on added lines; what it took the place of may stand beside it
    ("`free` 现在调用 `release_all`，不再调用 `entry.pool.release`。", "`free` now calls `release_all` and no longer `entry.pool.release`."),
    ("`free` 现在用 `own_graph` 取代 `shared_graph`。", "`free` now uses `own_graph` instead of `shared_graph`."),
    ("`key` 现在取自 `prefetch_key`，原先取自 `old_tokens`。", "`key` now comes from `prefetch_key`; it used to cut `old_tokens` instead."),
    ("原先重复的逻辑收进 `own_graph`。", "The repeated logic moves into `own_graph`."),
    ("此前没有 `own_graph`。", "There was no `own_graph` before."),
    ("`sweep_tables` 不再断言 `Kind.DENSE`。", "`sweep_tables` no longer asserts `Kind.DENSE`."),
    ("不再把 `graph` 改成 `shared_graph`。", "It no longer sets `graph` to `shared_graph`."),
    ("`free` 现在内联 `entry.pool.release`。", "`free` now inlines `entry.pool.release`."),
    ("`shared_graph` 步骤已删除。", "The `shared_graph` step is removed."),
    ("`own_graph` 步骤已加入。", "The `own_graph` step is added."),
    # a turn in the right order
    ("`dotPulse` 被 `ringSpin` 取代。", "`ringSpin` takes the place of `dotPulse`."),
    ("`finished` 由默认 `False` 变为必填参数。", "`finished` turns from one that defaults to `False` into a required parameter."),
    ("`free` 去掉 `shared_graph`，换成 `own_graph`。", "`free` drops `shared_graph` for `own_graph`."),
    # what does it is no beginning of a turn
    ("`rows` 由 `release_all` 放到 table 后面。", "`release_all` puts `rows` behind the table."),
    # set under a condition
    ("`SLOT_DIR` 只有未设置时才写入。", "`SLOT_DIR` is written only when it is unset."),
    # amounts and devices that the quote has, or those that it leaves out
    ("SM120 上 page size 为 64、head_dim 为 128。", "On SM120 it takes a page size of 64 and a head_dim of 128.", "impact", SERVED),
    ("SM90 还不能用。", "SM90 is not served.", "impact", SERVED),
    # words in other forms: a family of names, a format in a name, a language by its files
    ("SlotV2 与 FP4 的 expert 使用 Qwix3 XML。", "The SlotV2 and FP4 experts use Qwix3 XML."),
    ("直接调用 `cuda::std` 的 C++ 代码。", "C++ code that calls `cuda::std` directly."),
    ("`table` 带有 scale。", "`table` comes with scales."),
    ("`names` 带有 s3、gcs 两项。", "`names` has s3, gcs in it."),
    ("`ranks_of` 大于 0 时写入 `SLOT_DIR`。", "`SLOT_DIR` is written with `ranks_of` above zero."),
    ("`max_rows` 加 1 后是 1 的倍数。", "`max_rows` plus 1 is a multiple of 1."),
    ("`SLOT_DIR` 优先于 `TABLE_DIR`。", "`SLOT_DIR` takes precedence over `TABLE_DIR`."),
    ("`free` 不再检查 `others`。", "`free` stops inspecting `others`."),
    ("作者称 12.9 让 sweep 慢约 18%。", "The author says that 12.9 slows the sweep by about 18%.", "why", "causes a ~18% slowdown of the sweep"),
    ("内存不足时走降级分配路径。", "The degraded allocation is taken when host memory runs short.", "impact", "Truncate the key on degraded allocation"),
]  # fmt: skip
FALSE: list[tuple[str, ...]] = [
    ("`free` 现在还会调用 `entry.pool.release`。", "`free` now also calls `entry.pool.release`."),
    ("`SlotPool` 新增针对其他项的 `entry.pool.release` 步骤。", "`SlotPool` gains a step with `entry.pool.release` for the others."),
    ("`free` 把 `graph` 变为 `shared_graph`。", "In `free`, `graph` becomes `shared_graph`."),
    ("`key` 以前取自 `prefetch_key`。", "`key` used to come from `prefetch_key`."),
    ("`graph` 原先由 `own_graph` 给出。", "`graph` was previously given by `own_graph`."),
    ("`own_graph` 步骤已删除。", "The `own_graph` step is removed."),
    ("`free` 不再调用 `release_all`。", "`free` no longer calls `release_all`."),
    ("`shared_graph` 分支已加入。", "The `shared_graph` branch is added."),
    ("`sweep_tables` 新增断言。", "`sweep_tables` gains an assertion."),
    ("`load_tables` 现在抛 `KeyError`。", "`load_tables` now raises `KeyError`."),
    ("`sweep_tables` 新增一步。", "`sweep_tables` gains a step."),
    ("`resize` 新增 `max_rows`。", "`resize` adds `max_rows`."),
    ("`ringSpin` 被 `dotPulse` 取代。", "`dotPulse` takes the place of `ringSpin`."),
    ("`finished` 由必填参数变为默认 `False`。", "`finished` turns from a required parameter into one that defaults to `False`."),
    ("由 `own_graph` 变成 `shared_graph`。", "It turns from `own_graph` into `shared_graph`."),
    ("删除 `make_sweeper` 对插件没有影响。", "Removing `make_sweeper` does not affect plugins.", "impact", "make_sweeper"),
    ("`make_sweeper` 和 `free` 的调用方不会受到任何影响。", "Callers of `free` and `make_sweeper` are not affected in any way.", "impact", "make_sweeper"),
    ("`shared_graph` 保留，下游代码不受影响。", "`shared_graph` stays, so downstream code is not affected.", "impact", "self.graph = self.shared_graph"),
    ("用户设置的 `TABLE_DIR` 会保留，只有未设置时才写入。", "A `TABLE_DIR` that users set is kept; it is written only when it is unset."),
    ("`NVFP4_UQP` 即 unified queue planning 的 table。", "`NVFP4_UQP`, that is unified queue planning, has a table."),
    ("批量复制 unified queue planning 的 slot table。", "It batches unified queue planning copies of the slot table.", "why", "Batch uqp copies of the slot table"),
    ("128x4 的 sparse feature（SF）table。", "The 128x4 sparse feature (SF) table."),
    ("SM120 上 page size 为 128、head_dim 为 64。", "On SM120 it takes a page size of 128 and a head_dim of 64.", "impact", SERVED),
    ("SM90 上 page size 为 64。", "On SM90 it takes a page size of 64.", "impact", SERVED),
    ("SlotV7 与 INT4 的 expert。", "The SlotV7 and INT4 experts."),
    ("`max_rows` 是 18 倍。", "`max_rows` is 18 times as large."),
    ("`free` 的利用率更高。", "`free` has a higher utilization."),
]  # fmt: skip


@pytest.mark.parametrize("row", TRUE, ids=lambda row: row[1])
def test_what_agrees_with_the_lines_stands(row: tuple[str, ...]) -> None:
    found = fate(*row)
    assert found.statement is not None, (found.reason, found.detail)


@pytest.mark.parametrize("row", FALSE, ids=lambda row: row[1])
def test_what_came_is_not_told_as_gone_nor_what_was_as_new(row: tuple[str, ...]) -> None:
    assert fate(*row).statement is None


@pytest.mark.parametrize(("version", "stands"), [("0.4.2.post1", True), ("0.4.2", False)])
def test_a_part_of_a_version_is_another_version(version: str, stands: bool) -> None:
    diff = '@@ -1,2 +1,2 @@ def start():\n-    need("slotlib", "0.4.2")\n+    need("slotlib", "0.4.2.post1")'
    case = Case("f" * 40, "example/Fastgate", (Piece("D1", "file:f:engine/start.py", diff),), (), "")
    text = {"zh": f"`start` 现在要求 `{version}`。", "en": f"`start` now asks for `{version}`."}
    found = judge(Draft("what", text, ("D1",)), case, load())
    assert (found.statement is not None) == stands, (found.reason, found.detail)


@pytest.mark.parametrize(("version", "stands"), [("13.x", True), ("12.9", False)])
def test_that_one_version_is_unaffected_says_nothing_of_another(version: str, stands: bool) -> None:
    text = {"zh": f"toolkit {version} 的用户不受影响。", "en": f"Users of toolkit {version} are unaffected."}
    quote = "Users of toolkit 13.x are unaffected."
    found = judge(Draft("impact", text, ("M1",), quote), replace(CASE, findings=()), load())
    assert (found.statement is not None) == stands, (found.reason, found.detail)


DAY = Case(
    "day",
    "",
    (
        Piece("S1", "commit:a", "The old flag is gone, which breaks existing use."),
        Piece("N1", "window", "commits {count:1}; repositories {count:2}; breaking {count:3}", {"count:1": "9", "count:2": "3", "count:3": "4"}),
    ),
    (),
    "",
)  # fmt: skip


def of_day(zh: str, en: str) -> Fate:
    return judge(Draft("impact", {"zh": zh, "en": en}, ("S1", "N1"), "breaks existing use"), DAY, load())


def test_digits_in_the_name_of_a_placeholder_are_no_count() -> None:
    for count in ("1", "2", "3"):
        found = of_day(f"当天只有 {count} 个提交破坏现有用法。", f"Only {count} commits of the day break existing use.")
        assert (found.statement, found.reason) == (None, "number_not_in_evidence")


def test_a_count_that_code_puts_in_stands() -> None:
    found = of_day("当天有 {count:3} 个提交破坏现有用法。", "{count:3} commits of the day break existing use.")
    assert found.statement is not None, (found.reason, found.detail)
    assert found.statement.text["en"].startswith("4 commits")
