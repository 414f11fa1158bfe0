"""Targets that run here, and notifiers that send to them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from daybreak.core.config.sections import TargetConfig
from daybreak.deliver.notify.delivery import Notifier
from daybreak.store import Store, open_store
from notify import services
from notify.scene import ENOUGH, Clock, QuickSenders, pointed, settings_for


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new store, to be copied: making one takes longer than most tests here."""
    folder = tmp_path_factory.mktemp("store")
    open_store("sqlite:///daybreak.db", folder).close()
    return folder / "daybreak.db"


@pytest.fixture
def store(tmp_path: Path, empty_store: Path) -> Iterator[Store]:
    shutil.copy(empty_store, tmp_path / "daybreak.db")
    made = open_store("sqlite:///daybreak.db", tmp_path)
    yield made
    made.close()


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Any]]:
    """Starts a service. Where apprise knows the host itself, its plugin is pointed at the service: in tests only."""
    with ExitStack() as stack:

        def start(kind: str) -> Any:
            service = stack.enter_context(services.running(kind))
            pointed(kind, service.port, monkeypatch)
            return service

        yield start


@pytest.fixture
def tell(store: Store, clock: Clock) -> Callable[..., Notifier]:
    """A notifier as a new run makes it."""

    def make(
        *targets: TargetConfig, environment: dict[str, str] | None = None, wait: float = ENOUGH, **notify: Any
    ) -> Notifier:
        settings = settings_for(*targets, environment=environment, **notify)
        return Notifier(settings, store, clock.time(), QuickSenders(clock.now, wait))

    return make
