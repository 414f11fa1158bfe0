"""Whom a change concerns: which hardware a title or path names, whose model a file is of."""

import pytest
from msgspec.structs import replace

from analyse.test_first_screen import finding
from analyse.test_importance import shown
from daybreak.core.config import ReaderConfig
from daybreak.core.model.changes import Change
from daybreak.core.profiles import profiles
from daybreak.judge.reach import aside, aside_of, concerns_few, hardware, is_tool, model_of
from read.made import change_of, patch_of

CODE = patch_of("    a = 1\n", "    a = 2\n")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("engine/rocm/attention.py", {"rocm"}),
        ("engine/platforms/xpu.py", {"xpu"}),
        ("csrc/cpu/gemm.cpp", {"cpu"}),
        ("engine/kv_offload/cpu/manager.py", set()),
        ("engine/sm90_kernel.cu", {"sm90"}),
        ("engine/shipping.py", set()),
        ("[ROCm][MUSA] ", {"rocm", "musa"}),
    ],
)
def test_hardware_that_paths_and_titles_name(text: str, named: set[str]) -> None:
    assert hardware(text) == named


def test_a_change_is_of_other_hardware_by_most_of_its_files_or_by_its_tags() -> None:
    assert concerns_few(change_of({"engine/rocm/a.py": CODE, "tests/test_a.py": CODE}))
    assert concerns_few(change_of({"engine/a.py": CODE}, subject="[Bugfix][ROCm] Fix a"))
    assert concerns_few(change_of({"engine/a.py": CODE}, subject="Fix ROCm paths of a"))
    assert concerns_few(change_of({"engine/a.py": CODE}, subject="[Bugfix] Fix a crash of a on CPU due to b"))
    assert not concerns_few(change_of({"engine/a.py": CODE}, subject="Fix a crash on CPU offload"))
    assert not concerns_few(change_of({"engine/a.py": CODE}, subject="Fix CPU memory leak from a cycle of requests"))
    assert not concerns_few(change_of({"engine/a.py": CODE}, subject="Fix a seen on ROCm"))
    assert not concerns_few(change_of({"engine/rocm/a.py": CODE, "engine/a.py": CODE}))
    assert not concerns_few(change_of({"engine/a.py": CODE}, subject="[ROCm][SM90] Fix a"))


@pytest.mark.parametrize(
    ("path", "model"),
    [
        ("engine/models/qwen3.py", "qwen3"),
        ("engine/tool_parsers/glm.py", "glm"),
        ("engine/models/registry.py", ""),
        ("engine/models/base_model.py", ""),
        ("engine/core.py", ""),
    ],
)
def test_the_one_model_whose_file_it_is(path: str, model: str) -> None:
    assert model_of(path) == model


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("csrc/attn/src/flash_bwd_kernel.h", "few"),
        ("engine/ops/backward.py", "few"),
        ("engine/backward_compat.py", None),
        ("csrc/attn/src/flash_fwd_kernel.h", None),
    ],
)
def test_what_only_a_backward_pass_runs_is_for_those_who_train(path: str, why: str | None) -> None:
    found = aside_of(path)
    assert (found.why if found else None) == why
    assert aside_of(path, ReaderConfig(training=True)) is None
    assert found is None or found.what == "training", "it is known who runs it"


def test_a_part_that_few_run_is_for_few() -> None:
    assert aside_of("python/engine/multimodal_gen/a.py")
    assert not aside_of("python/engine/core/a.py")
    assert concerns_few(change_of({"engine/debug_utils/compare.py": CODE}))


def test_a_change_reaches_as_far_as_what_is_told_of_it() -> None:
    change = change_of({"engine/rocm/a.py": CODE, "engine/rocm/b.py": CODE, "engine/args.py": CODE})
    everywhere = finding(change, "cli_flag_removed", "engine/args.py", "--kv", before="--kv")
    assert concerns_few(change)
    assert not concerns_few(change, [everywhere])


def test_lines_under_a_branch_for_a_platform_are_of_that_platform() -> None:
    def change(after: str) -> Change:
        return change_of({"engine/run.py": patch_of("def run():\n    start()\n", after)}, subject="Fix a crash")

    under = change("def run():\n    start()\n    if _is_npu:\n        wait()\n        again()\n")
    found = aside(under, ())
    assert found is not None
    assert (found.why, found.what) == ("elsewhere", "npu")
    assert aside(change("def run():\n    start()\n    if not _is_npu:\n        wait()\n"), ()) is None
    assert aside(change("def run():\n    start()\n    if is_npu():\n        wait()\n    again()\n"), ()) is None
    assert aside(change("def run():\n    start()\n    if is_ready():\n        wait()\n"), ()) is None


