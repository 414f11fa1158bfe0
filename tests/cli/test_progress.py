"""Progress: silence is filled on a terminal by a moving line, in a log by lines that are not many."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli.place import DAY, Place
from daybreak.cli import console
from daybreak.cli.console import Display


def on_a_terminal(code: str, folder: Path) -> str:
    """What a program writes to a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", code], stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder)
    os.close(theirs)
    seen = b""
    while process.poll() is None or select.select([ours], [], [], 0)[0]:
        if select.select([ours], [], [], 0.1)[0]:
            try:
                seen += os.read(ours, 65536)
            except OSError:
                break
    os.close(ours)
    assert process.wait() == 0
    return seen.decode("utf-8", "replace")


def test_silence_on_a_terminal_is_filled_and_the_line_is_gone_before_results() -> None:
    code = """
import sys, time
from daybreak.cli import console
from daybreak.cli.console import Voice
console.QUIET = 0.3
voice = Voice()
with voice.attended():
    voice.say("acme/engine: looking through 12 commits")
    end = time.monotonic() + 1.5
    while time.monotonic() < end:
        time.sleep(0.05)
    print("result")
    with voice.progress("2 days", 4) as steps:
        steps.done("acme/engine", 2)
        end = time.monotonic() + 0.8
        while time.monotonic() < end:
            time.sleep(0.05)
"""
    seen = on_a_terminal(code, Path.cwd())
    assert "looking through 12 commits · " in seen
    assert "\r\x1b[Kresult" in seen
    assert "2/4 last: acme/engine" in seen
    assert seen.endswith("\r\x1b[K")


def test_nothing_moves_where_nobody_looks(capfd: pytest.CaptureFixture[str]) -> None:
    with Display("none").running():
        time.sleep(0)
    assert capfd.readouterr() == ("", "")


WORK = """
import time
from daybreak.cli import console
from daybreak.cli.console import Voice
console.SILENCE = 0.3
voice = Voice({how})
with voice.attended():
    voice.say("acme/engine: making a mirror")
    end = time.monotonic() + 1.2
    while time.monotonic() < end:
        time.sleep(0.05)
    with voice.progress("2026-01-19", 4) as steps:
        steps.done("acme/engine", 2)
        end = time.monotonic() + 0.8
        while time.monotonic() < end:
            time.sleep(0.05)
"""


def in_a_log(how: str = "") -> list[str]:
    """What a program that works for two seconds writes where no terminal is."""
    command = [sys.executable, "-c", WORK.format(how=how)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "LC_ALL": "C"})
    assert done.stdout == ""
    return done.stderr.splitlines()


def test_silence_in_a_log_is_filled_by_whole_lines_that_say_what_is_done_how_far_and_for_how_long() -> None:
    first, *later = in_a_log()
    assert first == "daybreak: acme/engine: making a mirror"
    assert re.fullmatch(r"daybreak: acme/engine: making a mirror, \d+ s so far", later[0])
    assert re.fullmatch(r"daybreak: 2026-01-19: 2 of 4 \(last: acme/engine\), \d+ s so far", later[-1])
    assert len(later) >= 2  # how often: below, by a clock that no busy machine stops


@pytest.mark.parametrize("how", ["quiet=True", 'form="json"'])
def test_who_asked_for_silence_or_for_data_is_not_told_that_work_goes_on(how: str) -> None:
    assert len(in_a_log(how)) <= 1


def test_a_log_is_told_less_often_after_a_minute(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    moment = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: moment[0])
    shown = Display("log")
    for _ in range(600):
        moment[0] += 1
        shown._tick(0, None)
    told = [int(text) for text in re.findall(r"(\d+) s so far", capfd.readouterr().err)]
    assert told[:6] == [10, 20, 30, 40, 50, 60]
    assert len(told) <= 6 + 540 // 30


def test_the_rest_of_even_steps_is_foreseen_and_that_of_others_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    moment = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: moment[0])
    for even, end in ((True, "25/100 · 0 s, about 30 s left"), (False, "25/100 · 0 s")):
        shown = Display("moving")
        with shown.counting("commits", 100, even):
            shown.step("", 0)
            moment[0] += 10
            shown.step("", 25)
            assert shown.line(0, 120).endswith(end)


def test_what_is_left_goes_down_while_no_step_ends_and_is_not_told_once_it_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    moment = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: moment[0])
    shown = Display("moving")
    with shown.counting("commits", 100, True):
        shown.step("", 0)
        moment[0] += 10
        shown.step("", 25)
        moment[0] += 20
        assert shown.line(0, 120).endswith("25/100 · 0 s, about 10 s left")
        moment[0] += 20
        assert shown.line(0, 120).endswith("25/100 · 0 s")


def test_what_is_being_worked_on_is_told_apart_from_what_was_done_last() -> None:
    shown = Display("moving")
    with shown.counting("2026-01-19", 2):
        shown.begin("acme/engine")
        assert "0/2 acme/engine · " in shown.line(0, 120)
        shown.step("acme/engine", 1)
        assert "1/2 last: acme/engine · " in shown.line(0, 120)


def test_a_timer_that_is_somebody_elses_is_left_alone() -> None:
    code = """
import signal
from daybreak.cli.console import Display
signal.signal(signal.SIGALRM, lambda *_: None)
signal.setitimer(signal.ITIMER_REAL, 100)
with Display("log").running():
    print(signal.getitimer(signal.ITIMER_REAL)[0] > 90)
print(signal.getitimer(signal.ITIMER_REAL)[0] > 90)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]


def test_when_all_is_read_a_run_says_what_it_does_then(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(console.Steps, "begin", lambda _, what: told.append(f"now {what}"))
    monkeypatch.setattr(console.Steps, "done", lambda _, what, __=1: told.append(f"read {what}"))
    place.config()
    assert place.run("run", "--since", DAY, "--until", "2026-01-21").returncode == 0
    read = [f"read {day} acme/engine" for day in (DAY, "2026-01-20")]
    together = "now all read; putting the report together"
    assert [one for one in told if one.startswith(("read", together))] == [read[0], together, read[1], together]
