"""The place in which commands are run."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.place import DAY, Place
from gitrepo import GitRepo

FILE = "pkg/server_args.py"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    folder = tmp_path / "work"
    folder.mkdir()
    upstream = GitRepo.make(tmp_path / "upstream.git")
    upstream.commit("First (#1)", {FILE: 'parser.add_argument("--size", default=1)\n'}, at="2026-01-18T10:00:00")
    upstream.commit("Tune (#2)", {FILE: 'parser.add_argument("--size", default=2)\n'}, at=f"{DAY}T10:00:00")
    made = Place(folder, upstream)
    made.config()
    return made
