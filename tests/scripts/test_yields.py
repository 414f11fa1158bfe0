"""The script that says what each reader and each check brings: on a small repository, and on some of the corpora."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from daybreak.findings.compare import SURFACES
from gitrepo import GitRepo
from scripts import yields

DAY = "2026-03-09"
OPTIONS = "import argparse\n\n\ndef add(parser):\n    parser.add_argument('--rows', type=int, default=1)\n"
PASSING = "def run(config):\n    return getattr(config, 'rows', 4)\n"


@pytest.fixture
def mirrors(tmp_path: Path) -> Path:
    """An option goes, and a fallback changes, on one day; nothing on the day after."""
    repo = GitRepo.make(tmp_path / "org+engine" / "repo")
    repo.commit("Begin", {"engine/server_args.py": OPTIONS, "engine/core.py": PASSING}, at="2026-01-05T12:00:00")
    gone = OPTIONS.replace("    parser.add_argument('--rows', type=int, default=1)\n", "    return parser\n")
    repo.commit("Drop --rows (#1)", {"engine/server_args.py": gone}, at=f"{DAY}T04:00:00")
    repo.commit("Take eight rows (#2)", {"engine/core.py": PASSING.replace("4", "8")}, at=f"{DAY}T05:00:00")
    return tmp_path


def test_findings_are_counted_for_the_reader_that_gave_them(mirrors: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert yields.main(["readers", "--mirrors", str(mirrors), "org/engine", "--days", DAY, "2026-03-10"]) == 0
    head, _, *rows = capsys.readouterr().out.splitlines()
    assert head == "1 repositories, 2 days, 2 commits, 2 findings"
    cells = [row.split() for row in rows[:-1]]
    assert ["options", "1", "1", "1", "1"] in cells
    assert ["cli_flag_removed", "1", "1", "1", "1"] in cells
    assert ["lookup_defaults", "1", "1", "1", "0"] in cells
    assert "passing_default_changed" not in rows[-1]
    assert "guard_added" in rows[-1]


def test_readers_are_as_before_when_the_script_has_looked(mirrors: Path) -> None:
    before = [import_module(one.module).compare for one in SURFACES]
    yields.readers_report(mirrors, ["org/engine"], [DAY])
    assert [import_module(one.module).compare for one in SURFACES] == before


def test_what_the_frame_drops_is_counted_by_reason() -> None:
    head, *rows = yields.checks_report().splitlines()
    counts = {row.split()[0]: tuple(map(int, row.split()[1:])) for row in rows}
    assert head.split() == ["reason", "true", "lies"]
    assert counts["(stands)"][0] > 280
    assert counts["name_not_in_evidence"][1] > 50


def test_columns_stand_under_each_other() -> None:
    assert yields.table(("name", "n"), [("a", 5), ("long name", 12)]) == [
        "name        n",
        "a           5",
        "long name  12",
    ]
