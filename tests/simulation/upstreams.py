"""Upstreams of a simulated world: each day brings changes by chance, to git and, told alike, to a fake GitHub."""

from __future__ import annotations

import subprocess
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random

from fake_github import Server
from gitrepo import GitRepo

NAMES = ("acme/served", "acme/borrowed")
FIRST = date(2026, 1, 5)


def label(number: int) -> str:
    """The day of a morning, counted from the first."""
    return (FIRST + timedelta(days=number)).isoformat()


class Upstream:
    """One repository, in git and on GitHub."""

    def __init__(self, root: Path, name: str, github: Server) -> None:
        self.name, self.github, self.number = name, github, 0
        self.repo = GitRepo.make(root / f"{name.partition('/')[2]}.git")
        github.add_repo(name)
        self.limit = 0
        self.names: list[str] = []

    def day(self, number: int, chance: Random) -> None:
        """One to three changes, at hours of that day."""
        for hour in sorted(chance.sample(range(1, 23), chance.randint(1, 3))):
            at = datetime.fromisoformat(f"{label(number)}T{hour:02}:00:00+00:00")
            self._change(at, chance)
        if chance.random() < 0.15:
            self.repo.tag(f"v0.{number}.0", self.repo.text("rev-parse", "main"))

    def _change(self, at: datetime, chance: Random) -> None:
        self.number += 1
        kind = chance.choice(("default", "function", "gone", "notes") if len(self.names) > 1 else ("function",))
        title, files = getattr(self, f"_{kind}")(chance)
        sha = self.repo.commit(f"{title} (#{self.number})", files, at=at.isoformat())
        body = f"## Purpose\n{title}, since requests were too slow.\n"
        self.github.add_pull(self.name, title, number=self.number, at=at, body=body)
        self.github.merge(self.name, self.number, at=at, sha=sha)
        if chance.random() < 0.3:
            self.number += 1
            self.github.add_issue(self.name, f"Crash {self.number}", number=self.number, at=at, labels=["bug"])

    def _default(self, chance: Random) -> tuple[str, dict[str, str]]:
        self.limit += chance.randint(1, 9)
        return "Tune the limit", {"pkg/args.py": f'parser.add_argument("--limit", default={self.limit})\n'}

    def _function(self, _: Random) -> tuple[str, dict[str, str]]:
        self.names.append(f"step_{self.number}")
        return f"Add {self.names[-1]}", {"pkg/steps.py": self._steps()}

    def _gone(self, chance: Random) -> tuple[str, dict[str, str]]:
        gone = self.names.pop(chance.randrange(len(self.names)))
        return f"Remove {gone}", {"pkg/steps.py": self._steps()}

    def _notes(self, _: Random) -> tuple[str, dict[str, str]]:
        return "Explain", {"NOTES.md": f"# Notes\n\n{'x' * self.number}\n"}

    def _steps(self) -> str:
        return "\n\n".join(f"def {name}(request):\n    return request.{name}\n" for name in self.names)


def daemon(root: Path) -> list[str]:
    """A git server for one connection, which is its standard input and output."""
    return ["git", "daemon", "--inetd", "--export-all", f"--base-path={root}"]


def ended(process: subprocess.Popen[bytes]) -> None:
    """Ours, whether it wants to or not."""
    process.kill()
    process.wait()


def midnight(number: int) -> datetime:
    """When the day of a morning is over."""
    return datetime.fromisoformat(label(number)).replace(tzinfo=UTC) + timedelta(days=1)
