"""Graded entries of single commits, kept on disk without their patches: a commit is read once, whatever range asks.

An entry follows from the commit, from our own code and from what the user's settings say of it; all three are in its
place on disk. What could not be read whole is not kept, since it may be whole the next time.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from daybreak.core.config import ReaderConfig
from daybreak.core.file_cache import code_digest
from daybreak.core.model.changes import Repo
from daybreak.core.model.report import Entry
from daybreak.core.safe_path import keep_children_out

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext

AT_A_TIME = 10
"""Commits that one process reads in one go: more at a time are read no faster, and the count of those that are read
would stand still.
"""
FEW = 60
"""Fewer commits than this are read faster than helpers are started."""
_VERSIONS_KEPT = 3


class Task(Struct, frozen=True):
    """Commits of one mirror that are to be read; may be handed to another process."""

    repo: Repo
    mirror: Path
    state: Path
    environment: Mapping[str, str]
    wanted: ReaderConfig
    shas: tuple[str, ...] = ()
    whole: bool = False
    """Two trees and not a history: nothing is cut off, however large the one change is."""


# --- on disk -------------------------------------------------------------------------------------------------------


class EntryCache:
    """Entries of one repository by commit; a damaged file or a full disk costs speed, not the report."""

    def __init__(self, folder: Path | None, repo: Repo, wanted: ReaderConfig) -> None:
        place = folder / "entries" / repo.name.replace("/", "+") if folder else None
        self._place = place
        self._folder = place / _version(repo, wanted) if place else None
        self._decoder = msgspec.msgpack.Decoder(Entry)

    @property
    def is_empty(self) -> bool:
        """Nothing of this very code was ever kept."""
        return self._folder is not None and not self._folder.exists()

    def get(self, sha: str) -> Entry | None:
        if self._folder is None:
            return None
        try:
            entry = self._decoder.decode(self._path(sha).read_bytes())
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None
        return entry if entry.change.sha == sha else None

    def put(self, entry: Entry, data: bytes) -> None:
        if self._folder is None or not data or not _read_whole(entry):
            return
        path = self._path(entry.change.sha)
        staged = path.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            staged.write_bytes(data)
            staged.replace(path)

    def tidy(self) -> None:
        """Let go of what older code left, the last few apart: another version may be in use beside this one."""
        if self._place is None or self._folder is None:
            return
        with suppress(OSError):
            known = sorted(self._place.iterdir(), key=lambda p: (-p.stat().st_mtime_ns, p.name))
            for path in [p for p in known if p != self._folder][_VERSIONS_KEPT - 1 :]:
                shutil.rmtree(path, ignore_errors=True)

    def _path(self, sha: str) -> Path:
        assert self._folder is not None
        return self._folder / sha[:2] / f"{sha}.entry"


def _read_whole(entry: Entry) -> bool:
    lost = entry.change.skipped or entry.reading.skipped
    return not lost and not any(file.skipped for file in entry.change.files)


_DECIDING = ("core/model", "core/profiles", "core/words", "collect/git", "findings", "judge", "upgrade/range")
"""All code and tables that an entry follows from."""


def _version(repo: Repo, wanted: ReaderConfig) -> str:
    asked = msgspec.json.encode((repo.paths, repo.exclude, wanted))
    return hashlib.sha256(code_digest(*_DECIDING).encode() + asked).hexdigest()[:16]


# --- many at once --------------------------------------------------------------------------------------------------


def read_entries(
    task: Task,
    cache: EntryCache,
    workers: int,
    done: Callable[[int], None],
) -> dict[str, Entry]:
    """Every commit of the task by sha: those kept on disk as they are, the others read now and kept."""
    with _no_collector():
        found = {sha: entry for sha in task.shas if (entry := cache.get(sha)) is not None}
    missing = [sha for sha in task.shas if sha not in found]
    done(len(found))
    parts = [replace(task, shas=shas) for shas in _portions(missing)]
    for part in _read(parts, workers if len(missing) > FEW else 1) if parts else ():
        for entry, data in part:
            cache.put(entry, data)
            found[entry.change.sha] = entry
        done(len(part))
    if missing:
        cache.tidy()
    return found


def _portions(shas: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Neighbours together: they share files."""
    for at in range(0, len(shas), AT_A_TIME):
        yield tuple(shas[at : at + AT_A_TIME])


@contextmanager
def _no_collector() -> Iterator[None]:
    """Many objects are made and none is let go: looking for rings of garbage among them is time lost."""
    import gc

    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            gc.enable()


def _read(parts: Sequence[Task], workers: int) -> Iterator[list[tuple[Entry, bytes]]]:
    """By several processes when there is enough to do; a machine that lets us have none gets it done by one.

    The reader is loaded here and not before: most of the time there is nothing to read, or others read it.
    """
    from concurrent.futures.process import BrokenProcessPool

    ready = 0
    decode = msgspec.msgpack.Decoder(Entry).decode
    if workers > 1 and len(parts) > 1:
        with suppress(BrokenProcessPool, OSError, RuntimeError, ImportError):
            for part in _beside(parts, workers):
                ready += 1
                yield [(decode(one), one) if isinstance(one, bytes) else (one, b"") for one in part]
    if ready < len(parts):
        from daybreak.upgrade.range import reading
    for task in parts[ready:]:
        both = ((entry, reading.packed(entry)) for entry in reading.read_task(task))
        yield [(entry, data if isinstance(data, bytes) else b"") for entry, data in both]


def _beside(parts: Sequence[Task], workers: int) -> Iterator[list[bytes | Entry]]:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import active_children

    pool = ProcessPoolExecutor(min(workers, len(parts)), _context(), initializer=_settle)
    try:
        yield from pool.map(_packed, parts)
    except BaseException:
        # Whoever was told to stop does not wait until they have read what nobody asks for any more.
        for one in active_children():
            one.kill()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _context() -> ForkServerContext:
    """Not forked from this process: it may have threads, and their locks would stay locked in the copy."""
    from multiprocessing import get_context

    keep_children_out()
    context = get_context("forkserver")
    context.set_forkserver_preload(["daybreak.upgrade.range.reading"])
    return context


def make_ready(cache: EntryCache, workers: int) -> None:
    """Starts the process that others are forked from, if there will be much to read: it loads while we look what."""
    if workers < 2 or not cache.is_empty:
        return
    with suppress(OSError, RuntimeError, ImportError, ValueError):
        from multiprocessing.forkserver import ensure_running

        _context()
        ensure_running()


def _packed(task: Task) -> list[bytes | Entry]:
    """Done by the others: this process need not load the reader to ask for it."""
    from daybreak.upgrade.range.reading import packed_task

    return packed_task(task)


def _settle() -> None:
    """Ctrl-C reaches every process of the terminal; only the first one answers it. Most of what is made here lives for
    one commit, so looking for rings of garbage every few hundred objects is time lost.
    """
    import gc
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()
    gc.set_threshold(200_000, 50, 50)
