"""Keeps the summaries of days in one small file a month, by digest: a day whose report did not change is not decoded.

A file that is damaged, cut, or of another version of the program counts as not there. What cannot be written is made
again next time: these files are a memory and never the only copy.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable
from datetime import date
from functools import lru_cache
from pathlib import Path
from threading import Lock

import msgspec
from msgspec import Struct

from daybreak.core.errors import DaybreakError
from daybreak.core.file_cache import code_digest
from daybreak.report.archive.interface import Archive
from daybreak.site.pages import Ground
from daybreak.site.pages.summaries import DaySummary, summary_of, unreadable_day

FOLDER = "pages"
"""Below the folder of the program's state."""
_SEAL = hashlib.sha256().digest_size


class _Kept(Struct, frozen=True):
    digest: str
    summary: DaySummary


class _Month(Struct, frozen=True):
    shape: str
    days: dict[str, _Kept] = {}


_DECODER = msgspec.json.Decoder(_Month)
"""Made before there are threads. JSON, since msgpack would turn every time to UTC, and pages show the zone of the report."""
_ENCODER = msgspec.json.Encoder()


_DECIDING = (
    *("site/pages/summaries.py", "site/pages/broken_names.py", "report/archive"),
    *("report/render/tags.py", "report/render/unread.py", "report/render/escape.py"),
    *("judge/breaking.py", "judge/day_value.py", "judge/phrases.py", "judge/value_lists.py"),
    *(
        "core/model",
        "core/day_json.py",
        "core/text.py",
        "findings/kinds.py",
        "findings/kinds.toml",
        "findings/unread.py",
    ),
)
"""The code that decides what a summary is."""


class _Memory:
    """Summaries of one folder, in memory and on disk; shared by all who ask in this process."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._days, self._lock = folder, dict[str, _Kept](), Lock()
        self._read: set[str] = set()
        self._last: tuple[dict[str, str], list[DaySummary]] | None = None

    def days(self, archive: Archive) -> list[DaySummary]:
        digests = {label: digest for label, digest in archive.digests().items() if _is_day(label)}
        with self._lock:
            if self._last is not None and self._last[0] == digests:
                return self._last[1]
            for month in sorted({label[:7] for label in digests} - self._read):
                self._load(month)
            changed = [label for label, digest in digests.items() if not self._has(label, digest)]
            gone = [label for label in self._days if label not in digests]
            for label in changed:
                self._days[label] = _Kept(digests[label], _summary(archive, label))
            for label in gone:
                del self._days[label]
            self._write({label[:7] for label in (*changed, *gone)})
            found = [self._days[label].summary for label in sorted(digests)]
            self._last = None if any(one.unreadable for one in found) else (digests, found)
            return found

    def _has(self, label: str, digest: str) -> bool:
        kept = self._days.get(label)
        return kept is not None and kept.digest == digest and not kept.summary.unreadable

    def _path(self, month: str) -> Path:
        return self._folder / f"summaries-{month}.kept"

    def _load(self, month: str) -> None:
        self._read.add(month)
        try:
            data = self._path(month).read_bytes()
            if hashlib.sha256(data[_SEAL:]).digest() != data[:_SEAL]:
                return
            found = _DECODER.decode(data[_SEAL:])
        except (OSError, msgspec.MsgspecError, ValueError, RecursionError):
            return
        if found.shape == code_digest(*_DECIDING):
            self._days.update({label: kept for label, kept in found.days.items() if label.startswith(month)})

    def _write(self, months: Iterable[str]) -> None:
        for month in sorted(months):
            days = {label: kept for label, kept in sorted(self._days.items()) if label.startswith(month)}
            data = _ENCODER.encode(_Month(code_digest(*_DECIDING), days))
            _replace(self._path(month), hashlib.sha256(data).digest() + data)


def _is_day(label: str) -> bool:
    """A file may be called 2026-02-30.json; no report is. Nor is there one from before git."""
    try:
        return "1970" < label < "9999" and date.fromisoformat(label).isoformat() == label
    except ValueError:
        return False


def _summary(archive: Archive, label: str) -> DaySummary:
    try:
        day = archive.day(label)
    except DaybreakError as error:
        return unreadable_day(label, str(error))
    if day is None:
        return unreadable_day(label, "It is gone.")
    return summary_of(day) if day.label == label else unreadable_day(label, f"It is the report of {day.label}.")


def _replace(path: Path, data: bytes) -> None:
    """At once or not at all; without the right to write there is just no memory."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".summaries-")
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)


@lru_cache(maxsize=4)
def _memory(folder: Path) -> _Memory:
    return _Memory(folder)


class Summaries:
    """The days of an archive as summaries."""

    def __init__(self, archive: Archive, folder: Path) -> None:
        self._archive, self._memory = archive, _memory(folder)

    @classmethod
    def of(cls, ground: Ground) -> Summaries:
        """Those of a site, kept in the state of its config."""
        return cls(ground.archive, ground.settings.state / FOLDER)

    def days(self) -> list[DaySummary]:
        """Every reported day, oldest first; only those that are new or changed are decoded."""
        return self._memory.days(self._archive)

    def day(self, label: str) -> DaySummary | None:
        return next((one for one in self.days() if one.label == label), None)
