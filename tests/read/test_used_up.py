"""Attributes that a function reads and deletes."""

from __future__ import annotations

import pytest

from daybreak.findings import read
from daybreak.judge.breaking import mark_of

PATH = "python/sglang/srt/layers/quantization/kit_quant.py"
FORM = "class KitMethod:\n    def process_weights_after_loading(self, layer):\n        scale = layer.input_scale.max()\n        layer.alpha = scale\n{}        return None\n"
DELETES = "        del layer.input_scale\n"


@pytest.mark.parametrize(
    ("what", "before", "after", "expected"),
    [
        ("read and deleted", "", DELETES, ["layer.input_scale"]),
        ("by its name", "", '        delattr(layer, "input_scale")\n', ["layer.input_scale"]),
        ("deleted before as well", DELETES, DELETES + "        x = 1\n", []),
        ("given anew", "", DELETES + "        layer.input_scale = scale\n", []),
        ("given anew by a helper", "", DELETES + '        replace_parameter(layer, "input_scale", scale)\n', []),
        ("looked for", "", '        if hasattr(layer, "input_scale"):\n    ' + DELETES, []),
        ("never read", "", "        del layer.other_scale\n", []),
        ("of its own", "", "        own = Own()\n        y = own.size\n        del own.size\n", []),
        ("a name", "", "        del scale\n", []),
        ("kept again", DELETES, "", []),
    ],
)
def test_what_works_once(what: str, before: str, after: str, expected: list[str]) -> None:
    sides = [{PATH: FORM.format(text)} for text in (before, after)]
    found = [f for f in read(sides[0], sides[1], project="sgl-project/sglang") if f.kind == "attribute_used_up"]
    assert [f.after for f in found] == expected, what
    assert all(mark_of(f) == "breaks_internals" for f in found)
