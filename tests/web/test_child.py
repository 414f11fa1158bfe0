"""The run in a process of its own: what it says is passed on, and it is gone when it is told to go."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from daybreak.serve.web import service
from daybreak.serve.web.plan import LOCKED, Task
from daybreak.serve.web.service import Child, told

TASK = Task(date(2026, 1, 31))
Said = list[tuple[str, str, Mapping[str, Any]]]


def made(code: str, said: Said) -> Child:
    """A child that runs this code in place of our program."""
    return Child(
        Path("daybreak.toml"),
        dict(os.environ),
        lambda *line: said.append(line),
        program=(sys.executable, "-c", code),
    )


def test_the_command_names_one_day_and_no_secret() -> None:
    started = Child(Path("/srv/daybreak.toml"), {"GITHUB_TOKEN": "hush"}, lambda *_: None, verbose=True)
    command = started.command(Task(date(2026, 1, 31), force=True))
    assert command[:4] == [sys.executable, "-P", "-m", "daybreak"]
    assert command[4:] == [
        "run", "--since", "2026-01-31", "--until", "2026-02-01", "--config", "/srv/daybreak.toml",
        "--log-format", "json", "--no-color", "--verbose", "--force",
    ]  # fmt: skip
    assert "--force" not in started.command(TASK)


@pytest.mark.parametrize("code", [0, 1, 3])
def test_its_exit_code_is_told(code: int) -> None:
    assert asyncio.run(made(f"raise SystemExit({code})", [])(TASK)) == code


def test_one_that_finds_another_at_work_has_not_failed() -> None:
    said: Said = []
    line = '{"level": "error", "message": "Another run is at work.", "locked": true}'
    code = f"import sys; print({line!r}, file=sys.stderr); raise SystemExit(1)"
    assert asyncio.run(made(code, said)(TASK)) == LOCKED
    assert [level for level, _, _ in said] == ["warning"]


def test_a_crash_is_a_negative_code() -> None:
    assert asyncio.run(made("import os; os.kill(os.getpid(), 9)", [])(TASK)) == -9


def test_one_that_cannot_be_started_has_failed() -> None:
    said: Said = []
    started = Child(Path("x"), {}, lambda *line: said.append(line), program=("/nowhere/python",))
    assert asyncio.run(started(TASK)) == 1
    assert [(level, message) for level, message, _ in said] == [
        ("error", "2026-01-31: the run cannot be started: No such file or directory")
    ]


def test_what_it_says_is_passed_on_line_by_line() -> None:
    said: Said = []
    code = """
import sys
sys.stdout.write("5 commits\\n")
sys.stdout.flush()
sys.stderr.write('{"level": "warning", "message": "skipped: x", "skipped": "x"}\\n')
sys.stderr.write("{broken\\n\\n")
sys.stderr.write("\\u65e5 without an end")
"""
    asyncio.run(made(code, said)(TASK))
    day = {"day": "2026-01-31"}
    assert ("info", "5 commits", day) in said
    assert [line for line in said if line[1] != "5 commits"] == [
        ("warning", "skipped: x", {"skipped": "x", **day}),
        ("info", "{broken", day),
        ("info", "日 without an end", day),
    ]


def test_a_line_without_an_end_does_not_fill_the_memory() -> None:
    said: Said = []
    asyncio.run(made("import sys; sys.stdout.write('x' * 3_000_000 + chr(10) + 'end')", said)(TASK))
    assert [len(message) for _, message, _ in said] == [64 << 10, 3]


@pytest.mark.parametrize(
    "line",
    ["", "text", "[1]", '"level"', "{", '{"level": "loud", "message": "x"}', '{"level": "info"}', "[" * 100_000],
)
def test_a_line_of_another_form_is_a_message(line: str) -> None:
    assert told(line) == ("info", line, {})


def test_cancelling_stops_it_first(tmp_path: Path) -> None:
    """It is told to stop, and may end as it likes."""
    mark = tmp_path / "ended"
    code = f"""
import signal, sys, pathlib
def end(*_):
    pathlib.Path({str(mark)!r}).write_text("orderly")
    sys.exit(1)
signal.signal(signal.SIGTERM, end)
print("ready", flush=True)
signal.pause()
"""
    assert stopped(code)
    assert mark.read_text() == "orderly"


def test_one_that_will_not_stop_is_killed_with_all_it_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "GRACE", 0.2)
    pids = tmp_path / "pids"
    code = f"""
import os, pathlib, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
other = os.fork()
if other:
    pathlib.Path({str(pids)!r}).write_text(f"{{os.getpid()}} {{other}}")
    print("ready", flush=True)
signal.pause()
"""
    assert stopped(code)
    assert all(gone(int(pid)) for pid in pids.read_text().split())


def test_what_it_left_behind_does_not_keep_us_waiting(tmp_path: Path) -> None:
    """A process that it started holds its pipes open."""
    pid = tmp_path / "pid"
    code = f"""
import os, pathlib, signal
other = os.fork()
if not other:
    signal.pause()
pathlib.Path({str(pid)!r}).write_text(str(other))
"""
    assert asyncio.run(asyncio.wait_for(made(code, [])(TASK), 20)) == 0
    assert gone(int(pid.read_text()))


def stopped(code: str) -> bool:
    """Start it, wait until it is ready, cancel; whether that was all that ended it."""

    async def go() -> bool:
        ready = asyncio.Event()
        started = Child(Path("x"), dict(os.environ), lambda *_: ready.set(), program=(sys.executable, "-c", code))
        running = asyncio.ensure_future(started(TASK))
        await asyncio.wait_for(ready.wait(), 120)
        running.cancel()
        await asyncio.wait({running})
        return running.cancelled()

    return asyncio.run(go())


def gone(pid: int) -> bool:
    """Dead, if nobody has asked after it yet; what was killed may take a moment to be so."""
    for _ in range(6000):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state in ("Z", "X"):
            return True
        time.sleep(0.01)
    return False
