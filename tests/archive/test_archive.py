"""Reported days come back as values, alike from the store and from the written files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from daybreak.core.config import Settings, load
from daybreak.core.day_json import decode
from daybreak.core.errors import DaybreakError
from daybreak.report.archive.opening import FolderArchive, StoreArchive, open_archive

DAY = "2026-03-06"


def settings_of(folder: Path) -> Settings:
    return load(folder / "daybreak.toml", {}, {})


def test_the_store_and_the_files_tell_the_same_days(demo_week: Path) -> None:
    stored, written = open_archive(settings_of(demo_week)), FolderArchive(demo_week)
    assert isinstance(stored, StoreArchive)
    assert stored.labels() == written.labels() != []
    for label in written.labels():
        assert stored.day(label) == written.day(label)
        assert stored.digest(label) == written.digest(label)
        assert stored.data(label) == written.data(label)


def test_every_field_of_the_data_is_in_the_values(demo_week: Path) -> None:
    data = json.loads((demo_week / "reports" / f"{DAY}.json").read_text("utf-8"))
    day = decode((demo_week / "reports" / f"{DAY}.json").read_bytes())
    assert [repo.name for repo in day.repos] == [repo["name"] for repo in data["repos"]]
    for repo, told in zip(day.repos, data["repos"], strict=True):
        assert set(told) <= set(repo.__struct_fields__) | {"links"}
        for commit, row in zip(repo.changes, [*told["commits"], *told["late"]], strict=True):
            rare = {"by_model", "unannounced", "taken", "setting_lines"}  # written only where there is something
            assert set(row) | rare == set(commit.__struct_fields__) | rare
            assert commit.subject == row["subject"]
            assert [f.symbol for f in commit.findings] == [f["symbol"] for f in row["findings"]]


def test_a_change_is_found_by_the_beginning_of_its_sha_and_never_guessed(demo_week: Path) -> None:
    day = FolderArchive(demo_week).day(DAY)
    assert day is not None
    _, first = next(day.changes())
    found = day.find(first.short)
    assert found is not None
    assert found[1].sha == first.sha
    assert day.find("") is None
    assert day.find("0" * 12) is None


@pytest.mark.parametrize("label", ["1999-01-01", "../daybreak", "2026-03-06/../2026-03-06", ""])
def test_what_was_not_reported_is_no_day(demo_week: Path, label: str) -> None:
    for archive in (FolderArchive(demo_week), open_archive(settings_of(demo_week))):
        assert archive.day(label) is None
        assert archive.digest(label) is None
        assert archive.data(label) is None


def test_without_a_store_the_files_are_read_and_nothing_is_made(own_demo_week: Path) -> None:
    (own_demo_week / ".daybreak" / "daybreak.db").unlink()
    archive = open_archive(settings_of(own_demo_week))
    assert isinstance(archive, FolderArchive)
    assert archive.day(DAY) is not None
    assert not (own_demo_week / ".daybreak" / "daybreak.db").exists()


def test_a_day_that_is_made_again_is_seen_at_once(own_demo_week: Path) -> None:
    archive = FolderArchive(own_demo_week)
    before = archive.digest(DAY)
    path = own_demo_week / "reports" / f"{DAY}.json"
    path.write_bytes(path.read_bytes().replace(b'"actions"', b'"actions" ', 1).replace(b"rules", b"model", 1))
    assert archive.digest(DAY) != before
    assert archive.day(DAY) is not None


def test_a_file_that_is_no_report_is_an_error_that_names_the_day(own_demo_week: Path) -> None:
    (own_demo_week / "reports" / f"{DAY}.json").write_text('{"schema": "other/1"}')
    with pytest.raises(DaybreakError, match=DAY):
        FolderArchive(own_demo_week).day(DAY)
