"""Two made-up projects as real git repositories: a library of kernels and an engine that needs it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from daybreak.collect.git.history import HistoryReader
from daybreak.core.file_cache import Found
from daybreak.core.git_program import Git
from daybreak.core.model.changes import Collected, Repo, Skipped, Window
from daybreak.core.model.items import Activity
from daybreak.core.model.report import Entry, RepoReport
from daybreak.core.model.statements import Importance
from daybreak.findings.reader import RuleReader
from daybreak.judge.cross_repo.mirrors import Looking
from daybreak.judge.cross_repo.trees import Opened
from daybreak.judge.links.pins import Side
from daybreak.upgrade.impact.removed_name_uses import uses_at_heads
from gitrepo import GitRepo

KERNELS, ENGINE = "org/tilekernels", "org/engine"
SINCE = datetime(2026, 3, 9, tzinfo=UTC)
WINDOW = Window(SINCE, SINCE + timedelta(days=1), "UTC", "2026-03-09")
TODAY = "2026-03-09T12:00:00"


def moment(days: int) -> str:
    """Noon, so many days before the window's."""
    return (SINCE - timedelta(days=days) + timedelta(hours=12)).isoformat()


@dataclass
class Watched:
    """The repositories by name, and what is asked of them."""

    repos: Mapping[str, GitRepo]

    @classmethod
    def make(cls, folder: Path, *names: str) -> Watched:
        return cls({name: GitRepo.make(folder / f"{name.replace('/', '+')}.git") for name in names})

    @property
    def git(self) -> Git:
        return Git({"PATH": os.environ["PATH"], "HOME": "/nonexistent"})

    def report(self, name: str, window: Window = WINDOW) -> RepoReport:
        """As a run makes it: the window's changes, read, below the newest commit before its end."""
        repo = self.repos[name]
        low, high = int(window.since.timestamp()), int(window.until.timestamp())
        shas, below = repo.log(low, high), repo.log(0, high)
        changes = HistoryReader(self.git, repo.path, name, UTC).read(shas)
        found = Repo(name, f"https://github.com/{name}", "")
        readings = RuleReader(self.git).read(Collected(found, changes=tuple(changes), mirror=str(repo.path)))
        entries = tuple(Entry(c, readings[c.sha], "other", Importance("low", 0.0)) for c in changes)
        return RepoReport(found, "main", below[0] if below else None, entries, in_git=len(entries))

    def side(self, name: str, activity: Activity | None = None, window: Window = WINDOW) -> Side:
        tags = self.repos[name].text("for-each-ref", "--format=%(refname:strip=2) %(objectname)", "refs/tags")
        known = dict(row.split(" ") for row in tags.splitlines())
        packages = (name.rpartition("/")[2],)
        return Side(activity or Activity(name), self.report(name, window).entries, tags=known, packages=packages)

    def looking(self, kept: Path | None = None) -> Looking:
        def opened(repo: Repo, _: str) -> Opened:
            found = Found(kept / repo.name.replace("/", "+")) if kept else None
            return Opened(self.repos[repo.name].path, found=found)

        return Looking(self.git, RuleReader(self.git), opened, uses_at_heads)

    def looked(
        self, *activities: Activity, window: Window = WINDOW, kept: Path | None = None
    ) -> tuple[dict[str, Side], dict[str, tuple[Skipped, ...]]]:
        """What the mirrors add, by repository, and what could not be looked at."""
        given = {one.repo: one for one in activities}
        looking = self.looking(kept)
        reports = [self.report(name, window) for name in self.repos]
        sides, skipped = looking.into(
            reports, [self.side(name, given.get(name), window) for name in self.repos], window
        )
        return {side.repo: side for side in sides}, skipped
