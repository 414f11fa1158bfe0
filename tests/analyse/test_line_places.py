"""The place of each of several changed lines."""

import pytest

from analyse.test_gist import CODE, english
from read.made import patch_of

SUMS = "def shrink(x, w):\n    return {0}(x, w)\n\n\ndef widen(x, w):\n    return {1}(x, w){2}\n"


@pytest.mark.parametrize(
    "tail", ["", " + bias_of_the_layer_above(x) * scale_of_the_layer_above(w)"], ids=["short", "long"]
)
def test_of_two_lines_in_two_functions_each_has_its_place(tail: str) -> None:
    patch = patch_of(SUMS.format("sum_of", "sum_of", tail), SUMS.format("product_of", "fold_of", tail))
    said = english({CODE: patch}, subject="Faster layers") or ""
    assert said.count(" in `") == 2
    first, second = said.split("; ")
    assert ("fold_of" in first) is ("`widen`" in first) is ("`shrink`" in second)


def test_two_lines_of_one_function_have_their_place_before_both() -> None:
    before = "def scale(a, b):\n{}    return a * b\n"
    after = "    a = a.float()\n    b = b.float().round()\n"
    said = english({CODE: patch_of(before.format(""), before.format(after))}, subject="Keep it stable")
    assert said == "Changed lines: in `scale`, adds `b = b.float().round()`; adds `a = a.float()`"
