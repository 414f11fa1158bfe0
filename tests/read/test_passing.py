"""Defaults in passing: the same key of the same thing with another default."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybreak.findings.languages.lookup_defaults import facts
from read.behaviour import Told, facts_of, file_of

PATH = "engine/models/llama.py"


def line(call: str) -> str:
    return f"def load(config, kwargs):\n    a = 1\n    x = {call}\n    return x\n"


CASES: dict[str, tuple[str, str, list[Told]]] = {
    "what is asked beside it stands in for nothing": (
        line("config.get('depth_limit', None)\n    if x or verbose:\n        log(x)"),
        line("config.get('depth_limit', None)\n    if x or debug:\n        log(x)"),
        [],
    ),
    "nor in a part of a question": (
        line("config.get('depth_limit', None)\n    log(not (x or verbose), (x or verbose) and a, bool(x or verbose))"),
        line("config.get('depth_limit', None)\n    log(not (x or debug), (x or debug) and a, bool(x or debug))"),
        [],
    ),
    "getattr": (
        line('getattr(config, "rope_theta", 10000)'),
        line('getattr(config, "rope_theta", 500000)'),
        [("passing_default_changed", "rope_theta", "10000", "500000")],
    ),
    "get": (
        line('config.get("mode", "a")'),
        line('config.get("mode", "b")'),
        [("passing_default_changed", "mode", '"a"', '"b"')],
    ),
    "pop": (
        line('kwargs.pop("trust", False)'),
        line('kwargs.pop("trust", True)'),
        [("passing_default_changed", "trust", "False", "True")],
    ),
    "a pop whose value nobody takes": (
        line('kwargs.pop("trust", True)'),
        'def load(config, kwargs):\n    a = 1\n    kwargs.pop("trust", None)\n    return a\n',
        [],
    ),
    "over several lines": (
        "def f(c):\n    x = getattr(\n        c,\n        'eps',\n        1e-5,\n    )\n",
        "def f(c):\n    x = getattr(\n        c,\n        'eps',\n        1e-6,\n    )\n",
        [("passing_default_changed", "eps", "1e-5", "1e-6")],
    ),
    "quotes": (line("config.get('mode', 'a')"), line('config.get("mode", "a")'), []),
    "nothing for nothing": (line('getattr(config, "x", None)'), line('getattr(config, "x", False)'), []),
    "a variable of the environment": (line('os.environ.get("MODE", "a")'), line('os.environ.get("MODE", "b")'), []),
    "the same value reached another way": (
        line('getattr(config, "x", args.steps)'),
        line('getattr(config, "x", get_spec().steps)'),
        [],
    ),
    "a computed default": (line('getattr(config, "x", 1)'), line('getattr(config, "x", find(config))'), []),
    "what stands in on the next line": (
        line('getattr(config, "x", 8)'),
        line('getattr(config, "x", None)\n    if x is None:\n        x = 8'),
        [],
    ),
    "what stands in behind an or": (
        line('int(getattr(config, "x", Kind.Best))'),
        line('int(getattr(config, "x", None) or Kind.Best)'),
        [],
    ),
    "what stands in where the name is used": (
        line('getattr(config, "x", None)\n    if x is None:\n        x = size // 8'),
        line('getattr(config, "x", None)\n    y = x or size // 8'),
        [],
    ),
    "something else stands in where the name is used": (
        line('getattr(config, "x", None)\n    y = x or 8'),
        line('getattr(config, "x", None)\n    y = x or 9'),
        [("passing_default_changed", "x", "8", "9")],
    ),
    "something else stands in behind an or": (
        line('getattr(config, "x", None) or 8'),
        line('getattr(config, "x", None) or 9'),
        [("passing_default_changed", "x", "8", "9")],
    ),
    "something else stands in on the next line": (
        line('getattr(config, "x", 8)'),
        line('getattr(config, "x", None)\n    if x is None:\n        x = 9'),
        [("passing_default_changed", "x", "8", "9")],
    ),
    "another key": (line('getattr(config, "x", 1)'), line('getattr(config, "y", 2)'), []),
    "another thing": (line('getattr(config, "x", 1)'), line('getattr(layer, "x", 2)'), []),
    "a private name": (line('getattr(config, "_x", 1)'), line('getattr(config, "_x", 2)'), []),
    "a default that comes": (line('getattr(config, "x")'), line('getattr(config, "x", 2)'), []),
    "a new function": ("a = 1\n", "a = 1\n\n\n" + line('getattr(config, "x", 2)'), []),
}


@pytest.mark.parametrize("case", CASES)
def test_passing(case: str) -> None:
    before, after, expected = CASES[case]
    assert facts_of(facts, file_of(PATH, before, after)) == expected
    assert facts_of(facts, file_of(PATH, after, before)) == [(k, s, now, was) for k, s, was, now in expected]


BITS = ['getattr(c, "x", ', 'c.get("k", ', "1", ")", "(", "\n", '"', ", ", "    ", "#"]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(BITS) | st.text(max_size=5)), st.lists(st.sampled_from(BITS) | st.text(max_size=5)))
def test_never_raises(first: list[str], second: list[str]) -> None:
    before, after = "".join(first), "".join(second)
    facts_of(facts, file_of(PATH, before, after))
    assert facts_of(facts, file_of(PATH, after, after)) == []
