"""One writer at a time over the same folder: a second run is told who holds it, a question goes on beside it."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import msgspec

from daybreak.core.errors import LockedError, WriteError
from daybreak.store import Holder

Say = Callable[[str], None]
_LATER = "Wait until it is done, then run again."


@contextmanager
def folder_lock(folder: Path, waiting: Say | None = None) -> Iterator[None]:
    """Hold a folder that several configs may write to, without leaving anything in it.

    Where somebody else does, that is an error, or, with `waiting`, told to it and waited for.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise WriteError(f"{folder} cannot be used: {error.strerror}.", "Check it, or choose another `out`.") from error
    try:
        if not _holds_at_once(handle):
            message = f"Another run is writing to {folder}."
            if waiting is None:
                raise LockedError(message, _LATER)
            _in_turn(handle, message, waiting)
        yield
    finally:
        os.close(handle)


def _holds_at_once(file: int | IO[Any]) -> bool:
    with suppress(OSError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def _in_turn(file: int | IO[Any], message: str, waiting: Say) -> None:
    waiting(f"{message} Waiting until it is done.")
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
    except OSError as error:  # a file system that has no locks: nobody is waited for there
        raise LockedError(message, _LATER) from error


@contextmanager
def run_lock(state: Path) -> Iterator[None]:
    """Hold the folder; the system lets go of it even when we are killed. Where somebody else does, that is an error."""
    with _lock_file(state) as file:
        if not _holds_at_once(file):
            raise LockedError(_held_by(file, state), _LATER)
        _sign(file, state)
        yield


@contextmanager
def turn_to_write(state: Path, enough: Callable[[], bool], say: Say) -> Iterator[bool]:
    """Whether the folder is ours to bring up to date, for a question that could do with what is there (`enough`).

    Who holds it is waited for while that may be short, is then told, and is waited for on only until there is something
    to read: a question reads beside whoever writes.
    """
    with ExitStack() as opened:
        try:
            file = opened.enter_context(_lock_file(state))
        except WriteError:
            if not enough():
                raise
            say(f"{state} cannot be written, so nothing is fetched")
            yield False
            return
        mine = _in_short(file) or _when_there_is_enough(file, state, enough, say)
        if mine:
            _sign(file, state)
        yield mine


_PATIENCE = (0.0, 0.05, 0.1, 0.25, 0.3, 0.4)
"""Seconds between looks, in all about one: nobody is left without a word for two."""
_LOOK = 0.2


def _in_short(file: IO[str]) -> bool:
    for wait in _PATIENCE:
        time.sleep(wait)
        if _holds_at_once(file):
            return True
    return False


def _when_there_is_enough(file: IO[str], state: Path, enough: Callable[[], bool], say: Say) -> bool:
    """Whether it is ours after all."""
    message = _held_by(file, state)
    if not enough():
        if not _locks_there(file):
            raise LockedError(message, _LATER)
        say(f"{message} Nothing can be read yet, so its download is waited for.")
        while not enough():
            if _holds_at_once(file):
                return True
            time.sleep(_LOOK)
        message = "It is there."
    say(f"{message} Going on beside it with what is on disk; nothing is fetched.")
    return False


def _locks_there(file: IO[str]) -> bool:
    """Whether the file system has locks at all: where it has none, nobody is waited for."""
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    fcntl.flock(file, fcntl.LOCK_UN)
    return True


def _held_by(file: IO[str], state: Path) -> str:
    return f"Another run (process {_pid_in(file)}) is working in {state.parent}."


@contextmanager
def _lock_file(state: Path) -> Iterator[IO[str]]:
    try:
        state.mkdir(parents=True, exist_ok=True)
        file = (state / "lock").open("a+", encoding="utf-8")
    except OSError as error:
        raise WriteError(
            f"{state} cannot be written: {error.strerror}.", "Check the permissions of the folder."
        ) from error
    with file:
        yield file


def _sign(file: IO[str], state: Path) -> None:
    """Who holds it, for those who ask."""
    try:
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
    except OSError as error:
        raise WriteError(f"{state / 'lock'} cannot be written: {error.strerror}.", "Free some space.") from error


def _pid_in(file: IO[str]) -> str:
    """Who has just taken the lock writes the number a moment later."""
    for wait in (0.0, 0.02, 0.05, 0.1):
        time.sleep(wait)
        file.seek(0)
        if pid := file.read().strip():
            return pid
    return "unknown"


@contextmanager
def hold_file(path: Path, what: str, holder: Holder) -> Iterator[None]:
    """Hold a lock file with a name in it; the system lets go of it even when we are killed."""
    try:
        file = path.open("a+b")
    except OSError as error:
        raise WriteError(
            f"{path} cannot be opened: {error.strerror}.", "Check the permissions of the folder."
        ) from error
    with file:
        if not _taken(file):
            raise locked(what, _named(file))
        try:
            file.truncate(0)
            file.write(msgspec.json.encode(holder))
            file.flush()
        except OSError as error:
            raise WriteError(f"{path} cannot be written: {error.strerror}.", "Free some space.") from error
        try:
            yield
        finally:
            with suppress(OSError):
                file.truncate(0)


def _taken(file: IO[bytes]) -> bool:
    """Who asks for the holder has the file for a moment: that is no run, so it is tried a few times."""
    for wait in (0.0, 0.02, 0.05, 0.1, 0.2):
        time.sleep(wait)
        if _holds_at_once(file):
            return True
    return False


def holder_of_file(path: Path) -> Holder | None:
    """Who holds the file now; a name that a killed process left in it is no holder."""
    try:
        file = path.open("rb")
    except OSError:
        return None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return _named(file)
    return None


def locked(what: str, holder: Holder | None) -> LockedError:
    """The error that names the holder."""
    who = f"process {holder.pid} on {holder.host}, since {holder.since:%Y-%m-%d %H:%M:%S} UTC" if holder else "unknown"
    return LockedError(f"Another run ({who}) is working with {what}.", _LATER)


def _named(file: IO[bytes]) -> Holder | None:
    try:
        file.seek(0)
        return msgspec.json.decode(file.read(4096), type=Holder)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
