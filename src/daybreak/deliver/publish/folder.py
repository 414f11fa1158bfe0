"""Writes the pages into a folder: all of them or none, and never over a file that is not ours."""

from __future__ import annotations

import errno
import os
import signal
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from daybreak.core.errors import NotOursError, WriteError
from daybreak.core.model.report import Page, Receipt

OURS = (
    b"<!-- daybreak.report/",
    b"<!-- daybreak.range/",
    b"<!-- daybreak.index/",
    b'{\n "schema": "daybreak.report/',
    b'{\n "schema": "daybreak.range/',
)
HEAD = 200
_STAGED = ".daybreak-staged"


class FolderPublisher:
    """Stages every file beside its place, then renames them; the last page given is renamed last."""

    def __init__(self, out: Path) -> None:
        self._out = out

    def refuse_foreign(self, paths: Iterable[str]) -> None:
        """Raise for the first file that stands in the way and was not written by Daybreak."""
        for path in paths:
            target = self._out / path
            if target.is_dir():
                raise NotOursError(f"{target} is a folder.", "Move it away, or choose another folder with `out`.")
            if not _is_ours(target):
                raise NotOursError(
                    f"{target} was not written by Daybreak and is left alone.",
                    "Choose a folder of its own with `out`, or move the file away.",
                )

    def publish(self, pages: Sequence[Page]) -> Receipt:
        """Write what differs."""
        self.refuse_foreign(page.path for page in pages)
        changed = [page for page in pages if not _holds(self._out / page.path, page.text)]
        staged: list[tuple[Path, Path]] = []
        try:
            _clear_leftovers({(self._out / page.path).parent for page in pages})
            for page in changed:
                target = self._out / page.path
                ready = target.with_name(f"{_STAGED}-{target.name}")
                staged.append((ready, target))
                _stage(ready, page.text)
            with uninterrupted():
                _rename_all(staged)
        except OSError as error:
            raise _in_words(error, self._out) from error
        finally:
            for ready, _ in staged:
                with suppress(OSError):
                    ready.unlink()
        kept = {page.path for page in changed}
        return Receipt("folder", tuple(p.path for p in changed), tuple(p.path for p in pages if p.path not in kept))


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C waits for the few milliseconds in which files get their names, so that all of them do."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[int] = []
    before = {
        number: signal.signal(number, lambda n, _: waiting.append(n)) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if waiting:
            signal.raise_signal(waiting[0])


def _clear_leftovers(folders: Iterable[Path]) -> None:
    """A run that was killed leaves what it had staged; the folder's lock says that nobody else is at it."""
    for folder in folders:
        for leftover in folder.glob(f"{_STAGED}-*"):
            leftover.unlink(missing_ok=True)


def _stage(ready: Path, text: str) -> None:
    ready.parent.mkdir(parents=True, exist_ok=True)
    with ready.open("wb") as file:
        file.write(text.encode("utf-8"))
        file.flush()
        os.fsync(file.fileno())


def _rename_all(staged: Sequence[tuple[Path, Path]]) -> None:
    """Give every file its name; if one cannot have it, those before it get back what they held."""
    before: list[tuple[Path, bytes | None]] = []
    try:
        for ready, target in staged:
            before.append((target, target.read_bytes() if target.exists() else None))
            ready.replace(target)
    except OSError:
        for target, held in before[:-1]:
            if held is None:
                target.unlink(missing_ok=True)
            else:
                target.write_bytes(held)
        raise


def _is_ours(path: Path) -> bool:
    """Whether the file may be replaced: there is none, or it begins with our mark."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return head.startswith(OURS)


def _holds(path: Path, text: str) -> bool:
    try:
        return path.read_bytes() == text.encode("utf-8")
    except OSError:
        return False


def _in_words(error: OSError, out: Path) -> WriteError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return WriteError(f"The disk is full: {out} was left as it was.", "Free some space and run again.")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return WriteError(
            f"{error.filename or out} may not be written.", "Check the permissions, or choose another `out`."
        )
    return WriteError(f"{out} could not be written: {error.strerror}.", "Nothing was published; run again.")
