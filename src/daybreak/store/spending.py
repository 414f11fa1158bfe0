"""What models were used for, as costs of a run: requests, tokens, kept answers and money of each model, summed as it goes."""

from __future__ import annotations

from typing import Protocol

from daybreak.store.interface import Cost, Store

MODEL = "model "
"""What a cost of a model is called begins so; its name follows."""
REQUESTS, PROMPT, COMPLETION, HITS = "requests", "prompt tokens", "completion tokens", "cache hits"


class Spent(Protocol):
    """The sums so far of one model in a run."""

    @property
    def model(self) -> str: ...
    @property
    def requests(self) -> int: ...
    @property
    def prompt_tokens(self) -> int: ...
    @property
    def completion_tokens(self) -> int: ...
    @property
    def hits(self) -> int: ...
    @property
    def money(self) -> float | None: ...


class ModelCosts:
    """Writes the sums of a run down whenever they change, so that a killed run has its costs as well."""

    def __init__(self, store: Store, run: int, currency: str) -> None:
        self._store, self._run, self._currency = store, run, currency
        self._written: dict[tuple[str, str], float] = {}

    def __call__(self, spent: Spent) -> None:
        amounts: dict[str, float] = {
            REQUESTS: spent.requests,
            PROMPT: spent.prompt_tokens,
            COMPLETION: spent.completion_tokens,
            HITS: spent.hits,
        }
        if spent.money is not None:
            amounts[self._currency] = spent.money
        for unit, amount in amounts.items():
            if amount and self._written.get((spent.model, unit)) != amount:
                self._store.put_cost(Cost(self._run, f"{MODEL}{spent.model}", unit, amount))
                self._written[spent.model, unit] = amount
