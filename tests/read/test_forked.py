"""What plug-ins and forks of a known application meet, though it is nobody's interface and no other file had to follow."""

from __future__ import annotations

import pytest

from daybreak.findings import read
from daybreak.judge.breaking import mark_of

RUNNER = "class Runner:\n    def __init__(self, rank{}):\n        self.rank = rank\n\n    def gather(self, x{}):\n        return x\n{}"
PATCH = "\n    def _patch_tokens(self, request):\n        request.tokens = [self.rank, 1]\n"


def told(before: str, after: str, path: str = "vllm/core/runner.py", project: str = "vllm-project/vllm") -> list[str]:
    found = read({path: before}, {path: after}, project=project)
    return sorted(f"{f.kind} {f.symbol}" for f in found if f.breaking)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (("", "", ""), (", is_driver: bool", "", ""), ["internal_parameter_required_added Runner.__init__(is_driver)"]),
        (("", ", **kwargs", ""), ("", "", ""), ["internal_parameter_removed Runner.gather(**kwargs)"]),
        (("", ", **kwargs", ""), ("", ", scale=1", ""), []),  # what was passed may be the name that came
        (("", "", ""), ("", ", scale=1", ""), []),
        (("", ", *args, **kwargs", ""), ("", ", scale", ""), []),  # nor what had to be given before
        (("", "", PATCH), ("", "", ""), ["internal_method_removed Runner._patch_tokens"]),
        (("", "", PATCH), ("", "", PATCH.replace("_patch", "_set")), ["internal_method_renamed Runner._patch_tokens"]),
        (("", "", PATCH.replace("_patch", "__patch")), ("", "", ""), []),
        (("", "", PATCH), ("", "", f"{PATCH}    go = 1\n"), []),
    ],
)
def test_what_stops_a_subclass_or_a_caller_is_told_of_the_inside(
    before: tuple[str, str, str], after: tuple[str, str, str], expected: list[str]
) -> None:
    assert told(RUNNER.format(*before), RUNNER.format(*after)) == expected


@pytest.mark.parametrize(
    ("path", "project"),
    [
        ("vllm/_core/runner.py", "vllm-project/vllm"),
        ("vllm/model_executor/models/one.py", "vllm-project/vllm"),
        ("tests/core/runner.py", "vllm-project/vllm"),
        ("benchmarks/runner.py", "vllm-project/vllm"),
        ("engine/core/runner.py", "acme/engine"),
    ],
    ids=["a private module", "one model's own file", "a test", "a benchmark", "a project that nobody surveyed"],
)
def test_nothing_is_told_of_what_forks_do_not_build_on(path: str, project: str) -> None:
    sides = RUNNER.format("", "", PATCH), RUNNER.format("", "", "")
    assert not [one for one in told(*sides, path, project) if one.startswith("internal_method")]


def test_a_method_that_a_base_elsewhere_may_give_is_not_called_gone() -> None:
    layer = "class Layer({}):\n    def __init__(self):\n        self.a = 1\n{}"
    state = "\n    def load_state(self, state):\n        self.a = state\n"
    assert told(layer.format("nn.Module", state), layer.format("nn.Module", "")) == []
    assert told(layer.format("object", state), layer.format("object", "")) == [
        "internal_method_removed Layer.load_state"
    ]


NESTED = "class Meta:\n    x: int = 1\n\n    class {}:\n        def go(self):\n            return [self.a, self.b, self.c, 1]\n{}"


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (NESTED.format("Separate", ""), ["class_renamed Meta.Seperate"]),
        ("class Meta:\n    x: int = 1\n", ["class_removed Meta.Seperate"]),
        (NESTED.format("Separate", "\n    Seperate = Separate\n"), []),
    ],
)
def test_a_class_inside_a_class_that_went_is_told(after: str, expected: list[str]) -> None:
    path = "vllm/core/meta.py"
    found = read({path: NESTED.format("Seperate", "")}, {path: after}, project="vllm-project/vllm")
    assert [f"{f.kind} {f.symbol}" for f in found if f.kind in ("class_renamed", "class_removed")] == expected
    assert all(mark_of(f) == "breaks_internals" for f in found if f.kind.startswith("class_r"))


def test_one_parameter_that_many_functions_lost_alike_is_told_of_the_first_few() -> None:
    text = "".join(f"def pass_{n}(x, tensors=None):\n    return x\n\n\n" for n in range(9))
    assert len(told(text, text.replace(", tensors=None", ""))) == 3


TRAIT = "pub trait Policy {{\n    {}fn select(&self, n: usize) -> Option<usize>;\n}}\n\npub struct Retry;\n\nimpl Retry {{\n    pub fn go(&self) {{}}\n{}}}\n"
MORE = "    pub fn again(&self) {}\n"


def crate(text: str) -> dict[str, str]:
    return {
        "sgl-model-gateway/Cargo.toml": '[package]\nname = "gateway"\n',
        "sgl-model-gateway/src/lib.rs": "pub mod policy;\n",
        "sgl-model-gateway/src/main.rs": "fn main() {}\n",
        "sgl-model-gateway/src/policy.rs": text,
    }


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (("", ""), ("async ", ""), [("extension_method_changed", "Policy::select")]),
        (("", MORE), ("", ""), [("internal_symbol_removed", "Retry::again")]),
        (("", ""), ("", MORE), []),
    ],
)
def test_names_of_a_crate_that_only_forks_build_on(
    before: tuple[str, str], after: tuple[str, str], expected: list[tuple[str, str]]
) -> None:
    sides = crate(TRAIT.format(*before)), crate(TRAIT.format(*after))
    found = read(*sides, project="sgl-project/sglang")
    assert [(f.kind, f.symbol) for f in found if f.breaking] == expected
