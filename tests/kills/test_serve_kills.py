"""`serve --schedule`, killed at any moment of its scheduled runs: started again, it ends with the same bytes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from gitrepo import GitRepo
from kills.killing import Came, assert_equal, stored, written
from program import PROGRAM

NOW = "2026-01-20T12:00:00+00:00"
DAYS = ("2026-01-17", "2026-01-18", "2026-01-19")
LAST = f"{DAYS[-1]}: reported, whole"
CONFIG = """timezone = "UTC"
[[repo]]
name = "acme/engine"
git = "{root}/upstream.git"
[publish]
site = true
git = "{root}/{name}.git"
[schedule]
at = "08:00"
catch_up = 2
"""
SQLITE = "sqlite:///.daybreak/daybreak.db"


@dataclass
class Service:
    """A folder that is served and reported on by schedule."""

    root: Path
    name: str

    @property
    def folder(self) -> Path:
        return self.root / self.name

    def prepare(self) -> None:
        self.folder.mkdir()
        GitRepo.make(self.root / f"{self.name}.git")
        config = CONFIG.format(root=self.root, name=self.name)
        (self.folder / "daybreak.toml").write_text(config, encoding="utf-8")

    def start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*PROGRAM, "serve", "--port", "0", "--schedule", "--log-format", "json"],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "DAYBREAK_NOW": NOW},
        )

    def whole(self) -> float:
        """Until the last day is there; how long that took. Where it is already, the next run does what is left."""
        if (self.folder / "reports" / f"{DAYS[-1]}.json").exists():
            command = [*PROGRAM, "run", "--date", DAYS[-1]]
            for _ in range(60):  # a run that was left alone may still be at work
                answer = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
                if answer.returncode == 0:
                    return 0.0
                assert "at work" in answer.stderr or "holds" in answer.stderr or "lock" in answer.stderr, answer.stderr
                time.sleep(1)
        began, process = time.monotonic(), self.start()
        assert process.stderr is not None
        lines = []
        try:
            for line in process.stderr:
                lines.append(json.loads(line)["message"])
                if LAST in lines[-1]:
                    return time.monotonic() - began
            raise AssertionError(f"it ended: {lines[-8:]}")
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=60)

    def killed(self, moment: float, *, all_of_it: bool) -> None:
        """After so many seconds; `all_of_it`: with the run that it started, which else goes on alone."""
        process = self.start()
        time.sleep(moment)
        runs = children(process.pid) if all_of_it else []
        process.kill()
        for pid in runs:
            with suppress(OSError):
                os.killpg(pid, signal.SIGKILL)
        process.communicate()

    def came(self) -> tuple[Came, str]:
        tree = subprocess.run(
            ["git", "-C", str(self.root / f"{self.name}.git"), "for-each-ref", "--format=%(refname) %(tree)"],
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        return Came(written(self.folder), stored(SQLITE, self.folder)), tree


def children(parent: int) -> list[int]:
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if int(place.read_text(errors="replace").rpartition(") ")[2].split()[1]) == parent:
                found.append(int(place.parent.name))
    return found


@pytest.mark.timeout(7200)
@pytest.mark.parametrize(("kills", "at_once"), [(2, 2), pytest.param(200, 4, marks=pytest.mark.soak)])
def test_a_service_killed_in_its_scheduled_runs_ends_with_the_same_bytes(
    tmp_path: Path, kills: int, at_once: int
) -> None:
    upstream = GitRepo.make(tmp_path / "upstream.git")
    for number, day in enumerate(("2026-01-16", *DAYS)):
        files = {"pkg/args.py": f'parser.add_argument("--limit", default={number})\n'}
        upstream.commit(f"Tune (#{number + 1})", files, at=f"{day}T10:00:00")
    calm = Service(tmp_path, "calm")
    calm.prepare()
    took = calm.whole()
    (pages, tree), chance = calm.came(), Random(26)
    for number in range(kills // at_once):
        other = Service(tmp_path, f"other-{number}")
        other.prepare()
        for moment in sorted(chance.uniform(0.1 * took, 0.95 * took) for _ in range(at_once)):
            other.killed(moment, all_of_it=chance.random() < 0.7)
        other.whole()
        found, branch = other.came()
        assert_equal(found, pages)
        assert branch == tree
        shutil.rmtree(other.folder)
