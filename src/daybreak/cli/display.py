"""Display of work in hand: what is done, how far it is and for how long; one moving line on a terminal, lines of a log elsewhere.

A timer of the system paints it, not a thread: a process with threads may not be copied, and copies read your code.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, Literal

Form = Literal["moving", "log", "none"]

QUIET = 2.0
"""Seconds without a word after which the line appears on a terminal."""
SILENCE = 10.0
"""Seconds without a word after which a log gets a line."""
LATER = 60.0
"""Seconds after which a log is told less often: who still reads it knows that this takes its time."""
_SELDOM = 3
_EVERY = 0.25
_WHEEL = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_BAR = 24
_CLEAR = b"\r\x1b[K"
_FORESEEN = 5.0
"""Seconds of even steps after which the rest of them can be foreseen."""


class Display:
    """The line: painted again and again, written to a log now and then, or never."""

    def __init__(self, form: Form) -> None:
        self._form = form
        self._running = self._painted = self._busy = self._even = False
        self._began = self._heard = time.monotonic()
        self._turn = 0
        self._first: tuple[float, int] | None = None
        """When the first steps were done, and how many: those were only looked up."""
        self._counted = self.title = self.now = ""
        self.total = self.done = 0

    @contextmanager
    def running(self) -> Iterator[None]:
        """While work goes on; the terminal is left as it was."""
        if self._form == "none" or self._running:
            yield
            return
        with ExitStack() as after:
            self._running = _rings(self._tick, _EVERY if self._form == "moving" else min(1.0, SILENCE / 4), after)
            if self._running and self._form == "moving" and sys.stdout.isatty():
                after.callback(setattr, sys, "stdout", sys.stdout)
                sys.stdout = _Above(sys.stdout, self)  # all of it that anybody uses
            self._began = self._heard = time.monotonic()
            try:
                yield
            finally:
                after.close()
                self.clear()
                self._running = False

    @contextmanager
    def counting(self, title: str, total: int, even: bool = False) -> Iterator[None]:
        """A part of the work whose steps are known; `even`: each takes about as long as the next."""
        self._counted, self._even = title, even
        self.expect(total)
        try:
            yield
        finally:
            self.title, self.total, self.now = "", 0, ""

    def expect(self, total: int) -> None:
        """So many steps, none of which is done."""
        self.title, self.total, self.done, self.now = self._counted, total, 0, ""
        self._first = None

    def step(self, what: str, count: int) -> None:
        self.done += count
        self.now = what
        self._first = self._first or (time.monotonic(), self.done)

    @contextmanager
    def above(self) -> Iterator[None]:
        """Something else is written to the terminal meanwhile."""
        self._busy = True
        try:
            self.clear()
            yield
        finally:
            self._busy = False
            self._heard = time.monotonic()

    def clear(self) -> None:
        if self._painted:
            self._painted = False
            _to_terminal(_CLEAR)

    def heard(self, what: str) -> None:
        """The last word said is what is being done, as long as nothing is counted."""
        if not self.total:
            self.title = what

    def _tick(self, _signal: int, _frame: Any) -> None:
        moment = time.monotonic()
        if self._busy:
            return
        if self._form == "log":
            self._log(moment)
        elif self.total or moment - self._heard >= QUIET:
            self._turn += 1
            self._painted = True
            _to_terminal(_CLEAR + self.line(moment - self._began, _columns()).encode("utf-8", "replace") + b"\r")

    def _log(self, moment: float) -> None:
        """In the characters of the log; one that lacks some is told the same with others in their place."""
        often = SILENCE * (_SELDOM if moment - self._began > LATER else 1)
        if moment - self._heard >= often:
            self._heard = moment
            told = f"daybreak: {' '.join(self._parts())}{self._left(moment)}, {moment - self._began:.0f} s so far\n"
            _to_terminal(told.encode(sys.stderr.encoding or "utf-8", "replace"))

    def _parts(self) -> list[str]:
        title = self.title or "working"
        if not self.total:
            return [title]
        last = f"({self.now})" if self.now else ""
        return [f"{title}:", f"{self.done} of {self.total}", *filter(None, [last])]

    def _left(self, moment: float) -> str:
        """What is still to come, as far as what was done tells it."""
        if not self._even or self._first is None or not self.total:
            return ""
        since, done = moment - self._first[0], self.done - self._first[1]
        if since < _FORESEEN or done <= 0 or self.done >= self.total:
            return ""
        return f", about {since * (self.total - self.done) / done:.0f} s left"

    def line(self, seconds: float, columns: int) -> str:
        """What is painted after so many seconds."""
        from daybreak.cli.console import cut

        parts = [_WHEEL[self._turn % len(_WHEEL)], self.title or "working"]
        if self.total:
            full = min(_BAR, _BAR * self.done // self.total)
            parts += ["━" * full + "╌" * (_BAR - full), f"{self.done}/{self.total}"]
        parts += [self.now] if self.now else []
        end = f" · {seconds:.0f} s{self._left(time.monotonic())}"
        return cut(" ".join(parts), max(columns - 6 - len(end), 20)) + end


def _rings(tick: Any, every: float, after: ExitStack) -> bool:
    """Whether a timer is ours until `after`: another thread has none, and one that is set already is somebody's."""
    import signal

    if any(signal.getitimer(signal.ITIMER_REAL)):
        return False
    try:
        before = signal.signal(signal.SIGALRM, tick)
    except ValueError:
        return False
    after.callback(signal.signal, signal.SIGALRM, before)
    after.callback(signal.setitimer, signal.ITIMER_REAL, 0)
    signal.setitimer(signal.ITIMER_REAL, every, every)
    return True


class _Above:
    """Standard output on the same terminal: what goes there stands above the line."""

    def __init__(self, stream: Any, display: Display) -> None:
        self._stream, self._display = stream, display

    def write(self, text: Any) -> Any:
        with self._display.above():
            return self._stream.write(text)

    @property
    def buffer(self) -> Any:
        return _Above(self._stream.buffer, self._display)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _columns() -> int:
    with suppress(OSError, ValueError):
        return os.get_terminal_size(2).columns or 80
    return 80


def _to_terminal(data: bytes) -> None:
    """Past Python's own buffers, which may be in the middle of something when the timer rings."""
    with suppress(OSError, ValueError):
        os.write(2, data)
