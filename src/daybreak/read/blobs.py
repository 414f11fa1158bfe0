"""Contents of files before and after a change: one git process for a whole window, surfaces kept by blob id."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from daybreak.errors import GitError
from daybreak.gitobjects import Git
from daybreak.read.surface import Row, Surface

LARGEST = 2 << 20
"""Bytes of a file that is read for its surface; a larger one is data or generated."""


class _Kept(msgspec.Struct, array_like=True):
    broken: bool
    rows: list[tuple[str, str, int, str, dict[str, str]]]


class SurfaceCache:
    """Surfaces on disk, by language version and blob id; a file that cannot be read is made again."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder / "surfaces" if folder else None
        self._held: dict[str, Surface] = {}

    def get(self, language: str, oid: str) -> Surface | None:
        key = f"{language}-{oid}"
        if key not in self._held and self._folder is not None:
            try:
                kept = msgspec.msgpack.decode(self._path(key).read_bytes(), type=_Kept)
            except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
                return None
            self._held[key] = Surface((Row(*row) for row in kept.rows), kept.broken)
        return self._held.get(key)

    def put(self, language: str, oid: str, surface: Surface) -> None:
        key = f"{language}-{oid}"
        self._held[key] = surface
        if self._folder is None:
            return
        rows = [(r.kind, r.name, r.line, r.text, dict(r.details)) for r in surface.values()]
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            staged = path.with_suffix(f".{hashlib.sha1(key.encode(), usedforsecurity=False).hexdigest()[:6]}.new")
            staged.write_bytes(msgspec.msgpack.encode(_Kept(surface.broken, rows)))
            staged.replace(path)
        except OSError:
            self._folder = None  # a full disk costs speed, not the report

    def let_go(self) -> None:
        """Forget what is held in memory; what is on disk stays."""
        self._held.clear()

    def _path(self, key: str) -> Path:
        assert self._folder is not None
        return self._folder / key.rpartition("-")[2][:2] / key


def contents(git: Git, mirror: Path, oids: Iterable[str]) -> Iterator[tuple[str, str]]:
    """(blob id, text) for those that are there and not too large; what is missing is left out."""
    wanted = list(dict.fromkeys(oids))
    if not wanted:
        return
    sizes = git.run("cat-file", "--batch-check", "--buffer", at=mirror, stdin=_lines(wanted)).decode().splitlines()
    small = [row.split()[0] for row in sizes if row.endswith(" missing") is False and int(row.split()[2]) <= LARGEST]
    try:
        with git.stream("cat-file", "--batch", "--buffer", at=mirror, stdin=_lines(small)) as stream:
            for oid in small:
                head = stream.output.readline().split()
                if len(head) != 3:
                    return
                data = stream.output.read(int(head[2]) + 1)[:-1]
                yield oid, data.decode("utf-8", "replace")
    except GitError:
        return  # a damaged object ends the stream: the rest is read from its hunks alone


def _lines(oids: Iterable[str]) -> bytes:
    return "".join(f"{oid}\n" for oid in oids).encode()


LanguageSurface = Callable[[str, str], Surface]
"""(path, text) -> surface."""
