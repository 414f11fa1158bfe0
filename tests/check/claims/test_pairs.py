"""Lines that take each other's place, guards that come or go, and amounts that belong together."""

from __future__ import annotations

import pytest

from daybreak.core.model.drafts import Case, Draft, Fate, Piece
from daybreak.prose.checks import judge
from daybreak.prose.checks.pairs import told_of
from daybreak.prose.glossary import load

MESSAGE = """[Ring] Hand row ids to the sweeper and build the ring once (#12)

Users of the old target get errors like RING_ERROR_MAPPING at once.
Use 'z_mark' as the end of a name, since 'e_mark' is ambiguous."""
SWEEP = """@@ -1,9 +1,9 @@ class Sweeper:
     def after_step(
-        self, step_output: "StepOutput", wait: bool
+        self, row_ids: set[str], wait: bool
     ):
         use(step_output, row_ids)
@@ -20,7 +20,7 @@ def pull_words(path):
     pull_rows(
-        model_path,
+        words_path,
     )
     # model_path and words_path are read elsewhere too
@@ -40,5 +40,5 @@ def pad_rows(
-    low_mark,
+    low_mark: tl.constexpr,
     BLOCK: tl.constexpr,
@@ -60,8 +60,8 @@ def make_slots(batch):
-) -> tuple[Tensor, list[int]]:
+) -> tuple[Tensor, Tensor]:
     Returns:
-        slots: slot ids as list
+        slots_cpu: slot ids as a CPU tensor
@@ -80,4 +80,4 @@ class RowZeroer:
-    if not isinstance(spec, FullSpec):
+    if not isinstance(spec, AnySpec):
         continue  # a FullSpec is an AnySpec
-    end = "e_mark"
+    end = "z_mark"
@@ -90,4 +90,4 @@ class Docs:
-> Ragged is the default on Ringwell. Flashring is used elsewhere.
+> Automatic choice tries Flashring first. On Ringwell comes Ragged.
@@ -95,3 +95,3 @@ def open_ring():
-    limit = 64
+    limit = 128
     size = 2
-    old_open(size)
+    new_open(size)"""
GUARD = """@@ -1,9 +1,12 @@ class RingMethod:
     def set_up(self, layer):
-        self.ring = make_ring(layer)
+        if self.ring is None:
+            self.ring = make_ring(layer)
         if self.sigma is not None and self.sigma == 0:
             raise ValueError("sigma cannot be 0")
-        if self.scale == 0:
-            raise ValueError("scale cannot be 0")
-        if not tight:
+        if tight is None:
+        if loose is None:
-        if not loose:
@@ -30,4 +30,6 @@ class RingConfig:
     def __init__(self, view=None, **kwargs):
+        if view is None:
+            view = kwargs.pop("raw_view", None)
-        rest = old_view(kwargs)
@@ -50,4 +52,5 @@ class Planner:
         self.partial_hit = (
             self.small < self.large
+            and self.owner.partial_hits
         )
@@ -70,5 +73,5 @@ class Owner:
-        self.partial_hits = size == 1 and any(
+        has_group = any(
+        self.partial_hits = size == 1 and has_group
@@ -90,5 +93,8 @@ class Head:
-    out = torch.bmm(x.float(), w.float())
+    if wide:
+        out = torch.wide_mm(x, w)
+    else:
+        out = torch.bmm(x.float(), w.float())
@@ -99,4 +99,6 @@ class Experts:
+        self.capture_fn(ids)
+
         # EPLB: map ids to their copies
         ids = self.table[ids]"""
