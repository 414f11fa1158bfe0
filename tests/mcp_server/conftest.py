"""The demo's week with its mirrors, copied once: search and histories write caches beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from daybreak.serve.mcp.context import Desk
from demo_week import whole_copy
from mcp_server.asking import desk_of


@pytest.fixture(scope="session")
def week(demo_week: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mcp") / "week"
    whole_copy(demo_week, folder)
    return folder


@pytest.fixture(scope="session")
def desk(week: Path) -> Desk:
    return desk_of(week)
