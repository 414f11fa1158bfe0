"""A repository with an upstream and a fork of it, and what is asked of its report."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from daybreak.upgrade.fork.forking import fork_report
from gitrepo import GitRepo, clean_environment

if TYPE_CHECKING:
    from pathlib import Path

    from daybreak.core.model.upgrade import ForkReport

FIX = "[Bugfix] Fix crash on empty batch"


def lines(changed: dict[int, str] | None = None, count: int = 30) -> str:
    """`line 1` to `line 30`, some of them changed."""
    return "".join(f"{(changed or {}).get(n, f'line {n}')}\n" for n in range(1, count + 1))


class Fork:
    """A repository with `main`, which is upstream, and `fork`, which is ours."""

    def __init__(self, folder: Path, files: dict[str, Any] | None = None) -> None:
        self.repo = GitRepo.make(folder / "clone.git")
        self.base = self.repo.commit("Base", files or {"a.py": lines()})
        self.repo.move(self.base, "fork")

    def ours(self, files: dict[str, Any], message: str = "Our patch") -> str:
        return self.repo.commit(message, files, branch="fork")

    def theirs(self, files: dict[str, Any], message: str = "Their change") -> str:
        return self.repo.commit(message, files)

    def report(self, upstream: str | None = "main") -> ForkReport:
        said: list[str] = []
        return fork_report(self.repo.path, "fork", upstream, clean_environment(self.repo.path.parent), said.append)


def named(report: ForkReport, *overlaps: str) -> list[str]:
    """Shas with these overlaps, newest first."""
    return [touch.sha for touch in report.touches if touch.overlap in (overlaps or ("conflict",))]


def picked(report: ForkReport) -> list[str]:
    return [pick.sha for pick in report.picks]


def content(folder: Path) -> dict[str, str]:
    """Every file of a folder and what it holds."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
