"""Watch over running gits: every wait has an end, a git is believed only when its own end was seen, and what failed is known.

A git that talks to a server lives as long as its work goes on: dripping bytes are no work. One that reads our own disk
must say something in time, while somebody waits for it.
"""

from __future__ import annotations

import io
import os
import re
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from select import select
from typing import IO, Any, Protocol

from msgspec import Struct

LOOK = 1.0
"""Seconds between two looks at what runs, at most."""
_TAIL = 4096


class Limits(Struct, frozen=True):
    """Seconds that a git is given."""

    silence: float = 60.0
    """Of a server, without progress worth the name."""
    asking: float = 90.0
    """For a question to a server, which may have tens of thousands of names to tell."""
    greeting: float = 20.0
    """For a question that has a line for an answer."""
    transfer: float = 3600.0
    """For one transfer, however well it goes on."""
    reading: float = 900.0
    """Of a git that reads our own disk, while somebody waits for its next word."""
    slowest: int = 10_000
    """Bytes a second below which a transfer drips."""
    largest: int = 1 << 30
    """Bytes that it may hold before a transfer begins: names without end are no answer."""

    def of_server(self, command: Sequence[str]) -> float:
        """What a command that talks to a server is given: a transfer, a question for its head alone, or any other."""
        asking = self.greeting if (command[0], command[-1]) == ("ls-remote", "HEAD") else self.asking
        return self.transfer if "--progress" in command else asking


LIMITS = Limits()


# --- Progress of a transfer, as git tells it on stderr ------------------------------------------------------------------

_STEP = re.compile(r"([A-Za-z][A-Za-z ]{2,40}): +(\d{1,3})% ")
_AMOUNT = re.compile(r"(\d{1,9}(?:\.\d{1,2})?) (bytes|KiB|MiB|GiB)\b")
_UNITS = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


class Progress(Struct, frozen=True):
    """How far a transfer is: its step and share, and the bytes that came."""

    step: tuple[str, str] = ("", "")
    amount: float = 0.0

    @classmethod
    def told(cls, tail: str) -> Progress:
        steps, amounts = _STEP.findall(tail), _AMOUNT.findall(tail.rpartition("Receiving objects")[2])
        return cls(steps[-1] if steps else ("", ""), float(amounts[0][0]) * _UNITS[amounts[0][1]] if amounts else 0.0)


# --- One git that runs ---------------------------------------------------------------------------------------------------


class Process(Protocol):
    """What is asked of a program that runs."""

    pid: int
    returncode: int | Any  # as the standard library declares it

    def kill(self) -> None: ...


@dataclass(eq=False)
class Watched:
    """A running git, how long it may take, and whether it was ended for taking longer."""

    process: Process
    errors: IO[bytes]
    limits: Limits
    whole: float | None
    """Seconds from its start; None: only while somebody waits."""
    asks: bool = False
    """It talks to a server."""
    moves: bool = False
    """It transfers: it must make progress all along."""
    started: float = field(default_factory=time.monotonic)
    late: str = ""
    """Why it was ended."""
    waiting: float | None = None
    """Since when somebody waits for its next word."""
    _progress: Progress = field(default_factory=Progress)
    _moved: float = field(default_factory=time.monotonic)

    def fault(self, now: float) -> str:
        """Why it has to end now."""
        if self.waiting is not None and now - self.waiting > self.limits.reading:
            return f"said nothing for {self.limits.reading:.0f} s"
        if self.whole is not None and now - self.started > self.whole:
            return f"did not end within {self.whole:.0f} s"
        if self.moves and self._stands(now):
            return f"made no progress for {self.limits.silence:.0f} s"
        if (
            self.asks
            and _resident(self.process.pid) > self.limits.largest
            and Progress.told(self._tail()) == Progress()
        ):
            return f"was told more than {self.limits.largest >> 20} MB"
        return ""

    def _stands(self, now: float) -> bool:
        if now - self._moved <= self.limits.silence:
            return False
        told, before = Progress.told(self._tail()), self._progress
        drips = told.amount - before.amount < self.limits.slowest * (now - self._moved)
        if told.step == before.step and drips:
            return True
        self._progress, self._moved = told, now
        return False

    def _tail(self) -> str:
        size = os.fstat(self.errors.fileno()).st_size
        return os.pread(self.errors.fileno(), _TAIL, max(size - _TAIL, 0)).decode("utf-8", "replace")

    def end(self, why: str) -> None:
        """It and all that it started: an `ssh` that waits would go on."""
        self.late = why
        for pid in _held(self.process.pid):
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        self.process.kill()


def _held(pid: int) -> list[int]:
    """Processes that a process has started, and theirs, where the system tells; each is stopped before its children are
    read: one that goes on could start another in between, which nobody would end.
    """
    with suppress(OSError):
        os.kill(pid, signal.SIGSTOP)
        return [one for child in _children(pid) for one in (*_held(child), child)]
    return []


def _children(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]


def _resident(pid: int) -> int:
    """Bytes of memory that a process and all that it started hold, where the system tells."""
    with suppress(OSError):
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") + sum(map(_resident, _children(pid)))
    return 0


