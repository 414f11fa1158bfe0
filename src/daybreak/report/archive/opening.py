"""Opens the archive of a config: the store where it has reports, else the folder they were written to."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import msgspec

from daybreak.core.config import Settings
from daybreak.core.day_json import decode
from daybreak.core.file_cache import LastUsed
from daybreak.core.model.day import Day
from daybreak.report.archive.interface import Archive
from daybreak.store import Store
from daybreak.store.report_files import ReportFiles, unreadable

# --- The archive over a store or over the written files, with the days that were asked for lately held as values ---


_HELD = 16
"""Days held as values: a real one of 150 changes takes some megabytes."""


class _Held:
    """Decoded days by digest."""

    def __init__(self) -> None:
        self._days = LastUsed[tuple[str, str], Day](_HELD)

    def get(self, label: str, digest: str, load: Callable[[], bytes | None]) -> Day | None:
        if (held := self._days.get((label, digest))) is not None:
            return held
        data = load()
        if data is None:
            return None
        try:
            day = decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise unreadable(f"The report of {label}", error) from error
        self._days.put((label, digest), day)
        return day


class StoreArchive:
    """Days of a store, which is opened for each question: nothing is held that a run may want."""

    def __init__(self, opened: Callable[[], AbstractContextManager[Store]]) -> None:
        self._opened, self._held = opened, _Held()

    def labels(self) -> list[str]:
        with self._opened() as store:
            return store.labels()

    def digest(self, label: str) -> str | None:
        with self._opened() as store:
            return store.report_digest(label)

    def digests(self) -> dict[str, str]:
        with self._opened() as store:
            return dict(sorted(store.report_digests().items()))

    def day(self, label: str) -> Day | None:
        with self._opened() as store:
            digest = store.report_digest(label)
            return None if digest is None else self._held.get(label, digest, lambda: store.report_data(label))

    def data(self, label: str) -> bytes | None:
        with self._opened() as store:
            return store.report_data(label)


class FolderArchive:
    """Days as they lie in `out`: what there is without a store."""

    def __init__(self, out: Path) -> None:
        self._files, self._held = ReportFiles(out), _Held()

    def labels(self) -> list[str]:
        try:
            return self._files.labels()
        except OSError:
            return []

    def digest(self, label: str) -> str | None:
        data = self.data(label)
        return None if data is None else hashlib.sha256(data).hexdigest()

    def digests(self) -> dict[str, str]:
        found = ((label, self._read(label)) for label in self.labels())
        return {label: hashlib.sha256(data).hexdigest() for label, data in found if data is not None}

    def day(self, label: str) -> Day | None:
        data = self.data(label)
        return None if data is None else self._held.get(label, hashlib.sha256(data).hexdigest(), lambda: data)

    def data(self, label: str) -> bytes | None:
        return self._read(label) if label in self.labels() else None  # a label is no path: only what is listed is read

    def _read(self, label: str) -> bytes | None:
        try:
            return self._files.path(label).read_bytes()
        except OSError:
            return None


_LOST = "The next run takes in again what lies in reports/; see `daybreak doctor --store`."


def open_archive(settings: Settings) -> Archive:
    """Nothing is made: a store that is not there is not asked."""
    from daybreak.store.database import StoreDamaged
    from daybreak.store.read_only import looked_at
    from daybreak.store.report_files import refuse_other

    with looked_at(settings.config.store, settings.base) as store:
        has_reports = store is not None and bool(store.labels())
        if store is not None:
            refuse_other(store, settings)
            if lost := store.lost("reports"):
                raise StoreDamaged(f"The reports in {store.shown} are not whole: {lost['reports']}.", _LOST)
    return StoreArchive(lambda: _asked(settings)) if has_reports else FolderArchive(settings.out)


@contextmanager
def _asked(settings: Settings) -> Iterator[Store]:
    from daybreak.store import open_store

    store = open_store(settings.config.store, settings.base)
    try:
        yield store
    finally:
        store.close()
