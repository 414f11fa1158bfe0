"""Architectures: lists before, after, and what must come out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daybreak.findings.languages import arch
from read.pairs import facts_of, mirrored, plain

CMAKE = "CMakeLists.txt"
BRANCHES = """if(DEFINED CMAKE_CUDA_COMPILER_VERSION AND
   CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13.0)
  set(CUDA_SUPPORTED_ARCHS "7.5;8.0;9.0;10.0")
elseif(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8)
  set(CUDA_SUPPORTED_ARCHS "7.0;7.5;8.0;9.0")
else()
  set(CUDA_SUPPORTED_ARCHS "7.0;8.0")
endif()
"""
Told = list[tuple[str, str, bool]]

MOE = (
    "class Wrapper:\n    @supported_compute_capability([{}])\n    def __init__(self):\n        pass\n"
    "@supported_compute_capability([{}])\ndef _check(x):\n    pass\n"
)


@pytest.mark.parametrize(
    ("what", "path", "before", "after", "expected"),
    [
        ("a new one", CMAKE, 'set(CUDA_SUPPORTED_ARCHS "8.0;9.0")\n', 'set(CUDA_SUPPORTED_ARCHS "8.0;9.0;12.0")\n', [("arch_added", "sm_120", False)]),
        ("one the project gives up", CMAKE, 'set(CUDA_SUPPORTED_ARCHS "7.0;8.0")\n', 'set(CUDA_SUPPORTED_ARCHS "8.0")\n', [("arch_removed", "sm_70", True)]),
        ("one a kernel gives up", CMAKE, 'cuda_archs_loose_intersection(MLA_ARCHS "9.0a;10.0a" "${CUDA_ARCHS}")\n', 'cuda_archs_loose_intersection(MLA_ARCHS "9.0a" "${CUDA_ARCHS}")\n', [("arch_removed", "sm_100a", False)]),
        ("one a kernel gives up and another takes", CMAKE, 'set(MLA_ARCHS "9.0a;12.0f")\nset(GEMM_ARCHS "9.0a")\n', 'set(MLA_ARCHS "9.0a")\nset(GEMM_ARCHS "9.0a;12.0a")\n', [("arch_list_changed", "GEMM_ARCHS", False), ("arch_list_changed", "MLA_ARCHS", False)]),
        ("one a kernel gives up and another keeps", CMAKE, 'set(MLA_ARCHS "9.0;12.0")\nset(GEMM_ARCHS "12.0")\n', 'set(MLA_ARCHS "9.0")\nset(GEMM_ARCHS "12.0")\n', [("arch_list_changed", "MLA_ARCHS", False)]),
        ("one the project gives up though a kernel names it", CMAKE, 'set(CUDA_SUPPORTED_ARCHS "7.0;8.0")\nset(M_ARCHS "7.0")\n', 'set(CUDA_SUPPORTED_ARCHS "8.0")\nset(M_ARCHS "7.0")\n', [("arch_removed", "sm_70", True)]),
        ("several at once", CMAKE, 'set(A_ARCHS "9.0")\n', 'set(A_ARCHS "9.0;10.0;12.0")\n', [("arch_added", "sm_100, sm_120", False)]),
        ("in a remark", CMAKE, 'set(A_ARCHS "9.0")\n', '# such as -gencode arch=compute_20,code=sm_20\nset(A_ARCHS "9.0")\n', []),
        ("AMD", CMAKE, 'set(HIP_SUPPORTED_ARCHS "gfx90a;gfx942")\n', 'set(HIP_SUPPORTED_ARCHS "gfx90a;gfx942;gfx950")\n', [("arch_added", "gfx950", False)]),
        ("one branch of several", CMAKE, BRANCHES, BRANCHES.replace("7.0;7.5;8.0;9.0", "7.5;8.0;9.0"), [("arch_removed", "sm_70 (CMAKE_CUDA_COMPILER_VERSION >= 12.8)", True)]),
        ("code for the first of a generation is there", CMAKE, 'set(CUDA_SUPPORTED_ARCHS "12.0;12.1")\n', 'set(CUDA_SUPPORTED_ARCHS "12.0")\n', []),
        ("another order", CMAKE, 'set(CUDA_SUPPORTED_ARCHS "8.0;9.0")\n', 'set(CUDA_SUPPORTED_ARCHS "9.0;8.0")\n', []),
        ("still in another branch", CMAKE, 'set(CUDA_SUPPORTED_ARCHS "7.0;8.0")\nset(CUDA_SUPPORTED_ARCHS "7.0")\n', 'set(CUDA_SUPPORTED_ARCHS "8.0")\nset(CUDA_SUPPORTED_ARCHS "7.0")\n', []),
        ("the same chip, another flavour", CMAKE, 'set(M_ARCHS "9.0;10.0")\n', 'set(M_ARCHS "9.0a;10.0f")\n', []),
        ("a list of its own is new", CMAKE, "x()\n", 'set(M_ARCHS "9.0;10.0")\n', []),
        ("compiler flags", "setup.py", 'f = ["-gencode=arch=compute_90,code=sm_90"]\n', 'f = ["-gencode=arch=compute_90,code=sm_90", "-gencode=arch=compute_100,code=sm_100"]\n', [("arch_added", "sm_100", False)]),
        ("a decorator", "kit/moe.py", "@supported_compute_capability([90])\ndef run(x):\n    pass\n", "@supported_compute_capability([90, 100])\ndef run(x):\n    pass\n", [("arch_added", "sm_100", False)]),
        ("two decorators", "kit/moe.py", "@supported_compute_capability([90])\ndef a():\n    pass\n@supported_compute_capability([90, 100])\ndef b():\n    pass\n", "@supported_compute_capability([90, 100])\ndef a():\n    pass\n@supported_compute_capability([90, 100])\ndef b():\n    pass\n", [("arch_list_changed", "a", False)]),
        ("a function that users call gives one up", "kit/moe.py", MOE.format("90, 100", "90, 100"), MOE.format("90", "90, 100"), [("arch_list_narrowed", "Wrapper", True)]),
        ("a helper gives one up", "kit/moe.py", MOE.format("90, 100", "90, 100"), MOE.format("90, 100", "90"), [("arch_list_changed", "_check", False)]),
        ("a function takes one for another", "kit/moe.py", MOE.format("90, 100", "90, 100, 120"), MOE.format("90, 120", "90, 100, 120"), [("arch_list_changed", "Wrapper", False)]),
        ("a list by name", "kit/topk.py", "_TOPK_SUPPORTED_CC = [90, 100]\n", "_TOPK_SUPPORTED_CC = [\n    90,\n    100,\n    120,\n]\n", [("arch_added", "sm_120", False)]),
        ("major versions", "kit/jit.py", "f(supported_major_versions=[9, 10])\n", "f(supported_major_versions=[9, 10, 12])\n", [("arch_added", "sm_12x", False)]),
        ("a Dockerfile", "docker/Dockerfile", "ARG TORCH_CUDA_ARCH_LIST='8.0 9.0'\n", "ARG TORCH_CUDA_ARCH_LIST='8.0 9.0 12.0'\n", [("arch_added", "sm_120", False)]),
        ("a version is no architecture", "docker/Dockerfile", "ARG CUDA_VERSION=12.8\n", "ARG CUDA_VERSION=13.0\n", []),
        ("a number in code", "kit/jit.py", "x = 9.0\n", "x = 10.0\n", []),
        ("a test", "tests/test_a.py", "f(supported_major_versions=[9])\n", "f(supported_major_versions=[9, 10])\n", []),
    ],
)  # fmt: skip
def test_lists(what: str, path: str, before: str, after: str, expected: Told) -> None:
    found = facts_of(arch, {path: (before, after)})
    assert [(f.kind, f.symbol, f.breaking) for f in found] == expected


def test_before_and_after_are_the_lists() -> None:
    (found,) = facts_of(arch, {CMAKE: ('set(A_ARCHS "9.0")\n', 'set(A_ARCHS "9.0;10.0")\n')})
    assert (found.before, found.after) == ("A_ARCHS=sm_90", "A_ARCHS=sm_90;sm_100")


LISTS = st.lists(st.sampled_from(["7.0", "8.0", "9.0a", "9.0", "10.0", "gfx942", "x"]), max_size=5)


@given(LISTS, LISTS)
def test_undoing_a_change_mirrors_its_findings(before: list[str], after: list[str]) -> None:
    old, new = (f'set(A_ARCHS "{";".join(x)}")\n' for x in (before, after))
    assert mirrored(facts_of(arch, {CMAKE: (old, new)})) == plain(facts_of(arch, {CMAKE: (new, old)}))
    assert facts_of(arch, {CMAKE: (old, old)}) == []


@given(st.text(alphabet='set(A_ARCHS "9.0;gfx)[]@supported_sm=\n', max_size=300))
def test_no_text_makes_the_reader_stumble(text: str) -> None:
    arch.surface(CMAKE, text)
    arch.surface("a.py", text)
