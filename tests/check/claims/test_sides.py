"""Which way a change went: what it took, what it brought, what it turns into what, and what runs first."""

from __future__ import annotations

import pytest

from daybreak.core.model.drafts import Case, Draft, Fate, Piece
from daybreak.prose.checks import judge
from daybreak.prose.glossary import load

MESSAGE = """[Ring] Take both spellings of the flag and slice early (#12)

Slots are pinned one by one because the arena of a worker is mapped late. The DP engine proc steps.
KV pages go through the arena."""
FLAGS = """@@ -1,9 +1,12 @@ def read_flags(argv):
     model = None
     for at, arg in enumerate(argv):
-        if arg == "--ring-path":
+        if arg in ("--ring-path", "--ring"):
             model = argv[at + 1]
-    effort = argv.effort or "low"
+    if effort == "none":
+        effort = "low"
+    elif effort in ("top", "extra"):
+        effort = "top"
+    del table.spare_rows
+    table.meta.pop("spare_meta")
+    ring_ext.mount(table)"""
ARENA = """@@ -20,10 +20,10 @@ def open_arena(size):
     rows = size * 2
-    scale = 1.0
-    slots = call_ring(rows or None)
+    scale = layer_scale(rows)
+    slots = call_ring(rows)
     if slots:
         warm_slots(slots)
         pin_slots(slots)
@@ -60,6 +60,4 @@ def install_ring(layer):
     pip install ring-cache
-    ring show-config
-    ring pull-bins
     finish(layer)
@@ -90,4 +88,6 @@ def finish_image(layer):
+    # not in the ring-cache layer
+    ring show-config
+    ring pull-bins
     done(layer)"""
WIDER = """@@ -5,3 +5,3 @@ class RingLoader:
-        if platform.is_cuda():
+        if platform.is_cuda() or platform.is_xpu():
             log_peak(layer)"""
LESS = """@@ -5,5 +5,3 @@ class RingSaver:
         open(layer)
-        flush(layer)
-        pack_all(layer)
         close(layer)"""
MOVED = """@@ -5,3 +5,5 @@ class RingModel:
         super().__init__()
+        import ring.ops
         self.rows = rows
@@ -30,5 +32,3 @@ class RingModel:
     def forward(self, rows):
-        import ring.ops
         return call_mix(rows)"""
CASE = Case(
    "b" * 40,
    "example/Fastgate",
    (
        Piece("M1", "commit:b", MESSAGE),
        Piece("D1", "file:b:engine/flags.py", FLAGS),
        Piece("D2", "file:b:engine/arena.py", ARENA),
        Piece("D3", "file:b:engine/loader.py", WIDER),
        Piece("D4", "file:b:engine/saver.py", LESS),
        Piece("D5", "file:b:engine/model.py", MOVED),
    ),
    (),
    "",
)


def fate(refs: str, zh: str, en: str, role: str = "what", quote: str = "") -> Fate:
    return judge(Draft(role, {"zh": zh, "en": en}, tuple(refs.split()), quote), CASE, load())  # type: ignore[arg-type]


