"""One suite for every executor: order, failures, back-pressure, cancellation, nothing left behind."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import work_items
from daybreak.core.errors import ConfigError, DaybreakError, GitError
from daybreak.runs.executors import Executor, Foreign, LocalExecutor, ProcessExecutor
from daybreak.runs.ray_cluster import RayExecutor
from ray_nodes import WORKERS, Nodes, alive, eventually, parent
from work_items import Placed, complain, die, die_once, hold, import_places, linger, meet, square, until, whose

KINDS = ("threads", "processes", "ray")
pytest_plugins = ["ray_fixture"]
pytestmark = pytest.mark.filterwarnings("ignore")
"""Ray leaves sockets and uses what Python will drop some day; neither is ours."""


@pytest.fixture
def on_ray(nodes: Nodes) -> RayExecutor:
    return nodes.executor


@pytest.fixture(params=KINDS)
def executor(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Executor]:
    if request.param == "ray":
        yield request.getfixturevalue("on_ray")
        return
    made: Executor = ProcessExecutor(WORKERS)
    if request.param == "threads":
        made = LocalExecutor(WORKERS, lambda: _kill(tmp_path / "child"))
    yield made
    made.close()


def _kill(found: Path) -> None:
    """What `git.stop` does for threads."""
    if found.exists():
        os.kill(int(found.read_text()), 9)


# --- every executor ------------------------------------------------------------------------------------------------


def test_answers_come_in_the_order_of_the_items(executor: Executor) -> None:
    assert executor.map(square, range(20)) == [n * n for n in range(20)]
    assert executor.map(square, []) == []
    assert executor.map(square, [7]) == [49]


def test_items_run_side_by_side(executor: Executor, tmp_path: Path) -> None:
    assert executor.map(meet, [(str(tmp_path), n, WORKERS) for n in range(WORKERS)]) == list(range(WORKERS))


def test_items_are_taken_as_there_is_room_for_them(executor: Executor) -> None:
    taken, finished, most = 0, 0, 0

    def items() -> Iterator[int]:
        nonlocal taken, most
        for number in range(15):
            taken += 1
            most = max(most, taken - finished)
            yield number

    def done(_item: int, _result: int) -> None:
        nonlocal finished
        finished += 1

    assert executor.map(square, items(), done) == [n * n for n in range(15)]
    assert most <= WORKERS + 1, "one more than work at a time: the one whose answer is being told of"


def test_each_answer_is_heard_once_in_the_callers_thread(executor: Executor) -> None:
    heard: list[tuple[int, int]] = []
    threads: set[int] = set()

    def done(item: int, result: int) -> None:
        heard.append((item, result))
        threads.add(threading.get_ident())

    executor.map(square, range(9), done)
    assert sorted(heard) == [(n, n * n) for n in range(9)]
    assert threads == {threading.get_ident()}


def test_a_failure_keeps_its_class_its_sentence_and_its_tip(executor: Executor) -> None:
    with pytest.raises(GitError, match="git log failed: bad object") as caught:
        executor.map(complain, range(5))
    assert (caught.value.tip, caught.value.detail) == ("Fetch it.", "fatal: bad object")
    assert executor.map(square, range(3)) == [0, 1, 4], "after a failure it works again"


def test_a_failure_ends_the_others_and_what_they_started(executor: Executor, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="bad item"):
        executor.map(hold, [(str(tmp_path), n) for n in range(2)])
    child = int((tmp_path / "child").read_text())
    assert eventually(lambda: not alive(child))


def test_an_interrupt_ends_what_runs(executor: Executor, tmp_path: Path) -> None:
    def items() -> Iterator[tuple[str, int]]:
        yield str(tmp_path), 1
        until(tmp_path / "child")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        executor.map(hold, items())
    child = int((tmp_path / "child").read_text())
    assert eventually(lambda: not alive(child))


# --- executors with processes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("executor", ["processes", "ray"], indirect=True)
def test_an_error_that_cannot_travel_is_told_in_its_words(executor: Executor) -> None:
    with pytest.raises(Foreign, match="Picky: this and 4") as caught:
        executor.map(work_items.complain_oddly, [4])
    assert "complain_oddly" in "".join(caught.value.__notes__)


def test_a_worker_that_dies_is_one_clear_error() -> None:
    executor = ProcessExecutor(WORKERS)
    with pytest.raises(DaybreakError, match="worker process ended unexpectedly") as caught:
        executor.map(die, range(4))
    assert caught.value.tip
    assert executor.map(square, range(3)) == [0, 1, 4]
    executor.close()


def test_an_answer_that_is_no_value_is_an_error_of_that_item() -> None:
    executor = ProcessExecutor(WORKERS)
    with pytest.raises(Exception, match=r"pickle.*no_value|no_value.*pickle"):
        executor.map(work_items.no_value, [1])
    executor.close()


def test_after_close_no_process_is_left(tmp_path: Path) -> None:
    executor = ProcessExecutor(WORKERS)
    (tmp_path / "go").touch()
    executor.map(linger, [(str(tmp_path), n) for n in range(6)])
    pids = {int(mark.name.rsplit("-", 1)[1]) for mark in tmp_path.glob("began-*")}
    assert os.getpid() not in pids
    assert 1 <= len(pids) <= WORKERS
    executor.close()
    assert not any(map(alive, pids))


KILLED = """
import sys
from daybreak.runs.executors import ProcessExecutor
from work_items import hold
if __name__ == "__main__":
    ProcessExecutor(2).map(hold, [(sys.argv[1], 1)])
