"""What a base of a known application asks otherwise of those who derive from it, or of those who build its structures."""

from __future__ import annotations

import pytest

from daybreak.findings import read
from daybreak.judge.breaking import mark_of

PATH = "vllm/core/cache.py"


def told(before: str, after: str, path: str = PATH, project: str = "vllm-project/vllm") -> list[tuple[str, str]]:
    found = read({path: before}, {path: after}, project=project)
    return sorted((f.kind, f.symbol) for f in found if f.breaking and mark_of(f) == "breaks_internals")


BUDGET = "class Adder:\n    def go(self, n):\n        return self._budget(n)\n\n    def _budget(self, n{}):\n        return {}\n"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (("", "n"), (", most", "n"), [("internal_parameter_required_added", "Adder._budget(most)")]),
        ((", most", "n"), ("", "n"), [("internal_parameter_removed", "Adder._budget(most)")]),
        (("", "n"), (", most=1", "n"), []),  # whoever calls it as before gets what came before
        (("", "n, 1"), ("", "n, 1, 2"), [("internal_value_count_changed", "Adder._budget()")]),
        (("", "n"), ("", "n + 1"), []),
        (("", "n"), (": int", "n"), []),
    ],
)
def test_a_method_with_an_underscore_of_a_public_class_can_be_called_and_written_by_forks(
    before: tuple[str, str], after: tuple[str, str], expected: list[tuple[str, str]]
) -> None:
    assert told(BUDGET.format(*before), BUDGET.format(*after)) == expected


@pytest.mark.parametrize(
    ("text", "path"),
    [
        (BUDGET.replace("Adder", "_Adder"), PATH),
        (BUDGET.replace("_budget", "__budget"), PATH),
        (BUDGET, "vllm/_core/cache.py"),
        (BUDGET, "tests/core/cache.py"),
        (BUDGET, "vllm/model_executor/models/one.py"),
        ("def _budget(n{}):\n    return {}\n", PATH),
    ],
    ids=["a private class", "a mangled name", "a private module", "a test", "one model's own file", "no class"],
)
def test_nothing_is_told_of_a_private_name_that_nobody_outside_reaches(text: str, path: str) -> None:
    assert told(text.format("", "n"), text.format(", most", "n"), path) == []


BASE = "class Base:\n    def is_prefix(self{}) -> bool:\n        return self.x\n\n\nclass Gemma({}):\n    def is_prefix(self{}) -> bool:\n        return False\n"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (("", "Base", ""), (", mm=True", "Base", ", mm=True"), [("extension_method_changed", "Base.is_prefix")]),
        (("", "Base", ""), (", mm=True", "Base", ""), []),  # no other had to follow
        (("", "object", ""), (", mm=True", "object", ", mm=True"), []),  # two classes that know nothing of each other
        ((", **more", "Base", ""), (", mm=True, **more", "Base", ", mm=True"), []),
    ],
)
def test_a_parameter_that_subclasses_of_the_commit_had_to_take_is_asked_of_every_other(
    before: tuple[str, str, str], after: tuple[str, str, str], expected: list[tuple[str, str]]
) -> None:
    assert told(BASE.format(*before), BASE.format(*after)) == expected


def test_a_base_is_known_through_the_classes_between_in_other_files() -> None:
    files = {
        "vllm/v1/base.py": "class Base:\n    def is_prefix(self{}) -> bool:\n        return self.x\n\n\nclass Mid(Base):\n    y = 1\n",
        "vllm/v1/gemma.py": "from .base import Mid\n\n\nclass Gemma(Mid):\n    def is_prefix(self{}) -> bool:\n        return False\n",
    }
    before, after = ({path: text.format(more) for path, text in files.items()} for more in ("", ", mm=True"))
    found = read(before, after, project="vllm-project/vllm")
    assert [(f.kind, f.symbol) for f in found if f.breaking] == [("extension_method_changed", "Base.is_prefix")]


WRAPPER = "class Wrapper:\n    def run(self):\n        return 1\n{}{}"
SERVES = "\n    def __getattr__(self, name):\n        return getattr(self.worker, name)\n"


@pytest.mark.parametrize(
    ("method", "stood", "told_of"),
    [
        ("\n    def adjust(self, ranks):\n        self.rank = ranks[self.rank]\n", True, True),
        ("\n    def adjust(self, ranks):\n        self.rank = ranks[self.rank]\n", False, False),
        ("\n    def adjust(self, ranks):\n        return self.worker.adjust(ranks)\n", True, False),
    ],
    ids=["a class had to define it beside the hook", "the hook came for it", "it handed its calls on"],
)
def test_a_hook_that_asks_another_object_gives_a_method_that_went(method: str, stood: bool, told_of: bool) -> None:
    found = told(WRAPPER.format(SERVES if stood else "", method), WRAPPER.format(SERVES, ""))
    assert found == ([("internal_method_removed", "Wrapper.adjust")] if told_of else [])


HOOK = "class Receiver:\n    def start(self):\n        {}\n\n    def _register(self){}:\n        {}\n\n\nclass Other(Receiver):\n    def _register(self){}:\n        self.x = 1\n"
TESTED = "if not self._register():\n            return"


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ((TESTED, " -> bool", "return True", " -> bool"), [("extension_return_changed", "Receiver._register")]),
        (("self._register()", " -> bool", "return True", " -> bool"), []),  # nobody looks at what it gives
        ((TESTED, " -> None", "pass", " -> None"), []),
    ],
)
def test_a_hook_that_gave_nothing_and_whose_answer_is_tested_now_breaks_who_writes_it(
    after: tuple[str, str, str, str], expected: list[tuple[str, str]]
) -> None:
    assert told(HOOK.format("self._register()", "", "pass", ""), HOOK.format(*after)) == expected


def test_a_structure_that_needs_nothing_is_filled_in_by_name() -> None:
    text = "@dataclass\nclass Meta:\n    table: int = 0\n{}    hits: int = 0\n"
    assert told(text.format(""), text.format("    backup: int = 0\n")) == []


MATCH = "from typing import NamedTuple\n\n\nclass Match({}):\n    nodes: list\n    last: int{}\n    hits: int = 0\n{}"


@pytest.mark.parametrize(
    ("base", "after", "expected"),
    [
        ("NamedTuple", ("\n    backup: int = 0", ""), [("internal_parameter_moved", "Match")]),
        ("NamedTuple", ("", "    backup: int = 0\n"), []),  # behind all others it shifts none
        ("NamedTuple", ("\n    backup: int", ""), [("internal_field_required_added", "Match.backup")]),
        ("BaseModel", ("\n    backup: int = 0", ""), []),  # built by name
        ("Struct, kw_only=True", ("\n    backup: int = 0", ""), []),
    ],
)
def test_a_field_in_front_of_others_shifts_what_is_built_by_place(
    base: str, after: tuple[str, str], expected: list[tuple[str, str]]
) -> None:
    assert told(MATCH.format(base, "", ""), MATCH.format(base, *after)) == expected
