"""Runs one function over many items, somewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def unheard(_item: Any, _result: Any) -> None:
    """For those who wait for the whole and do not ask how far it is."""


class Executor(Protocol):
    """Answers come back in the order of the items; the first failure ends the whole, and what was begun is stopped.

    To run in another process, or on another machine, the function stands at the top of a module and items and answers
    are values; and it may run twice on one item, since a machine can be lost after the work and before the answer.
    Items are taken one by one as there is room for them, so that many may be given without being held.
    An item with a text in its `place` goes where others of that place go, as far as the executor has places.
    """

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        done: Callable[[Item, Result], None] = unheard,
    ) -> list[Result]:
        """`done` hears of each answer as it comes, here in the caller's own thread."""
        ...

    def close(self) -> None:
        """Let go of what is kept between two calls."""
        ...
