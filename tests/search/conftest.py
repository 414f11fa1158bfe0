"""Two weeks of days that are looked through."""

from __future__ import annotations

from pathlib import Path

import pytest

from daybreak.core.config import load
from daybreak.site.pages import Ground
from search import days


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    config = tmp_path / "daybreak.toml"
    config.write_text('languages = ["zh", "en"]\n[[repo]]\nname = "acme/engine"\n', encoding="utf-8")
    return Ground(days.week(), load(config, {}, {}), "look")