"""


def test_when_we_are_killed_the_workers_and_their_programs_end_too(tmp_path: Path) -> None:
    script = tmp_path / "killed.py"
    script.write_text(KILLED, encoding="utf-8")
    path = os.pathsep.join([str(Path(work_items.__file__).parent), *sys.path])
    ours = subprocess.Popen([sys.executable, str(script), str(tmp_path)], env={**os.environ, "PYTHONPATH": path})
    try:
        until(tmp_path / "child")
        child = int((tmp_path / "child").read_text())
        worker = parent(child)
        assert alive(worker)
    finally:
        ours.kill()
        ours.wait()
    assert eventually(lambda: not alive(child) and not alive(worker))


# --- Ray ---------------------------------------------------------------------------------------------------------------


def test_a_lost_process_is_made_up_for(on_ray: Executor, tmp_path: Path) -> None:
    items = [(str(tmp_path), n) for n in range(4)]
    assert on_ray.map(die_once, items) == [n * n for n in range(4)]
    assert (tmp_path / "died-1").exists()


def test_a_process_that_is_lost_each_time_is_one_clear_error(on_ray: Executor) -> None:
    with pytest.raises(DaybreakError, match="lost with its node again and again") as caught:
        on_ray.map(die, [1])
    assert "ray status" in caught.value.tip


def test_what_ray_says_of_lost_nodes_does_not_mix_with_our_results(
    on_ray: Executor, capsys: pytest.CaptureFixture[str]
) -> None:
    from ray._private import worker

    worker.print_to_stdstream({"lines": ["A worker died"], "pid": "raylet", "is_err": False}, ignore_prefix=False)
    assert capsys.readouterr().out == ""


def test_a_node_does_not_import_from_the_folder_that_the_user_stands_in(on_ray: Executor) -> None:
    (places,) = on_ray.map(import_places, [0])
    assert str(Path.cwd()) not in places
    assert "" not in places


def test_a_place_is_always_the_same_node_and_places_use_all_nodes(on_ray: Executor) -> None:
    items = [Placed(f"org/repo{n % 8}", n) for n in range(16)]
    found = on_ray.map(whose, items)
    by_place = {item.place: {found[i.number] for i in items if i.place == item.place} for item in items}
    assert all(len(names) == 1 for names in by_place.values())
    assert len(set(found)) == 2


def test_a_node_killed_midway_changes_no_answer(on_ray: Executor, nodes: Nodes, tmp_path: Path) -> None:
    """Both nodes are at work when one is killed; its item is begun again on the other."""

    def kill() -> None:
        if eventually(lambda: len(list(tmp_path.glob("began-*"))) == WORKERS):
            nodes.kill()
        (tmp_path / "go").touch()

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        answers = on_ray.map(linger, [(str(tmp_path), n) for n in range(6)])
    finally:
        (tmp_path / "go").touch()
        killer.join()
        nodes.add()
    assert answers == LocalExecutor(2, lambda: None).map(square, range(6))
    begun = [mark.name.split("-")[1] for mark in tmp_path.glob("began-*")]
    assert sorted(begun) != sorted(set(begun)), "an item that was lost with its node was begun twice"


def test_ray_that_is_not_installed_gives_the_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ConfigError, match="not installed") as caught:
        RayExecutor().map(square, [1])
    assert "[ray]" in caught.value.tip


def test_a_cluster_that_does_not_answer_is_one_sentence_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = pytest.importorskip("ray")
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    with pytest.raises(DaybreakError, match=r"No Ray cluster can be reached at '127\.0\.0\.1:1'\.") as caught:
        RayExecutor("127.0.0.1:1").map(square, [1])
    assert "ray start --head" in caught.value.tip
