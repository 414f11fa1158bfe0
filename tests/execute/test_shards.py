"""A list in pieces is the list: nothing lost, nothing twice, neighbours together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daybreak.runs.executors import join, split


@given(st.lists(st.integers(), unique=True), st.integers(-1, 12))
def test_pieces_put_together_are_the_list(items: list[int], size: int) -> None:
    pieces = split(items, size)
    assert [item for piece in pieces for item in piece] == items
    assert all(1 <= len(piece) <= max(size, 1) for piece in pieces)
    lengths = {len(piece) for piece in pieces}
    assert not lengths or max(lengths) - min(lengths) <= 1
    answers = [{item: str(item) for item in piece} for piece in reversed(pieces)]
    assert list(join(items, answers).items()) == [(item, str(item)) for item in items]


def test_what_no_piece_answered_is_a_fault() -> None:
    with pytest.raises(KeyError):
        join("ab", [{"a": 1}])


def test_what_two_pieces_answered_is_a_fault() -> None:
    with pytest.raises(ValueError, match="answered twice: a"):
        join("ab", [{"a": 1}, {"a": 1, "b": 2}])
