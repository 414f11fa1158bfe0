"""Remembers what was published for which inputs, so that a run with nothing new has nothing to do."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from daybreak.model import Page


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
        try:
            record = msgspec.json.decode((self._folder / f"{name}.json").read_bytes(), type=_Record)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return False
        return record.fingerprint == inputs and all(
            _digest(self._out / path) == digest for path, digest in record.files.items()
        )

    def remember(self, name: str, inputs: str, pages: Iterable[Page]) -> None:
        record = _Record(inputs, {page.path: hashlib.sha256(page.text.encode()).hexdigest() for page in pages})
        staged = self._folder / f"{name}.new"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            staged.write_bytes(msgspec.json.encode(record))
            staged.replace(self._folder / f"{name}.json")
        except OSError:
            # The pages are published; without this note the next run only has more to do.
            with suppress(OSError):
                staged.unlink(missing_ok=True)


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
