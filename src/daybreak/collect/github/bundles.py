"""Many parts in few requests: bundled by weight, halved where the forge cannot answer all of them at once."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from daybreak.collect.github.client import Forge
from daybreak.collect.github.faults import ForgeFault, NoGraphql, NoTokens, Refused, Unavailable
from daybreak.collect.github.queries import Part, document
from daybreak.collect.github.tokens import Seat

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
    """What one token is refused is asked for again with the next one, as far as there is one."""
    found: dict[int, Any] = {}
    turned_away: list[Seat] = []
    left = list(bundle)
    while left:
        text, variables = document([parts[place] for place in left])
        reads: dict[str, Any] = {f"p{number}": parts[place].reads for number, place in enumerate(left)}
        reads |= {f"h{number}": dict[str, str] for number, place in enumerate(left) if parts[place].at_root}
        values, seat = forge.graphql(text, variables, reads, turned_away)
        for number, place in enumerate(left):
            home = values.get(f"h{number}")
            found[place] = home if isinstance(home, ForgeFault) else values[f"p{number}"]
        turned_away.append(seat)
        left = [place for place in left if isinstance(found[place], Refused)]
        if forge.another("graphql", turned_away) is None:
            break
    return [(place, found[place]) for place in bundle]


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
