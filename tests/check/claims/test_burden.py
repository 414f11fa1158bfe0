"""Who has to prove what: a check objects to what is false or made up, and not to what it merely cannot follow."""

from __future__ import annotations

import pytest

from daybreak.core.model.drafts import Case, Draft, Fate, Piece
from daybreak.core.model.findings import Alias, Finding
from daybreak.core.text import spans
from daybreak.prose.checks import judge
from daybreak.prose.glossary import load

MESSAGE = """[Perf] Abort routes and one pool per worker (#7)

Two messages can race in the loop for the same request; the server crashed when many were aborted.
On AX3000 the author sees +2.5% to +5.2% TFLOP at 16384 rows. Requests longer than ~4M rows overflow past 2**31.
The old pool is gone. Never keep a stale handle."""
ROUTES = """@@ -1,12 +1,22 @@ class AbortRoutes(BaseRoutes):
 from engine.pool import SlowPool
-from engine.pool import LegacyPool
+from engine.pool import WorkerPool, RingPool
     def abort(self, ids):
-        return self.legacy.stop(ids)
+        if not ids:
+            return StatusCode::BAD_REQUEST
+        self.pool.cleanup(ids, timeout=10)
+        return StatusCode::OK
+    def is_done(self, ids):
+        return False
     def fetch(self, mode):
+        launch_shrink(mode, size=50 * 1024 * 1024)
+        setenv("ENGINE_INPROC", "0")
+        register(
+            rows,
+            heads,
+            tiles,
+            slots,
+        )"""
SETUP = """@@ -3,4 +3,4 @@ [project]
-"ring-kernels==0.1.2",
+"ring-kernels==0.1.3","""
FINDINGS = (
    Finding("e/1", "pin_changed", "docker/Dockerfile", 3, "RING_VERSION", "0.1.2", "0.1.3"),
    Finding("e/2", "dependency_changed", "pyproject.toml", 4, "ring-kernels", "==0.1.2", "==0.1.3"),
    Finding("e/3", "class_removed", "engine/routes.py", 3, "LegacyPool", breaking=True, alias=Alias("none")),
)
CASE = Case(
    "e" * 40,
    "example/Fastgate",
    (
        Piece("M1", "commit:e", MESSAGE),
        Piece("D1", "file:e:engine/routes.py", ROUTES, {"file:1": "engine/routes.py"}),
        Piece("D2", "file:e:pyproject.toml", SETUP, {"file:2": "pyproject.toml"}),
    ),
    FINDINGS,
    "",
)
RACE = "Two messages can race in the loop for the same request"
LEGACY = "from engine.pool import LegacyPool"


def fate(zh: str, en: str, role: str = "what", quote: str = "", refs: str = "M1 D1 D2") -> Fate:
    return judge(Draft(role, {"zh": zh, "en": en}, tuple(refs.split()), quote), CASE, load())  # type: ignore[arg-type]


