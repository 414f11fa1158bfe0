from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daybreak.core.projects import shown
from timing import cpu
from uses.reading import read, short

CASES = {
    "included headers": (
        '#include <cutlass/gemm/device/gemm.h>\n#  include "flashinfer/attention/prefill.cuh"\n#include <vector>\n',
        ["include cutlass/gemm/device/gemm.h@1", "include flashinfer/attention/prefill.cuh@2"],
    ),
    "qualified names": (
        "using G = cutlass::gemm::device::Gemm<float>;\nauto x = ::cute::make_layout(1);\n",
        ["symbol cutlass::gemm::device::Gemm@1", "symbol cute::make_layout@2"],
    ),
    "behind a namespace alias": ("namespace cg = cutlass::gemm;\ncg::device::Gemm g;\n", ["symbol cutlass::gemm@1", "symbol cutlass::gemm::device::Gemm@2"]),
    "a whole namespace": ("using namespace cute;\n", ["symbol cute@1"]),
    "macros": ("CUTLASS_CHECK(x);\n", ["symbol CUTLASS_CHECK@1"]),
    # what is not ours
    "a comment": ("// cutlass::gemm::X\n/* CUTLASS_CHECK\n cute::y */\nint z;\n", []),
    "a string": ('auto s = "cutlass::gemm::X CUTLASS_CHECK";\nauto r = R"(cute::y)";\n', []),
    "inside another namespace": ("ours::cutlass::X x; mycutlass::Y y;\n", []),
    "another header": ('#include "ours/cutlass/x.h"\n', []),
    "another macro": ("MY_CUTLASS_CHECK(x);\n", []),
    "names in capitals, where a header is included": (
        "#include <flashinfer/a.cuh>\n#define MY_SIZE 2\nint a = FI_MAX_PAGES + MY_SIZE + x.NOT_THIS; // NOT_THAT\nFI_CHECK(b);\n",
        ["include flashinfer/a.cuh@1", "symbol FI_MAX_PAGES@3", "symbol FI_CHECK@4"],
    ),
    "names in capitals, where none is": (
        "#include <other/a.h>\nint a = FI_MAX_PAGES + flashinfer::b;\n", ["symbol flashinfer::b@2"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_cpp(case: str) -> None:
    text, expected = CASES[case]
    assert short("x.cu", text) == expected


PIECES = st.sampled_from(
    ["cutlass", "::", "gemm", "<", ">", " ", "\n", "//", "/*", "*/", '"', "'", 'R"x(', ')x"', "#include <cutlass/x.h>", "namespace a = cute::b;", "a::c", "CUTLASS_X",
     "using namespace cute;", "\\"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=300))
def test_any_text_is_read_and_a_use_stands_on_its_line(text: str) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for use in read("x.cuh", text):
        assert use.text == shown(lines[use.line - 1])


@pytest.mark.parametrize(
    "piece",
    ["/*", '"', "'", 'R"(', 'R"a(', "cute::", "namespace a = cute", "//", "CUTLASS_", "#include <", "cute ", "::"],
)
def test_time_grows_with_the_text_and_no_faster(piece: str) -> None:
    def cost(count: int) -> float:
        return cpu(lambda: read("x.h", "cute::x " + piece * count))

    cost(100)
    small, large = cost(300), cost(4_800)
    assert large < 0.3 or large < 60 * max(small, 0.002)