TUNED = """@@ -1,6 +1,8 @@ def launch():
-    rows = 32
+    # Sweeps select 16 rows / 1 warp on B300 and
+    # 8 rows / 4 warps elsewhere; a tail pop is O(need_size).
+    rows, num_warps = config()
+    if self.use_aiter:
+        # skip the cast
+        load("s3://bucket", W=W8A8Int8Method, M=Qwix3_5Model)
+    # the tree is a degenerate single path here; such rows fall back to 0 so they cluster as
+    # before.
+    wheel = "ring ; platform_machine == 'aarch64'\""""
CASE = Case(
    "f" * 40,
    "example/flash-attention",
    (
        Piece("M1", "commit:f", MESSAGE),
        Piece("D1", "file:f:ring/sweep.py", SWEEP, {"file:1": "ring/sweep.py"}),
        Piece("D2", "file:f:ring/guard.py", GUARD, {"file:2": "ring/guard.py"}),
        Piece("D3", "file:f:ring/tuned.py", TUNED, {"file:3": "ring/tuned.py"}),
    ),
    (),
    "",
)


def fate(zh: str, en: str, role: str = "what", quote: str = "") -> Fate:
    draft = Draft(role, {"zh": zh, "en": en}, ("M1", "D1", "D2", "D3"), quote)  # type: ignore[arg-type]
    return judge(draft, CASE, load())


MARKED = "Use 'z_mark' as the end of a name, since 'e_mark' is ambiguous"
TRUE: list[tuple[str, ...]] = [
    # the old one on the line that went, the new one on the line that came
    ("`after_step` 以前收 `step_output`，现在改为接收 `row_ids`。", "`after_step` used to take `step_output` and now takes `row_ids`."),
    ("`pull_rows` 以前收到 `model_path`，现在改为 `words_path`。", "`pull_rows` used to get `model_path` and is now given `words_path`."),
    ("`make_slots` 以前返回 list，现在变为 CPU tensor。", "What `make_slots` returns used to be a list and is now a CPU tensor."),
    ("`RowZeroer` 从 `FullSpec` 放宽到 `AnySpec`。", "`RowZeroer` now covers `AnySpec`, where it covered `FullSpec`."),
    ("`low_mark` 改成 `tl.constexpr`。", "`low_mark` turns from a plain argument into a `tl.constexpr`."),
    ("`limit` 原为 64，现为 128。", "`limit` was 64 and is now 128."),
    ("`open_ring` 以前调用 `old_open`，现在调用 `new_open`。", "`open_ring` used to call `old_open` and now calls `new_open`."),
    ("`pull_rows` 用 `words_path` 而不是 `model_path`。", "`pull_rows` takes `words_path` instead of `model_path`."),
    # a guard that went, or that came
    ("`scale` 为 0 时的检查被删除。", "The check that raises when `scale` is 0 is removed."),
    ("以前每次都调用 `make_ring`，现在只在 `self.ring` 为 None 时调用。", "It used to call `make_ring` each time and now does so only when `self.ring` is None."),
    ("`RingConfig` 去掉了对 `old_view` 的回退。", "`RingConfig` drops the fallback to `old_view`."),
    ("`loose` 为 None 时的检查被删除。", "The check that raises when `loose` is None is removed."),
    ("以前只在 `tight` 为 None 时开，现在照旧。", "It used to open only when `tight` was None and now still does."),
    # what was ignored, or is now thrown away
    ("`after_step` 以前忽略 `row_ids`。", "`after_step` used to ignore `row_ids`."),
    ("新增对 `raw_view` 的回退。", "A fallback to `raw_view` is added."),
    # amounts together as the evidence has them
    ("B300 上用 16 行、1 个 warp。", "On B300 it takes 16 rows and 1 warp."),
    # the repository's name, a scheme, a machine, a format and a version in a name
    ("编译 flash-attention 的人会用到 `rows`。", "Those who build flash-attention get other `rows`."),
    ("`load` 读取 `s3://` 地址。", "`load` reads `s3://` paths."),
    ("`wheel` 用于 ARM。", "The `wheel` is for ARM."),
    ("`load` 使用 W8A8 和 Qwix3.5。", "`load` takes W8A8 and Qwix3.5."),
    # what an author says in other words
    ("这里的 tree 退化成单条路径。", "The tree is a single path here.", "why", "the tree is a degenerate single path here"),
    ("tail pop 的开销是 `need_size`。", "A tail pop costs `need_size`.", "why", "a tail pop is O(need_size)"),
    ("这些 rows 取 0，分组与以前相同。", "Such rows fall back to 0 and cluster as before."),
    # a condition, and what stands behind a condition
    ("改用 `z_mark`，是因为引入 row id 后 `e_mark` 有歧义。", "It ends in `z_mark` because `e_mark` is ambiguous next to row ids.", "why", MARKED),
    ("每个 program 取 16 行。", "On B300 it groups 16 rows."),
]  # fmt: skip
FALSE: list[tuple[str, ...]] = [
    ("`pull_rows` 用 `model_path` 而不是 `words_path`。", "`pull_rows` takes `model_path` instead of `words_path`."),
    ("`open_ring` 以前调用 `new_open`，现在调用 `old_open`。", "`open_ring` used to call `new_open` and now calls `old_open`."),
    ("`after_step` 以前收 `row_ids`，现在改为接收 `step_output`。", "`after_step` used to take `row_ids` and now takes `step_output`."),
    ("`pull_rows` 以前收到 `words_path`，现在改为 `model_path`。", "`pull_rows` used to get `words_path` and is now given `model_path`."),
    ("`make_slots` 以前返回 CPU tensor，现在变为 list。", "What `make_slots` returns used to be a CPU tensor and is now a list."),
    ("`RowZeroer` 从所有 `AnySpec` 收窄到 `FullSpec`。", "`RowZeroer` now covers only `FullSpec`, where it covered any `AnySpec`."),
    ("`low_mark` 从 `tl.constexpr` 改成普通参数。", "`low_mark` turns from `tl.constexpr` into a plain argument."),
    ("`limit` 原为 128，现为 64。", "`limit` was 128 and is now 64."),
    ("文档原来写先试 Flashring，现在默认用 Ragged。", "The docs used to say that the automatic choice tries Flashring first; they now name Ragged as the default."),
    ("`sigma` 与 `scale` 完全等价。", "`sigma` and `scale` are fully equivalent."),
    ("`load` 读取 `gs://` 地址。", "`load` reads `gs://` paths."),
    ("`load` 使用 W4A4 和 Qwix3.6。", "`load` takes W4A4 and Qwix3.6."),
    ("`wheel` 用于 x86。", "The `wheel` is for x86."),
]  # fmt: skip


