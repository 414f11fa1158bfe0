"""Opens the archive of a config: the store where it has reports, else the folder they were written to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from daybreak.core.config import Settings
from daybreak.report.archive.days import FolderArchive, StoreArchive
from daybreak.report.archive.interface import Archive
from daybreak.store.interface import Store


def open_archive(settings: Settings) -> Archive:
    """Nothing is made: a store that is not there is not asked."""
    from daybreak.store.read_only import looked_at
    from daybreak.store.watchlist_guard import refuse_other

    with looked_at(settings.config.store, settings.base) as store:
        has_reports = store is not None and bool(store.labels())
        if store is not None:
            refuse_other(store, settings)
    return StoreArchive(lambda: _asked(settings)) if has_reports else FolderArchive(settings.out)


@contextmanager
def _asked(settings: Settings) -> Iterator[Store]:
    from daybreak.store.opening import open_store

    store = open_store(settings.config.store, settings.base)
    try:
        yield store
    finally:
        store.close()