TRUE: list[tuple[str, ...]] = [
    # a call, and a place before the object
    ("D1", "新增了对 `ring_ext.mount` 的调用。", "It adds a call to `ring_ext.mount`."),
    ("D4", "`RingSaver` 里的 `flush` 和 `pack_all` 被删掉。", "The calls `flush` and `pack_all` in `RingSaver` are removed."),
    # code that takes away as it runs
    ("D1", "`read_flags` 从 `table` 去掉 `spare_rows`。", "`read_flags` drops `spare_rows` from `table`."),
    ("D1", "`read_flags` 从 `table` 移除 `spare_meta`。", "`read_flags` removes `spare_meta` from `table`."),
    # nothing went, and nothing is told as gone
    ("D3", "`RingLoader` 现在在 XPU 上也调用 `log_peak`。", "`RingLoader` now calls `log_peak` on XPU too."),
    ("D4", "`RingSaver` 去掉了两次调用。", "`RingSaver` drops two calls."),
    # where it went
    ("D2", "装 `ring-cache` 的那一层不再有 `ring pull-bins`。", "The layer with `ring-cache` no longer has `ring pull-bins`."),
    ("D5", "`ring.ops` 的 import 挪到 `RingModel` 的 `__init__` 里。", "The import of `ring.ops` moves to `__init__` of `RingModel`."),
    # values: which one turns into which
    ("D1", "`top` 和 `extra` 都归为 `top`。", "It maps `top` and `extra` to `top`."),
    ("D1", "`none` 归为 `low`。", "It maps `none` to `low`."),
    ("D2", "`scale` 现在来自 `layer_scale`，原先固定为 `1.0`。", "`scale` now comes from `layer_scale`; it used to be `1.0`."),
    ("D2", "`call_ring` 现在收到 `rows`，而不是 `None`。", "`call_ring` now receives `rows` rather than `None`."),
    # what runs first
    ("D2", "先调用 `warm_slots`，再调用 `pin_slots`。", "It calls `warm_slots` first and `pin_slots` afterwards."),
    # twice as much, by a factor in code
    ("D2", "`rows` 是 `size` 的两倍。", "`rows` is twice the `size`."),
    # prose: ahead of time, the switch to a thing, a loop
    ("D2", "`open_arena` 预先算好 `rows`。", "`open_arena` computes `rows` ahead of time."),
    ("D2", "在切换到 `layer_scale` 之前调用。", "It is called ahead of the switch to `layer_scale`."),
    ("D1", "对 `argv` 的循环到此结束。", "The loop over `argv` ends there."),
    # a cause in the author's words
    ("M1", "worker 的 arena 映射得晚，所以逐个 pin slot。", "Slots are pinned one by one since the arena of a worker is mapped late.", "why", "because the arena of a worker is mapped late"),
]  # fmt: skip
LATE = "because the arena of a worker is mapped late"
FALSE: list[tuple[str, ...]] = [
    ("D4", "新增了对 `pack_all` 的调用。", "It adds a call to `pack_all`."),
    ("D1", "去掉了对 `ring_ext.mount` 的调用。", "It removes the call to `ring_ext.mount`."),
    ("D1", "`read_flags` 里的 `ring_ext.mount` 被删掉。", "The call `ring_ext.mount` in `read_flags` is removed."),
    ("D1", "`--ring-path` 被移除。", "`--ring-path` is removed."),
    ("D1", "新增注册 `table.spare_rows`。", "It adds `table.spare_rows` to the table."),
    ("D4", "`RingSaver` 新增了一次调用。", "`RingSaver` gains a call."),
    ("D2", "装 `ring-cache` 的那一层新增了 `ring pull-bins`。", "The layer with `ring-cache` gains `ring pull-bins`."),
    ("D2", "`scale` 现在固定为 `1.0`。", "`scale` is now fixed at `1.0`."),
    ("D2", "`call_ring` 现在收到 `None`。", "`call_ring` now receives `None` for empty `rows`."),
    ("D2", "`rows` 是 `size` 的三倍。", "`rows` is three times the `size`."),
    ("D2", "`rows` 变成四维。", "`rows` becomes 4D."),
    # symptoms that nobody tells of
    ("M1", "arena 经常超时，所以逐个 pin slot。", "The arena of a worker kept timing out, so slots are pinned one by one.", "why", LATE),
    ("M1", "arena 会限流 worker。", "The arena throttles the worker, so slots are pinned one by one.", "why", LATE),
    ("M1", "否则会阻塞 worker。", "It would block the worker if slots were pinned late.", "why", LATE),
    ("M1", "worker 的 slot 没有对齐。", "Slots of the worker are misaligned in the arena.", "why", LATE),
    # a cause in words of no line that it rests on
    ("M1", "下载器在镜像里重复解析 manifest 与 layer。", "The puller parsed manifests and layers of the mirror image over again for workers.", "why", LATE),
    # readings of an abbreviation that are wrong, also beside a name
    ("M1", "DP（动态规划）引擎会走一步。", "The DP (dynamic programming) engine steps.", "why", "The DP engine proc steps."),
    ("M1", "KV（核值）页经过 arena。", "KV (kernel value) pages go through the arena.", "why", "KV pages go through the arena."),
]  # fmt: skip


