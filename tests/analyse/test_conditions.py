"""A repair says with what its fault is met, in words that users know, where its title does not."""

import pytest

from daybreak.core.profiles import profiles
from daybreak.core.words import known
from daybreak.core.words.phrases import table
from daybreak.judge.conditions import met_with
from read.made import change_of, patch_of

VLLM, SGLANG = "vllm-project/vllm", "sgl-project/sglang"


def condition(repo: str, *paths: str, subject: str = "[Bugfix] Fix wrong rows", inside: str = "") -> str:
    head = f"class {inside}:\n" if inside else ""
    patches = {path: patch_of(f"{head}    rows = 1\n", f"{head}    rows = 2\n") for path in paths}
    found = met_with(change_of(patches, subject=subject, repo=repo))
    return found["en"] if found else ""


@pytest.mark.parametrize(
    ("repo", "path", "said"),
    [
        (VLLM, "vllm/lora/layers.py", "LoRA adapters"),
        (VLLM, "vllm/v1/spec_decode/eagle.py", "speculative decoding"),
        (VLLM, "vllm/distributed/kv_transfer/kv_connector/v1/nixl/worker.py", "the KV connector `nixl`"),
        (VLLM, "vllm/distributed/kv_transfer/kv_connector/v1/lmcache_connector.py", "the KV connector `lmcache`"),
        (VLLM, "vllm/v1/attention/backends/mla/flashmla.py", "the attention backend `flashmla`"),
        (VLLM, "vllm/model_executor/layers/quantization/modelopt.py", "quantization by `modelopt`"),
        (VLLM, "vllm/tool_parsers/mistral_tool_parser.py", "the tool call parser `mistral`"),
        (VLLM, "vllm/model_executor/models/opt.py", "models of `opt`"),
        (SGLANG, "python/sglang/srt/disaggregation/mooncake/conn.py", "prefill and decode on separate servers (PD) over `mooncake`"),
        (SGLANG, "python/sglang/srt/layers/attention/triton_backend.py", "the attention backend `triton`"),
        (SGLANG, "python/sglang/srt/function_call/hermes_detector.py", "the tool call parser `hermes`"),
        (SGLANG, "python/sglang/srt/mem_cache/hiradix_cache.py", "KV offloading to CPU or disk"),
    ],
)  # fmt: skip
def test_what_must_be_in_use_is_known_by_where_its_lines_stand(repo: str, path: str, said: str) -> None:
    assert condition(repo, path) == said


def test_a_class_says_it_where_its_file_does_not() -> None:
    path = "vllm/v1/engine/core.py"
    assert condition(VLLM, path, inside="DPEngineCoreProc") == "data parallelism"
    assert condition(VLLM, path, inside="EngineCoreProc") == ""


def test_nothing_is_said_where_some_of_its_lines_are_run_by_others() -> None:
    assert condition(VLLM, "vllm/lora/layers.py", "vllm/v1/core/sched/scheduler.py") == ""
    assert condition("somebody/else", "else/lora/layers.py") == ""


def test_nothing_is_said_that_the_title_says() -> None:
    assert condition(VLLM, "vllm/lora/layers.py", subject="[Bugfix][LoRA] Fix wrong rows") == ""
    assert condition(VLLM, "vllm/tool_parsers/mistral_tool_parser.py", subject="Fix nested JSON of Mistral") == ""


def test_every_part_that_a_profile_names_has_words_and_every_word_a_profile() -> None:
    parts = {part for profile in profiles() for part in profile.met}
    assert all(known("judge.met", part) for part in parts)
    words = {key.removeprefix("met.") for key in table("en", "judge") if key.startswith("met.")}
    assert words == parts | {"model"}


def test_of_two_parts_either_must_be_in_use_and_one_that_its_title_names_says_nothing_new() -> None:
    paths = ("python/sglang/srt/mem_cache/hiradix_cache.py", "python/sglang/srt/mem_cache/mamba_radix_cache.py")
    assert condition(SGLANG, *paths) == "KV offloading to CPU or disk, or with hybrid models (Mamba, linear attention)"
    assert condition(SGLANG, *paths, subject="[Bugfix] Fix wrong rows of Mamba") == ""
    assert condition(SGLANG, *paths, "python/sglang/srt/mem_cache/chunk_cache.py") == ""
