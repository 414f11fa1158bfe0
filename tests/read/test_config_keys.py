"""Keys of a model's configuration that code cannot do without from now on."""

from __future__ import annotations

import pytest

from daybreak.findings import read

PATH = "python/sglang/srt/models/kit.py"
FORM = "class Kit:\n    def __init__(self, config):\n        x = 1\n{}        self.x = x\n"
TAKEN = '        f = config.rope["full"]["factor"]\n'
WAY = "config.rope['full']['factor']"


@pytest.mark.parametrize(
    ("what", "before", "after", "expected"),
    [
        ("a key that nobody asked for", "", TAKEN, [WAY]),
        ("in place of a default", '        f = config.rope.get("factor", 1)\n', '        f = config.rope["factor"]\n', ["config.rope['factor']"]),
        ("a default in place of it", '        f = config.rope["factor"]\n', '        f = config.rope.get("factor", 1)\n', []),
        ("asked about first", "", '        if "factor" in config.rope:\n            f = config.rope["factor"]\n', []),
        ("caught", "", "        try:\n    " + TAKEN + "        except KeyError:\n            f = 1\n", []),
        ("given before", "", '        config.rope["factor"] = 2\n        f = config.rope["factor"]\n', []),
        ("of something else", "", '        f = table.rope["factor"]\n', []),
        ("asked before as well", TAKEN, TAKEN + '        g = config.rope["full"]["factor"]\n', []),
        ("nothing", TAKEN, TAKEN, []),
    ],
)  # fmt: skip
def test_a_key_that_must_be_there(what: str, before: str, after: str, expected: list[str]) -> None:
    sides = [{PATH: FORM.format(text)} for text in (before, after)]
    found = [f for f in read(sides[0], sides[1], project="sgl-project/sglang") if f.kind == "config_key_required_added"]
    assert [f.symbol for f in found] == expected, what
