"""Predicates of settings before and after: for whom something is on by default."""

from __future__ import annotations

import pytest

from daybreak.findings.languages import predicates
from read.behaviour import Told, facts_of, file_of

CONFIG = "vllm/config/engine.py"
INNER = "engine/core/loop.py"


def config(body: str, head: str = "def use_new_runner(self) -> bool:") -> str:
    lines = "".join(f"        {line}\n" for line in body.split("\n"))
    return f"class EngineConfig:\n    @property\n    {head}\n{lines}"


ONE = config("if self.model is None:\n    return False\nreturn self.kind in KNOWN")
WIDER = config("if self.model is None:\n    return False\nreturn self.kind in KNOWN or not self.model.is_moe")
PLACE = "EngineConfig.use_new_runner"


@pytest.mark.parametrize(
    ("what", "path", "before", "after", "expected"),
    [
        ("it holds for more", CONFIG, ONE, WIDER, [("predicate_changed", PLACE, "self.kind in KNOWN", "self.kind in KNOWN or not self.model.is_moe")]),
        ("it holds for fewer", CONFIG, WIDER, ONE, [("predicate_changed", PLACE, "self.kind in KNOWN or not self.model.is_moe", "self.kind in KNOWN")]),
        ("one more way out", CONFIG, ONE, ONE.replace("        return self", "        if self.hybrid:\n            return False\n        return self"), [("predicate_changed", PLACE, "self.kind in KNOWN", "self.kind in KNOWN and not (self.hybrid)")]),
        ("the same in other words", CONFIG, ONE, config("return self.model is not None and self.kind in KNOWN"), []),
        ("a setting that comes with it", CONFIG, ONE, "FAST = 1\n" + config("self.fast_path = read()\nif self.model is None:\n    return False\nreturn self.kind in KNOWN or self.fast_path"), []),
        ("a method that only gives a value", CONFIG, config("return self.a", "def size(self) -> int:"), config("return self.b", "def size(self) -> int:"), []),
        ("a check refuses and chooses nothing", CONFIG, ONE.replace("use_new", "validate_new"), WIDER.replace("use_new", "validate_new"), []),
        ("code that no setting reads", INNER, ONE.replace("EngineConfig", "Loop"), WIDER.replace("EngineConfig", "Loop"), []),
        ("a way out in a loop is not followed", CONFIG, config("for a in KNOWN:\n    return True\nreturn self.a == 1"), config("for a in KNOWN:\n    return True\nreturn self.a == 2"), []),
    ],
)  # fmt: skip
def test_a_predicate_of_settings_that_answers_otherwise_is_another_default(
    what: str, path: str, before: str, after: str, expected: list[Told]
) -> None:
    assert facts_of(predicates.facts, file_of(path, before, after)) == expected, what
