"""Files that only save work: the newest of a folder kept, named by a digest of our own code; a full disk costs speed only."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Generic, TypeVar

from msgspec import Struct

_DIGEST = hashlib.sha256().digest_size


def read_kept(path: Path) -> bytes | None:
    """What was kept, when it is as it was written; damage is dropped, so that it is made again."""
    with suppress(OSError):
        found = path.read_bytes()
        if hashlib.sha256(found[_DIGEST:]).digest() == found[:_DIGEST]:
            return found[_DIGEST:]
        path.unlink(missing_ok=True)
    return None


def keep_newest(path: Path, data: bytes, most: int) -> None:
    """Write a file under its checksum; of those with its ending, the folder keeps so many."""
    staged = path.with_suffix(".new")
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        staged.write_bytes(hashlib.sha256(data).digest() + data)
        staged.replace(path)
        for old in newest_of(path.parent, path.suffix)[most:]:
            old.unlink(missing_ok=True)


def newest_of(folder: Path, ending: str) -> list[Path]:
    """The folder's files with an ending, newest first."""
    return sorted(folder.glob(f"*{ending}"), key=lambda path: (-path.stat().st_mtime_ns, path.name))


# --- Answers kept on disk by their question, which names all that decides them: trees of commits never change ---


KEPT = 200
"""Answers of one repository; a day asks a few, and each is some hundred paths at most."""
FORM = "2"
"""Counted up whenever the same question gets another answer."""


class Found(Struct, frozen=True):
    """Answers about one repository; a damaged file or a full disk costs speed, not the report."""

    folder: Path
    most: int = KEPT

    def get(self, question: Sequence[str]) -> bytes | None:
        return read_kept(self._path(question))

    def put(self, question: Sequence[str], answer: bytes) -> None:
        keep_newest(self._path(question), answer, self.most)

    def _path(self, question: Sequence[str]) -> Path:
        asked = hashlib.sha256("\0".join((FORM, *question)).encode("utf-8", "surrogateescape"))
        return self.folder / f"{asked.hexdigest()[:32]}.found"


# --- Digest of our own code: what a cache must be named by, so that nobody has to remember to count a version up ---

_PACKAGE = Path(__file__).parents[1]
_DECIDING = (".py", ".toml", ".txt", ".html", ".css", ".js", ".json", ".svg")


@cache
def code_digest(*places: str) -> str:
    """Of every file below the given places, which are folders and files relative to the package (`"findings"`)."""
    digest = hashlib.sha256()
    for place in places:
        root = _PACKAGE / place
        files = [root] if root.is_file() else sorted(p for p in root.rglob("*") if p.suffix in _DECIDING)
        if not files:
            raise FileNotFoundError(root)
        for path in files:
            digest.update(f"{path.relative_to(_PACKAGE).as_posix()}\0".encode())
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


# Values that were asked for last, held in memory up to a weight; the one that nobody asked for longest goes first.
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LastUsed(Generic[Key, Value]):
    """Values by key; threads may ask. One that weighs more than all may together is not held."""

    def __init__(self, most: int, weight: Callable[[Value], int] = lambda _: 1) -> None:
        self._most, self._weight, self._total = most, weight, 0
        self._held, self._lock = OrderedDict[Key, tuple[Value, int]](), Lock()

    def get(self, key: Key) -> Value | None:
        with self._lock:
            if key not in self._held:
                return None
            self._held.move_to_end(key)
            return self._held[key][0]

    def put(self, key: Key, value: Value) -> None:
        weight = self._weight(value)
        with self._lock:
            self._total -= self._held.pop(key, (None, 0))[1]
            if weight <= self._most:
                self._held[key] = value, weight
                self._total += weight
            while self._total > self._most:
                self._total -= self._held.popitem(last=False)[1][1]
