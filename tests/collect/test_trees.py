"""Folders of sources as commits: every file as it is, nothing followed, what is left out is named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from daybreak.collect.git import trees
from daybreak.collect.git.trees import import_trees
from daybreak.core import source_folder
from daybreak.core.errors import UsageError
from daybreak.core.git_program import Git
from daybreak.core.model.upgrade import Span


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    old, new = tmp_path / "old", tmp_path / "new"
    for folder in (old, new):
        (folder / "pkg").mkdir(parents=True)
        (folder / "pkg" / "a.py").write_text("x = 1\n", "utf-8")
    (new / "pkg" / "a.py").write_text("x = 2\n", "utf-8")
    return old, new


def imported(folders: tuple[Path, Path], tmp_path: Path) -> tuple[Span, Path]:
    place = tmp_path / "work"
    place.mkdir()
    return import_trees(Git(dict(os.environ)), *folders, place), place / "trees.git"


def listed(path: Path, ref: str) -> list[str]:
    rows = Git(dict(os.environ)).run("ls-tree", "-r", "-z", ref, at=path).decode("utf-8", "surrogateescape").split("\0")
    return [f"{row.split()[0]} {row.partition(chr(9))[2]}" for row in rows if row]


def test_two_folders_become_two_commits(folders: tuple[Path, Path], tmp_path: Path) -> None:
    span, path = imported(folders, tmp_path)
    git = Git(dict(os.environ))
    assert git.run("cat-file", "blob", f"{span.start.sha}:pkg/a.py", at=path) == b"x = 1\n"
    assert git.run("cat-file", "blob", f"{span.end.sha}:pkg/a.py", at=path) == b"x = 2\n"
    assert git.run("rev-list", span.end.sha, at=path).decode().split() == [span.end.sha, span.start.sha]
    assert span.gained == (span.end.sha,)


def test_the_same_folders_give_the_same_commits(folders: tuple[Path, Path], tmp_path: Path) -> None:
    first, _ = imported(folders, tmp_path)
    (tmp_path / "again").mkdir()
    second, _ = imported(folders, tmp_path / "again")
    assert (first.start.sha, first.end.sha) == (second.start.sha, second.end.sha)


def test_any_name_any_mode_and_links_that_are_not_followed(folders: tuple[Path, Path], tmp_path: Path) -> None:
    new = folders[1]
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key.txt").write_text("hidden\n", "utf-8")
    (new / "link").symlink_to(tmp_path / "secret")
    (new / "gone").symlink_to("nowhere")
    (new / 'sp ace"\\\n.py').write_text("y = 1\n", "utf-8")
    (new / os.fsdecode(b"caf\xe9.py")).write_bytes(b"z = 1\n")
    run = new / "run.sh"
    run.write_text("true\n", "utf-8")
    run.chmod(0o755)
    span, path = imported(folders, tmp_path)
    found = listed(path, span.end.sha)
    assert {"120000 link", "120000 gone", '100644 sp ace"\\\n.py', "100644 caf\udce9.py", "100755 run.sh"} <= set(found)
    assert "hidden" not in repr(found)
    assert span.skipped == ()


def test_what_is_too_large_or_no_file_is_left_out_and_named(
    folders: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_folder, "LARGEST", 1000)
    (folders[1] / "big.bin").write_bytes(b"x" * 1001)
    os.mkfifo(folders[1] / "pipe")
    span, path = imported(folders, tmp_path)
    assert sorted(skipped.what for skipped in span.skipped) == ["new/big.bin", "new/pipe"]
    assert listed(path, span.end.sha) == ["100644 pkg/a.py"]


def test_version_control_and_compiled_files_are_no_sources(folders: tuple[Path, Path], tmp_path: Path) -> None:
    for name in (".git", "pkg/__pycache__"):
        (folders[1] / name).mkdir()
        (folders[1] / name / "x").write_text("x", "utf-8")
    span, path = imported(folders, tmp_path)
    assert listed(path, span.end.sha) == ["100644 pkg/a.py"]


def test_a_large_folder_goes_in_by_pieces(
    folders: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trees, "_CHUNK", 50)
    for number in range(9):
        (folders[1] / f"f{number}.py").write_text(f"value = {number}\n" * 3, "utf-8")
    span, path = imported(folders, tmp_path)
    assert len(listed(path, span.end.sha)) == 10


def test_an_empty_folder_is_an_empty_tree(folders: tuple[Path, Path], tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    span, path = imported((empty, folders[1]), tmp_path)
    assert listed(path, span.start.sha) == []
    assert span.gained


@pytest.mark.parametrize(("name", "words"), [("none", "does not exist"), ("file.txt", "is not a folder")])
def test_what_is_no_folder_is_one_sentence(folders: tuple[Path, Path], tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / "file.txt").write_text("x", "utf-8")
    with pytest.raises(UsageError, match=words):
        imported((folders[0], tmp_path / name), tmp_path)
