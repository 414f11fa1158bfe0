"""A home folder of its own for each test, no network beyond this machine, and a small fake per interface."""

from __future__ import annotations

import gc
import os
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, settings

from daybreak.collect.git.source import GitSource
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Collected, Repo
from daybreak.core.windows import day
from demo_week import demo_week, own_demo_week  # noqa: F401  fixtures
from gitrepo import GitRepo
from lanes import (  # noqa: F401  hooks
    live_in_memory,
    pytest_collection_modifyitems,
    pytest_ignore_collect,
    pytest_sessionfinish,
    pytest_terminal_summary,
    take_interrupts,
)
from postgres_fixture import _stoppable, own_postgres, postgres  # noqa: F401  fixtures

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from daybreak.core.checkpoint import Memory, Recorded

# The same examples each time and no clock: a test says the same on every machine, however busy. `--hypothesis-profile
# exploring` looks for new ones.
settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("exploring", deadline=None, max_examples=1000)
settings.load_profile("steady")
live_in_memory()
take_interrupts()


def pytest_collection_finish() -> None:
    """Nine thousand tests stay for the whole session: no look for garbage needs to go through them again."""
    gc.collect()
    gc.freeze()


SET_BY_US = ("PYTHONSAFEPATH", "COLUMNS")
"""Variables that the program and our scripts give their children by setting them for themselves."""
LONG_AFTER = datetime(2035, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="session")
def no_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of tests that ask for no folder: thousands of rows of tables need none of their own."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(autouse=True)
def own_home(request: pytest.FixtureRequest) -> Path:
    """No test sees the machine's git settings, and none leaves anything behind in the user's home."""
    home: Path
    if "tmp_path" in request.fixturenames:
        home = request.getfixturevalue("tmp_path") / "home"
        home.mkdir()
    else:
        home = request.getfixturevalue("no_home")
    # After the folder, so that it is undone before the folder goes: what a test patched must not meet its removal.
    monkeypatch: pytest.MonkeyPatch = request.getfixturevalue("monkeypatch")
    for name in list(os.environ):
        if name.startswith(("GIT_", "DAYBREAK_", "XDG_")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    for name in SET_BY_US:  # put back after the test, so that the children of the next one do not depend on the order
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return home


class NoMemory:
    """A memory in which no day was ever reported."""

    def day(self, label: str, repo: str) -> Recorded | None:
        return None

    def earlier(self, label: str, repo: str) -> Iterator[Recorded]:
        return iter(())

    def later(self, label: str, repo: str) -> Iterator[Recorded]:
        return iter(())


@dataclass
class Collector:
    """Collects from repositories of a test as a run would."""

    mirrors: Path
    program: str = "git"
    said: list[str] = field(default_factory=list)
    cache: Path | None = None

    def collect(
        self,
        source: GitRepo | Path | str,
        on: str = "2026-01-19",
        *,
        zone: str = "UTC",
        memory: Memory | None = None,
        force: bool = False,
        offline: bool = False,
        name: str = "org/project",
        branch: str | None = None,
        paths: tuple[str, ...] = (),
        exclude: tuple[str, ...] = (),
    ) -> Collected:
        address = str(source.path if isinstance(source, GitRepo) else source)
        repo = Repo(name, f"https://example.org/{name}", address, branch, paths, exclude)
        git = Git(dict(os.environ), self.program)
        git.take_user_settings(self.mirrors.parent)
        window = day(date.fromisoformat(on), ZoneInfo(zone), LONG_AFTER)
        return GitSource(git, self.mirrors, offline, self.said.append, self.cache).collect(
            repo, window, memory or NoMemory(), force
        )


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    """An empty repository."""
    return GitRepo.make(tmp_path / "upstream.git")


@pytest.fixture
def collector(tmp_path: Path) -> Collector:
    return Collector(tmp_path / "state" / "mirrors")
