"""A value that comes with the change is a feature: a check that lets it in turns nobody else away, and allows nothing else."""

from __future__ import annotations

import pytest

from daybreak.findings import read

CONFIG = "engine/config/speculative.py"


NEW = 'Method = Literal["eagle", "mtp", "spark"]\n'


def _kinds(before: str, after: str, path: str = CONFIG) -> list[tuple[str, str | None]]:
    found = read({path: before}, {path: after})
    return [(f.kind, f.after) for f in found if f.kind.startswith(("guard", "predicate"))]


PREDICATE = "class SpecConfig:\n    def use_draft(self) -> bool:\n        return self.method in ({})\n"


def test_a_predicate_that_takes_a_value_of_the_change_answers_as_before() -> None:
    first, second = (PREDICATE.format(one) for one in ('"eagle", "mtp"', '"eagle", "mtp", "spark"'))
    assert _kinds(first, NEW + second) == []
    assert [kind for kind, _ in _kinds(first, second)] == ["predicate_changed"]  # it may have been known elsewhere


def test_a_predicate_that_takes_a_known_value_answers_otherwise() -> None:
    known = 'METHODS = ("eagle", "mtp", "spark")\n'
    first, second = (known + PREDICATE.format(one) for one in ('"eagle", "mtp"', '"eagle", "mtp", "spark"'))
    assert [kind for kind, _ in _kinds(first, second)] == ["predicate_changed"]


EARLY = "class SpecConfig:\n    def use_runner(self) -> bool:\n{}        if self.cpu:\n            return False\n        return True\n"


def test_an_early_way_out_for_a_value_of_the_change_is_no_other_default() -> None:
    way = '        if self.spec is not None and self.method == "spark":\n            return True\n'
    assert _kinds(EARLY.format(""), NEW + EARLY.format(way)) == []
    assert _kinds(EARLY.format(""), EARLY.format(way)) != []


GUARD = (
    "class SpecConfig:\n    def check(self):\n        if self.method not in ({}):\n            raise ValueError('no')\n"
)


@pytest.mark.parametrize(
    ("first", "second", "kinds"),
    [
        ('"eagle",', '"eagle", "spark"', []),
        ('"eagle", "mtp"', '"eagle",', ["guard_narrowed"]),
        ('"eagle",', '"eagle", "mtp"', ["guard_widened"]),
    ],
)
def test_a_check_is_told_where_it_turns_known_values_away_or_lets_them_in(
    first: str, second: str, kinds: list[str]
) -> None:
    known = 'Method = Literal["eagle", "mtp"]\n'
    assert [k for k, _ in _kinds(known + GUARD.format(first), NEW + GUARD.format(second))] == kinds


def test_a_check_that_is_dropped_lets_in_what_it_turned_away() -> None:
    bare = "class SpecConfig:\n    def check(self):\n        pass\n"
    assert [k for k, _ in _kinds(GUARD.format('"eagle"'), bare)] == ["guard_removed"]


LOAD = "def alloc(buffer, pin):\n    if pin:\n        {}register(buffer)\n{}    return buffer\n"


def test_a_result_that_nobody_looked_at_and_that_is_an_error_now_is_a_check() -> None:
    check = "        if ret != 0:\n            raise RuntimeError('no')\n"
    path = "engine/memory/pool.py"
    found = _kinds(LOAD.format("", ""), LOAD.format("ret = ", check), path)
    assert found == [("guard_added", "if pin and register(…) != 0: raise RuntimeError")]
    assert _kinds(LOAD.format("ret = ", ""), LOAD.format("ret = ", check), path) == []
    assert _kinds(LOAD.format("", ""), LOAD.format("ret = ", ""), path) == []


KERNEL = "void launch(int topk, int num_experts, Tensor x) {{\n  prepare(x);\n{}  run(topk, num_experts);\n}}\n"


@pytest.mark.parametrize(
    ("condition", "kinds"),
    [
        ("topk > 0", []),
        ("topk >= 1 && num_experts != 0", []),
        ("x.data_ptr() != nullptr", []),
        ("cudaGetLastError() == cudaSuccess", []),
        ("topk > 8", ["check_added"]),
        ("topk > 0 && topk <= num_experts", ["check_added"]),
        ("x.is_contiguous()", ["check_added"]),
    ],
)
def test_a_check_that_asks_for_nothing_but_sense_turns_nobody_away(condition: str, kinds: list[str]) -> None:
    check = f'  TORCH_CHECK({condition}, "no");\n'
    sides = ({"csrc/moe/topk.cu": KERNEL.format(one)} for one in ("", check))
    assert [f.kind for f in read(*sides)] == kinds


def test_an_assert_for_the_type_checker_does_not_stand_for_the_check_that_went() -> None:
    check = "class SpecConfig:\n    def check(self):\n        {}\n"
    first, second = 'assert self.block_size in (16, 32), "no"', "assert self.chunk is not None"
    assert [k for k, _ in _kinds(check.format(first), check.format(second))] == ["guard_removed"]
    assert _kinds(check.format("pass"), check.format(second)) == []


def test_a_check_that_came_to_another_function_about_other_names_is_not_gone() -> None:
    check = "assert max({0}, self.page_size) % min({0}, self.page_size) == 0"
    text = "class SpecConfig:\n    def check(self):\n        {}\n\n    def chunk(self):\n        size = get()\n        {}\n        return size\n"
    first = text.format(check.format("CHUNK_SIZE"), "pass")
    assert _kinds(first, text.format("self.chunk()", check.format("size"))) == []
    assert [k for k, _ in _kinds(first, text.format("self.chunk()", "pass"))] == ["guard_removed"]
