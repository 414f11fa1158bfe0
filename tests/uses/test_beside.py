"""Work shared out between processes gives what one process gives, whatever becomes of a copy."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
from functools import partial
from pathlib import Path

import pytest

from daybreak.core.projects import Wanted
from daybreak.upgrade.downstream import parallel as module
from daybreak.upgrade.downstream.parallel import beside, portions, processes
from daybreak.upgrade.downstream.walk import read_uses

WANTED = Wanted(packages=frozenset({"vllm"}), programs=frozenset({"vllm"}))


def ran(code: str, *arguments: str) -> str:
    """What a fresh process prints: it has no threads, so it may be copied."""
    command = [sys.executable, "-c", textwrap.dedent(code), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_portions_are_of_about_one_weight_and_keep_the_order() -> None:
    items = [(name, float(weight)) for name, weight in zip("abcdef", (9, 1, 1, 5, 1, 1), strict=True)]
    assert portions(items, 2) == [["a"], ["b", "c", "d", "e", "f"]]
    assert portions(items, 1) == [list("abcdef")]
    assert portions([], 3) == [[], [], []]


def test_little_work_one_worker_and_threads_are_not_shared_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_may_copy", lambda: True)
    assert [processes(weight, 4) for weight in (0, 10, 2.5e6, 1e9)] == [1, 1, 2, 4]
    assert processes(1e9, 1) == 1
    monkeypatch.undo()
    done = threading.Event()
    waiting = threading.Thread(target=done.wait)
    waiting.start()
    assert processes(1e9, 4) == 1
    done.set()
    waiting.join()


def test_answers_come_in_order_and_what_waits_to_be_printed_comes_once() -> None:
    code = """
        import os
        from functools import partial
        from daybreak.upgrade.downstream.parallel import beside
        def work(number):
            return number, os.getpid()
        print("once", end=" ")
        found = beside(partial(work, 0), [partial(work, 1), partial(work, 2)])
        print([number for number, _ in found], len({pid for _, pid in found}))
    """
    assert ran(code) == "once [0, 1, 2] 3\n"


@pytest.mark.parametrize(
    "fate", ["os.kill(os.getpid(), 9)", "raise KeyError", "os._exit(0)", "return open(os.devnull)"]
)
def test_what_a_copy_does_not_answer_is_done_here(fate: str) -> None:
    code = f"""
        import os
        from daybreak.upgrade.downstream.parallel import beside
        first = os.getpid()
        def work():
            if os.getpid() != first:
                {fate}
            return "done"
        print(beside(work, [work]))
    """
    assert ran(code) == "['done', 'done']\n"


def test_without_processes_all_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> int:
        raise BlockingIOError

    monkeypatch.setattr(os, "fork", none)
    assert beside(partial(int, "1"), [partial(int, "2")]) == [1, 2]


def test_a_fault_here_leaves_no_copy_behind() -> None:
    code = """
        import os, time
        from daybreak.upgrade.downstream.parallel import beside
        def failing():
            raise KeyError
        try:
            beside(failing, [lambda: time.sleep(60)])
        except KeyError:
            try:
                os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                print("gone")
    """
    assert ran(code) == "gone\n"


def _written(folder: Path) -> None:
    """Two chains of files that build on each other, two of which import each other; users of each link; scripts."""
    filler = "# " + "x" * 1000 + "\n"
    for number in range(40):
        at = folder / f"pack{number % 3}"
        at.mkdir(exist_ok=True)
        above = (
            f"from pack{(number - 2) % 3}.m{number - 2} import C as B\n" if number > 1 else "from vllm import C as B\n"
        )
        circle = "def late():\n    from pack2.m2 import C\n    C().f2()\n" if number == 0 else ""
        text = f"{above}class C(B):\n    def f{number}(self): ...\nC().x = 1\nC().f0()\nC().x.y()\n{circle}"
        (at / f"m{number}.py").write_text(text + filler * 20)
        (at / f"use{number}.py").write_text(above + "B().x()\nB().f3()\n" + filler * 20)
        (at / f"run{number}.sh").write_text(f"vllm serve --flag{number}\n" + filler * 10)
    (folder / "broken.py").write_text("import vllm\ndef (")


@pytest.mark.parametrize(("level", "least"), [(10**9, 6), (30_000, 40)])
def test_a_large_code_base_is_read_alike_by_any_number_of_processes(tmp_path: Path, level: int, least: int) -> None:
    _written(tmp_path)
    code = """
        import sys
        from pathlib import Path
        from daybreak.upgrade.downstream import parallel, walk
        from daybreak.core.projects import Wanted
        parallel._WORTH, walk._LEVEL = 100_000, int(sys.argv[2])
        copies = []
        fork = parallel.os.fork
        parallel.os.fork = lambda: copies.append(1) or fork()
        wanted = Wanted(packages=frozenset({"vllm"}), programs=frozenset({"vllm"}))
        one, two, three = (walk.read_uses(Path(sys.argv[1]), wanted, workers) for workers in (1, 2, 3))
        print(one == two == three, len(copies) >= int(sys.argv[3]), len(one.uses), one.files, one.skipped[0].what)
    """
    alone = read_uses(tmp_path, WANTED)
    assert ran(code, str(tmp_path), str(level), str(least)) == f"True True {len(alone.uses)} 121 broken.py\n"
