"""A folder with reports, a repository elsewhere, and the branch in it that the pages go to."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from daybreak.core.git_program import Git
from daybreak.deliver.publish.folder import own_files
from daybreak.deliver.publish.git_branch import GitBranch, Pushed, Target
from gitrepo import GitRepo

MARK = "<!-- daybreak.report/1 -->\n"
WHEN = datetime(2026, 1, 20, 8, tzinfo=UTC)


class Desk:
    """A folder with reports, a repository elsewhere, and the branch in it."""

    def __init__(self, base: Path, **options: str) -> None:
        self.base = base
        self.out = base / "out"
        self.remote = (
            GitRepo.make(base / "remote.git") if not (base / "remote.git").exists() else GitRepo(base / "remote.git")
        )
        self.branch = options.pop("branch", "reports")
        address = options.pop("address", str(self.remote.path))
        self.target = Target(
            address, self.branch, options.pop("folder", ""), "Daybreak", "daybreak@example.invalid", **options
        )
        self.git = Git(dict(os.environ))

    def day(self, label: str, text: str = "one") -> None:
        for path in (f"reports/{label}.md", f"reports/{label}/o-n.md", "README.md"):
            (self.out / path).parent.mkdir(parents=True, exist_ok=True)
            (self.out / path).write_text(f"{MARK}{text} {path} {label}", encoding="utf-8")

    def publish(self, *, site: bool = False, trusting: bool = False) -> Pushed:
        made = GitBranch(self.git, self.target, self.base / "state" / "clone.git", WHEN)
        return made.publish(self.out, own_files(self.out, site=site), trusting=trusting)

    def held(self) -> dict[str, str]:
        names = self.remote.text("ls-tree", "-r", "--name-only", self.branch).splitlines()
        return {name: self.remote.git("show", f"{self.branch}:{name}").decode() for name in names}

    def log(self, form: str = "%s") -> list[str]:
        return self.remote.text("log", f"--format={form}", self.branch).splitlines()
