"""Threads on this machine: the work is waiting for git, which runs beside us."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait

from daybreak.execute.interface import Item, Result

LOOK_UP = 0.2
"""Seconds between looks at signals: one that the system hands to another thread does not wake the waiting one."""


class LocalExecutor:
    """As many threads as asked; when one fails or the user interrupts, `stop` ends what the others started."""

    def __init__(self, workers: int, stop: Callable[[], None]) -> None:
        self._workers, self._stop = workers, stop

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        futures: list[Future[Result]] = []
        with ThreadPoolExecutor(max(self._workers, 1)) as pool:
            try:
                futures.extend(pool.submit(function, item) for item in items)
                _until_done(futures)
                return [future.result() for future in futures]
            except BaseException:
                for future in futures:
                    future.cancel()
                self._stop()
                raise


def _until_done(futures: Sequence[Future[Result]]) -> None:
    """Wait for all, or raise the first failure."""
    pending = set(futures)
    while pending:
        ended, pending = wait(pending, timeout=LOOK_UP, return_when=FIRST_EXCEPTION)
        for future in ended:
            future.result()
