"""What the fault tests share: the undisturbed scene, made once, and a PostgreSQL that may be stopped."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from faults import scene as scenes
from faults.scene import Scene


@pytest.fixture(scope="session")
def _undisturbed() -> Iterator[Scene]:
    """In a folder that other users can reach as well; pytest's own are for their maker alone."""
    root = Path(tempfile.mkdtemp(prefix="daybreak-faults-"))
    root.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("GIT_", "DAYBREAK_", "XDG_"))]:
            patch.delenv(name)
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        patch.setenv("HOME", str(root))
        made = scenes.make(root)
    yield made
    shutil.rmtree(root, ignore_errors=True)


@pytest.fixture
def scene(_undisturbed: Scene) -> Iterator[Scene]:
    """Only the undisturbed place is shared; those of the test go with it."""
    before = set(_undisturbed.root.iterdir())
    yield _undisturbed
    for path in set(_undisturbed.root.iterdir()) - before:
        shutil.rmtree(path, ignore_errors=True)
