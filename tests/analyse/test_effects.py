"""A finding as a reason: what is done to which name, with what it was and is."""

from __future__ import annotations

import pytest

from daybreak.core.model.findings import Finding
from daybreak.findings.kinds import kinds
from daybreak.judge.breaking import LONGEST_VALUE, said_by

FORTY = "3b2e6f48ce97e1d494e8b3f1af5c65f74e304b28"


def said(kind: str, symbol: str = "name", before: str | None = None, after: str | None = None) -> tuple[str, str]:
    reason = said_by(Finding("abc/1", kind, "pkg/a.py", 3, symbol, before, after))
    assert reason.code == kind
    return reason.text["zh"], reason.text["en"]


ROWS = [
    ("function_renamed", "f", "f", "g", "函数 `f` 更名为 `g`", "renames function `f` to `g`"),
    ("function_renamed", "f", "pkg.a.f", "pkg.b.g", "函数 `f` 更名为 `g`", "renames function `f` to `g`"),
    ("extension_method_renamed", "A.f", "A.f", "A.g", "扩展点方法 `A.f` 更名为 `A.g`", "renames extension method `A.f` to `A.g`"),
    ("parameter_renamed", "f(x)", "x", "y", "参数 `f(x)` 更名为 `y`", "renames parameter `f(x)` to `y`"),
    ("class_moved", "A", "pkg.a.A", "pkg.b.A", "类 `A` 移至 `pkg.b`", "moves class `A` to `pkg.b`"),
    ("cli_default_changed", "--n", "1", "2", "命令行参数 `--n` 的默认值：`1` → `2`", "changes the default of CLI flag `--n` from `1` to `2`"),
    ("dependency_changed", "torch", "==2.11.0", "==2.13.0", "依赖 `torch`：`==2.11.0` → `==2.13.0`", "requires `torch` `==2.13.0` instead of `==2.11.0`"),
    ("pin_changed", "NCCL", "2.1", "2.2", "`NCCL` 的版本：`2.1` → `2.2`", "pins `NCCL` to `2.2` instead of `2.1`"),
    ("python_required_changed", "x", ">=3.9", ">=3.10", "所需 Python 版本：`>=3.9` → `>=3.10`", "requires Python `>=3.10` instead of `>=3.9`"),
    ("exception_changed", "KeyError", "ValueError", "KeyError", "改抛 `KeyError`（此前为 `ValueError`）", "raises `KeyError` instead of `ValueError`"),
    ("function_removed", "f", "def f()", None, "删除函数 `f`", "removes function `f`"),
    ("macro_changed", "M", "1", "2", "宏 `M` 变更", "changes macro `M`"),
    ("route_added", "/v1/x", None, "GET", "新增 HTTP 路由 `/v1/x`", "adds route `/v1/x`"),
    ("route_removed", "/v1/x", "GET", None, "删除 HTTP 路由 `/v1/x`", "removes route `/v1/x`"),
    ("cpp_removed", "f", "void f()", None, "删除 C++ 符号 `f`", "removes C++ symbol `f`"),
    ("cpp_signature_changed", "f", "f(a)", "f(b)", "C++ 符号 `f` 签名变更", "changes the signature of C++ symbol `f`"),
    ("extension_method_added", "A.f", None, "def f()", "新增扩展点方法 `A.f`", "adds extension method `A.f`"),
    ("extension_method_changed", "A.f", "f()", "f(x)", "扩展点方法 `A.f` 签名变更", "changes the signature of extension method `A.f`"),
    ("waiting_note_added", "a.py", None, "TODO: x", "在 `a.py` 中留有 TODO", "leaves a note for later in `a.py`"),
    ("only_comments", "", None, None, "源码只改动注释", "of the source only comments"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "symbol", "before", "after", "zh", "en"), ROWS)
def test_a_reason_names_old_and_new(kind: str, symbol: str, before: str, after: str, zh: str, en: str) -> None:
    assert said(kind, symbol, before, after) == (zh, en)


