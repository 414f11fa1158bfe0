"""Functions that give None in some cases from now on."""

from __future__ import annotations

import pytest

from daybreak.findings import read
from daybreak.judge.breaking import mark_of

PATH = "vllm/v1/kv_offload/manager.py"
FORM = "class {owner}:\n    def {name}(self, keys){head}:\n        n = len(keys)\n{body}        return n\n"
NONE = "        if n > 4:\n            return None\n"
PLAIN = {"owner": "OffloadingManager", "name": "lookup"}


@pytest.mark.parametrize(
    ("what", "other", "heads", "bodies", "expected"),
    [
        ("both say so", {}, (" -> int", " -> int | None"), ("", NONE), ["OffloadingManager.lookup"]),
        ("as an option", {}, (" -> int", " -> Optional[int]"), ("", NONE), ["OffloadingManager.lookup"]),
        ("a hint put right", {}, (" -> int", " -> int | None"), (NONE, NONE), []),
        ("a hint alone", {}, (" -> int", " -> int | None"), ("", ""), []),
        ("another type", {}, (" -> int", " -> str | None"), ("", NONE), []),
        ("it took None in before", {}, (" -> int | None", " -> int | None"), ("", NONE), []),
        ("a private one", {"name": "_lookup"}, (" -> int", " -> int | None"), ("", NONE), []),
        ("of nobody outside", {"owner": "_Manager"}, (" -> int", " -> int | None"), ("", NONE), []),
        ("nothing", {}, (" -> int", " -> int"), ("", ""), []),
    ],
)
def test_an_answer_that_may_be_none(
    what: str, other: dict[str, str], heads: tuple[str, str], bodies: tuple[str, str], expected: list[str]
) -> None:
    sides = [
        {PATH: FORM.format(**{**PLAIN, **other}, head=head, body=body)}
        for head, body in zip(heads, bodies, strict=True)
    ]
    found = [f for f in read(sides[0], sides[1], project="vllm-project/vllm") if f.kind == "internal_return_changed"]
    assert [f.symbol for f in found] == expected, what
    assert all(mark_of(f) == "breaks_internals" for f in found)


def test_what_an_implementer_gives_says_so_of_the_base_that_leaves_it_open() -> None:
    base = "from abc import ABC, abstractmethod\n\n\nclass Manager(ABC):\n    @abstractmethod\n    def lookup(self, keys) -> {}:\n        pass\n\n\nclass Own(Manager):\n    def lookup(self, keys):\n        n = len(keys)\n{}        return n\n"
    found = read({PATH: base.format("int", "")}, {PATH: base.format("int | None", NONE)}, project="vllm-project/vllm")
    assert "Manager.lookup" in {f.symbol for f in found if f.kind == "internal_return_changed"}


@pytest.mark.parametrize(("more", "expected"), [(", or None to try again.", ["Manager.lookup"]), (" and no more.", [])])
def test_what_a_base_says_of_the_answer_counts(more: str, expected: list[str]) -> None:
    base = 'from abc import ABC, abstractmethod\n\n\nclass Manager(ABC):\n    @abstractmethod\n    def lookup(self, keys) -> {}:\n        """How many are there{}"""\n'
    found = read({PATH: base.format("int", ".")}, {PATH: base.format("int | None", more)}, project="vllm-project/vllm")
    assert [f.symbol for f in found if f.kind == "internal_return_changed"] == expected
