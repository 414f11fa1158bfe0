"""How long to wait before the next try: longer each time, and never at the same moment as everybody else."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

_HIGHEST_POWER = 16


class Backoff(Struct, frozen=True):
    """Doubling waits with jitter."""

    first: float = 1.0
    most: float = 60.0

    def seconds(self, tries: int, chance: Callable[[], float]) -> float:
        """Between half and the whole of the doubled wait; `chance` gives a number in 0..1."""
        whole: float = min(self.most, self.first * 2.0 ** min(tries, _HIGHEST_POWER))
        return whole / 2 + whole / 2 * chance()
