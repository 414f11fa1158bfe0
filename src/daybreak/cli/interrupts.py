"""Interrupts of a command: a termination is taken like Ctrl-C, publishing is not cut in two, and what is said is true."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from daybreak.core.errors import EXIT_LOOK, Interrupted

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StoppedAfterPublishing(Interrupted):
    """Somebody asked us to stop when pages were already replaced: that is not nothing."""

    exit_code = EXIT_LOOK


@contextmanager
def terminated_like_interrupted() -> Iterator[None]:
    """A termination signal ends a command as Ctrl-C does: children are stopped, nothing is half-written."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Signals wait until the block is over: pages and what is remembered of them are replaced together."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard: list[int] = []
    before = [signal.signal(number, lambda number, _: heard.append(number)) for number in _SIGNALS]
    try:
        yield
    finally:
        for number, handler in zip(_SIGNALS, before, strict=True):
            signal.signal(number, handler)
    if heard:
        raise KeyboardInterrupt


@contextmanager
def told_as_it_is(published: Sequence[str], asked: int) -> Iterator[None]:
    """An interrupt after pages were published says so; `published` grows meanwhile."""
    try:
        yield
    except (Interrupted, KeyboardInterrupt) as error:
        if not published:
            raise
        done = published[0] if len(published) == 1 else f"{len(published)} days, the last of them {published[-1]},"
        left = "what follows publishing may not be done" if len(published) >= asked else "the other days are not"
        raise StoppedAfterPublishing(
            f"Interrupted: {done} {'is' if len(published) == 1 else 'are'} published, {left}.", "Run again to go on."
        ) from error


def printed(write: Callable[[], None]) -> bool:
    """Whether stdout took it; a reader who left or a full disk must not fail us later either."""
    try:
        write()
        sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)
        return False
    return True
