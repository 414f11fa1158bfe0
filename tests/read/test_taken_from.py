"""Names that a module only imported, which others took from it; and definitions that go on under a part of their name."""

from __future__ import annotations

import pytest

from daybreak.findings import read
from daybreak.judge.breaking import mark_of

LAYER, HOME, USER = (
    "python/sglang/srt/layers/linear.py",
    "python/sglang/srt/layers/unquant.py",
    "python/sglang/srt/layers/gptq.py",
)
BODY = "\n\nclass Linear:\n    def run(self):\n        return 1\n"
TAKES = "from sglang.srt.layers.unquant import PlainMethod\n"
LATE = "\n\nclass Linear:\n    def run(self):\n        from sglang.srt.layers.unquant import PlainMethod\n\n        return PlainMethod()\n"
FROM = "from sglang.srt.layers.linear import PlainMethod\n\n\ndef go():\n    return PlainMethod()\n"
TREE = {HOME: "class PlainMethod:\n    pass\n"}


@pytest.mark.parametrize(
    ("what", "before", "after", "expected"),
    [
        ("others follow", {LAYER: TAKES + BODY, USER: FROM}, {LAYER: LATE, USER: FROM.replace("linear", "unquant")}, ["PlainMethod"]),
        ("nobody took it from there", {LAYER: TAKES + BODY}, {LAYER: LATE}, []),
        ("it is handed on still", {LAYER: TAKES + BODY, USER: FROM}, {LAYER: TAKES + LATE, USER: FROM.replace("linear", "unquant")}, []),
        ("it is defined there now", {LAYER: TAKES + BODY, USER: FROM}, {LAYER: "class PlainMethod:\n    pass\n" + BODY, USER: FROM.replace("linear", "unquant")}, []),
        ("of another project", {LAYER: "from torch import PlainMethod\n" + BODY, USER: FROM}, {LAYER: BODY, USER: FROM.replace("sglang.srt.layers.linear", "torch")}, []),
        ("nothing", {LAYER: TAKES + BODY, USER: FROM}, {LAYER: TAKES + BODY, USER: FROM}, []),
    ],
)  # fmt: skip
def test_a_name_that_a_module_had_from_elsewhere(
    what: str, before: dict[str, str], after: dict[str, str], expected: list[str]
) -> None:
    found = [f for f in read(TREE | before, TREE | after, project="sgl-project/sglang") if f.kind == "class_moved"]
    assert [f.symbol for f in found] == expected, what
    for one in found:
        assert (one.before, one.after, mark_of(one)) == (
            "sglang.srt.layers.linear.PlainMethod",
            "sglang.srt.layers.unquant.PlainMethod",
            "breaks_internals",
        )


OLD, NEW = "vllm/v1/worker/slow_sampler_utils.py", "vllm/v1/worker/sampler_utils.py"
MORE = "".join(f"    step_{n} = logits + {n}\n" for n in range(30))
CALLS = "from {} import {}\n\n\ndef go(x):\n    return {}(x)\n"


def test_a_definition_that_drops_a_word_in_a_file_that_does_so_is_renamed() -> None:
    before = {
        OLD: f"def slow_rejection_sample(logits):\n{MORE}    return step_1\n",
        "vllm/v1/worker/run.py": CALLS.format("vllm.v1.worker.slow_sampler_utils", *["slow_rejection_sample"] * 2),
    }
    after = {
        NEW: f"def rejection_sample(logits, mode=None):\n{MORE}    return step_1 + step_2\n",
        "vllm/v1/worker/run.py": CALLS.format("vllm.v1.worker.sampler_utils", *["rejection_sample"] * 2),
    }
    found = [(f.kind, f.symbol) for f in read(before, after, project="vllm-project/vllm") if f.path == NEW]
    assert found == [("function_renamed", "slow_rejection_sample")]


FIELDS = "from dataclasses import InitVar, dataclass\n\n\n@dataclass\nclass ModelConfig:\n    size: int = 1\n{}\n    def __post_init__(self{}):\n        pass\n"


def test_what_a_dataclass_hands_to_its_own_second_step_is_demanded_of_nobody() -> None:
    path, came = "vllm/config/model.py", "    method: InitVar[str | None] = None\n"
    found = read({path: FIELDS.format("", "")}, {path: FIELDS.format(came, ", method")}, project="vllm-project/vllm")
    assert not any(f.breaking for f in found)


HOOKS = "from abc import ABC, abstractmethod\n\n\nclass BaseMetadata(ABC):\n    @abstractmethod\n    def lens(self):\n        ...\n{}\n\ndef run(metadata):\n    return {}\n"
STUB = '\n    def extend_lens(self){}:\n        """Lengths of each batch."""\n'


@pytest.mark.parametrize(
    ("answer", "use", "asked"),
    [
        (" -> list[int]", "sum(metadata.extend_lens())", True),
        (" -> list[int]", "metadata.extend_lens()", False),
        (" -> list[int] | None", "sum(metadata.extend_lens())", False),
        ("", "sum(metadata.extend_lens())", False),
    ],
)
def test_an_empty_method_whose_answer_is_reckoned_with_has_to_be_written(answer: str, use: str, asked: bool) -> None:
    path = "python/sglang/srt/layers/attention/base_metadata.py"
    sides = [{path: HOOKS.format(*one)} for one in (("", "1"), (STUB.format(answer), use))]
    found = [f for f in read(sides[0], sides[1], project="sgl-project/sglang") if f.kind == "extension_method_added"]
    assert [f.breaking for f in found] == [asked]
