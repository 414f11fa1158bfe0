"""Threads on this machine: the work is waiting for git, which runs beside us."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

from daybreak.execute.interface import Item, Result


class LocalExecutor:
    """As many threads as asked; when one fails or the user interrupts, `stop` ends what the others started."""

    def __init__(self, workers: int, stop: Callable[[], None]) -> None:
        self._workers, self._stop = workers, stop

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        with ThreadPoolExecutor(max(self._workers, 1)) as pool:
            futures = [pool.submit(function, item) for item in items]
            try:
                ended, _ = wait(futures, return_when=FIRST_EXCEPTION)
                for future in futures:
                    if future in ended:
                        future.result()
                return [future.result() for future in futures]
            except BaseException:
                for future in futures:
                    future.cancel()
                self._stop()
                raise
