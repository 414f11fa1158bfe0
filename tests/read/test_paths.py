"""Areas and components over the habits of the watched projects."""

import pytest

from daybreak.core.profiles import profile_of
from daybreak.findings.paths import area, component, components


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("vllm/v1/core/sched/scheduler.py", "code"),
        ("vllm/engine/arg_utils.py", "api"),
        ("vllm/envs.py", "api"),
        ("vllm/config/cache.py", "api"),
        ("vllm/entrypoints/openai/protocol.py", "api"),
        ("vllm/v1/attention/ops/triton_decode_attention.py", "kernel"),
        ("csrc/attention/paged_attention_v1.cu", "kernel"),
        ("csrc/torch_bindings.cpp", "api"),
        ("tests/v1/core/test_scheduler.py", "test"),
        ("benchmarks/benchmark_serving.py", "test"),
        ("docs/usage/metrics.md", "docs"),
        ("README.md", "docs"),
        ("examples/offline_inference/basic.py", "docs"),
        (".buildkite/test-pipeline.yaml", "ci"),
        (".github/workflows/pr-test.yml", "ci"),
        ("scripts/ci/run.sh", "ci"),
        (".pre-commit-config.yaml", "ci"),
        ("requirements/cuda.txt", "dependency"),
        ("requirements-test.txt", "dependency"),
        (".gitmodules", "dependency"),
        ("pyproject.toml", "build"),
        ("docker/Dockerfile", "build"),
        ("CMakeLists.txt", "build"),
        ("uv.lock", "lock"),
        ("rust/Cargo.lock", "lock"),
        ("3rdparty/cutlass/include/a.h", "vendored"),
        ("third-party/fmt/x.h", "vendored"),
        ("vllm/grpc/engine_pb2.py", "generated"),
        ("python/sglang/srt/server_args.py", "api"),
        ("python/sglang/srt/layers/moe/topk.py", "code"),
        ("python/sglang/srt/layers/moe/fused_moe_triton/configs/E=8.json", "data"),
        ("sgl-kernel/csrc/moe/moe_fused_gate.cu", "kernel"),
        ("include/flashinfer/attention/decode.cuh", "kernel"),
        ("include/cutlass/gemm/gemm.h", "api"),
        ("hopper/flash_attn_interface.py", "api"),
        ("flash_attn/cute/flash_fwd.py", "kernel"),
        ("deep_gemm/__init__.py", "api"),
        ("src/cuda/tile/__init__.py", "api"),
        ("media/images/x.png", "data"),
    ],
)
def test_area(path: str, expected: str) -> None:
    assert area(path) == expected


def test_what_users_meet_in_one_project_is_known_from_its_profile_alone() -> None:
    path = "flashinfer/decode.py"
    assert area(path) == "code"
    assert area(path, profile_of("flashinfer-ai/flashinfer")) == "api"
    assert area(path, profile_of("vllm-project/vllm")) == "code"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("vllm/v1/core/sched/scheduler.py", "vllm/v1/core"),
        ("python/sglang/srt/layers/moe/topk.py", "python/sglang/srt/layers/moe"),
        ("README.md", "README.md"),
        ("setup.py", "setup.py"),
        ("src/cuda/tile/_ir/ops.py", "src/cuda/tile/_ir"),
    ],
)
def test_component(path: str, expected: str) -> None:
    assert component(path) == expected


def test_components_name_code_before_tests() -> None:
    found = components([("tests/a/b/test_x.py", 500), ("vllm/v1/core/x.py", 2), ("docs/x.md", 9)])
    assert found == ("vllm/v1/core",)
    assert components([("docs/x.md", 9)]) == ("docs",)