def test_a_tag_at_the_end_of_a_title_counts_like_one_before_it() -> None:
    code = {"engine/run.py": patch_of("a = 1\n", "a = 2\n")}
    for subject in ("[ROCm][Bugfix] Remove a quantization", "Remove a quantization [ROCm] [Bugfix] (#12)"):
        found = aside(change_of(code, subject=subject), ())
        assert found is not None
        assert found.what == "rocm"
    assert aside(change_of(code, subject="Read rows[rocm] in order"), ()) is None


def test_several_models_are_not_one_model() -> None:
    def change(*names: str) -> Change:
        files = {f"vllm/model_executor/models/{name}.py": patch_of("a = 1\n", "a = 2\n") for name in names}
        return change_of(files, subject="Fix it", repo=profiles()[0].repo)

    for names, why in ((("lama",), "one_model"), (("lama_a", "lama_b"), "one_model"), (("lama", "opus"), None)):
        found = aside(change(*names), ())
        assert (found.why if found else None) == why


def test_a_model_that_most_deployments_run_is_met_by_many_unless_the_reader_runs_others() -> None:
    path = "vllm/model_executor/models/deepseek_v2.py"
    assert aside_of(path, known=True) is None
    other = aside_of(path, ReaderConfig(models=("lama",)), known=True)
    assert other is not None
    assert other.why == "not_yours"


@pytest.mark.parametrize(
    ("path", "tool"),
    [
        ("engine/debug_utils/comparator/naming.py", True),
        ("tools/report.py", True),
        ("engine/bench_serving.py", True),
        ("engine/benchmarks/run.py", True),
        ("engine/tool_parsers/hermes.py", False),
        ("engine/core.py", False),
    ],
)
def test_what_developers_run_beside_the_project_is_a_tool(path: str, tool: bool) -> None:
    assert is_tool(path) is tool


def test_a_parser_is_told_as_one_and_two_of_them_are_not_one_model() -> None:
    one, two = "vllm/tool_parsers/lean_tool_parser.py", "vllm/tool_parsers/gist_tool_parser.py"
    only = change_of({one: CODE}, repo="vllm-project/vllm")
    told = [finding(only, "guard_changed", one, "f")]
    assert aside(only, told) == ("one_model", "parser")
    assert aside(change_of({one: CODE, two: CODE}, repo="vllm-project/vllm"), told) is None
    assert aside(change_of({"vllm/models/lean.py": CODE}, repo="vllm-project/vllm"), []) == ("one_model", "")


BRANCHED = "def f(x):\n    a = 1\n    if is_hip():\n        b = {}\n    c = {}\n"


@pytest.mark.parametrize(
    ("what", "found", "few"),
    [
        ("what stood there is another", {"line": 14, "before": "1", "after": "2"}, False),
        ("a branch for that hardware", {"line": 13, "before": "1", "after": "2"}, True),
        ("something that goes", {"line": 14, "before": "1", "after": None, "breaking": True}, True),
        ("something that came", {"line": 14, "before": None, "after": "2"}, True),
        ("something that came for what most have", {"line": 14, "before": None, "after": "2 if is_sm90()"}, False),
        ("its words are of that hardware", {"line": 14, "before": "1 if is_hip()", "after": "2"}, True),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_a_tag_for_other_hardware_says_nothing_of_lines_that_everybody_runs(
    what: str, found: dict[str, object], few: bool
) -> None:
    change = change_of({"engine/a.py": patch_of(BRANCHED.format(1, 1), BRANCHED.format(2, 2))}, subject="[ROCm] Use f")
    told = replace(finding(change, "guard_changed", "engine/a.py", "f"), **found)
    assert concerns_few(change, [told]) == few, what


@pytest.mark.parametrize(
    ("kind", "symbol", "level"),
    [
        ("container_changed", "ENTRYPOINT", "high"),
        ("filled_changed", "lanes", "high"),
        ("filled_added", "lanes", "medium"),
        ("gate_opt_out", "--no-lanes", "high"),
        ("gate_default_changed", "ENGINE_LANES", "medium"),
    ],
)
def test_what_everybody_meets_who_sets_nothing_is_graver_than_what_some_do(kind: str, symbol: str, level: str) -> None:
    assert shown(kind, symbol=symbol, before="a", after="b", breaking=True).level == level


def test_a_requirement_of_an_extra_breaks_who_asks_for_the_extra_and_is_low() -> None:
    assert (
        shown("extra_dependency_changed", path="pyproject.toml", symbol="[a] b", before="*", after=">=2").level == "low"
    )
