"""Lists that decide: names that come to a constant which code tests with `in`, and the variable that settles it before."""

from __future__ import annotations

import pytest

from daybreak.findings import read
from daybreak.judge.breaking import mark_of
from daybreak.judge.phrases import remedy, what

PATH = "engine/config/main.py"
RUNNER = """NEW_RUNNER = {}


class Config:
    @property
    def use_new_runner(self):
        chosen = envs.ENGINE_NEW_RUNNER
        if chosen is not None:
            return chosen
        return self._is_known()

    def _is_known(self):
        return any(arch in NEW_RUNNER for arch in self.archs)
"""


def _told(before: str, after: str) -> list[tuple[str, str, str | None]]:
    found = read({PATH: before}, {PATH: after})
    return [(f.kind, f.symbol, f.alias.where if f.alias else None) for f in found if f.kind.startswith("listed")]


@pytest.mark.parametrize("form", ["{{{}}}", "frozenset({{{}}})", "[{}]", "set(({},))"])
def test_a_name_that_comes_to_a_list_is_told_with_the_variable_that_is_asked_before(form: str) -> None:
    few, more = (RUNNER.format(form.format(names)) for names in ('"A"', '"A", "B"'))
    assert _told(few, more) == [("listed_added", "NEW_RUNNER:B", "ENGINE_NEW_RUNNER")]
    assert _told(more, few) == [("listed_removed", "NEW_RUNNER:B", "ENGINE_NEW_RUNNER")]


def test_names_of_one_list_are_one_sentence_with_the_way_out() -> None:
    few, more = RUNNER.format('{"A"}'), RUNNER.format('{"A", "B", "C"}')
    found = [f for f in read({PATH: few}, {PATH: more}) if f.kind == "listed_added"]
    said = [one.text["en"] for one in what(found, 9)]
    assert said == [f"`NEW_RUNNER`, a list that decides by default, now has `B` and `C` (`{PATH}`)."]
    told = remedy(found)
    assert told is not None
    assert told["en"] == "set `ENGINE_NEW_RUNNER` to decide for yourself"


USES = {
    "a list that only refuses": "def check(x):\n    if x not in NAMES:\n        raise ValueError(x)\n",
    "a list that is only gone over": "def all_of():\n    return [one for one in NAMES]\n",
    "a table of lazy imports": "def __getattr__(name):\n    if name in NAMES:\n        return load(name)\n",
}


@pytest.mark.parametrize("what_it_is", USES)
def test_a_list_that_decides_nothing_is_not_told(what_it_is: str) -> None:
    body = f"\n\n{USES[what_it_is]}"
    assert _told(f'NAMES = ["a"]{body}', f'NAMES = ["a", "b"]{body}') == []


def test_a_name_that_comes_with_the_change_is_not_told() -> None:
    few, more = RUNNER.format('{"A"}'), RUNNER.format('{"A", "Brand"}')
    table = 'MODELS = {\n    "A": ("a", "A"),\n'
    before = {PATH: few, "engine/models.py": f"{table}}}\n"}
    after = {PATH: more, "engine/models.py": f'{table}    "Brand": ("brand", "Brand"),\n}}\n'}
    assert [f.symbol for f in read(before, after) if f.kind.startswith("listed")] == []


def test_a_variable_that_only_stands_beside_is_no_way_out() -> None:
    beside = RUNNER.replace("return chosen\n", "log(chosen)\n")
    assert _told(beside.format('{"A"}'), beside.format('{"A", "B"}')) == [("listed_added", "NEW_RUNNER:B", None)]


INSIDE = (
    "def is_{}_architecture(config):\n    archs = {{\n        'OldModel',\n{}    }}\n    return config.arch in archs\n"
)


@pytest.mark.parametrize(("name", "told"), [("fast_default", True), ("fast", False)])
def test_a_list_inside_a_function_that_decides_a_default_breaks_who_sets_nothing(name: str, told: bool) -> None:
    before, after = ({"engine/common.py": INSIDE.format(name, more)} for more in ("", "        'KnownModel',\n"))
    found = [f for f in read(before, after) if f.kind == "listed_added"]
    expected = [("is_fast_default_architecture:KnownModel", "breaks")] if told else []
    assert [(f.symbol, mark_of(f)) for f in found] == expected
