"""Threads on this machine: for work that is waiting, for git beside us or for the network."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import pairwise
from typing import TypeVar

from daybreak.runs.execute.interface import Item, Result, unheard

LOOK_UP = 0.2
"""Seconds between looks at signals: one that the system hands to another thread does not wake the waiting one."""


class LocalExecutor:
    """As many threads as asked; when one fails or the user interrupts, `stop` ends what the others started."""

    def __init__(self, workers: int, stop: Callable[[], None]) -> None:
        self._workers, self._stop = max(workers, 1), stop

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        done: Callable[[Item, Result], None] = unheard,
    ) -> list[Result]:
        results: dict[int, Result] = {}
        running: dict[Future[Result], tuple[int, Item]] = {}
        waiting = enumerate(items)
        with ThreadPoolExecutor(self._workers) as pool:

            def keep_busy() -> None:
                while len(running) < self._workers and (following := next(waiting, None)) is not None:
                    running[pool.submit(function, following[1])] = following

            try:
                keep_busy()
                while running:
                    for future in wait(running, timeout=LOOK_UP, return_when=FIRST_COMPLETED).done:
                        number, item = running.pop(future)
                        results[number] = future.result()
                        keep_busy()  # before anybody hears of it: the next git works while this is written down
                        done(item, results[number])
            except BaseException:
                self._stop()
                raise
        return [results[number] for number in range(len(results))]

    def close(self) -> None:
        """Threads end with each call."""


# --- A long list cut into pieces of neighbours, and the answers put together again ---


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
