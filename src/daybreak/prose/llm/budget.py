"""What a run may use and what it used, by model: checked before each request, counted after it, shared by all questions.

Those who ask first are served first: a request that does not fit waits until those under way have come back cheaper
than feared, and only when nothing is under way is the budget spent.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from daybreak.prose.llm.interface import ModelFault, Usage


class Spent(Struct, frozen=True):
    """What one model was used for in this run."""

    model: str
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    hits: int = 0
    """Questions that a kept answer met."""
    money: float | None = None


def plus(one: Usage, other: Usage) -> Usage:
    money = None if one.money is None and other.money is None else (one.money or 0.0) + (other.money or 0.0)
    return Usage(
        one.requests + other.requests,
        one.prompt_tokens + other.prompt_tokens,
        one.completion_tokens + other.completion_tokens,
        money,
    )


class Purse:
    """The budget of a run and its sums."""

    def __init__(self, tokens: int = 0, money: float = 0.0, told: Callable[[Spent], None] | None = None) -> None:
        self._limits = (float(tokens), money)
        self._used = [0.0, 0.0]
        self._held = [0.0, 0.0]
        self._under_way = 0
        self._told = told
        self._sums: dict[str, Spent] = {}
        self._untold: set[str] = set()
        self._telling = threading.Lock()
        self._turn = asyncio.Lock()
        self._freed = asyncio.Event()

    async def hold(self, tokens: int, money: float | None) -> tuple[float, float]:
        """Set so much aside for a request, or raise `budget`; what is given back goes to `settle`."""
        wanted = (float(tokens), money or 0.0)
        async with self._turn:
            while not self._fits(wanted):
                if not self._under_way:
                    raise ModelFault("budget", "the budget of this run is spent")
                self._freed.clear()
                await self._freed.wait()
            self._under_way += 1
            self._held = [held + one for held, one in zip(self._held, wanted, strict=True)]
        return wanted

    def _fits(self, wanted: tuple[float, float]) -> bool:
        sums = zip(self._limits, self._used, self._held, wanted, strict=True)
        return all(not limit or used + held + one <= limit for limit, used, held, one in sums)

    def settle(self, held: tuple[float, float], tokens: int, money: float | None) -> None:
        """The request is over and used so much: what the server counted, or what we feared where it did not count."""
        self._under_way -= 1
        self._held = [one - other for one, other in zip(self._held, held, strict=True)]
        self._used = [self._used[0] + tokens, self._used[1] + (money or 0.0)]
        self._freed.set()

    def count(self, model: str, usage: Usage, hits: int = 0) -> None:
        """For the costs that are shown: what servers reported, and nothing that we guessed."""
        old = self._sums.get(model, Spent(model))
        sums = plus(Usage(old.requests, old.prompt_tokens, old.completion_tokens, old.money), usage)
        new = replace(
            old,
            requests=sums.requests,
            prompt_tokens=sums.prompt_tokens,
            completion_tokens=sums.completion_tokens,
            hits=old.hits + hits,
            money=sums.money,
        )
        self._sums[model] = new
        self._untold.add(model)

    def tell(self) -> None:
        """Tell the newest sums of models whose sums changed; may be called by several threads."""
        with self._telling:
            for model in [self._untold.pop() for _ in range(len(self._untold))]:
                if self._told is not None:
                    self._told(self._sums[model])

    @property
    def spent(self) -> tuple[Spent, ...]:
        return tuple(self._sums[name] for name in sorted(self._sums))
