"""A helper that went with all who used it in its own file is nobody's loss; one that another file took is, and a class."""

from __future__ import annotations

from daybreak.findings import read

PATH = "engine/core/quant.py"
HELPED = "def check_here(x):\n    return x\n\n\ndef run(x):\n    check_here(x)\n    return x\n"
ALONE = "def run(x):\n    return x\n"
OTHER = "from engine.core.quant import {}run\n\n\ndef use(x):\n    {}return run(x)\n"


def _inner(before: dict[str, str], after: dict[str, str]) -> list[tuple[str, bool]]:
    return [(f.symbol, f.inner) for f in read(before, after) if f.kind == "function_removed"]


def test_a_helper_of_its_own_file_alone_is_of_interest_to_nobody_else() -> None:
    assert _inner({PATH: HELPED}, {PATH: ALONE}) == [("check_here", True)]


def test_a_function_that_another_file_used_or_that_nobody_used_here_is_missed_by_forks() -> None:
    used = {PATH: HELPED, "engine/core/use.py": OTHER.format("check_here, ", "check_here(x)\n    ")}
    assert _inner(used, {PATH: ALONE, "engine/core/use.py": OTHER.format("", "")}) == [("check_here", False)]
    unused = HELPED.replace("    check_here(x)\n", "")
    assert _inner({PATH: unused}, {PATH: ALONE}) == [("check_here", False)]


def test_a_class_that_went_with_its_place_in_a_table_of_its_file_is_missed_by_forks() -> None:
    both = "class Base:\n    pass\n\n\nclass Detector(Base):\n    pass\n\n\nTABLE = {\n    'a': Detector,\n}\n"
    alone = "class Base:\n    pass\n\n\nTABLE = {\n    'a': Base,\n}\n"
    found = [(f.symbol, f.inner) for f in read({PATH: both}, {PATH: alone}) if f.kind == "class_removed"]
    assert found == [("Detector", False)]