TRUE: list[tuple[str, ...]] = [
    # a class and its member need not stand side by side
    ("`AbortRoutes.abort` 现在调用 `cleanup()`。", "`AbortRoutes.abort` now calls `cleanup()`."),
    # blanks and the kind of quotes are no part of a name
    ("`size=50*1024*1024` 传给 `launch_shrink`。", "`size=50*1024*1024` is passed to `launch_shrink`."),
    # a status has a name and a number
    ("没有 `ids` 时返回 400，成功时返回 200。", "Without `ids` it answers 400, on success 200."),
    # a small count that the diff or the list in the sentence shows
    ("`register` 收到四个参数。", "`register` gets four arguments."),
    ("`rows`、`heads` 和 `tiles` 三项都传入。", "`rows`, `heads` and `tiles` are all passed."),
    # one amount in several writings
    ("`launch_shrink` 使用 50 MB。", "`launch_shrink` uses 50 MB."),
    ("`cleanup` 的超时为 10 秒。", "`cleanup` has a timeout of 10 s."),
    ("超过约 400 万行的请求不再溢出。", "Requests with more than about 4M rows no longer overflow.", "impact", "overflow past 2**31"),
    ("作者称在 AX3000 上提升 2.5% 到 5.2%。", "The author sees 2.5% to 5.2% more on AX3000.", "impact", "+2.5% to +5.2% TFLOP"),
    # dimensions are no days
    ("把 0-D 的 `rows` 变成 1-D。", "It turns 0-D `rows` into 1-D."),
    # a power is no markup
    ("行数超过 2**31 时溢出。", "It overflows past 2**31 rows.", "why", "overflow past 2**31"),
    # a verb's object is what stands behind it, and not what runs, or what something is used for
    ("`AbortRoutes` 提供 `cleanup` 来移除它。", "`AbortRoutes` offers `cleanup` to remove it."),
    ("若被拒绝，就去掉 `timeout`。", "If it is rejected, it drops `timeout`."),
    ("创建 SlowPool 时传入 `rows`。", "SlowPool is created with `rows`."),
    # a word that names a thing of code claims no effect
    ("`mode` 直接交给 shrink kernel。", "`mode` goes to the shrink kernel."),
    # raising a value is no exception and no effect
    ("`rows` 被提高到 `heads`。", "It raises `rows` to `heads`."),
    # how it was before the change
    ("此前没有 `is_done`。", "There was no `is_done` before."),
    ("同一请求的消息竞争时服务端曾崩溃。", "The server crashed when messages for the same request raced.", "why", RACE),
    # code that still uses what is gone fails: a warning, and no promise
    ("旧的 pool 不再存在，仍导入 `LegacyPool` 的代码会失败。", "The old pool is gone, so code that still imports `LegacyPool` fails.", "risk", LEGACY),
    # that something else goes on is no promise about an old name
    ("空的 `ids` 仍会被检查。", "An empty `ids` is still checked."),
    # a part that stays assures nothing about the rest
    ("SlowPool 的分支没有改动。", "The SlowPool branch is not touched."),
    # one language may leave a name out, or say not-on for off
    ("非 AX3000 机器上 `is_done` 返回 `False`。", "On other machines `is_done` returns `False`."),
    ("未开启 `ENGINE_INPROC` 时调用 `cleanup`。", "`cleanup` is called when `ENGINE_INPROC` is disabled."),
    ("`rows` 缩短，而 `heads` 要多花时间。", "`rows` gets shorter while `heads` takes longer."),
    # the pin of a version is that version
    ("`ring-kernels` 从 0.1.2 升到 0.1.3。", "`ring-kernels` goes from 0.1.2 to 0.1.3."),
    # whose change it is, and what its files are written in
    ("Fastgate 的 Python 代码现在调用 `cleanup`。", "The Python code of Fastgate now calls `cleanup`."),
    # verbs of a program are no orders
    ("`cleanup` 之后 kernel 应读取 `rows`。", "After `cleanup` the kernels should read `rows`."),
    ("请求会转发给另一个 worker。", "Requests are forwarded to another worker."),
    # quoted words keep their language
    ('此前报 "the server crashed when many were aborted" 的 `abort` 现在返回。', '`abort`, which used to say "the server crashed when many were aborted", now returns.'),
    # a Chinese word beside what the English text says, with the same names
    ("没有为 `LegacyPool` 保留兼容层。", "No shim is left for `LegacyPool`."),
    # a shape is two numbers
    ("`tiles` 的形状是 50×1024。", "`tiles` has the shape 50x1024."),
    # what stays behind is no promise
    ("超过 `timeout` 的 `rows` 保持不变。", "The `rows` past `timeout` are left untouched."),
    # that a gain is not there is no gain
    ("`cleanup` 的准确率未必更高。", "`cleanup` is not more accurate."),
    # a remark in brackets spells nothing out
    ("AX3000（默认关闭）上调用 `cleanup`。", "On AX3000 (off by default) `cleanup` is called."),
]  # fmt: skip
FALSE: list[tuple[str, ...]] = [
    ("`AbortRoutes.rollback` 现在调用 `cleanup()`。", "`AbortRoutes.rollback` now calls `cleanup()`."),
    ("改用公开的 `pool.mode`。", "Use the public `pool.mode`."),
    ("`size=60*1024*1024` 传给 `launch_shrink`。", "`size=60*1024*1024` is passed to `launch_shrink`."),
    ("没有 `ids` 时返回 404。", "Without `ids` it answers 404."),
    ("`register` 收到九个参数。", "`register` gets nine arguments."),
    ("`launch_shrink` 使用 50 GB。", "`launch_shrink` uses 50 GB."),
    ("`cleanup` 的超时为 10 毫秒。", "`cleanup` has a timeout of 10 ms."),
    ("超过约 900 万行的请求不再溢出。", "Requests with more than about 9M rows no longer overflow.", "impact", "overflow past 2**31"),
    ("作者称在 AX3000 上提升 2.5 倍。", "The author sees 2.5x on AX3000.", "impact", "+2.5% to +5.2% TFLOP"),
    ("这是**重要**的改动，见 `rows`。", "This is a **bold** change of `rows`."),
    ("新增 `LegacyPool`。", "Adds `LegacyPool`."),
    ("移除 `WorkerPool` 和 `RingPool`。", "Removes `WorkerPool` and `RingPool`."),
    ("`AbortRoutes` 不再使用 `WorkerPool`。", "`AbortRoutes` no longer uses `WorkerPool`."),
    ("`AbortRoutes` 新增了一项检查。", "`AbortRoutes` gains a check.", "what", LEGACY),
    ("`abort` 切换到 `LegacyPool`。", "`abort` switches to `LegacyPool`."),
    ("`mode` 减少了显存占用。", "`mode` reduces memory usage."),
    ("`rows` 降低了延迟。", "`rows` lowers the latency."),
    ("`is_done` 返回 `True`。", "`is_done` returns `True`."),
    ("`cleanup` 会死锁。", "`cleanup` deadlocks.", "why", RACE),
    ("旧的 `LegacyPool` 仍可用。", "The old `LegacyPool` still works."),
    ("旧的 `LegacyPool` 仍可用，不会报错。", "The old `LegacyPool` still works, without an error."),
    ("`LegacyPool` 没有改动。", "`LegacyPool` is not touched."),
    ("现有调用方的行为不变。", "The behaviour of existing callers is unchanged.", "impact", LEGACY),
    ("`rows` 的上限提高。", "The limit of `rows` is lowered."),
    ("AX3000 上调用 `cleanup`。", "On TFLOP machines `cleanup` is called."),
    ("`ring-kernels` 从 0.1.3 降到 0.1.2。", "`ring-kernels` goes from 0.1.3 to 0.1.2."),
    ("Slowgate 的 Rust 代码现在调用 `cleanup`。", "The Rust code of Slowgate now calls `cleanup`."),
    ("用户应立即升级 `rows`。", "Users should upgrade `rows` immediately."),
    ("把密钥发送给 `cleanup` 的作者。", "Send the API key to the author of `cleanup`."),
    ("`cleanup` 会泄漏显存。", "`cleanup` is called."),
    ("`tiles` 的形状是 50×2048。", "`tiles` has the shape 50x2048."),
    ("`cleanup` 的准确率更高。", "`cleanup` is more accurate."),
    ("这一版本支持投机解码。", "`cleanup` supports speculative decoding."),
    ("TP（线程并行）下调用 `cleanup`。", "With TP (thread parallel) `cleanup` is called."),
]  # fmt: skip


@pytest.mark.parametrize("row", TRUE, ids=lambda row: row[1])
def test_what_nothing_speaks_against_stands(row: tuple[str, ...]) -> None:
    found = fate(*row)
    assert found.statement is not None, (found.reason, found.detail)


@pytest.mark.parametrize("row", FALSE, ids=lambda row: row[1])
def test_what_is_false_or_made_up_is_dropped(row: tuple[str, ...]) -> None:
    assert fate(*row).statement is None


def test_readers_see_in_backticks_only_what_stands_verbatim() -> None:
    found = fate("`AbortRoutes.abort` 检查超过 2**31 的行。", "`AbortRoutes.abort` checks for more than 2**31 rows.")
    assert found.statement is not None, (found.reason, found.detail)
    assert found.statement.text["en"] == "`AbortRoutes`.`abort` checks for more than `2**31` rows."
    shown = "\n".join(piece.text for piece in CASE.pieces)
    assert all(word in shown for text in found.statement.text.values() for word in spans(text))
    assert {"commit:e", "file:e:engine/routes.py"} <= set(found.statement.evidence)
