"""One run at a time over the same folder: the second one is told who holds it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from daybreak.errors import LockedError, WriteError


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Hold a folder that several configs may write to, without leaving anything in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise WriteError(f"{folder} cannot be used: {error.strerror}.", "Check it, or choose another `out`.") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise LockedError(f"Another run is writing to {folder}.", "Wait until it is done, then run again.") from None
    try:
        yield
    finally:
        os.close(handle)


@contextmanager
def run_lock(state: Path) -> Iterator[None]:
    """Hold the folder; the system lets go of it even when we are killed."""
    path = state / "lock"
    try:
        state.mkdir(parents=True, exist_ok=True)
        file = path.open("a+", encoding="utf-8")
    except OSError as error:
        raise WriteError(
            f"{path} cannot be opened: {error.strerror}.", "Check the permissions of the folder."
        ) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.seek(0)
            holder = file.read().strip() or "unknown"
            raise LockedError(
                f"Another run (process {holder}) is working in {state.parent}.",
                "Wait until it is done, then run again.",
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield
