"""Support that was given up: what still stands there and only refuses."""

from __future__ import annotations

import pytest

from daybreak.findings.languages.given_up import facts
from read.behaviour import Told, facts_of, file_of
from read.made import read, told

PATH = "engine/layers/schemes/sparse.py"
OVER = 'raise NotImplementedError("Sparse models are no longer supported")'


def scheme(build: str, apply: str = "return run(x)") -> str:
    return (
        f"class Sparse(Scheme):\n    def __init__(self, quant):\n        {build}\n\n"
        f"    def apply(self, x):\n        {apply}\n"
    )


WORKS = scheme("self.quant = quant")
GONE = ("switched_off", "Sparse", "self.quant = quant", OVER)

CASES: dict[str, tuple[str, str, list[Told]]] = {
    "a class that cannot be made any more": (WORKS, scheme(OVER, OVER), [GONE]),
    "a function of its own": (
        "def run(x):\n    return 2 * x\n",
        "def run(x):\n    raise RuntimeError('run has been removed, use walk')\n",
        [("switched_off", "run", "return 2 * x", "raise RuntimeError('run has been removed, use walk')")],
    ),
    "one method of a class that still works": (WORKS, scheme("self.quant = quant", OVER), []),
    "it never worked": (scheme("raise NotImplementedError"), scheme(OVER), []),
    "it never was supported": (WORKS, scheme('raise NotImplementedError("Sparse is not supported")'), []),
    "it refuses some": (WORKS, scheme(f"self.quant = quant\n        if quant:\n            {OVER}"), []),
    "it works again": (scheme(OVER, OVER), WORKS, []),
}


@pytest.mark.parametrize("case", CASES)
def test_what_only_says_that_it_is_over_was_given_up(case: str) -> None:
    before, after, expected = CASES[case]
    assert facts_of(facts, file_of(PATH, before, after)) == expected


def test_what_was_given_up_breaks_and_is_told_before_the_names_that_went_with_it() -> None:
    found = told(read(PATH, WORKS, scheme(OVER, OVER)))
    assert found[0] == (*GONE, True)