class Watch:
    """One thread that looks after all gits of this process."""

    def __init__(self) -> None:
        self._lock = threading.Condition()
        self._running: set[Watched] = set()
        self._thread: threading.Thread | None = None

    def begin(self, one: Watched) -> None:
        with self._lock:
            self._running.add(one)
            if self._thread is None or not self._thread.is_alive():  # a fork has no threads of its parent
                self._thread = threading.Thread(target=self._look, name="git-watch", daemon=True)
                self._thread.start()
            self._lock.notify()

    def end(self, one: Watched) -> None:
        with self._lock:
            self._running.discard(one)

    def _look(self) -> None:
        while True:
            with self._lock:
                while not self._running:
                    self._lock.wait()
                for one in self._running:
                    if not one.late and one.process.returncode is None and (why := one.fault(time.monotonic())):
                        one.end(why)
                shortest = min((one.limits.silence for one in self._running), default=LOOK)
                self._lock.wait(min(LOOK, shortest / 4))


WATCH = Watch()


class Output(io.RawIOBase):
    """Standard output of a git, read with a limit of the time that somebody waits for it."""

    def __init__(self, raw: io.RawIOBase, watched: Watched) -> None:
        self._raw, self._watched = raw, watched
        self.last = b""
        """The last byte that came; none until all of it was read."""
        self._newest = b""

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._raw.fileno()

    def readinto(self, buffer: object, /) -> int | None:
        self._watched.waiting = time.monotonic()
        try:
            size = self._raw.readinto(buffer)  # type: ignore[arg-type]
        finally:
            self._watched.waiting = None
        if size:
            self._newest = bytes(memoryview(buffer)[size - 1 : size])  # type: ignore[arg-type]
        elif size == 0:
            self.last = self._newest
        return size

    def close(self) -> None:
        self._raw.close()
        super().close()


def at_end(output: io.BufferedReader) -> bool:
    """Whether all of it was read, told without waiting."""
    return not output.closed and bool(select([output], [], [], 0)[0]) and not output.peek(1)


# --- The end of a git, as git itself tells it: an exit code alone may be anybody's ------------------------------------------

_END = re.compile(rb"^(?:atexit|exit) .*\bcode:(\d+)", re.MULTILINE)


def told_to(end: IO[bytes]) -> Mapping[str, str]:
    """Variables that make git write its end into an open file that it inherits."""
    return {"GIT_TRACE2": f"/dev/fd/{end.fileno()}", "GIT_TRACE2_BRIEF": "1"}


def end_seen(end: IO[bytes], code: int) -> bool:
    """Whether git wrote that it ends with this code."""
    end.seek(0)
    told = _END.findall(end.read())
    return bool(told) and int(told[-1]) == code


_LISTS = {
    *("rev-list", "rev-parse", "merge-base", "log", "show", "diff", "diff-tree", "grep"),
    *("for-each-ref", "show-ref", "symbolic-ref", "ls-remote", "ls-tree"),
}


def cut_short(args: Sequence[str], out: bytes, asked: bytes = b"") -> bool:
    """Whether a list lacks the end of its last row, or an answer the row of a question: something between git and us
    lost the rest.
    """
    if any(one.startswith("--batch-check") for one in args):
        return out.count(b"\n") != asked.count(b"\n")
    if "--batch" in args:
        return not _holds_all(out, asked.count(b"\n"))
    return within_a_row(args, out)


def within_a_row(args: Sequence[str], out: bytes) -> bool:
    """Whether a list ends in the middle of its last row."""
    return bool(out) and out[-1] not in b"\n\0" and not _LISTS.isdisjoint(args)


def _holds_all(out: bytes, count: int) -> bool:
    """Whether `cat-file --batch` told so many objects, each with as many bytes as it announced."""
    at = 0
    for _ in range(count):
        head, end, _ = out[at : at + _HEAD].partition(b"\n")
        words = head.rsplit(b" ", 2)
        at += len(head) + 1 + (int(words[2]) + 1 if len(words) == 3 and words[2].isdigit() else 0)
        if not end or at > len(out):
            return False
    return at == len(out)


_HEAD = 1 << 14
"""Bytes of a row that names an object: the longest path there is, and some."""


def is_fault(code: int, words: str) -> bool:
    """Whether an end is one that should not be; that nothing was found is none."""
    return not (code == 1 and not words.strip())


# --- What failed, by the place that was asked ------------------------------------------------------------------------------


class Faults:
    """Gits that failed where nobody made up for it: whatever was made of their answers is not whole."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: dict[str, dict[str, str]] = {}
        self._ever: dict[str, int] = {}
        self._here = threading.local()

    def add(self, at: Path | None, command: str, said: str = "") -> None:
        if not getattr(self._here, "made_good", 0):
            with self._lock:
                self._found.setdefault(str(at), {}).setdefault(command, said)
                self._ever[str(at)] = self._ever.get(str(at), 0) + 1

    def count(self, at: Path | None) -> int:
        """How many there ever were at a place: what was made while it grew is not to be kept."""
        with self._lock:
            return self._ever.get(str(at), 0)

    def said(self, at: Path | None) -> list[str]:
        """What git said of failures at a place that nobody has taken yet."""
        with self._lock:
            return list(self._found.get(str(at), {}).values())

    def take(self, at: Path | None) -> dict[str, str]:
        """The commands that failed at a place since somebody asked, and what git said when each first did."""
        with self._lock:
            return self._found.pop(str(at), {})

    @contextmanager
    def made_good(self) -> Iterator[None]:
        """Whoever asks in here makes up for a failure, or tells it himself."""
        self._here.made_good = getattr(self._here, "made_good", 0) + 1
        try:
            yield
        finally:
            self._here.made_good -= 1


FAULTS = Faults()
"""Of this process: a mirror is one place, whoever asks there."""
