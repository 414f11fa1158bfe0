"""Upgrade reports over two folders of sources, without a history."""

from __future__ import annotations

from pathlib import Path

import pytest

from daybreak.upgrade.range import trees_report
from gitrepo import GitRepo
from test_ranging import ARGS, Place, flags, told


@pytest.fixture
def place(repo: GitRepo, tmp_path: Path) -> Place:
    return Place(repo, tmp_path / "state")


def test_two_folders_of_sources(place: Place, tmp_path: Path) -> None:
    for name, text in (("old", flags("--kv", "--tp")), ("new", flags("--tp"))):
        (tmp_path / name / "engine").mkdir(parents=True)
        (tmp_path / name / ARGS).write_text(text, "utf-8")
    report = trees_report(place.job(), tmp_path / "old", tmp_path / "new")
    assert told(report.nets) == [("cli_flag_removed", "--kv", True)]
    assert (report.span.start.name, report.span.end.name, len(report.entries)) == ("old", "new", 1)
    assert str(tmp_path) not in repr(report)


def test_no_finding_of_two_trees_is_cut_off(place: Place, tmp_path: Path) -> None:
    for name, count in (("old", 900), ("new", 100)):
        (tmp_path / name / "pkg").mkdir(parents=True)
        text = "\n".join(f"def function_{n}(x):\n    return x + {n}\n\n" for n in range(count))
        (tmp_path / name / "pkg" / "__init__.py").write_text(text, "utf-8")
    report = trees_report(place.job(), tmp_path / "old", tmp_path / "new")
    assert sum(net.finding.kind == "function_removed" for net in report.nets) == 800


def test_equal_trees_are_an_empty_range(place: Place, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.py").write_text("x = 1\n", "utf-8")
    report = trees_report(place.job(), tmp_path / "a", tmp_path / "b")
    assert (report.entries, report.nets) == ((), ())
