"""Readings kept on disk by commit, so that a day which is made again is not read again.

A reading follows from the commit, from what of it could be read, and from our own reader; all three are in its key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from daybreak.core.code_digest import code_digest
from daybreak.core.file_cache import keep_newest
from daybreak.core.model.changes import Change
from daybreak.core.model.findings import Reading

FILES_KEPT = 40
"""Files of one repository, one for each time its changes were read."""
_DECODER = msgspec.msgpack.Decoder(dict[str, Reading])
"""Made once, before there are threads: two that find out about a type at the same time crash msgspec."""


class ReadingCache:
    """Readings of one repository; a damaged file or a full disk costs speed, not the report."""

    def __init__(self, folder: Path | None, repo: str) -> None:
        self._folder = (
            folder / "readings" / repo.replace("/", "+") / code_digest("core/model", "core/profiles", "findings")
            if folder
            else None
        )

    def get(self, changes: Iterable[Change]) -> dict[str, Reading]:
        """Those that were read before, when all were read together."""
        wanted = list(changes)
        if self._folder is None or not wanted:
            return {}
        try:
            kept = _DECODER.decode(self._path(wanted).read_bytes())
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return {}
        return kept if kept.keys() == {change.sha for change in wanted} else {}

    def put(self, changes: Iterable[Change], readings: Mapping[str, Reading]) -> None:
        wanted = list(changes)
        if self._folder is None or not wanted or any(reading.skipped for reading in readings.values()):
            return
        with suppress(UnicodeError):  # a name that is no text; it is read anew
            keep_newest(self._path(wanted), msgspec.msgpack.encode(dict(readings)), FILES_KEPT)

    def _path(self, changes: Iterable[Change]) -> Path:
        assert self._folder is not None
        digest = hashlib.sha256("\n".join(map(_seen, changes)).encode()).hexdigest()
        return self._folder / f"{digest[:32]}.readings"


def _seen(change: Change) -> str:
    """The commit and how much of it could be read."""
    cut = sum(file.patch_cut for file in change.files)
    lost = sum(file.skipped is not None for file in change.files)
    return f"{change.sha} {change.files_total} {len(change.files)} {cut} {lost} {change.skipped or ''}"
