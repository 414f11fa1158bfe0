"""A long list cut into pieces of neighbours, and the answers put together again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

Part = TypeVar("Part")
Key = TypeVar("Key")
Value = TypeVar("Value")


def split(items: Sequence[Part], size: int) -> tuple[tuple[Part, ...], ...]:
    """Pieces of at most `size`, as even as can be; neighbours stay together, since git reads them from the same packs
    and one commit's new files are the next one's old.
    """
    if not items:
        return ()
    pieces = -(-len(items) // max(size, 1))
    edges = [len(items) * number // pieces for number in range(pieces + 1)]
    return tuple(tuple(items[low:high]) for low, high in pairwise(edges))


def join(order: Iterable[Key], answers: Iterable[Mapping[Key, Value]]) -> dict[Key, Value]:
    """One mapping in the given order; a key that no piece answered, or that two did, is a fault of ours."""
    together: dict[Key, Value] = {}
    for answer in answers:
        if doubled := together.keys() & answer.keys():
            raise ValueError(f"answered twice: {min(map(str, doubled))}")
        together.update(answer)
    return {key: together[key] for key in order}
