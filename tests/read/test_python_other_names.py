"""Python names that go on under another name, another wrapper or another module."""

from __future__ import annotations

import pytest

from read.python_pairs import INNER, Told, compared, one, profile_at
from read.test_python_findings import PACKAGE

STUB = "def {0}(address, count):\n    return launch(address, count, kind=3)\n"


@pytest.mark.parametrize(
    ("folder", "kept", "expected"),
    [
        ("experimental/acme-lang/src/acme/lang", "", True),
        ("experimental/acme-lang/src/acme/lang", "barrier_init = barrier_initialize\n", False),
        ("vllm/v1/core", "", False),
    ],
)
def test_a_name_that_a_package_listed_breaks_when_it_is_renamed_without_an_alias(
    folder: str, kept: str, expected: bool
) -> None:
    old, new = "barrier_init", "barrier_initialize"
    files = {
        f"{folder}/__init__.py": (PACKAGE.format(old), PACKAGE.format(new) + kept),
        f"{folder}/_stub.py": (STUB.format(old), STUB.format(new)),
    }
    assert any(f.breaking for f in compared(files) if f.symbol == old) is expected


MODEL = "class Model(nn.Module):\n    pass\n"


@pytest.mark.parametrize(
    ("what", "before", "after", "expected"),
    [
        ("a decorator goes", f"@wraps_graph(mode=1)\n{MODEL}", MODEL, [("decorator_changed", "Model", "@wraps_graph", None, False)]),
        ("a decorator comes", MODEL, f"@wraps_graph\n{MODEL}", [("decorator_changed", "Model", None, "@wraps_graph", False)]),
        ("the same one reached another way", f"@tools.wraps_graph\n{MODEL}", f"@wraps_graph\n{MODEL}", []),
        ("only who registers it", f"@register_model\n{MODEL}", MODEL, []),
        ("a private class", f"@wraps_graph\n{MODEL}".replace("Model(", "_Model("), MODEL.replace("Model(", "_Model("), []),
    ],
)  # fmt: skip
def test_a_class_that_is_wrapped_otherwise_is_told(what: str, before: str, after: str, expected: list[Told]) -> None:
    assert [f for f in one(INNER, before, after) if f[0] == "decorator_changed"] == expected, what


def test_a_name_that_a_package_took_under_a_condition_is_gone_for_its_importers_when_its_module_lost_it() -> None:
    package, home = "sgl-kernel/python/sgl_kernel/__init__.py", "sgl-kernel/python/sgl_kernel/moe.py"
    takes = "if cuda:\n    from sgl_kernel.other import *\n    from sgl_kernel.moe import (\n        {}add,\n    )\n"
    defined = "def gate(x):\n    return first_of(x) + second_of(x)\n\n\n"
    rest = "def add(x):\n    return x\n"
    files: dict[str, tuple[str | None, str | None]] = {
        package: (takes.format("gate,\n        "), takes.format("")),
        home: (defined + rest, "# gate was retired\n" + rest),
    }
    known = profile_at("python/sglang/api.py")
    (fact,) = (f for f in compared(files, profile=known) if f.symbol == "gate")
    assert (fact.kind, fact.breaking) == ("function_removed", True)


def test_another_default_under_another_name_is_told_of_the_new_name_where_the_rename_is_told_or_not_at_all() -> None:
    before, after = "def run(x, pad: int = PAD):\n    pass\n", "def run(x, null: int = NULL):\n    pass\n"
    assert one("engine/__init__.py", before, after) == [
        ("parameter_renamed", "run(pad)", "pad", "null", True),
        ("parameter_default_changed", "run(null)", "PAD", "NULL", False),
    ]
    assert one("engine/layers/ops/conv.py", before, after) == []
