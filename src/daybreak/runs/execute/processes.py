"""Processes on this machine: for work that is ours and not git's, since threads of Python take turns.

Each worker leads a process group of its own, so that it can be ended together with every git it started, and Ctrl-C
reaches only us, who then end the workers. A worker that loses us ends itself and its group: nothing is left behind.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Container, Iterable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import connection, get_context
from multiprocessing.context import SpawnProcess
from multiprocessing.process import parent_process
from threading import Thread
from typing import Any

from daybreak.core.errors import DaybreakError
from daybreak.core.safe_path import keep_children_out
from daybreak.runs.execute.interface import Item, Outcome, Result, failure, outcome, unheard

Link = connection.Connection
GOODBYE = 5.0
"""Seconds a worker that was killed is waited for."""


@dataclass(slots=True, eq=False)
class _Worker:
    process: SpawnProcess
    link: Link

    def end(self) -> None:
        """The worker and all that it started."""
        pid = self.process.pid
        if pid is not None and self.process.exitcode is None:
            with suppress(ProcessLookupError, PermissionError):  # it ended just now, or leads no group yet
                os.killpg(pid, signal.SIGKILL)
            self.process.kill()
        self.process.join(GOODBYE)
        self.link.close()


class ProcessExecutor:
    """As many processes as asked, started when first needed and kept until `close`."""

    def __init__(self, workers: int) -> None:
        self._workers = max(workers, 1)
        self._crew: list[_Worker] = []

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        done: Callable[[Item, Result], None] = unheard,
    ) -> list[Result]:
        results: dict[int, Result] = {}
        busy: dict[_Worker, tuple[int, Item]] = {}
        waiting = enumerate(items)
        try:
            while True:
                while len(busy) < self._workers and (following := next(waiting, None)) is not None:
                    worker = self._idle(busy)
                    worker.link.send((function, following[1]))
                    busy[worker] = following
                if not busy:
                    return [results[number] for number in range(len(results))]
                for worker in _answering(busy):
                    number, item = busy.pop(worker)
                    results[number] = _answer(worker).result()
                    done(item, results[number])
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the workers, and whatever they are at."""
        crew, self._crew = self._crew, []
        for worker in crew:
            worker.end()

    def _idle(self, busy: Container[_Worker]) -> _Worker:
        for worker in self._crew:
            if worker not in busy:
                return worker
        self._crew.append(_started())
        return self._crew[-1]


def _started() -> _Worker:
    # Spawned, not forked: other threads of ours may hold locks that a fork would copy and nobody would open.
    keep_children_out()
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours)


def _answering(busy: dict[_Worker, tuple[int, Any]]) -> list[_Worker]:
    """Workers that have something to say, or that are gone: their link is closed then."""
    ready = connection.wait([worker.link for worker in busy])
    return [worker for worker in busy if worker.link in ready]


def _answer(worker: _Worker) -> Outcome:
    try:
        answer = worker.link.recv()
    except (EOFError, ConnectionError):
        worker.process.join(GOODBYE)
        raise DaybreakError(
            f"A worker process ended unexpectedly (exit code {worker.process.exitcode}); what was being made is not published.",
            "Memory may have run out: use fewer `workers` in [execute], then run again.",
        ) from None
    assert isinstance(answer, Outcome)
    return answer


# --- in the worker -------------------------------------------------------------------------------------------------


def _serve(link: Link) -> None:
    os.setpgid(0, 0)
    Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, ConnectionError):  # nobody is left to work for
        while True:
            _one(link)


def _one(link: Link) -> None:
    """Take an item and answer; what cannot be loaded or packed is an answer too."""
    try:
        function, item = link.recv()
        link.send(outcome(function, item))
    except (EOFError, ConnectionError):
        raise
    except Exception as error:  # noqa: BLE001  values decide how they are packed, and may fail in any way
        link.send(failure(error))


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    connection.wait([parent.sentinel])
    os.killpg(0, signal.SIGKILL)