@pytest.mark.parametrize("row", TRUE, ids=lambda row: row[1])
def test_what_agrees_with_the_pairs_stands(row: tuple[str, ...]) -> None:
    found = fate(*row)
    assert found.statement is not None, (found.reason, found.detail)


@pytest.mark.parametrize("row", FALSE, ids=lambda row: row[1])
def test_what_the_pairs_have_otherwise_falls(row: tuple[str, ...]) -> None:
    assert fate(*row).statement is None


def test_a_condition_is_no_claim_that_something_was_switched_on() -> None:
    lines = """@@ -1,3 +1,5 @@ def load(cache):
+    # skip the cast
+    if self.use_aiter:
+        return cache
     cast(cache)"""
    case = Case(
        "f" * 40, "example/ring", (Piece("M1", "commit:f", "Skip a cast"), Piece("D1", "file:f:a.py", lines)), (), ""
    )
    texts = {
        "zh": "启用 AITER 后，直接返回 cache。",
        "en": "With AITER on, the cache is returned.",
    }
    found = judge(Draft("what", texts, ("D1",), ""), case, load())
    assert found.statement is not None, (found.reason, found.detail)
    asked = {"zh": "现在默认启用 AITER。", "en": "AITER is now enabled by default."}
    assert judge(Draft("what", asked, ("D1",), ""), case, load()).statement is None


@pytest.mark.parametrize(
    "text", ["`free` calls `release_all`.", "It did not exist before.", "There used to be no `pool`."]
)
def test_a_text_that_tells_nothing_of_before_is_left_alone(text: str) -> None:
    assert told_of(text) is None
