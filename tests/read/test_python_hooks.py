"""What plug-ins implement and replace: hooks that are asked of them, options that they are passed, bases that they register with."""

from __future__ import annotations

import pytest

from daybreak.findings import read
from read.python_pairs import INNER, compared, one
from read.test_python_members import point


def test_a_base_of_classes_that_register_with_its_own_base_is_told_too() -> None:
    text = 'class Linear({0}):\n    pass\n\n\n@{0}.register("row")\nclass Row(Linear):\n    pass\n'
    pair = ({"engine/layers/linear.py": text.format(base)} for base in ("Op", "Layer"))
    found = [(f.kind, f.symbol, f.before, f.breaking) for f in read(*pair)]
    assert found == [("base_removed", "Linear", "Op", True)]


def test_a_class_that_registers_with_another_base_is_told_to_plug_ins_that_replace_it() -> None:
    path, text = "engine/layers/moe.py", '@{0}.register("moe")\nclass Moe({0}):\n    def forward(self):\n        pass\n'
    assert one(path, text.format("CustomOp"), text.format("Layer")) == [("base_removed", "Moe", "CustomOp", None, True)]
    plain = "class Moe({}):\n    def forward(self):\n        pass\n"
    assert one(path, plain.format("CustomOp"), plain.format("Layer")) == []
    other = '@Registry.register("moe")\n' + plain
    assert one(path, other.format("Mixin, Layer"), other.format("Layer")) == []


BASE = (
    "class QuantBackend(ABC):\n    @classmethod\n    def override(cls, config{}):\n        raise NotImplementedError\n"
)


@pytest.mark.parametrize(
    ("call", "breaks"),
    [
        ("kind = backend.override(config, model=model)", True),
        ("kind = backend.override(\n    config,\n    model=model,\n)", True),
        ("kind = backend.override(config)", False),
        ("kind = super().override(config, model=model)", False),
        ("kind = backend.overrides(config, model=model)", False),
    ],
)
def test_an_option_of_an_extension_method_breaks_implementers_where_the_project_passes_it(
    call: str, breaks: bool
) -> None:
    sides = (("", "kind = backend.override(config, 1)"), (", model=None", call))
    found = read(
        *({"engine/quant/base.py": BASE.format(option), "engine/run.py": f"{line}\n"} for option, line in sides)
    )
    assert [(f.kind, f.breaking) for f in found] == [("extension_method_changed", breaks)]


@pytest.mark.parametrize(("calls", "asked"), [("    current.seed_all(1)\n", True), ("    torch.seed(1)\n", False)])
def test_a_hook_that_only_raises_must_be_written_where_the_project_itself_calls_it(calls: str, asked: bool) -> None:
    raising = "    @classmethod\n    def seed_all(cls, seed):\n        raise NotImplementedError\n"
    run = "def run(seed):\n{}    return seed\n"
    base = "engine/v1/worker/worker_base.py"
    found = compared({base: (point(""), point(raising)), INNER: (run.format(""), run.format(calls))})
    assert [fact.breaking for fact in found if fact.kind == "extension_method_added"] == [asked]


@pytest.mark.parametrize(
    ("mark", "inner"), [("@register_matching\n", True), ("@templates.register('a')\n", True), ("@cache\n", False)]
)
def test_a_function_that_a_decorator_registers_and_nobody_imports_is_the_projects_own(mark: str, inner: bool) -> None:
    found = compared({INNER: (f"{mark}def match_it(path):\n    return 'it'\n", "X = 1\n")})
    assert [(fact.symbol, fact.inner) for fact in found if fact.kind == "function_removed"] == [("match_it", inner)]


MADE = "class Base(QuantizationConfig):\n    pass\n\n\nclass %s:\n    def __init__(self, %s):\n        self.a = 1\n"


@pytest.mark.parametrize(
    ("head", "before", "after", "told"),
    [
        ("FourConfig(Base)", "serialized: bool, left_out: list", "method: str = 'x', serialized: bool = False, left_out: list = ()", True),
        ("FourConfig(Base)", "serialized: bool, left_out: list", "serialized: bool, left_out: list, method: str = 'x'", False),
        ("FourConfig(Base)", "serialized: bool", "serialized: bool, *, method: str = 'x'", False),
        ("FourConfig(Other)", "serialized: bool", "method: str = 'x', serialized: bool = False", False),
        ("_FourConfig(Base)", "serialized: bool", "method: str = 'x', serialized: bool = False", False),
    ],
)  # fmt: skip
def test_an_option_before_the_others_of_a_constructor_is_told_of_what_plug_ins_derive_from(
    head: str, before: str, after: str, told: bool
) -> None:
    path = "vllm/model_executor/layers/quantization/four.py"
    found = read({path: MADE % (head, before)}, {path: MADE % (head, after)}, project="vllm-project/vllm")
    assert [f.symbol for f in found if f.kind == "internal_parameter_moved"] == (
        ["FourConfig.__init__"] if told else []
    )


SETTINGS = """import warnings
from pydantic import BaseModel, field_validator


class HTTPOptions(BaseModel):
    middlewares: list = []

    {mark}
    @classmethod
    def {name}(cls, v):
        if v:
            {does}
        return v
"""
MARK = '@field_validator("middlewares")'
WARNS = 'warnings.warn("Passing `middlewares` is deprecated and goes in a later version.")'
RAISES = 'raise ValueError("`middlewares` has been removed. Use an ingress of your own instead.")'


@pytest.mark.parametrize("renamed", ["warn_for_middlewares", "raise_for_middlewares"])
def test_a_validator_that_refuses_what_it_warned_of_names_the_field_and_is_no_function_that_went(renamed: str) -> None:
    """Nobody calls it by its name; whoever sets the field is turned away from now on."""
    old = SETTINGS.format(mark=MARK, name="warn_for_middlewares", does=WARNS)
    new = SETTINGS.format(mark=MARK, name=renamed, does=RAISES)
    found = [(f.kind, f.breaking) for f in read({"engine/config.py": old}, {"engine/config.py": new})]
    assert found == [("guard_added", True)]
    (told,) = read({"engine/config.py": old}, {"engine/config.py": new})
    assert (told.after or "").startswith("if middlewares: raise ValueError")


@pytest.mark.parametrize(
    "mark", ["@pytest.fixture", "@hookimpl(tryfirst=True)", "@model_validator(mode='after')", "@size.setter"]
)
def test_what_a_library_calls_by_its_decorator_is_no_callable_that_goes(mark: str) -> None:
    text = f"class Rows:\n    def size(self):\n        return 1\n\n    {mark}\n    def check(self, value):\n        self.rows = value\n"
    kept = text.partition(f"\n    {mark}")[0] + "\n"
    assert list(read({"engine/rows.py": text}, {"engine/rows.py": kept})) == []
