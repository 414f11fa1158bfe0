"""A Ray cluster: items spread over its nodes, lost nodes made up for, answers by value.

This is the only file that imports ray. A node needs this version of Daybreak, git, and a way to the repositories.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from hashlib import sha256
from typing import Any

from daybreak import __version__
from daybreak.core.errors import ConfigError, DaybreakError
from daybreak.core.origin import install
from daybreak.runs.executors import Item, Outcome, Result, outcome, unheard

LOOK_UP = 0.2
"""Seconds between looks at signals."""
REACHED_IN = 5.0
"""Seconds in which the head of a cluster must answer; left alone, Ray goes on asking for minutes."""
ENDED_IN = 1.0
"""Seconds a task that is cancelled has to stop its gits; then its process is killed."""
TRIES_AGAIN = 3
"""How often a task is begun anew when its node or its process is lost."""
AHEAD = 2
"""Tasks given out for each core of the cluster: one at work and the next one waiting beside it."""


class RayExecutor:
    """Connects when first needed; at most `workers` tasks are given out at a time (0: twice the cluster's cores)."""

    def __init__(self, address: str = "auto", workers: int = 0) -> None:
        self._address, self._workers = address, workers
        self._connected = False

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        done: Callable[[Item, Result], None] = unheard,
    ) -> list[Result]:
        ray = self._cluster()
        results: dict[int, Result] = {}
        given: dict[Any, tuple[int, Item]] = {}
        waiting = enumerate(items)
        places = _Places(ray)
        task = ray.remote(num_cpus=1, max_retries=TRIES_AGAIN, retry_exceptions=False)(_work)
        room = self._workers or AHEAD * places.cores
        try:
            while True:
                while len(given) < room and (following := next(waiting, None)) is not None:
                    strategy = places.of(getattr(following[1], "place", None))
                    given[task.options(scheduling_strategy=strategy).remote(function, following[1])] = following
                if not given:
                    return [results[number] for number in range(len(results))]
                ready, _ = ray.wait(list(given), num_returns=1, timeout=LOOK_UP)
                for reference in ready:
                    number, item = given.pop(reference)
                    results[number] = _answer(ray, reference)
                    done(item, results[number])
        except BaseException:
            _take_back(ray, list(given))
            raise

    def close(self) -> None:
        """Leave the cluster, if it was we who joined it."""
        if self._connected:
            self._connected = False
            _ray().shutdown()

    def _cluster(self) -> Any:
        ray = _ray()
        if ray.is_initialized():
            return ray
        _knock(self._address)
        _keep_quiet()
        try:
            ray.init(
                address=self._address,
                job_config=_job(),
                log_to_driver=False,
                configure_logging=False,
                logging_level="ERROR",
            )
        except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
            raise _unreachable(self._address) from error
        self._connected = True
        return ray


def _ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise ConfigError(
            '[execute] kind is "ray", but Ray is not installed.', f"Install it: {install('ray')}"
        ) from error
    return ray


def _job() -> Any:
    """Ray puts the folder the user stands in first on the way of imports of every worker, unless the code of a job is
    said to come from elsewhere, as that of its client does. Ours is installed on the nodes.
    """
    from ray.job_config import JobConfig

    job = JobConfig()
    job._client_job = True  # noqa: SLF001  there is no other way to say so
    return job


def _keep_quiet() -> None:
    """Ray prints what it hears of lost nodes to stdout, where our results go, and has no setting against it."""
    from ray._private import worker

    if hasattr(worker, "print_to_stdstream"):
        worker.print_to_stdstream = lambda *_, **__: None


def _knock(address: str) -> None:
    """Raise at once when nobody listens at the address."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        return  # a word such as "auto": Ray knows where to look
    try:
        socket.create_connection((host.strip("[]"), int(port)), REACHED_IN).close()
    except (OSError, OverflowError) as error:
        raise _unreachable(address) from error


def _unreachable(address: str) -> DaybreakError:
    return DaybreakError(
        f"No Ray cluster can be reached at {address!r}.",
        'Start one with `ray start --head`, correct `address` in [execute], or use kind = "local".',
    )


# --- where --------------------------------------------------------------------------------------------------------


class _Places:
    """Which node an item goes to: always the same one for the same place, so that a mirror is fetched to one node."""

    def __init__(self, ray: Any) -> None:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        self._near = NodeAffinitySchedulingStrategy
        alive = [node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU", 0) >= 1]
        self.cores = max(int(sum(node["Resources"]["CPU"] for node in alive)), 1)
        self._nodes: dict[str, str] = {}
        for node in sorted(alive, key=lambda node: (node["NodeManagerAddress"], node["NodeManagerPort"])):
            # The id of a node is new each time it starts; its machine is not. Several on one machine are counted.
            machine = node["NodeManagerAddress"]
            rank = sum(name.startswith(f"{machine} ") for name in self._nodes)
            self._nodes[f"{machine} {rank}"] = node["NodeID"]

    def of(self, place: str | None) -> Any:
        """Ray's strategy; when the node is gone, any other one will do."""
        if not place or not self._nodes:
            return "SPREAD"
        best = max(self._nodes, key=lambda name: sha256(f"{name}\n{place}".encode()).digest())
        return self._near(node_id=self._nodes[best], soft=True)


# --- on the node --------------------------------------------------------------------------------------------------


def _work(function: Callable[[Any], Any], item: Any) -> tuple[str, Outcome]:
    return _versions(), outcome(function, item)


def _versions() -> str:
    return f"Daybreak {__version__} on Python {sys.version_info.major}.{sys.version_info.minor}"


# --- answers ------------------------------------------------------------------------------------------------------


def _answer(ray: Any, reference: Any) -> Any:
    try:
        theirs, found = ray.get(reference)
    except ray.exceptions.RayError as error:
        raise _in_words(ray, error) from error
    if theirs != _versions():
        raise DaybreakError(
            f"A node of the cluster has {theirs}, this is {_versions()}.",
            "Install the same version on every node: their answers would differ.",
        )
    return found.result()


def _in_words(ray: Any, error: Exception) -> DaybreakError:
    """Ray's own failures; those of the work itself come as an outcome."""
    known = ray.exceptions
    if isinstance(error, known.RayTaskError):  # before the work began: its function could not be loaded
        cause = error.cause if isinstance(error.cause, BaseException) else error
        return DaybreakError(
            f"A node of the cluster cannot run Daybreak ({type(cause).__name__}: {_first_line(cause)}).",
            f"Install {_versions()} on every node.",
        )
    if isinstance(error, known.OutOfMemoryError):
        return DaybreakError(
            "A node of the cluster ran out of memory.",
            "Give the nodes more memory or fewer CPUs (`ray start --num-cpus`).",
        )
    if isinstance(error, known.RuntimeEnvSetupError):
        return DaybreakError(
            "A node of the cluster could not be prepared.", "See `ray status` and the logs of its nodes."
        )
    return DaybreakError(
        f"A task was lost with its node again and again ({type(error).__name__}); what was being made is not published.",
        "See `ray status`, mend the cluster, then run again: what is done is kept.",
    )


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [""])[-1][:200]


def _take_back(ray: Any, references: list[Any]) -> None:
    """Ask what still runs to stop, as Ctrl-C would; what does not listen is killed."""
    with suppress(Exception):  # the cluster may be what is gone
        for reference in references:
            ray.cancel(reference, force=False)
        if references:
            _, still = ray.wait(references, num_returns=len(references), timeout=ENDED_IN)
            for reference in still:
                ray.cancel(reference, force=True)
