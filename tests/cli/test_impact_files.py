"""Files of the ends as mirrors have them: all there, without contents, or with nothing to list."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from daybreak.core.errors import GitError
from daybreak.core.git_program import Git
from daybreak.findings.blobs import LARGEST
from daybreak.upgrade.impact.base import UNREAD
from daybreak.upgrade.impact.ends import Files, _modules
from gitrepo import GitRepo, clean_environment, submodule

TREE: dict[str, str | bytes] = {
    "engine/__init__.py": "from .api import keep\n",
    "engine/api.py": "def keep(): ...\n",
    "engine/twin.py": "def keep(): ...\n",
    "engine/é.py": "x = 1\n",
    "engine/odd.py": b"y = '\xff'\n",
    "engine/big.py": "#" * (LARGEST + 1),
    "README.md": "read me\n",
}


@pytest.fixture
def upstream(tmp_path: Path) -> GitRepo:
    repo = GitRepo.make(tmp_path / "upstream.git")
    repo.commit("First", {**TREE, "engine/inner.py": submodule("1" * 40)})
    return repo


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """What git is run for."""
    found: list[tuple[str, ...]] = []
    real = Git._start

    def noted(self: Git, args: Sequence[str], *rest: Any, **more: Any) -> Any:
        found.append(tuple(args[args.index("-C") + 2 :] if "-C" in args else args))
        return real(self, args, *rest, **more)

    monkeypatch.setattr(Git, "_start", noted)
    return found


def files(repo: GitRepo, *names: str, sha: str = "main") -> Files:
    return Files(clean_environment(repo.path.parent), str(repo.path), sha, names)


def without_contents(upstream: GitRepo) -> GitRepo:
    """A partial clone of somebody: the trees are there, the contents are not."""
    upstream.git("config", "uploadpack.allowFilter", "true")
    path = upstream.path.with_name("mirror.git")
    command = ["git", "clone", "--quiet", "--bare", "--filter=blob:none", f"file://{upstream.path}", str(path)]
    subprocess.run(command, check=True, capture_output=True, env=clean_environment(path.parent))
    return GitRepo(path)


def test_what_is_likely_to_be_asked_is_read_in_one_go(upstream: GitRepo, asked: list[tuple[str, ...]]) -> None:
    tree = files(upstream, "engine.api.keep", "engine.twin.keep")
    wanted = ("engine/__init__.py", "engine/api.py", "engine/twin.py", "engine/none.py")
    assert [tree.text(path) for path in wanted] == [TREE.get(path) for path in wanted]
    assert ("cat-file", "blob") not in [one[:2] for one in asked]
    assert [one for one in asked if "--batch" in one] == [("cat-file", "--batch", "--buffer")]


def test_the_others_are_read_with_their_folder_and_once(upstream: GitRepo, asked: list[tuple[str, ...]]) -> None:
    tree = files(upstream, "engine.big.x")
    assert tree.text("README.md") == tree.text("README.md") == "read me\n"
    assert tree.text("engine/big.py") == TREE["engine/big.py"]
    assert tree.text("engine/é.py") == "x = 1\n"
    assert tree.text("engine/odd.py") == "y = '\ufffd'\n"
    assert tree.text("engine/inner.py") is tree.text("engine") is None
    alone = [one[2].partition(":")[2] for one in asked if one[:2] == ("cat-file", "blob")]
    assert alone == ["README.md", "engine/big.py"]


def test_contents_that_the_mirror_lacks_are_not_taken_for_absent_files(upstream: GitRepo) -> None:
    mirror = without_contents(upstream)
    mirror.git("hash-object", "-w", "--stdin", stdin=b"def keep(): ...\n")
    tree = files(mirror, "engine.api.keep", "engine.twin.keep")
    assert tree.text("engine/api.py") == tree.text("engine/twin.py") == "def keep(): ...\n"
    assert tree.text("engine/__init__.py") == tree.text("README.md") == UNREAD
    assert tree.text("engine/none.py") is None


def test_without_a_listing_each_file_is_asked_for_by_its_path(
    upstream: GitRepo, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Git.run

    def broken(self: Git, *args: str, **more: Any) -> bytes:
        if args[0] == "ls-tree":
            raise GitError("git ls-tree failed: not a tree object")
        return real(self, *args, **more)

    monkeypatch.setattr(Git, "run", broken)
    tree = files(upstream, "engine.api.keep")
    assert tree.text("engine/api.py") == TREE["engine/api.py"]
    assert tree.text("engine/none.py") is None


def test_a_commit_or_a_mirror_that_is_not_there_has_no_files(upstream: GitRepo) -> None:
    assert files(upstream, "engine.api.keep", sha="2" * 40).text("engine/api.py") is None
    assert Files({}, None, "main", ["engine.api.keep"]).text("engine/api.py") is None


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("engine/__init__.py", True),
        ("python/engine/__init__.py", True),
        ("engine/api.py", True),
        ("src/engine/api/__init__.py", True),
        ("engine/api/keep.py", False),
        ("engine/other.py", False),
        ("api.py", False),
        ("engine/api.pyi", False),
        ("engine", False),
    ],
)
def test_the_module_of_a_name_and_the_packages_around_it_are_likely(path: str, wanted: bool) -> None:
    assert _modules([path], ["engine.api.keep"]) == ([path] if wanted else [])
