"""Runs that are killed and runs that meet: the next one goes on, the second one is told who is first."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from contracts import stored
from daybreak.core.errors import LockedError

if TYPE_CHECKING:
    from daybreak.store.sql import SqlStore

# --- a kill ----------------------------------------------------------------------------------------------------------

WRITE = """
import sys
sys.path[:0] = [sys.argv[3]]
from pathlib import Path
from contracts import stored
from daybreak.store import open_store
store = open_store(sys.argv[1], Path(sys.argv[2]))
with store.hold(), store.run("run", "1.0") as run:
    known = stored.inputs(store)
    for number in range(2000):
        if f"day {number}" in known:
            continue
        store.answers.put(stored.many(number * 10, number * 10 + 10, b"words " * 50))
        stored.record(store, run, "acme/engine", inputs=f"day {number}")
        print(number, flush=True)
"""


def test_a_run_that_is_killed_again_and_again_goes_on_where_it_stopped(
    store: SqlStore, address: str, tmp_path: Path
) -> None:
    tests = str(Path(__file__).parent.parent)
    told: list[int] = []
    for lines in (1, 7, 3, 12):
        command = [sys.executable, "-c", WRITE, address, str(tmp_path), tests]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
            assert run.stdout is not None
            told += [int(run.stdout.readline()) for _ in range(lines)]
            run.kill()
        eventually_free(store)
        assert list(store.verify()) == []
    # What was told is there; the step that the kill fell into is there as a whole or not at all, and is not told twice.
    assert told == sorted(set(told))
    known = stored.inputs(store)
    done = [number for number in range(2000) if f"day {number}" in known]
    assert done == list(range(len(done)))
    assert set(told) <= set(done)
    assert stored.known(store) >= 10 * len(done)
    assert stored.known(store) % 10 == 0
    assert [run.outcome for run in store.runs()] == [None] * 4


# --- two at once -----------------------------------------------------------------------------------------------------

HOLD = """
import sys
from pathlib import Path
from daybreak.store import open_store
store = open_store(sys.argv[1], Path(sys.argv[2]))
with store.hold():
    print("held", flush=True)
    sys.stdin.read()
"""


def test_the_second_run_names_the_first_and_a_kill_lets_go(store: SqlStore, address: str, tmp_path: Path) -> None:
    assert store.holder() is None
    command = [sys.executable, "-c", HOLD, address, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "held\n"
        with pytest.raises(LockedError) as caught, store.hold():
            pass
        stored.clear(caught.value)
        assert f"process {first.pid} on {socket.gethostname()}, since 20" in caught.value.message
        holder = store.holder()
        assert holder is not None
        assert holder.pid == first.pid
        assert store.labels() == []  # who only asks need not wait
        first.kill()
        first.wait()
    eventually_free(store)
    assert store.holder() is None
    stored.fill(store)
    assert list(store.verify()) == []


def eventually_free(store: SqlStore) -> None:
    """A server takes a moment to notice that a client is gone."""
    for _ in range(1200):
        try:
            with store.hold():
                holder = store.holder()
                assert holder is not None
                assert holder.pid == os.getpid()
                return
        except LockedError:
            time.sleep(0.05)
    pytest.fail("the lock of a killed run was never freed")
