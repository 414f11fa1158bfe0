"""Threads on this machine: for work that is waiting, for git beside us or for the network."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

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