@pytest.mark.parametrize(
    ("before", "after"),
    [(None, "2"), ("1", None), ("1", "1"), ("", "2"), (FORTY, FORTY[::-1]), ("1", "x" * (LONGEST_VALUE + 1)), ("1", "https://a/b")],
)  # fmt: skip
def test_a_value_that_tells_nothing_is_left_out(before: str | None, after: str | None) -> None:
    assert said("dependency_changed", "torch", before, after) == (
        "依赖 `torch` 的版本变更",
        "requires another version of `torch`",
    )


def test_a_long_number_is_no_id_of_a_commit() -> None:
    assert said("env_default_changed", "SIZE", "8388608", "16777216")[1].endswith("from `8388608` to `16777216`")


def test_names_that_moved_together_are_not_told_as_one() -> None:
    assert said("module_moved", "pkg.a (9 names)", "pkg.a", "pkg.b")[1] == "moves module `pkg.a (9 names)`"


OPERATORS = [
    (
        "op(Tensor q, Tensor seq_lens, int n) -> ()",
        "op(Tensor q, int n, Tensor? seq_starts=None) -> ()",
        "算子 `op` 签名变更：删除参数 `seq_lens`，新增参数 `seq_starts`",
        "changes the signature of operator `op`: loses `seq_lens`, gains `seq_starts`",
    ),
    (
        "op(q: torch.Tensor, k: dict[str, int])",
        "op(q: torch.Tensor, k: dict[str, int], gated: bool = False)",
        "算子 `op` 签名变更：新增参数 `gated`",
        "changes the signature of operator `op`: gains `gated`",
    ),
    (
        "op(const torch::Tensor& a, at::Tensor *b)",
        "op(const torch::Tensor& a)",
        "算子 `op` 签名变更：删除参数 `b`",
        "changes the signature of operator `op`: loses `b`",
    ),
    (
        "op(unsigned int n, const float *x, struct Page p)",
        "op(unsigned int n, const float *x, struct Page p, long h_t)",
        "算子 `op` 签名变更：新增参数 `h_t`",
        "changes the signature of operator `op`: gains `h_t`",
    ),
]
WORDLESS = [
    ("another type", "op(Tensor q)", "op(int q)"),
    ("types without names", "op(Tensor, int)", "op(Tensor)"),
    ("a C++ type of two words without a name", "op(unsigned int)", "op(unsigned long)"),
    ("a qualified C++ type without a name", "op(const Tensor)", "op(const Scalar)"),
    ("a C++ type qualified behind it", "op(Tensor const)", "op(Tensor volatile)"),
    ("cut off", "op(Tensor q, Tensor k", "op(Tensor q)"),
    ("not known", None, "op(Tensor q)"),
]


@pytest.mark.parametrize(("before", "after", "zh", "en"), OPERATORS)
def test_an_operator_says_which_parameters_went_and_came(before: str, after: str, zh: str, en: str) -> None:
    assert said("operator_changed", "op", before, after) == (zh, en)


@pytest.mark.parametrize(("before", "after"), [row[1:] for row in WORDLESS], ids=[row[0] for row in WORDLESS])
def test_an_operator_whose_parameters_are_not_known_is_only_told_as_changed(before: str | None, after: str) -> None:
    assert said("operator_changed", "op", before, after) == (
        "算子 `op` 签名变更",
        "changes the signature of operator `op`",
    )


@pytest.mark.parametrize("kind", sorted(kinds()))
def test_each_kind_says_more_than_that_something_changed(kind: str) -> None:
    assert said(kind)[1] != "changes `name`"


@pytest.mark.parametrize("values", [(None, None), ("old", "new"), ("{a}", "{name}{b}")])
def test_a_reason_is_whole(values: tuple[str | None, str | None]) -> None:
    for text in (text for kind in kinds() for text in said(kind, "name", *values)):
        outside = "".join(text.split("`")[::2])
        assert "{" not in outside
        assert text.count("`") % 2 == 0
