"""Opens the store that an address names; the databases are imported only here, since that takes a third of a second."""

from __future__ import annotations

import difflib
from importlib import import_module
from pathlib import Path
from typing import cast

from daybreak.core.errors import ConfigError
from daybreak.store import STORES
from daybreak.store.interface import Store


def open_store(address: str, base: Path) -> Store:
    """The store at `sqlite:///PATH` (relative to `base`) or `postgresql+psycopg://…`, with the newest schema."""
    kind = kind_of(address)
    module, _, name = STORES[kind].partition(":")
    return cast("Store", getattr(import_module(module), name)(address, base))


def kind_of(address: str) -> str:
    """Which kind of store an address names; an unknown one is told the nearest, and never shown whole."""
    scheme = address.partition(":")[0].partition("+")[0].lower()
    scheme = "postgresql" if scheme == "postgres" else scheme
    known = list(STORES)
    if scheme in known and "://" in address:
        return scheme
    near = difflib.get_close_matches(scheme, known, n=1, cutoff=0.4) or known[:1]
    raise ConfigError(
        f"store: {scheme[:20]!r} is no kind of store.",
        f"Did you mean {near[0]}://? For example sqlite:///.daybreak/daybreak.db.",
    )
