"""What an implementation of an extension point gives back: another order or number of values breaks who reads them."""

from __future__ import annotations

import pytest

from daybreak.findings import read

CLASS = "class FlashBackend({base}):\n    @staticmethod\n    def get_shape(blocks, size):\n        if size % 16:\n            raise ValueError('no')\n        return ({row})\n"


@pytest.mark.parametrize(
    ("why", "base", "row", "found"),
    [
        ("another order", "AttentionBackend", "blocks, 2, size", ["(2, blocks, size) -> (blocks, 2, size)"]),
        ("one more", "AttentionBackend", "2, blocks, size, 1", ["(2, blocks, size) -> (2, blocks, size, 1)"]),
        ("the same", "AttentionBackend", "2,  blocks,\n            size,", []),
        ("a value by another name", "AttentionBackend", "2, blocks, length", []),
        ("a class that is no extension point", "Helper", "blocks, 2, size", []),
    ],
)
def test_values_of_an_extension_point_in_another_order_are_told(
    why: str, base: str, row: str, found: list[str]
) -> None:
    sides = ({"engine/attention/flash.py": CLASS.format(base=base, row=one)} for one in ("2, blocks, size", row))
    facts = [f for f in read(*sides) if f.kind == "extension_answer_changed"]
    assert [f"{f.before} -> {f.after}" for f in facts] == found, why
    assert all(f.breaking and f.symbol == "FlashBackend.get_shape()" for f in facts)
