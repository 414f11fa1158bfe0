"""Notes of what was written for which inputs: a run with nothing new has nothing to do, and without them only more."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from daybreak.core.model.report import Page


class _Record(Struct):
    fingerprint: str
    files: dict[str, str]


def fingerprint(*parts: bytes | str) -> str:
    """One name for all that decides a report besides git itself."""
    digest = hashlib.sha256()
    for part in parts:
        data = os.fsencode(part) if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


class Published:
    """Small notes in the state folder: which files a set of inputs led to."""

    def __init__(self, state: Path, out: Path) -> None:
        self._folder, self._out = state / "published", out

    def holds(self, name: str, inputs: str) -> bool:
        """The same inputs led to just the files that are there now."""
        record = self._read(name)
        return (
            record is not None
            and record.fingerprint == inputs
            and all(_digest(self._out / path) == digest for path, digest in record.files.items())
        )

    def _read(self, name: str) -> _Record | None:
        try:
            return msgspec.json.decode((self._folder / f"{name}.json").read_bytes(), type=_Record)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return None

    def remember(self, name: str, inputs: str, pages: Iterable[Page]) -> None:
        self._write(name, _Record(inputs, digests(pages)))

    def amend(self, pages: Iterable[Page]) -> None:
        """Pages of days before got a note: they are still just what was written."""
        now = digests(pages)
        for label in sorted(set(map(_day, now))):
            record = self._read(label)
            if record is not None:
                files = {path: now.get(path, digest) for path, digest in record.files.items()}
                self._write(label, _Record(record.fingerprint, files))

    def _write(self, name: str, record: _Record) -> None:
        staged = self._folder / f"{name}.new"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            staged.write_bytes(msgspec.json.encode(record))
            staged.replace(self._folder / f"{name}.json")
        except OSError:
            # The pages are published; without this note the next run only has more to do.
            with suppress(OSError):
                staged.unlink(missing_ok=True)


def digests(pages: Iterable[Page]) -> dict[str, str]:
    """Path -> SHA-256."""
    return {page.path: hashlib.sha256(page.text.encode("utf-8", "surrogateescape")).hexdigest() for page in pages}


def _day(path: str) -> str:
    """The day of `reports/DAY.md` or `reports/DAY/NAME.md`."""
    return path.split("/")[1][:10]


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
