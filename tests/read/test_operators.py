"""Torch operators and exports: tables of before, after and what must come out."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybreak.findings.languages import operators
from read.pairs import Told, facts_of, mirrored, plain, told_of
from timing import beside

CPP = "csrc/torch_bindings.cpp"


def library(*lines: str, name: str = "_C") -> str:
    return f"TORCH_LIBRARY_EXPAND({name}, ops) {{\n" + "".join(f"  {x}\n" for x in lines) + "}\n"


def op(schema: str) -> str:
    return f'ops.def("{schema}");'


def pybind(*lines: str) -> str:
    return "PYBIND11_MODULE(kit, m) {\n" + "".join(f"  {x}\n" for x in lines) + "}\n"


SILU = "silu(Tensor! out, Tensor x) -> ()"


@pytest.mark.parametrize(
    ("what", "before", "after", "expected"),
    [
        ("an argument without default", op(SILU), op("silu(Tensor! out, Tensor x, int n) -> ()"), [("operator_changed", "silu", SILU, "silu(Tensor! out, Tensor x, int n) -> ()", True)]),
        ("an argument with a default", op(SILU), op("silu(Tensor! out, Tensor x, int n=1) -> ()"), [("operator_changed", "silu", SILU, "silu(Tensor! out, Tensor x, int n=1) -> ()", False)]),
        ("an argument with a default in the middle", op(SILU), op("silu(Tensor! out, int n=1, Tensor x) -> ()"), [("operator_changed", "silu", SILU, "silu(Tensor! out, int n=1, Tensor x) -> ()", True)]),
        ("an argument gone", op(SILU), op("silu(Tensor! out) -> ()"), [("operator_changed", "silu", SILU, "silu(Tensor! out) -> ()", True)]),
        ("an argument renamed", op(SILU), op("silu(Tensor! out, Tensor y) -> ()"), [("operator_changed", "silu", SILU, "silu(Tensor! out, Tensor y) -> ()", False)]),
        ("a default gone", op("s(Tensor x, int n=1) -> ()"), op("s(Tensor x, int n) -> ()"), [("operator_changed", "s", "s(Tensor x, int n=1) -> ()", "s(Tensor x, int n) -> ()", True)]),
        ("arguments in another order", op("s(Tensor x, Tensor y) -> ()"), op("s(Tensor y, Tensor x) -> ()"), [("operator_changed", "s", "s(Tensor x, Tensor y) -> ()", "s(Tensor y, Tensor x) -> ()", True)]),
        ("only marks of aliasing", op(SILU), op("silu(Tensor(a!) out, Tensor x) -> ()"), []),
        ("only a symbolic size", op("s(Tensor x, int n) -> ()"), op("s(Tensor x, SymInt n) -> ()"), []),
        ("only layout", op(SILU), 'ops.def(\n      "silu(Tensor! out, "\n      "Tensor x) -> ()");', []),
        ("an operator gone", op(SILU) + op("go(Tensor x) -> ()"), op("go(Tensor x) -> ()"), [("operator_removed", "silu", SILU, None, True)]),
        ("an operator gone, of which a remark says so", op(SILU) + op("go(Tensor x) -> ()"), "// silu was retired\n" + op("go(Tensor x) -> ()"), [("operator_removed", "silu", SILU, None, True)]),
        ("an operator come", op("go(Tensor x) -> ()"), op(SILU) + op("go(Tensor x) -> ()"), [("operator_added", "silu", None, SILU, False)]),
        ("an operator renamed", op(SILU), op("silu_fast(Tensor! out, Tensor x) -> ()"), [("operator_renamed", "silu", "silu", "silu_fast", True)]),
        ("a word put into the name, and an argument", op("run_moe_scale_wrapper(Tensor x) -> ()"), op("run_moe_scale_out_wrapper(Tensor x, Tensor! out) -> ()"), [("operator_renamed", "run_moe_scale_wrapper", "run_moe_scale_wrapper", "run_moe_scale_out_wrapper", True)]),
        ("a word more on the line that was its", op("swap_rows(Tensor a) -> ()"), op("swap_all_rows(Tensor a) -> ()"), [("operator_renamed", "swap_rows", "swap_rows", "swap_all_rows", True)]),
        ("another operator on the line that was its", op("swap(Tensor a) -> ()"), op("exchange(Tensor a, int n) -> ()"), [("operator_added", "exchange", None, "exchange(Tensor a, int n) -> ()", False), ("operator_removed", "swap", "swap(Tensor a) -> ()", None, True)]),
        ("a private operator", op("_silu(Tensor x) -> ()") + op("go(Tensor x) -> ()"), op("go(Tensor x) -> ()"), [("operator_removed", "_silu", "_silu(Tensor x) -> ()", None, False)]),
        ("a comment", "// " + op(SILU), "// " + op("silu(Tensor x) -> ()"), []),
        ("only the implementation", op(SILU) + '\n  ops.impl("silu", &a);', op(SILU) + '\n  ops.impl("silu", &b);', []),
    ],
)  # fmt: skip
def test_registered_in_cpp(what: str, before: str, after: str, expected: list[Told]) -> None:
    assert told_of(operators, CPP, library(before), library(after)) == expected


@pytest.mark.parametrize(
    ("what", "path", "before", "after", "expected"),
    [
        ("an export", "csrc/a_binding.cu", "TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, Run);\n", "TVM_FFI_DLL_EXPORT_TYPED_FUNC(go, Run);\n", [("operator_added", "go", None, "go", False), ("operator_removed", "run", "run", None, False)]),
        ("a function of a native module", "csrc/apis/gemm.hpp", 'm.def("gemm", &gemm, py::arg("a"), py::arg("b"));\n', 'm.def("gemm", &gemm, py::arg("a"), py::arg("b"), py::arg("n"));\n', [("operator_changed", "gemm", "gemm(a, b)", "gemm(a, b, n)", False)]),
        ("another name, and its function's too", "csrc/apis/gemm.hpp", 'm.def("get_metadata", &get_metadata);\nm.def("bwd", &run_bwd);\n', 'm.def("get_mla_metadata", &get_mla_metadata);\nm.def("backward", &run_bwd);\n', [("operator_renamed", "bwd", "bwd", "backward", False), ("operator_renamed", "get_metadata", "get_metadata", "get_mla_metadata", False)]),
        ("another name with other arguments, and the old one stands for it", "csrc/apis/gemm.hpp", 'm.def("fp8_gemm", &gemm, py::arg("a"), py::arg("rows"));\n', 'm.def("fp8_fp4_gemm", &gemm, py::arg("a"), py::arg("layout"));\nm.attr("fp8_gemm") = m.attr("fp8_fp4_gemm");\n', [("operator_changed", "fp8_gemm", "fp8_gemm(a, rows)", "fp8_fp4_gemm(a, layout)", False), ("operator_renamed", "fp8_gemm", "fp8_gemm", "fp8_fp4_gemm", False)]),
        ("with a default", "csrc/apis/gemm.hpp", 'm.def("gemm", &gemm, py::arg("a"), py::arg("b"));\n', 'm.def("gemm", &gemm, py::arg("a"), py::arg("b"), py::arg("n") = 1);\n', [("operator_changed", "gemm", "gemm(a, b)", "gemm(a, b, n=)", False)]),
        ("another name, and the old one stands for it", "csrc/apis/gemm.hpp", 'm.def("fp8_gemm", &gemm, py::arg("a"), py::arg("b"));\n', 'm.def("fp8_fp4_gemm", &gemm, py::arg("a"), py::arg("b"));\nm.attr("fp8_gemm") = m.attr("fp8_fp4_gemm");\n', [("operator_renamed", "fp8_gemm", "fp8_gemm", "fp8_fp4_gemm", False)]),
        ("a remark that the old one stood for it", "csrc/apis/gemm.hpp", 'm.def("fp8_gemm", &gemm, py::arg("a"), py::arg("b"));\n', 'm.def("fp8_fp4_gemm", &gemm, py::arg("a"), py::arg("b"));\n// m.attr("fp8_gemm") = m.attr("fp8_fp4_gemm") was dropped\n', [("operator_renamed", "fp8_gemm", "fp8_gemm", "fp8_fp4_gemm", False)]),
        ("a private extension", "csrc/flash_api.cpp", pybind('m.def("fwd", &fwd);'), pybind('m.def("bwd", &bwd);'), [("operator_added", "bwd", None, "bwd", False), ("operator_removed", "fwd", "fwd", None, False)]),
        ("a test", "tests/cpp/bind.cpp", library(op(SILU)), library(), []),
    ],
)  # fmt: skip
def test_exports(what: str, path: str, before: str, after: str, expected: list[Told]) -> None:
    assert told_of(operators, path, before, after) == expected


PY = "engine/layers/moe.py"


def direct(name: str, signature: str) -> str:
    return f'def impl({signature}) -> None:\n    pass\n\n\ndirect_register_custom_op(\n    op_name="{name}",\n    op_func=impl,\n)\n'


@pytest.mark.parametrize(
    ("what", "before", "after", "expected"),
    [
        ("an operator of Python gone", direct("moe", "x: int"), "x = 1\n", [("operator_removed", "moe", "moe(x: int)", None, True)]),
        ("its arguments", direct("moe", "x: int"), direct("moe", "x: int, y: int"), [("operator_changed", "moe", "moe(x: int)", "moe(x: int, y: int)", True)]),
        ("its body", direct("moe", "x: int"), direct("moe", "x: int").replace("pass", "return"), []),
        ("a decorator", '@torch.library.custom_op("kit::moe", mutates_args=())\ndef moe(x: int) -> int:\n    return x\n', '@torch.library.custom_op("kit::moe", mutates_args=())\ndef moe(x: int, y: int) -> int:\n    return x\n', [("operator_changed", "moe", "moe(x: int)", "moe(x: int, y: int)", True)]),
        ("a schema in text", 'lib.define("moe(Tensor x) -> Tensor")\n', 'lib.define("moe(Tensor x, int n) -> Tensor")\n', [("operator_changed", "moe", "moe(Tensor x) -> Tensor", "moe(Tensor x, int n) -> Tensor", False)]),
    ],
)  # fmt: skip
def test_registered_in_python(what: str, before: str, after: str, expected: list[Told]) -> None:
    assert told_of(operators, PY, before, after) == expected


def test_an_operator_that_moved_to_another_file_is_not_removed() -> None:
    old, new = library(op(SILU)), library()
    assert facts_of(operators, {CPP: (old, new), "csrc/stable/torch_bindings.cpp": (new, old)}) == []


def test_an_operator_that_moved_and_changed_is_changed() -> None:
    other = library(op("silu(Tensor! out, Tensor x, int n) -> ()"))
    (found,) = facts_of(
        operators, {CPP: (library(op(SILU)), library()), "csrc/b/torch_bindings.cpp": (library(), other)}
    )
    assert (found.kind, found.breaking) == ("operator_changed", True)


def test_an_operator_that_two_files_registered_is_not_removed_with_one_of_them() -> None:
    both = library("#ifndef USE_ROCM", op(SILU), "#endif"), library(op(SILU))
    assert facts_of(operators, {CPP: (library(op(SILU)), library()), "csrc/stable/torch_bindings.cpp": both}) == []


def test_what_two_platforms_say_alike_is_told_once() -> None:
    sides = library(op(SILU), op("go() -> ()")), library(op("go() -> ()"))
    assert len(facts_of(operators, {CPP: sides, "csrc/rocm/torch_bindings.cpp": sides})) == 1


def test_an_operator_that_python_registers_now_is_not_removed() -> None:
    found = facts_of(operators, {CPP: (library(op(SILU)), library()), PY: ("", direct("silu", "x: int"))})
    assert [f.kind for f in found if f.breaking] == []


def test_the_library_s_name_may_be_put_together() -> None:
    name = "CONCAT(TORCH_EXTENSION_NAME, _cache)"
    found = told_of(operators, CPP, library(op(SILU), name=name), library(op("go(Tensor x) -> ()"), name=name))
    assert ("operator_removed", "silu", SILU, None, True) in found


SCHEMAS = st.lists(
    st.sampled_from(["a(Tensor x) -> ()", "a(Tensor x, int n) -> ()", "b(Tensor x, Tensor y) -> Tensor", "c(", "d"]), max_size=4
)  # fmt: skip


@given(SCHEMAS, SCHEMAS)
@settings(max_examples=120, deadline=None)
def test_undoing_a_change_mirrors_its_findings(before: list[str], after: list[str]) -> None:
    old, new = library(*map(op, before)), library(*map(op, after))
    assert mirrored(facts_of(operators, {CPP: (old, new)})) == plain(facts_of(operators, {CPP: (new, old)}))
    assert facts_of(operators, {CPP: (old, old)}) == []


@given(st.text(alphabet='m.def("a(Tensor x)->;\n\\custom_op@:,=', max_size=300))
@settings(max_examples=120, deadline=None)
def test_no_text_makes_the_reader_stumble(text: str) -> None:
    operators.surface(CPP, text)
    operators.surface(PY, text)


@pytest.mark.parametrize(
    "piece", ['m.def("', 'm.def("a",', 'm.def("a("', "custom_op(", 'x.define("', "TORCH_LIBRARY(", "py::arg(", '"']
)
def test_hostile_files_take_linear_time(piece: str) -> None:
    start = time.process_time()
    operators.surface(CPP, piece * (60_000 // len(piece)))
    operators.surface(PY, piece * (60_000 // len(piece)))
    assert time.process_time() - start < beside(2.5)
