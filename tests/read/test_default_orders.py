"""Orders in which implementations are tried where nobody chooses one."""

from __future__ import annotations

import pytest

from daybreak.findings import read
from daybreak.judge.breaking import is_of_few, mark_of

PATH = "vllm/platforms/cuda.py"
FIRST = "        return [Backend.FLASH_A, Backend.FLASH_B, Backend.TRITON]\n"
OTHER = "        return [Backend.FLASH_B, Backend.FLASH_A, Backend.TRITON]\n"
FORM = (
    "def {name}(major, dtype):\n    if major == 10:\n{low}    else:\n        return [Backend.FLASH_B, Backend.TRITON]\n"
)
SPLIT = "        if dtype == 'fp8':\n    " + OTHER + FIRST
LINES = "        return [\n            Backend.{},\n            Backend.{},\n            Backend.{},\n        ]\n"
A, B = "FLASH_A, FLASH_B, TRITON", "FLASH_B, FLASH_A, TRITON"


@pytest.mark.parametrize(
    ("what", "name", "before", "after", "expected"),
    [
        ("another is first", "_get_backend_priorities", FIRST, OTHER, [(A, B)]),
        ("for a condition that came, and for nobody else", "_get_backend_priorities", FIRST, SPLIT, []),
        ("one that came stands first", "_get_backend_priorities", FIRST, FIRST.replace("[", "[Backend.NEW, "), [(A, f"NEW, {A}")]),
        ("one that came stands last", "_get_backend_priorities", FIRST, FIRST.replace("TRITON", "TRITON, Backend.NEW"), []),
        ("one left", "_get_backend_priorities", FIRST, FIRST.replace("Backend.FLASH_A, ", ""), []),
        ("a line each", "_get_backend_priorities", LINES.format(*A.split(", ")), LINES.format(*B.split(", ")), [(A, B)]),
        ("no order", "known_backends", FIRST, OTHER, []),
        ("written otherwise", "_get_backend_priorities", FIRST, FIRST.replace(", Backend.TRITON", ",\n            Backend.TRITON,\n        "), []),
    ],
)  # fmt: skip
def test_an_order_of_what_is_tried(
    what: str, name: str, before: str, after: str, expected: list[tuple[str, str]]
) -> None:
    sides = [{PATH: FORM.format(name=name, low=low)} for low in (before, after)]
    found = [f for f in read(sides[0], sides[1], project="vllm-project/vllm") if f.kind == "listed_default_changed"]
    assert [(f.before, f.after) for f in found] == expected, what
    assert all((mark_of(f), is_of_few(f)) == ("breaks", False) for f in found)
