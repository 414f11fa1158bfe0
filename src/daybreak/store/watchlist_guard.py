"""Whether a store is that of a config: days are named by their date, so two watchlists in one store would mix."""

from __future__ import annotations

from contextlib import suppress

import msgspec

from daybreak.core.config import Settings
from daybreak.core.errors import ConfigError, DaybreakError
from daybreak.store.interface import Store
from daybreak.store.report_files import ReportFiles

COMPARED = 60
"""Newest reports of the folder among which one of the store is looked for."""
_ODD = (DaybreakError, msgspec.MsgspecError, ValueError, TypeError)
"""What damage in a row looks like; `status` and `doctor` tell of it."""


def refuse_other(store: Store, settings: Settings) -> None:
    """Raise when the newest report in the store is of another watchlist, and none of `out` is in the store.

    A watchlist that only grew or only shrank is the same one; a folder whose reports are in the store is its own.
    """
    watched = {repo.name.lower(): repo.name for repo in settings.config.repo}
    told = _newest(store)
    missing = [name for key, name in told.items() if key not in watched]
    shrank = watched.keys() <= told.keys()
    if not missing or shrank or _has_its_own(store, settings):
        return
    raise ConfigError(
        f"The store holds the reports of another watchlist: {missing[0]} is not in this one.",
        "Name a `store` of its own in daybreak.toml: days are named by their date, and would replace each other.",
    )


def _newest(store: Store) -> dict[str, str]:
    """Repositories of the newest report; none of one that cannot be read, which others tell of."""
    with suppress(*_ODD):
        if labels := store.labels():
            return {name.lower(): name for name in store.repositories(labels[-1])}
    return {}


def _has_its_own(store: Store, settings: Settings) -> bool:
    files = ReportFiles(settings.out)
    with suppress(OSError, *_ODD):
        known = store.report_digests()
        return any(known.get(label) == files.digest(label) for label in reversed(files.labels()[-COMPARED:]))
    return False
