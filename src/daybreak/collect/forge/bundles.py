"""Many parts in few requests: bundled by weight, halved where the forge cannot answer all of them at once."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from daybreak.collect.forge.client import Forge
from daybreak.collect.forge.faults import ForgeFault, NoGraphql, NoTokens, Unavailable
from daybreak.collect.forge.queries import Part, document

Answered = list[tuple[int, Any]]
"""Place of a part in what was asked -> its value, or the `ForgeFault` in its place."""


def fetch(forge: Forge, parts: Sequence[Part]) -> Iterator[Answered]:
    """Answers as they come, a request at a time, so that what came can be kept before the next one fails."""
    waiting = deque(_bundled(parts, forge.bounds.load))
    while waiting:
        bundle = waiting.popleft()
        try:
            yield _answered(forge, parts, bundle)
        except (NoGraphql, NoTokens):
            raise
        except Unavailable as fault:
            if fault.heavy and len(bundle) > 1:
                middle = len(bundle) // 2
                waiting.extendleft([bundle[middle:], bundle[:middle]])
            else:
                yield [(place, fault) for place in bundle]
        except ForgeFault as fault:
            yield [(place, fault) for place in bundle]


def _answered(forge: Forge, parts: Sequence[Part], bundle: Sequence[int]) -> Answered:
    chosen = [parts[place] for place in bundle]
    text, variables = document(chosen)
    found = forge.graphql(text, variables, {f"p{number}": part.reads for number, part in enumerate(chosen)})
    return [(place, found[f"p{number}"]) for number, place in enumerate(bundle)]


def _bundled(parts: Sequence[Part], most: int) -> list[list[int]]:
    bundles: list[list[int]] = []
    load = most
    for place, part in enumerate(parts):
        if load + part.weight > most:
            bundles.append([])
            load = 0
        bundles[-1].append(place)
        load += part.weight
    return bundles
