"""Ways out of a function that gave something and raise an error now."""

from __future__ import annotations

import pytest

from daybreak.findings import read
from daybreak.judge.breaking import mark_of

PATH = "vllm/model_executor/layers/fused_moe/oracle.py"
FORM = "def select_backend(config, kinds):\n    for kind in kinds:\n        if kind.fits(config):\n            return kind\n{}"
GIVES = "    return Backend.PLAIN\n"
STOPS = "    raise NotImplementedError('none fits')\n"
CHAIN = "    if config.fast:\n        kind = 1\n    elif config.slow:\n        kind = 2\n    else:\n        {}\n    return kind\n"
STOP = "raise NotImplementedError('none fits')"


@pytest.mark.parametrize(
    ("what", "before", "after", "expected"),
    [
        ("the end of a function", GIVES, STOPS, ["return Backend.PLAIN"]),
        ("the last of a chain", CHAIN.format("kind = 3"), CHAIN.format(STOP), ["kind = 3"]),
        ("a chain that asks otherwise", CHAIN.format("kind = 3"), CHAIN.format(STOP).replace("slow", "late"), []),
        ("other words", STOPS, STOPS.replace("none", "nothing"), []),
        ("an error that gives now", STOPS, GIVES, []),
        ("nothing was given", "    return None\n", STOPS, []),
        ("no was answered", "    return False\n", STOPS, []),
        ("the same error before", "    if not kinds:\n        " + STOP + "\n" + GIVES, STOPS, []),
        ("a remark alone", CHAIN.format("kind = 3"), CHAIN.format("# three\n        kind = 3"), []),
        ("nothing", GIVES, GIVES, []),
    ],
)
def test_a_fallback_that_is_an_error_now(what: str, before: str, after: str, expected: list[str]) -> None:
    sides = [{PATH: FORM.format(text)} for text in (before, after)]
    found = [f for f in read(sides[0], sides[1], project="vllm-project/vllm") if f.kind == "fallback_removed"]
    assert [f.before for f in found] == expected, what
    assert all(
        (f.symbol, f.after, mark_of(f)) == ("select_backend", 'raise NotImplementedError("none fits")', "breaks")
        for f in found
    )


def test_a_function_that_is_left_for_others_to_write_had_no_fallback() -> None:
    before, after = (
        'class A:\n    def run(self):\n        """Runs."""\n        return 1\n',
        'class A:\n    def run(self):\n        """Runs."""\n        raise NotImplementedError\n',
    )
    assert [f for f in read({PATH: before}, {PATH: after}) if f.kind == "fallback_removed"] == []
