"""The demo's week as golden files: reports to be read, in both languages, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from daybreak.cli import main
from demo_week import whole_copy
from golden.kept_pages import hold, written

WHOLE = (
    "README.md",
    "reports/2026-03-05.md",
    "reports/2026-03-06.md",
    "reports/2026-03-06.en.md",
    "reports/2026-03-06/daybreak-demo-lantern.en.md",
    "reports/2026-03-08.md",
)
"""Pages kept as text, to be read; of all files a digest is kept, see `test_digests.py`."""


pytestmark = pytest.mark.quick  # seconds, and most of the daily path


@pytest.fixture(scope="module")
def demo(demo_week: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return whole_copy(demo_week, tmp_path_factory.mktemp("demo") / "out")


def test_the_week_is_the_same_bytes_on_every_machine(demo: Path) -> None:
    hold(written(demo), WHOLE, "demo")


def test_a_second_run_of_a_reported_day_changes_no_byte(demo: Path) -> None:
    before = written(demo)
    for day in ("2026-03-04", "2026-03-06"):
        assert main(["run", "--date", day, "--config", str(demo / "daybreak.toml"), "--quiet"]) == 0
    assert written(demo) == before


def test_a_damaged_page_is_written_again_with_the_same_bytes(demo: Path) -> None:
    before = written(demo)
    page = demo / "reports" / "2026-03-05.en.md"
    page.write_text("<!-- daybreak.report/1 -->\n", encoding="utf-8")
    assert main(["run", "--date", "2026-03-05", "--config", str(demo / "daybreak.toml"), "--quiet"]) == 0
    assert written(demo) == before


def test_no_row_of_the_day_says_nothing_of_what_a_change_does(demo_week: Path) -> None:
    rows = [row for page in (demo_week / "reports").glob("*.md") for row in page.read_text("utf-8").split("\n")]
    assert not [row for row in rows if row.startswith("| ") and row.endswith("|  |")]
