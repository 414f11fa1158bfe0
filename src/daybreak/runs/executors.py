"""Executors: one function over many items, on threads, processes or a cluster; `EXECUTORS` maps a kind to where it is."""

from __future__ import annotations

import os
import pickle
import signal
import traceback
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from multiprocessing import connection, get_context
from multiprocessing.context import SpawnProcess
from multiprocessing.process import parent_process
from threading import Thread
from typing import Any, Protocol, TypeVar

from msgspec import Struct

from daybreak.core.errors import DaybreakError
from daybreak.core.safe_path import keep_children_out

EXECUTORS = {
    "local": "daybreak.runs.executors:LocalExecutor",
    "processes": "daybreak.runs.executors:ProcessExecutor",
    "ray": "daybreak.runs.ray_cluster:RayExecutor",
}


# --- Runs one function over many items, somewhere ---

Item = TypeVar("Item")
Result = TypeVar("Result")


def unheard(_item: Any, _result: Any) -> None:
    """For those who wait for the whole and do not ask how far it is."""


class Executor(Protocol):
    """Answers come back in the order of the items; the first failure ends the whole, and what was begun is stopped.

    To run in another process, or on another machine, the function stands at the top of a module and items and answers
    are values; and it may run twice on one item, since a machine can be lost after the work and before the answer.
    Items are taken one by one as there is room for them, so that many may be given without being held.
    An item with a text in its `place` goes where others of that place go, as far as the executor has places.
    """

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        done: Callable[[Item, Result], None] = unheard,
    ) -> list[Result]:
        """`done` hears of each answer as it comes, here in the caller's own thread."""
        ...

    def close(self) -> None:
        """Let go of what is kept between two calls."""
        ...


# --- What came of one call, as a value: an answer or a failure that can travel between processes ---


class Foreign(Exception):
    """A failure elsewhere whose own class cannot travel."""


class Outcome(Struct, frozen=True):
    """An answer, or why there is none."""

    answer: Any = None
    error: BaseException | None = None
    told: str = ""
    """The traceback as it was printed where it happened, for --verbose."""

    def result(self) -> Any:
        """The answer; raises the failure, with the lines from where it happened."""
        if self.error is None:
            return self.answer
        self.error.add_note(f"In the process that did the work:\n{self.told}")
        raise self.error


def outcome(function: Callable[[Item], Result], item: Item) -> Outcome:
    """Call, and whatever comes of it is a value."""
    try:
        return Outcome(function(item))
    except Exception as error:  # noqa: BLE001  raised again where the answer is awaited
        return failure(error)


def failure(error: Exception) -> Outcome:
    """Why there is no answer."""
    told = "".join(traceback.format_exception(error))
    return Outcome(error=_travelling(error), told=told)


def _travelling(error: Exception) -> Exception:
    """The error itself when it survives the way as it is, else one that says the same."""
    try:
        again = pickle.loads(pickle.dumps(error))  # noqa: S301  our own bytes of a moment ago
    except Exception:  # noqa: BLE001  classes decide how they are packed, and may fail in any way
        again = None
    if type(again) is type(error) and str(again) == str(error):
        error.__cause__ = error.__context__ = None
        return error.with_traceback(None)
    return Foreign(f"{type(error).__name__}: {error}")


# --- Threads on this machine: for work that is waiting, for git beside us or for the network ---

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


# --- Processes on this machine: for work that is ours and not git's, since threads of Python take turns ---
# Each worker leads a process group of its own, so that it can be ended together with every git it started, and Ctrl-C
# reaches only us, who then end the workers. A worker that loses us ends itself and its group: nothing is left behind.

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
