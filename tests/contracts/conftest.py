"""A store on SQLite and one on a real PostgreSQL, both new."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from daybreak.store import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from daybreak.store.sql import SqlStore


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest) -> str:
    """Where a new store may be made."""
    if request.param == "sqlite":
        return "sqlite:///state/daybreak.db"
    return str(request.getfixturevalue("postgres").fresh())


class SetClock:
    """A clock that a test sets; it goes on by a second each time it is looked at."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 20, 8, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def store(address: str, tmp_path: Path, clock: SetClock) -> Iterator[SqlStore]:
    made = opened(address, tmp_path)
    made._database.clock = clock
    yield made
    made.close()


def opened(address: str, base: Path) -> SqlStore:
    from daybreak.store.sql import SqlStore

    made = open_store(address, base)
    assert isinstance(made, SqlStore)
    return made
