"""The site of the demo's week, built once for all tests of a session."""

from __future__ import annotations

import fcntl
import shutil
from pathlib import Path

import pytest

from pages.building import build


@pytest.fixture(scope="session")
def demo_site(demo_week: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Not to be written to: workers of a session share it."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if base.name.startswith("popen-") else base
    folder = shared / "demo-site"
    with (shared / "demo-site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / ".daybreak-site.json").is_file():
            shutil.rmtree(folder, ignore_errors=True)
            build(demo_week, folder)
    return folder


@pytest.fixture
def own_site(demo_site: Path, tmp_path: Path) -> Path:
    """A copy that the test may build into."""
    return Path(shutil.copytree(demo_site, tmp_path / "site"))
