"""Two upstreams with three days of changes, places to report on them, and what comes out when nothing goes wrong."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import program
from gitrepo import GitRepo
from kills.killing import Came, stored, written
from program import PROGRAM, ended

DAYS = ("2026-01-19", "2026-01-20", "2026-01-21")
WEEK = ("run", "--since", DAYS[0], "--until", "2026-01-22")
SQLITE = "sqlite:///.daybreak/daybreak.db"


@dataclass
class Place:
    """A folder in which the program is run as a user runs it."""

    folder: Path
    store: str = SQLITE
    out: str = "."
    program: tuple[str, ...] = PROGRAM

    def config(self, upstreams: dict[str, str], more: str = "") -> None:
        text = f'timezone = "UTC"\nstore = "{self.store}"\nout = "{self.out}"\n'
        text += "".join(f'[[repo]]\nname = "{name}"\ngit = "{address}"\n' for name, address in upstreams.items())
        (self.folder / "daybreak.toml").write_text(text + more, encoding="utf-8")

    def start(self, *arguments: str, **env: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*self.program, *arguments],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env={**os.environ, **env},
        )

    def run(self, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        if self.program == PROGRAM:
            return program.run(*arguments, cwd=self.folder, env=env)
        return ended(self.start(*arguments, **env))

    def fails(self, *arguments: str, **env: str) -> str:
        """The error: one sentence and a tip, and nothing of a traceback."""
        answer = self.run(*arguments, **env)
        assert answer.returncode == 1, answer.stderr
        return one_error(answer)

    def works(self, *arguments: str, **env: str) -> None:
        answer = self.run(*arguments, **env)
        assert answer.returncode == 0, answer.stderr

    def pages(self) -> dict[str, bytes]:
        return written(self.folder if self.out == "." else Path(self.out))

    def came(self) -> Came:
        return Came(self.pages(), stored(self.store, self.folder))


def one_error(answer: subprocess.CompletedProcess[str]) -> str:
    lines = answer.stderr.strip().splitlines()
    assert "Traceback" not in answer.stderr
    assert "bug in Daybreak" not in answer.stderr
    errors = [n for n, line in enumerate(lines) if n + 1 < len(lines) and lines[n + 1].startswith("  tip: ")]
    assert errors == [len(lines) - 2], answer.stderr
    return lines[-2].removeprefix("daybreak: ")


@dataclass
class Scene:
    """The upstreams, and a place that nothing happens to."""

    root: Path
    upstreams: dict[str, str]
    expected: Came

    def place(self, name: str = "place", **what: Any) -> Place:
        folder = self.root / name
        folder.mkdir()
        made = Place(folder, **what)
        made.config(self.upstreams)
        return made


def make(root: Path) -> Scene:
    upstreams = {
        "acme/served": f"file://{_upstream(root, 'served')}",
        "acme/borrowed": f"{_upstream(root, 'borrowed')}",
    }
    scene = Scene(root, upstreams, Came({}, {}))
    place = scene.place("undisturbed")
    place.works(*WEEK)
    scene.expected = place.came()
    return scene


def _upstream(root: Path, name: str) -> Path:
    repo = GitRepo.make(root / f"{name}.git")
    for number, day in enumerate(("2026-01-18", *DAYS)):
        text = f'parser.add_argument("--{name}", default={number})\n'
        repo.commit(f"Tune (#{number})", {"pkg/args.py": text}, at=f"{day}T10:00:00")
        notes = f"# Notes\n\n{'x' * 200 * number}\n"
        repo.commit(f"Explain (#{number})\n\n{'Why. ' * 40}", {"NOTES.md": notes}, at=f"{day}T11:00:00")
    return repo.path


def until(there: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait for something that another process does."""
    end = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < end
        time.sleep(0.005)
