"""A Ray cluster of two nodes on this machine, one of which can be killed as when a machine goes down."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import work_items
from daybreak.runs.ray_cluster import RayExecutor

WORKERS = 2
QUICK_TO_NOTICE = {"initial_delay_ms": "0", "period_ms": "500", "timeout_ms": "10000", "failure_threshold": "5"}
"""Left alone, Ray takes a quarter of a minute to see that a node is gone. One that is slow on a busy machine is waited for:
were the node of the driver given up for lost, the tests would end with it.
"""
HELD_GIT = """\
#!/bin/sh
if [ -e "{folder}/hold" ]; then
  : > "{folder}/held-$$"
  while [ -e "{folder}/hold" ]; do sleep 0.05; done
fi
exec "{git}" "$@"
"""


def state(pid: int) -> list[str]:
    """The words of the system about a process, from its state on; none when it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    except OSError:
        return []


def alive(pid: int) -> bool:
    return state(pid)[:1] not in ([], ["Z"])


def parent(pid: int) -> int:
    return int((state(pid)[1:2] or ["0"])[0])


def below(pid: int) -> list[int]:
    """All processes that a process started, and those that these started."""
    everyone = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]
    found, front = [], [pid]
    while front:
        front = [one for one in everyone if parent(one) in front]
        found += front
    return found


def eventually(holds: Callable[[], bool]) -> bool:
    end = time.monotonic() + work_items.PATIENCE
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


@dataclass
class Nodes:
    """The cluster, and the executor that speaks to it."""

    cluster: Any
    executor: RayExecutor
    bin: Path
    """On the nodes, the git found first is one that waits while the file `hold` is here."""
    second: Any = None

    def add(self) -> None:
        with environment(self.bin):
            self.second = self.cluster.add_node(num_cpus=1, object_store_memory=10**8)
        self.cluster.wait_for_nodes()

    def of_second(self) -> list[int]:
        return below(self.second.all_processes["raylet"][0].process.pid)

    def kill(self) -> None:
        """All processes of the second node at once."""
        theirs = self.of_second()
        self.cluster.remove_node(self.second, allow_graceful=False)
        for pid in theirs:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def held(self) -> set[int]:
        """Processes of git that wait."""
        return {int(mark.name.removeprefix("held-")) for mark in self.bin.glob("held-*")}


@contextmanager
def environment(folder: Path) -> Iterator[None]:
    """What nodes see when they are started; our own process keeps nothing of it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("PYTHONPATH", str(Path(work_items.__file__).parent), prepend=os.pathsep)
        patch.setenv("PATH", str(folder), prepend=os.pathsep)
        patch.delenv("RAY_ADDRESS", raising=False)
        for name, value in QUICK_TO_NOTICE.items():
            patch.setenv(f"RAY_health_check_{name}", value)
        yield


@contextmanager
def two_nodes(folder: Path) -> Iterator[Nodes]:
    from ray.cluster_utils import Cluster

    git = folder / "git"
    git.write_text(HELD_GIT.format(folder=folder, git=shutil.which("git")), encoding="utf-8")
    git.chmod(0o755)
    head = {"num_cpus": 1, "include_dashboard": False, "object_store_memory": 10**8}
    with environment(folder):
        cluster: Any = Cluster(initialize_head=True, head_node_args=head)
    nodes = Nodes(cluster, RayExecutor(cluster.address, WORKERS), folder)
    try:
        # A driver belongs to one node and goes down with it: it joins before there is a second one to kill.
        assert nodes.executor.map(work_items.square, [3]) == [9]
        nodes.add()
        yield nodes
    finally:
        nodes.executor.close()
        cluster.shutdown()
