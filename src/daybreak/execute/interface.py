"""Runs one function over many items, somewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Executor(Protocol):
    """Answers come back in the order of the items; the first failure ends the whole."""

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]: ...
