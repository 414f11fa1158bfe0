"""Values that were asked for last, held in memory up to a weight; the one that nobody asked for longest goes first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LastUsed(Generic[Key, Value]):
    """Values by key; threads may ask. One that weighs more than all may together is not held."""

    def __init__(self, most: int, weight: Callable[[Value], int] = lambda _: 1) -> None:
        self._most, self._weight, self._total = most, weight, 0
        self._held, self._lock = OrderedDict[Key, tuple[Value, int]](), Lock()

    def get(self, key: Key) -> Value | None:
        with self._lock:
            if key not in self._held:
                return None
            self._held.move_to_end(key)
            return self._held[key][0]

    def put(self, key: Key, value: Value) -> None:
        weight = self._weight(value)
        with self._lock:
            self._total -= self._held.pop(key, (None, 0))[1]
            if weight <= self._most:
                self._held[key] = value, weight
                self._total += weight
            while self._total > self._most:
                self._total -= self._held.popitem(last=False)[1][1]