@pytest.mark.parametrize("row", TRUE, ids=lambda row: row[2])
def test_what_the_sides_of_the_change_bear_out_stands(row: tuple[str, ...]) -> None:
    found = fate(*row)
    assert found.statement is not None, (found.reason, found.detail)


@pytest.mark.parametrize("row", FALSE, ids=lambda row: row[2])
def test_what_the_sides_of_the_change_contradict_is_dropped(row: tuple[str, ...]) -> None:
    assert fate(*row).statement is None


@pytest.mark.parametrize(
    ("long", "stands"), [("data parallel", True), ("dynamic programming", False), ("dynamic parallel", False)]
)
def test_a_reading_of_a_part_of_a_name_is_the_glossarys(long: str, stands: bool) -> None:
    chinese = {"data parallel": "数据并行", "dynamic programming": "动态规划", "dynamic parallel": "动态并行"}[long]
    diff = "@@ -1,2 +1,3 @@ class DPRingProc(Proc):\n     def step(self):\n+        self.wait_all()"
    case = Case("b" * 40, "example/Fastgate", (Piece("D1", "file:b:engine/proc.py", diff),), (), "")
    text = {
        "zh": f"`DPRingProc`（{chinese}的进程）现在调用 `wait_all`。",
        "en": f"`DPRingProc`, the {long} proc, now calls `wait_all`.",
    }
    found = judge(Draft("what", text, ("D1",)), case, load())
    assert (found.statement is not None) == stands, (found.reason, found.detail)


def test_a_reading_that_is_right_for_another_term_of_the_evidence_stands() -> None:
    diff = "@@ -1,2 +1,3 @@ def pick(arch):\n     use(SM)\n+    smem = pool(rows)"
    case = Case("b" * 40, "example/Fastgate", (Piece("D1", "file:b:engine/pick.py", diff),), (), "")
    text = {"zh": "`pool` 现在把 `rows` 放进共享内存。", "en": "`pool` now puts `rows` into shared memory."}
    found = judge(Draft("what", text, ("D1",)), case, load())
    assert found.statement is not None, (found.reason, found.detail)


def test_a_sentence_of_a_docstring_goes_on_in_its_next_lines() -> None:
    diff = '''@@ -1,2 +1,6 @@ def test_resume():
+    """A request whose whole prompt was sent (no prefill is left,
+    e.g. on the decode side) must not be held back.
+    """
+    resume()'''
    case = Case("b" * 40, "example/Fastgate", (Piece("M1", "commit:b", "Hold back prefill"), Piece("D1", "file:b:test.py", diff)), (), "")  # fmt: skip
    text = {"zh": "整个 prompt 已发送的请求在 decode 侧不会被挡住。", "en": "A request whose whole prompt was sent is not held back on the decode side."}  # fmt: skip
    found = judge(Draft("impact", text, ("D1",), "must not be held back."), case, load())
    assert found.statement is not None, (found.reason, found.detail)


@pytest.mark.parametrize(("call", "stands"), [("run_bwd(dq, dk, dv)", True), ("run_fwd(q, k, v)", False)])
def test_gradients_are_spoken_of_where_code_has_a_backward_pass(call: str, stands: bool) -> None:
    diff = f"@@ -1,2 +1,3 @@ def step(layout):\n     rows = layout.rows\n+    {call}"
    case = Case("b" * 40, "example/Fastgate", (Piece("D1", "file:b:engine/step.py", diff),), (), "")
    name = call.split("(", maxsplit=1)[0]
    text = {"zh": f"`step` 现在调用 `{name}` 处理梯度。", "en": f"`step` now calls `{name}` on the gradients."}
    found = judge(Draft("what", text, ("D1",)), case, load())
    assert (found.statement is not None) == stands, (found.reason, found.detail)
