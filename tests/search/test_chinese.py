"""Fifty-five words of the field in Chinese each find what their English twin finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from daybreak.site.search import Search
from daybreak.site.search.opening import MOST
from daybreak.site.search.spoken import ASKING
from search.days import Shelf, change, day, repo, search_over

if TYPE_CHECKING:
    from collections.abc import Mapping

TWINS = {
    "量化": "Fix quantization of MoE weights", "反量化": "Fuse dequantize kernel", "精度": "Fix accuracy drop in MLA",
    "溢出": "Avoid int32 overflow in index", "稀疏": "Add sparse attention path", "投机解码": "Speculative decoding: accept more",
    "草稿模型": "Load the draft model lazily", "预填充": "Split prefill batches", "采样": "Move sampling to the GPU",
    "结构化输出": "Structured output with tool calls", "流式": "Flush streaming responses", "分词器": "Cache the tokenizer",
    "注意力": "New attention backend", "显存": "Lower GPU memory at start", "泄漏": "Fix a leak of buffers", "崩溃": "Fix crash at shutdown",
    "死锁": "Fix deadlock in the scheduler", "卡死": "Fix hang on abort", "回退": 'Revert "Add the cache"', "算子": "Register a custom op",
    "内核": "New Triton kernel", "调度": "Reorder the scheduler queue", "缓存": "Evict from the cache", "前缀缓存": "Prefix caching for hybrids",
    "多模态": "Multimodal inputs in batches", "并行": "Expert parallel over nodes", "张量并行": "Tensor parallel without NCCL",
    "流水线并行": "Pipeline parallel send order", "专家": "Balance experts", "通信": "Overlap communication",
    "性能": "Improve performance of top-k", "延迟": "Cut latency of the first token", "吞吐": "Raise throughput at low load",
    "编译": "Compile the model once", "依赖": "Bump dependency of torch", "文档": "Docs: describe flags", "测试": "Add a test for LoRA",
    "弃用": "Deprecate the old flag", "安全": "Security: reject paths outside", "竞态": "Fix a race in the loader",
    "函数调用": "Parse tool calls of the agent", "聊天模板": "Cache the chat template", "随机种子": "Honour the seed", "重排": "Rerank endpoint",
    "批大小": "Tune max_batch_size", "停止条件": "Stop strings across chunks", "重复输出": "Penalise repetition once", "音频": "Decode audio lazily",
    "英伟达": "Follow nvidia-smi", "昇腾": "[Ascend] fused norm", "低秩": "Load LoRA once", "轮子": "Build the wheel for arm",
    "分离式推理": "Disaggregated prefill queue", "数值不稳定": "Guard NaN logits", "命令行参数": "Accept the flag twice",
}  # fmt: skip

PAIRS = {
    "量化": "quantization", "投机解码": "speculative decoding", "崩溃": "crash", "死锁": "deadlock", "显存": "gpu memory",
    "泄漏": "leak", "精度": "accuracy", "回退": "revert", "算子": "operator", "内核": "kernel", "调度": "scheduler",
    "注意力": "attention", "卡死": "hang", "推测解码": "speculative", "专家并行": "expert parallel", "流水线": "pipeline",
    "张量并行": "tensor parallel", "缓存": "cache", "前缀缓存": "prefix cache", "预填充": "prefill", "解码": "decode",
    "分离": "disaggregation", "采样": "sampling", "多模态": "multimodal", "通信": "communication", "编译": "compile",
    "图捕获": "cuda graph", "稀疏": "sparse", "路由": "router", "权重": "weight", "权重加载": "weight loading",
    "弃用": "deprecate", "默认值": "default", "环境变量": "environment variable", "依赖": "dependency", "文档": "docs",
    "性能": "performance", "安全": "security", "溢出": "overflow", "竞争条件": "race condition", "工具调用": "tool call",
    "结构化输出": "structured output", "嵌入": "embedding", "融合": "fuse", "低精度": "low precision",
    "共享内存": "shared memory", "寄存器": "register", "蒸馏": "distillation", "奖励模型": "reward model",
    "长上下文": "long context", "卸载": "offload", "批处理": "batching", "滑动窗口": "sliding window", "日志": "log",
    "超时": "timeout", "重试": "retry", "内存不足": "out of memory", "越界": "out of bounds", "破坏性": "breaking",
    "插件": "plugin", "显存不足": "out of memory", "爆显存": "oom", "竞态条件": "race condition", "数据竞争": "race",
    "负载均衡": "load balancing", "混合专家": "moe", "检查点": "checkpoint", "断言": "assert", "向量化": "vectorize",
    "异步": "async", "热更新": "weight update", "强化学习": "rl", "死循环": "infinite loop", "段错误": "segfault",
    "非法访存": "illegal memory access", "乱码": "garbled", "参数": "argument", "接口": "api", "命令行": "cli",
    "重命名": "rename", "移除": "remove", "删除": "delete", "修复": "fix", "升级": "upgrade", "回归": "regression",
    "退化": "regression",
}  # fmt: skip
"""As people asked, each with the query that they would have written in English."""
ASKED = tuple(dict.fromkeys((*PAIRS, *PAIRS.values())))


def asked_of(words: str) -> list[str]:
    return [word for word in words.split() if word not in ASKING]


def texts() -> Shelf:
    """Each English query as words side by side in a title, and those that are looked for apart from each other in what is told
    of a change.
    """
    near = [change(f"Alter {words} again") for words in dict.fromkeys(PAIRS.values())]
    apart = [change(f"Number {at}", en=" or else ".join(asked_of(words))) for at, words in enumerate(PAIRS.values())]
    return Shelf(day("2026-03-06", repo("acme/engine", *near, *apart)))


def missed(search: Search) -> dict[str, set[str]]:
    """What an English query finds and the Chinese one does not."""
    return lost_in({word: {hit.title for hit in search.find(word, MOST).hits} for word in ASKED})


def lost_in(asked: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """The same of what each query was answered with."""
    return {word: lost for word, words in PAIRS.items() if (lost := asked[words] - asked[word]) or not asked[words]}


def test_a_chinese_query_finds_all_that_the_english_one_finds() -> None:
    assert len(PAIRS) > 80
    assert missed(search_over(texts())) == {}


def test_a_known_term_of_a_compound_is_looked_for_and_what_no_text_has_is_told() -> None:
    shelf = Shelf(day("2026-03-06", repo("acme/engine", change("Fix a deadlock"), change("Tidy the docs"))))
    found = search_over(shelf).find("死锁甲乙")
    assert [hit.title for hit in found.hits] == ["Fix a deadlock"]
    assert found.idle == ("甲乙",)
    assert search_over(shelf).find("甲乙变更").total == 0


@pytest.fixture(scope="module")
def found() -> Search:
    kinds = {"回退": "revert", "文档": "docs", "测试": "test", "性能": "perf"}
    changes = [change(title, kind=kinds.get(word, "fix")) for word, title in TWINS.items()]
    return search_over(Shelf(day("2026-03-06", repo("acme/engine", *changes))))


def test_there_are_fifty_five() -> None:
    assert len(TWINS) == 55


@pytest.mark.parametrize("word", TWINS)
def test_a_chinese_word_finds_what_its_english_twin_finds(found: Search, word: str) -> None:
    titles = [hit.title for hit in found.find(word, 50).hits]
    assert TWINS[word] in titles
    assert len(titles) < len(TWINS) // 2, "and not everything"


@pytest.mark.parametrize("word", ["breaking", "Breaks", "破坏性"])
def test_a_word_for_what_breaks_finds_what_the_reports_call_so(word: str) -> None:
    rows = (change("Take a flag away", breaking=True), change("Guard against breaking it"), change("Tidy"))
    found = search_over(Shelf(day("2026-03-06", repo("acme/engine", *rows)))).find(word)
    assert "Take a flag away" in [hit.title for hit in found.hits]
    assert "Tidy" not in [hit.title for hit in found.hits]
    assert "breaking:yes" in found.also


@pytest.mark.parametrize("form", ["FP8", "NVFP4", "mxfp4", "AWQ", "gptq", "int4", "W4A16", "turboquant"])
def test_the_formats_of_a_field_are_found_with_the_field_and_told(form: str) -> None:
    shelf = Shelf(day("2026-03-06", repo("acme/engine", change(f"Fix {form} weights"), change("Tidy the docs"))))
    found = search_over(shelf).find("量化")
    assert [hit.title for hit in found.hits] == [f"Fix {form} weights"]
    assert form.lower()[:3] in {word[:3] for word in found.also}
