"""What Daybreak says while it works, in one voice on stderr, and text in columns of a terminal."""

from __future__ import annotations

import argparse
import os
import sys
import time
import unicodedata
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from daybreak.core.model.changes import Skipped

# Display of work in hand: what is done, how far it is and for how long; one moving line on a terminal, lines of a log
# elsewhere.
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
        self._last = self._began
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
        self.now = f"last: {what}" if what else ""
        self._last = time.monotonic()
        self._first = self._first or (self._last, self.done)

    def begin(self, what: str) -> None:
        """This is being done now."""
        self.now = what

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
        """What is still to come, as far as what was done tells it; between steps it goes down, and ends rather than grow."""
        if not self._even or self._first is None or not self.total:
            return ""
        since, done = self._last - self._first[0], self.done - self._first[1]
        if since < _FORESEEN or done <= 0 or self.done >= self.total:
            return ""
        left = since * (self.total - self.done) / done - (moment - self._last)
        return f", about {left:.0f} s left" if left >= 1 else ""

    def line(self, seconds: float, columns: int) -> str:
        """What is painted after so many seconds."""
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


def harmless(text: str) -> str:
    """Text of others, fit for a terminal: control codes and direction marks are dropped, line breaks become spaces."""
    from daybreak.core.text import without  # for those who only ask for help, its patterns need not be made

    return without(text.replace("\n", " ").replace("\t", " "))


class Voice:
    """Speaks on stderr."""

    def __init__(
        self, verbose: bool = False, quiet: bool = False, form: Literal["text", "json"] = "text", color: bool = True
    ) -> None:
        self.verbose, self.quiet, self._form = verbose, quiet, form
        self.told: Exception | None = None
        """The error that was said already."""
        self._tips: set[str] = set()
        moving = color and sys.stderr.isatty()
        self._display = Display("none" if quiet or form != "text" else "moving" if moving else "log")

    @classmethod
    def from_arguments(cls, arguments: argparse.Namespace) -> Voice:
        return cls(arguments.verbose, arguments.quiet, arguments.log_format, not arguments.no_color)

    def say(self, message: str, **facts: Any) -> None:
        """Something a user wants to know."""
        if not self.quiet:
            self._write("info", message, facts)

    def warn(self, message: str, **facts: Any) -> None:
        """Something that is not as it should be."""
        if not self.quiet:
            self._write("warning", message, facts)

    def skipped(self, one: Skipped) -> None:
        """What was skipped and why; what to do about several things is told with the first of them."""
        tip = "" if one.tip in self._tips else one.tip
        self._tips.add(one.tip)
        closer = "Why: --verbose." if one.detail and not (one.tip or self.verbose) else ""
        self.warn(f"skipped: {one.what}: {one.reason}. {tip}{closer}".rstrip(), skipped=one.what)
        self.detail(one.detail)

    def detail(self, message: str, **facts: Any) -> None:
        """Something a user wants to know when looking closer; each of its lines on a line of its own."""
        for line in message.splitlines() if self.verbose and not self.quiet else ():
            self._write("debug", line, facts)

    def error(self, message: str, tip: str = "", **facts: Any) -> None:
        if self._form == "json":
            self._write("error", message, {**({"tip": tip} if tip else {}), **facts})
            return
        self._write("error", message, {})
        if tip:
            self._line(f"  tip: {harmless(tip)}")

    def _write(self, level: str, message: str, facts: dict[str, Any]) -> None:
        if self._form == "json":
            import json

            from daybreak.core.text import escaped

            self._line(escaped(json.dumps({"level": level, "message": harmless(message), **facts}, ensure_ascii=False)))
            return
        self._display.heard(harmless(message))
        self._line(f"daybreak: {harmless(message)}")

    def _line(self, line: str) -> None:
        encoding = sys.stderr.encoding or "utf-8"
        with self._display.above():
            try:
                sys.stderr.write(line.encode(encoding, "replace").decode(encoding) + "\n")
                sys.stderr.flush()
            except (OSError, ValueError):
                _speak_to_nobody()

    @contextmanager
    def progress(self, title: str, total: int = 0, *, even: bool = False) -> Iterator[Steps]:
        """Steps that are counted; where each takes about as long as the next (`even`), what is left is told as well."""
        with self._display.running(), self._display.counting(harmless(title), total, even):
            yield Steps(self._display)

    def attended(self) -> AbstractContextManager[None]:
        """Silence is filled: after two seconds by a moving line on a terminal, after ten by a line of the log elsewhere."""
        return self._display.running()


def _speak_to_nobody() -> None:
    """Nobody hears us, and the work goes on all the same; what is still to be written must not fail at the end either."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stderr.fileno())
        os.close(nowhere)


class Steps:
    """Told by the work as it goes on."""

    def __init__(self, display: Display) -> None:
        self._display = display

    def expect(self, count: int) -> None:
        """So many are to come; those before them are done."""
        self._display.expect(count)

    def begin(self, what: str) -> None:
        """This one is being worked on."""
        self._display.begin(harmless(what))

    def done(self, what: str, count: int = 1) -> None:
        self._display.step(harmless(what), count)

    def more(self, count: int) -> None:
        """So many more, which have no names."""
        self._display.step("", count)


# --- Text in columns of a terminal, where wide characters (Chinese, Japanese, Korean) take two of them ---

_MORE = " …"
_LONGEST = 400
"""Characters of one piece: marks that take no column may be piled up without end."""
_CLINGS = "，。；：、！？）」』】》”’…"
"""Marks that do not begin a line."""
_OPENS = "（「『【《“‘"
"""Marks that do not end one."""


def width(text: str) -> int:
    """Columns that the text takes."""
    return len(text) if text.isascii() else sum(map(_width, text))


def _width(sign: str) -> int:
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 0 if unicodedata.combining(sign) else 1


def padded(text: str, columns: int) -> str:
    """The text with spaces up to so many columns."""
    return text + " " * (columns - width(text))


def cut(text: str, columns: int) -> str:
    """As much of the text as fits, with a sign when that is not all."""
    return text if width(text) <= columns else f"{_begin(text, columns - 1)}…"


def _begin(text: str, columns: int) -> str:
    used = 0
    for at, sign in enumerate(text):
        used += _width(sign)
        if used > columns:
            return text[:at]
    return text


def wrapped(text: str, columns: int, most: int = 6) -> list[str]:
    """At most so many lines of at most so many columns; a line breaks at spaces and between wide characters."""
    lines: list[str] = []
    line = ""
    for piece in _pieces(harmless(text[: columns * (most + 1) * 4]), columns):
        if line and width(line) + width(piece.rstrip()) > columns:
            lines.append(line.rstrip())
            line = ""
        line += piece if line else piece.lstrip()
    lines += [line.rstrip()] if line.strip() else []
    if len(lines) > most:
        lines = [*lines[: most - 1], _begin(lines[most - 1], columns - len(_MORE)).rstrip() + _MORE]
    return lines or [""]


def _pieces(text: str, columns: int) -> Iterator[str]:
    """What stays together: a word with the spaces behind it, a wide character with the marks around it."""
    word, used = "", 0
    for sign in text:
        size = _width(sign)
        if word and (used + size > columns or len(word) >= _LONGEST or _parts(word[-1], sign)):
            yield word
            word, used = "", 0
        word, used = word + sign, used + size
    if word:
        yield word


def _parts(before: str, sign: str) -> bool:
    """A line may break between these two."""
    if sign in _CLINGS or sign == " " or before in _OPENS:
        return False
    return before == " " or _width(before) == 2 or _width(sign) == 2
