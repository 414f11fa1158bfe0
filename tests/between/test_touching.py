"""Which commits touch what pins things: the same as git's own patterns say, asked once, whatever stands in the way."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path

import pytest

from between.looked import ENGINE, TODAY, Watched
from daybreak.core.git_program import Git
from daybreak.judge.cross_repo import mirrors
from daybreak.judge.cross_repo.mirrors import PINS, touched
from gitrepo import submodule

FILES = (
    "requirements.txt", "docker/requirements-test.in", "a/b/my-requirements-x.txt", "pyproject.toml", "pyproject_rocm.toml",
    "sub/setup.py", "setup.cfg", "csrc/CMakeLists.txt", "cmake/x.cmake", ".gitmodules", "docker/Dockerfile.rocm",
    "requirements.md", "setup.pyc", "engine/run.py", "docs/dockerfile.md", "cmake/x.cmake.in",
)  # fmt: skip


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    return Watched.make(tmp_path, ENGINE)


def asked(watched: Watched, *shas: str) -> dict[str, mirrors.Touched]:
    found, whole = touched(watched.git, watched.repos[ENGINE].path, shas)
    assert whole
    return dict(found)


def test_it_is_what_the_patterns_say(watched: Watched) -> None:
    repo = watched.repos[ENGINE]
    made = {repo.commit(f"Touch {path}", {path: "x\n"}, at=TODAY): path for path in FILES}
    found = asked(watched, *made)
    pinning = {path for path in FILES if any(fnmatch(path, pattern) for pattern in PINS)}
    assert len(pinning) == 11
    assert {path for sha, path in made.items() if found[sha].pins} == pinning
    assert all(found[sha].pins in ((), (path,)) for sha, path in made.items())


def test_a_submodule_that_moved_is_named_and_any_other_file_is_not(watched: Watched) -> None:
    repo = watched.repos[ENGINE]
    moved = repo.commit("Move", {"3rdparty/kernels": submodule("ab" * 20), "a.py": "x\n"}, at=TODAY)
    other = repo.commit("Other", {"a.py": "y\n"}, at=TODAY)
    found = asked(watched, moved, other)
    assert (found[moved].modules, found[moved].pins) == (("3rdparty/kernels",), ())
    assert found[other] == mirrors.Touched()


def test_git_is_asked_once_for_each_commit(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = watched.repos[ENGINE]
    first = repo.commit("Pin", {"setup.py": "a\n"}, at=TODAY)
    before = asked(watched, first)
    second = repo.commit("Pin again", {"setup.py": "b\n"}, at=TODAY)
    seen: list[tuple[str, ...]] = []
    real = mirrors._asked

    def counted(git: Git, mirror: Path, shas: list[str]) -> object:
        seen.append(tuple(shas))
        return real(git, mirror, shas)

    monkeypatch.setattr(mirrors, "_asked", counted)
    assert asked(watched, first, second) == {**before, second: mirrors.Touched(("setup.py",))}
    assert asked(watched, second, first).keys() == {first, second}
    assert seen == [(second,)]


@pytest.mark.parametrize("kept", [b"", b"\xc1garbage", b"\x82\xa8patterns\x90\xa7commits\x80"])
def test_a_damaged_or_older_file_is_as_good_as_none(watched: Watched, kept: bytes) -> None:
    sha = watched.repos[ENGINE].commit("Pin", {"setup.py": "a\n"}, at=TODAY)
    (watched.repos[ENGINE].path / "daybreak-pins").write_bytes(kept)
    assert asked(watched, sha)[sha].pins == ("setup.py",)


def test_a_commit_that_git_cannot_read_is_not_kept_and_is_said(watched: Watched) -> None:
    repo = watched.repos[ENGINE]
    sha = repo.commit("Pin", {"setup.py": "a\n"}, at=TODAY)
    found, whole = touched(watched.git, repo.path, [sha, "ab" * 20])
    assert not whole
    assert not (repo.path / "daybreak-pins").exists()
    assert "ab" * 20 not in found
