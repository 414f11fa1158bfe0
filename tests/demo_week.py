"""The demo's week, made once for all tests of a session: reports, store and mirrors, to be read or copied."""

from __future__ import annotations

import fcntl
import shutil
import socket
from pathlib import Path

import pytest

from daybreak.cli import main

DONE = "made"
"""A file beside the folder that says the week is whole: the demo writes its config first, and not last."""

PASSING = ("*.lock", "lock", "*-wal", "*-shm")
"""Files that come and go while others read: a copy must not stumble over them, and the store is whole without."""


@pytest.fixture(scope="session")
def demo_week(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made where nobody could be asked and the environment has other wishes, which a demo does not hear.

    Not to be written to: workers of a session share it.
    """
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if base.name.startswith("popen-") else base
    folder = shared / "demo-week"
    with (shared / "demo-week.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (shared / f"demo-week.{DONE}").is_file():
            shutil.rmtree(folder, ignore_errors=True)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(
                    socket.socket, "connect", lambda _, address: pytest.fail(f"the demo connects to {address}")
                )
                patch.setenv("DAYBREAK_OUT", str(shared / "elsewhere"))
                patch.setenv("DAYBREAK_LANGUAGES", "en")
                assert main(["demo", "--out", str(folder), "--lang", "zh", "--lang", "en", "--quiet"]) == 0
            assert not (shared / "elsewhere").exists()
            (shared / f"demo-week.{DONE}").touch()
    return folder


def whole_copy(week: Path, folder: Path) -> Path:
    """All of a week, to go on with."""
    return Path(shutil.copytree(week, folder, ignore=shutil.ignore_patterns(*PASSING)))


@pytest.fixture
def own_demo_week(demo_week: Path, tmp_path: Path) -> Path:
    """A copy without mirrors, caches and pages, which the test may change."""
    folder = tmp_path / "week"
    ignore = shutil.ignore_patterns("mirrors", "cache", "site", *PASSING)
    shutil.copytree(demo_week, folder, ignore=ignore)
    return folder
