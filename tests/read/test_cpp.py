"""Headers: tables of before, after and what must come out, no more and no fewer."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybreak.findings import read
from daybreak.findings.languages import checks, cpp
from daybreak.findings.languages.base import Whole
from daybreak.findings.languages.cpp_scan import declarations
from read.pairs import Told, facts_of, file_of, mirrored, plain, told_of
from timing import beside

H = "include/kit/gemm.hpp"


def names(text: str) -> list[str]:
    return [f"{d.kind} {d.name}" for d in declarations(text)]


@pytest.mark.parametrize(
    ("what", "text", "expected"),
    [
        ("a function in namespaces", "namespace a { namespace b {\nvoid run(int x);\n} }", ["function a::b::run"]),
        ("a nested namespace", "namespace a::b { int f() { return g(1); } }", ["function a::b::f"]),
        ("attributes before a function", "KIT_HOST_DEVICE constexpr auto\nmake(A const& a) { return a; }", ["function make"]),
        ("launch bounds of a kernel", "__global__ void __launch_bounds__(256, 2) k(float* x) {}", ["function k"]),
        ("a macro call is no function", "KIT_REGISTER(thing)\nvoid f();", ["function f"]),
        ("macro calls behind each other", "KIT_HAS(thing)\nKIT_HAS(other)\nKIT_HAS(third)\nvoid f();", ["function f"]),
        ("a macro call with a semicolon", "KIT_REGISTER(thing);\nvoid f();", ["function f"]),
        ("a struct and its fields", "struct P { int m; float* x = nullptr; void go(); };", ["type P", "field P::m", "field P::x"]),
        ("a class hides its first members", "class P { int a; public: int b; private: int c; };", ["type P", "field P::b"]),
        ("a template", "template <class T, int N = 1> struct V : B<T> {};", ["type V"]),
        ("a specialisation is no new name", "template <> struct V<int> { int x; };", []),
        ("an alias", "using V4 = V<4>;\ntypedef unsigned int u32;", ["type V4", "type u32"]),
        ("a name brought in", "namespace a { using b::Thing; }", ["type a::Thing"]),
        ("a whole namespace brought in", "using namespace b;", []),
        ("an enum", "enum class Mode : int { kA, kB = 3 };", ["type Mode", "enumerator Mode::kA", "enumerator Mode::kB"]),
        ("a C block", 'extern "C" {\nint run(void);\n}', ["function run"]),
        ("text in comments and strings", '// void a();\n/* void b(); */\nconst char* s = "void c();";\nvoid d();', ["function d"]),
        ("a raw string", 'auto s = R"x(void a(); })x";\nvoid d();', ["function d"]),
        ("digits with a mark", "constexpr int n = 1'000'000;\nvoid d();", ["function d"]),
        ("braces that differ by branch", "#if A\nvoid f() {\n#else\nvoid f() {\n#endif\n  x();\n}\nvoid g();", ["function f", "function g"]),
        ("a body with branches", "void f() {\n#if A\n  if (x) {\n#else\n  if (y) {\n#endif\n  }\n}\nvoid g();", ["function f", "function g"]),
        ("a constructor's initialisers", "struct A { A(int x) : a{x}, b(x) {} int a; };\nvoid g();", ["type A", "field A::a", "function g"]),
        ("a method defined outside", "void A::run(int x) {}\nvoid g();", ["function g"]),
        ("fields behind a method", "struct A { int f() const { return 1; }\n int a; };", ["type A", "field A::a"]),
        ("what stands behind an operator", "inline A operator=(A a) { return a; }\nvoid g();", ["function g"]),
        ("an operator", "bool operator==(A const& a, A const& b);", []),
        ("a default in braces", "void f(Shape s = {1, 2}, int n = 3);", ["function f"]),
        ("a table", "constexpr int t[] = {1, 2, {3}};\nvoid g();", ["function g"]),
        ("a macro with a value", "#define KIT_MAX 8\n#define KIT_GUARD\n", ["macro KIT_MAX"]),
        ("a forward declaration", "template <class T> struct V;", ["type V"]),
        ("an unfinished file", "namespace a {\nstruct B {\n  int x;\n", ["type a::B", "field a::B::x"]),
        ("too many closing braces", "}}}\nvoid f();", ["function f"]),
    ],
)  # fmt: skip
def test_what_a_header_declares(what: str, text: str, expected: list[str]) -> None:
    assert names(text) == expected


LONG = "  int a = first(x); int b = second(a); return third(a, b, x);\n"


@pytest.mark.parametrize(
    ("what", "before", "after", "expected"),
    [
        ("a function removed", "void run(int a);\nvoid go();\n", "void go();\n", [("cpp_removed", "run", "run(int)", None, True)]),
        ("a function added", "void go();\n", "void go();\nvoid run(int a);\n", [("cpp_added", "run", None, "run(int)", False)]),
        ("a new parameter", "void run(int a);\n", "void run(int a, int b);\n", [("cpp_signature_changed", "run", "run(int)", "run(int, int)", True)]),
        ("a new parameter with a default", "void run(int a);\n", "void run(int a, int b = 0);\n", [("cpp_signature_changed", "run", "run(int)", "run(int, int)", False)]),
        ("a parameter gone", "void run(int a, int b);\n", "void run(int a);\n", [("cpp_signature_changed", "run", "run(int, int)", "run(int)", True)]),
        ("a parameter's type", "void run(int a);\n", "void run(int64_t a);\n", [("cpp_signature_changed", "run", "run(int)", "run(int64_t)", False)]),
        ("a parameter's name", "void run(int a);\n", "void run(int count);\n", []),
        ("only layout", "void run(int a, int b);\n", "void run(int a,\n         int b);\n", []),
        ("an overload added", "void run(int a);\n", "void run(int a);\nvoid run(float a);\n", [("cpp_added", "run(float)", None, "run(float)", False)]),
        ("an overload removed", "void run(int a);\nvoid run(int a, int b);\n", "void run(int a);\n", [("cpp_removed", "run(int, int)", "run(int, int)", None, True)]),
        ("an overload removed whose calls another one takes", "void run(int a);\nvoid run(float a);\n", "void run(int a);\n", [("cpp_removed", "run(float)", "run(float)", None, False)]),
        ("an overload in another order", "void run(int a);\nvoid run(A<B,C> a);\n", "void run(A<B, C> a);\nvoid run(int a);\n", []),
        ("a definition that repeats its declaration", "void run(int a, int b = 0);\nvoid run(int a, int b) {}\n", "void run(int a, int b = 0);\n", []),
        ("two overloads for two others", "void run(int a);\nvoid run(B a);\n", "void run(C a, int b);\nvoid run(D a, int b);\n", []),
        ("a macro of two branches in another order", "#if A\n#define KIT_MAX 8\n#else\n#define KIT_MAX 16\n#endif\n", "#if B\n#define KIT_MAX 16\n#else\n#define KIT_MAX 8\n#endif\n", []),
        ("only the body", "int run() { return 1; }\n", "int run() { return 2; }\n", []),
        ("a rename with the same body", f"int run(int x) {{\n{LONG}}}\n", f"int launch(int x) {{\n{LONG}}}\n", [("cpp_renamed", "run", "run", "launch", True)]),
        ("a rename that keeps an alias", "struct Old { int alpha; int beta; float gamma; double d; };\n", "struct New { int alpha; int beta; float gamma; double d; };\nusing Old = New;\n", [("cpp_added", "New", None, "struct New", False)]),
        ("a struct removed", "struct P { int a; };\nvoid go();\n", "void go();\n", [("cpp_removed", "P", "struct P", None, True)]),
        ("a field of a struct that stays", "struct P { int a; int b; };\n", "struct P { int a; float c; };\n", [("cpp_field_changed", "P", "int b", "float c", False)]),
        ("a template argument that must be given", "template <class T> struct V {};\n", "template <class T, int N> struct V {};\n", [("cpp_signature_changed", "V", "template <class T> struct V", "template <class T, int N> struct V", True)]),
        ("a template argument with a default", "template <class T> struct V {};\n", "template <class T, int N = 1> struct V {};\n", [("cpp_signature_changed", "V", "template <class T> struct V", "template <class T, int N = 1> struct V", False)]),
        ("an enumerator removed", "enum class M { kA, kB, kC };\n", "enum class M { kA, kC };\n", [("cpp_removed", "M::kB", "kB", None, True)]),
        ("an enumerator renamed", "enum class M { kA, kB };\n", "enum class M { kA, kBeta };\n", [("cpp_renamed", "M::kB", "M::kB", "M::kBeta", True)]),
        ("a macro's value", "#define KIT_MAX 8\n", "#define KIT_MAX 16\n", [("macro_changed", "KIT_MAX", "8", "16", False)]),
        ("the version", "#define KIT_MAJOR 4\n#define KIT_PATCH 1\n#define KIT_VERSION 401\n#define KIT_VERSION_MINOR 0\n", "#define KIT_MAJOR 5\n#define KIT_PATCH 2\n#define KIT_VERSION 502\n#define KIT_VERSION_MINOR 1\n", []),
        ("a macro removed", "#define KIT_MAX 8\nvoid go();\n", "void go();\n", [("macro_removed", "KIT_MAX", "8", None, False)]),
        ("an include guard", "#ifndef KIT_H\n#define KIT_H 1\n#endif\n", "#pragma once\n", []),
        ("inside detail", "namespace kit::detail { void run(int a); }\nvoid go();\n", "void go();\n", []),
        ("inside no namespace", "namespace { void run(int a); }\nvoid go();\n", "void go();\n", []),
        ("a private member type", "class A { struct B { int x; }; public: int y; };\n", "class A { public: int y; };\n", []),
        ("a comment", "// old\nvoid go();\n", "// new\nvoid go();\n", []),
        ("a specialisation gone", "template <class T> struct V;\ntemplate <> struct V<int> { int x; };\n", "template <class T> struct V;\n", []),
        ("a variadic function", "template <class... T> void run(T... t);\n", "template <class... T> void run(int n, T... t);\n", [("cpp_signature_changed", "run", "run(T...)", "run(int, T...)", True)]),
    ],
)  # fmt: skip
def test_headers(what: str, before: str, after: str, expected: list[Told]) -> None:
    assert told_of(cpp, H, before, after) == expected


@pytest.mark.parametrize(
    "path", ["src/gemm.hpp", "include/kit/detail/gemm.hpp", "csrc/include/a.h", "tests/include/kit/a.h", "3rdparty/x/include/a.h"]
)  # fmt: skip
def test_what_is_not_installed_is_not_read(path: str) -> None:
    assert told_of(cpp, path, "void run(int a);\nvoid go();\n", "void go();\n") == []


def test_a_device_header_changes_with_its_kernels() -> None:
    found = told_of(cpp, "include/kit/decode.cuh", "void run(int a);\n", "void run(int a, int b);\n")
    assert found == [("cpp_signature_changed", "run", "run(int)", "run(int, int)", False)]


def test_a_function_that_moved_to_another_header_is_not_removed() -> None:
    moved = {H: ("void run(int a);\nvoid go();\n", "void go();\n"), "include/kit/other.hpp": ("void x();\n", "void x();\nvoid run(int a);\n")}  # fmt: skip
    assert facts_of(cpp, moved) == []


FIRST, SECOND = "void run(Layout const& a);\n", "void run(Layout const& a, Thread const& b);\n"
OTHER = "void run(Composed<Fn, Bits<B>> const& a);\n"
FLAGGED, PRINT = "include/kit/flagged.hpp", "include/kit/print.hpp"


def test_an_overload_that_only_moved_is_no_partner_of_one_that_went() -> None:
    files = {
        H: ("int x();\n" + FIRST + SECOND, "int x();\n"),
        FLAGGED: (OTHER + "int y();\n", "int y();\n"),
        PRINT: ("int z();\n", "int z();\n" + FIRST + OTHER.replace(", ", ",")),
    }
    (gone,) = facts_of(cpp, files)
    assert (gone.kind, gone.before, gone.after) == ("cpp_removed", "run(Layout const&, Thread const&)", None)
    assert (gone.path, gone.line, gone.breaking) == (H, 3, True)


def test_an_overload_is_called_by_its_types_where_the_name_goes_on_to_stand() -> None:
    space = "namespace kit {{\n{}}}\n".format
    (gone,) = facts_of(cpp, {H: (space(FIRST + SECOND), space(FIRST))})
    assert gone.symbol == "kit::run(Layout const&, Thread const&)"
    many = "".join(f"void run(std::array<int, {n}> a, Thread b);\n" for n in range(12))
    (gone,) = facts_of(cpp, {H: (FIRST + many, FIRST)})
    assert (gone.symbol, gone.breaking) == (H, True)
    assert (gone.before or "").startswith("run(std::array<int, 0>, Thread), run(")


def test_an_overload_that_only_moved_is_no_partner_of_one_that_came() -> None:
    files = {
        H: ("int x();\n" + FIRST, "int x();\n" + FIRST + SECOND),
        FLAGGED: (OTHER + "int y();\n", "int y();\n"),
        PRINT: ("int z();\n", "int z();\n" + OTHER),
    }
    (come,) = facts_of(cpp, files)
    assert (come.kind, come.before, come.after) == ("cpp_added", None, "run(Layout const&, Thread const&)")
    assert (come.path, come.line, come.breaking) == (H, 3, False)


@pytest.mark.parametrize("unread", ["include/kit/detail/run.hpp", "csrc/run.h"])
def test_an_overload_that_moved_where_no_header_is_read_is_not_gone(unread: str) -> None:
    long = "void run(Layout const& a,  // first\n         Thread const& b);\n"
    there = {H: (FIRST + long, FIRST), unread: ("int y();\n", "int y();\n" + long)}
    assert facts_of(cpp, there) == []
    assert facts_of(cpp, {path: (new, old) for path, (old, new) in there.items()}) == []


def test_a_changed_signature_is_told_of_the_overload_that_changed() -> None:
    three = "void run(Layout const& a, int n, Thread const& b);\n"
    files = {H: (FIRST + SECOND, FIRST + three), FLAGGED: (OTHER + "int y();\n", "int z();\n" + OTHER)}
    (found,) = (f for f in facts_of(cpp, files) if f.kind == "cpp_signature_changed")
    assert (found.before, found.after, found.breaking) == (
        "run(Layout const&, Thread const&)",
        "run(Layout const&, int, Thread const&)",
        True,
    )
    assert (found.path, found.line) == (H, 2)


def test_overloads_of_two_headers_are_paired_header_by_header() -> None:
    files = {
        H: ("void run(Params& p, Stream s);\n", "void run(Params& p, bool b, Stream s);\n"),
        PRINT: ("void run(Other& p, int n, Stream s);\n", "void run(Other& p, int n, bool b, Stream s);\n"),
    }
    assert [(f.path, f.before, f.after) for f in facts_of(cpp, files)] == [
        (H, "run(Params&, Stream)", "run(Params&, bool, Stream)"),
        (PRINT, "run(Other&, int, Stream)", "run(Other&, int, bool, Stream)"),
    ]
    come = {H: files[H], PRINT: ("int z();\n", "int z();\n" + OTHER)}
    assert [f.kind for f in facts_of(cpp, come)] == ["cpp_added", "cpp_signature_changed"]


def test_no_overload_is_gone_or_paired_over_files_when_part_of_the_diff_is_missing() -> None:
    assert facts_of(cpp, {H: (FIRST + SECOND, FIRST)}, complete=False) == []
    apart = {H: (FIRST + SECOND, FIRST), FLAGGED: ("int y();\n", "int y();\n" + OTHER)}
    assert facts_of(cpp, apart, complete=False) == []


def test_a_default_of_a_template_that_moved_to_another_header_still_stands() -> None:
    first, full = "template <class T, int N = 1> struct V;\n", "template <class T, int N> struct V { int x; };\n"
    assert facts_of(cpp, {H: (first + full, full), PRINT: ("int z();\n", "int z();\n" + first)}) == []


def test_nothing_is_gone_when_part_of_the_diff_is_missing() -> None:
    assert facts_of(cpp, {H: ("void run(int a);\nvoid go();\n", "void go();\n")}, complete=False) == []


def test_a_header_under_another_name_must_be_included_anew() -> None:
    (found,) = facts_of(cpp, {H: ("void go();\n", "void go();\n")}, old_path="include/kit/old.hpp")
    assert (found.kind, found.before, found.after, found.breaking) == (
        "cpp_renamed",
        "kit/old.hpp",
        "kit/gemm.hpp",
        True,
    )


def test_a_header_full_of_removals_is_one_finding() -> None:
    before = "".join(f"void run_{n}(int a);\n" for n in range(12))
    (found,) = facts_of(cpp, {H: (before + "void go();\n", "void go();\n")})
    assert (found.kind, found.symbol, found.breaking) == ("cpp_removed", H, True)
    assert "(12)" in (found.before or "")


CU = "csrc/kernel.cu"


@pytest.mark.parametrize(
    ("what", "before", "after", "expected"),
    [
        ("a limit", 'TORCH_CHECK(head_dim <= 128, "too big");\n', 'TORCH_CHECK(head_dim <= 256, "too big");\n', [("check_widened", "TORCH_CHECK", "head_dim <= 128", "head_dim <= 256", False)]),
        ("a lower limit", 'TORCH_CHECK(dim <= 256 && ok, "no");\n', 'TORCH_CHECK(dim <= 128 && ok, "no");\n', [("check_narrowed", "TORCH_CHECK", "dim <= 256 && ok", "dim <= 128 && ok", False)]),
        ("only the message", 'TORCH_CHECK(head_dim <= 128, "a");\n', 'TORCH_CHECK(head_dim <= 128, "b");\n', []),
        ("a new check", "int x;\n", 'FLASHINFER_CHECK(head_dim % 8 == 0, "a, b");\nint x;\n', [("check_added", "FLASHINFER_CHECK", None, "head_dim % 8 == 0", False)]),
        ("a check gone", "static_assert(kStages > 1);\nint x;\n", "int x;\n", [("check_removed", "static_assert", "kStages > 1", None, False)]),
        ("a comparing check", "TVM_FFI_ICHECK_EQ(x.ndim(), 2) << m;\n", "TVM_FFI_ICHECK_EQ(x.ndim(), 3) << m;\n", [("check_changed", "TVM_FFI_ICHECK_EQ", "x.ndim() == 2", "x.ndim() == 3", False)]),
        ("over several lines", 'TORCH_CHECK(\n    dim == 64 ||\n        dim == 128,\n    "no");\n', 'TORCH_CHECK(\n    dim == 64 ||\n        dim == 128 || dim == 256,\n    "no");\n', [("check_widened", "TORCH_CHECK", "dim == 64 || dim == 128", "dim == 64 || dim == 128 || dim == 256", False)]),
        ("templates in the condition", 'static_assert(is_same_v<A, B>, "x");\n', 'static_assert(is_same_v<A, C>, "x");\n', [("check_changed", "static_assert", "is_same_v<A, B>", "is_same_v<A, C>", False)]),
        ("moved within the file", "static_assert(kA > 1);\nint x;\n", "int x;\nstatic_assert(kA > 1);\n", []),
        ("in a comment", "// TORCH_CHECK(a > 1);\n", "// TORCH_CHECK(a > 2);\n", []),
        ("of a new kernel", "int x;\n", "template <int kN>\nvoid run(int n) {\n  static_assert(kN > 0);\n  TORCH_CHECK(n > 0);\n}\nint x;\n", []),
        ("names of another namespace", "TORCH_CHECK(t == at::kHalf || t == at::kFloat);\n", "STD_TORCH_CHECK(t == torch::headeronly::Half || t == torch::headeronly::Float);\n", []),
        ("a parameter of the same commit", "void f(Tensor a) {\n  run(a);\n}\n", "void f(Tensor a, optional<Tensor> scales) {\n  TORCH_CHECK(scales.has_value());\n  run(a);\n}\n", []),
        ("beside a template parameter of the same commit", "template <int kN>\nvoid f() {\n  run();\n}\n", "template <int kN, int kTile>\nvoid f() {\n  static_assert(kN % kTile == 0);\n  run();\n}\n", []),
        ("a comparing check written out, in parentheses", "TORCH_CHECK_LE(size, most);\n", "STD_TORCH_CHECK((size) <= (most));\n", []),
        ("who was let in leaves before", "void f() {\n  TORCH_CHECK(d.packed != 0 || d.ids != 0);\n}\n", "void f() {\n  if (d.ids != 0) {\n    other(d);\n    return;\n  }\n  TORCH_CHECK(d.packed != 0);\n}\n", []),
        ("who was let in goes on", "void f() {\n  TORCH_CHECK(d.packed != 0 || d.ids != 0);\n}\n", "void f() {\n  if (d.ids != 0) {\n    other(d);\n  }\n  TORCH_CHECK(d.packed != 0);\n}\n", [("check_narrowed", "TORCH_CHECK", "d.packed != 0 || d.ids != 0", "d.packed != 0", False)]),
        ("parts in another order", "TORCH_CHECK(a > 1 && b > 1);\n", "TORCH_CHECK(b > 1 && a > 1);\n", []),
    ],
)  # fmt: skip
def test_checks(what: str, before: str, after: str, expected: list[Told]) -> None:
    file = file_of(CU, before, after)
    found = checks.facts(file, Whole([file], complete=True))
    assert [(f.kind, f.symbol, f.before, f.after, f.breaking) for f in found] == expected


def test_checks_that_change_places_in_a_file_are_no_other_checks() -> None:
    kept = "int a;\nint b;\nint c;\n" * 4
    for one, two in (("is_near<T>::value", "is_far<T>::value"), ("N % 32 == 0", "N % 16 == 0"), ("N <= 32", "N <= 16")):
        held, other = (f'static_assert({asked}, "no");\n' for asked in (one, two))
        found = read({CU: f"{held}{kept}{other}"}, {CU: f"{other}{kept}{held}"})
        assert [f.kind for f in found if f.kind.startswith("check")] == []


PIECES = st.lists(
    st.sampled_from(
        [
            "namespace a {", "}", "struct P { int x; };", "template <class T> struct V {};", "void run(int a);", ";",
            "void run(int a, int b = 2);", "enum E { kA, kB };", "#if X", "#else", "#endif", "#define K_A 1", "using Q = P;",
            "class C { public: int z; };", "int f() { return 1; }", '"', "'", "/*", 'R"(', "(", "<", "template <", "\\",
        ]
    ),
    max_size=25,
)  # fmt: skip


@given(PIECES)
@settings(max_examples=120, deadline=None)
def test_a_header_compared_with_itself_gives_nothing(pieces: list[str]) -> None:
    text = "\n".join(pieces)
    assert facts_of(cpp, {H: ("// a\n" + text, "// a\n" + text)}) == []
    assert not list(cpp.compare([], Whole([], complete=True)))


@given(PIECES, PIECES)
@settings(max_examples=120, deadline=None)
def test_undoing_a_change_mirrors_its_findings(before: list[str], after: list[str]) -> None:
    old, new = "\n".join(before), "\n".join(after)
    kinds = ("cpp_signature_changed", "macro_changed", "cpp_field_changed", "cpp_renamed")
    there = [f for f in facts_of(cpp, {H: (old, new)}) if f.kind in kinds]
    back = [f for f in facts_of(cpp, {H: (new, old)}) if f.kind in kinds]
    assert mirrored(there) == plain(back)


@given(st.text(alphabet="{}();<>#\"'/*\\\n ab:,=template struct", max_size=400))
@settings(max_examples=150, deadline=None)
def test_no_text_makes_the_scanner_stumble(text: str) -> None:
    cpp.surface(H, text)


@pytest.mark.parametrize(
    "piece", ["{", "}", "(", "a{}", "struct a {", "template <", "#if 1\n", "class a{public:", "/*", '"', 'R"(', "a<", "x(", "alignas(", "[[", "using a", "AB(x) ", "AB(x) " * 600 + ";", "typedef a ", "enum a{", ",", "#define a \\\n"]
)  # fmt: skip
def test_hostile_headers_take_linear_time(piece: str) -> None:
    start = time.process_time()
    cpp.surface(H, piece * (120_000 // len(piece)))
    assert time.process_time() - start < beside(2.5)
